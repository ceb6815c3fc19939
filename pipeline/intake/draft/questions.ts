/** Facts about a country that its files do not contain: questions, each with a guess if there is one. */

import { METHODS, UNKNOWN_COUNTRY } from '../../catalog/shared-schemas.ts';
import type { Source } from '../../catalog/sources.ts';
import { describeSiblings, type Sibling } from '../../ingest/siblings.ts';
import { InputLocation } from '../../lib/bad-input.ts';
import { UsageError } from '../../lib/errors.ts';
import { plainName, splitWords } from '../../lib/name-similarity.ts';
import type { levelWords } from './level-words.ts';
import type { UnnamedNumbers } from './unnamed-numbers.ts';

export interface Question {
  /** Its key in answers.json. */
  id: string;
  asks: string;
  /** The default answer; null if nothing can be guessed. */
  guess: string | null;
  /** The value in the draft until the question is answered, if nothing can be guessed: a check refuses it. */
  placeholder?: string;
  /** The pattern that an answer must match. */
  pattern: RegExp;
  /** The latest month allowed. */
  latest?: string;
  /** Whether the draft depends on the answer. */
  redraws?: true;
}

export type Answers = Readonly<Record<string, string>>;

const ANY_TEXT = /\S/;
const MONTH = /^(19|20)\d\d-(0[1-9]|1[0-2])$/;

/** What the drafted entries suggest for the guesses. */
export interface Hints {
  /** Codes of the lower-level areas, whose first two letters may be the country's. */
  codes: readonly string[];
  /** The country's name in a file; null if no file has one. */
  country: string | null;
  /** The name of the catalog's folder. */
  folder: string;
  /** Names of the tables' columns, whose language may be that of the areas. */
  columns: readonly string[];
  /** What the areas of each level are called. */
  levels: ReturnType<typeof levelWords>;
  first: string;
  last: string;
  /** The latest month that surveys and case records allow to be estimated. */
  latest: string;
  /** Why `latest` is the last possible month. */
  latestReason: string;
  ages: readonly [number, number];
  /** Files of outlines of the lower level to choose from, the likeliest first. */
  outlines: readonly string[];
  /** Population rasters to choose from, the likeliest first; none without a choice. */
  population: readonly string[];
  /** Tables of cases and people. */
  countFiles: readonly string[];
  /** Tables whose numbers have no name. */
  unnamedNumbers: readonly (UnnamedNumbers & { file: string })[];
  /** Tables whose cases are chosen from several columns. */
  caseSums: readonly { file: string; cases: CaseSum }[];
  /** What else is asked about tables. */
  tableQuestions: readonly Question[];
}

/** What numbers without a name may be. */
const NUMBER_KINDS = ['cases', 'thousands of cases', 'rain', 'people', 'other'] as const;
export type NumberKind = (typeof NUMBER_KINDS)[number];
/** What the columns of a table are by an answer: one kind for all, or the kind of each column that is of use. */
export function numberKinds(answer: string, columns: readonly string[]): Map<string, NumberKind> {
  if (NUMBER_KINDS.includes(answer as NumberKind))
    return new Map(columns.map((column) => [column, answer as NumberKind]));
  const items = answer.matchAll(
    new RegExp(`(${alternatives(columns)}) = (${NUMBER_KINDS.join('|')})(?=${SEPARATOR}|$)`, 'g'),
  );
  return new Map([...items].map(([, column, kind]) => [column!, kind as NumberKind]));
}
/** The id of the question about the numbers of a table. */
export const numbersQuestionId = (file: string) => `numbers of ${file}`;

/** Ages of the score, months, unless the surveys suggest others. */
export const USUAL_AGES: readonly [number, number] = [6, 59];
/** The answer until somebody knows. */
export const UNKNOWN = 'unknown';
const OTHER_PEOPLE = 'other';
/** The question whose prevalence a column has; until it is answered with the ages of the score, it is not used. */
export const prevalenceQuestion = (file: string, column: string, scoreAges: string): Question => ({
  id: `prevalence of ${file}`,
  asks: `Ages in months, as in ${scoreAges}, of all the children whose prevalence is "${column}" in ${file}, or ${OTHER_PEOPLE}; only that of the ages of the score is used`,
  guess: OTHER_PEOPLE,
  pattern: new RegExp(`^(${OTHER_PEOPLE}|\\d+-\\d+)$`),
  redraws: true,
});

/** The question of the method of a survey that does not tell it; until it is answered, the survey is not used. */
export const methodQuestion = (file: string): Question => ({
  id: `method of ${file}`,
  asks: `How the children of the survey ${file} were tested: ${METHODS.join(' or ')}; ${UNKNOWN}: it is not used`,
  guess: UNKNOWN,
  pattern: new RegExp(`^(${[UNKNOWN, ...METHODS].join('|')})$`),
  redraws: true,
});

const FIELDWORK = /((?:19|20)\d\d-(?:0[1-9]|1[0-2])) to ((?:19|20)\d\d-(?:0[1-9]|1[0-2]))/g;
/** The question of the months of a survey that does not tell them; until it is answered, the survey is not used. */
export const fieldworkQuestion = (file: string): Question => ({
  id: `fieldwork of ${file}`,
  asks: `First and last month of fieldwork of the survey ${file}, as in "2021-08 to 2021-11", each round with "; " between them; ${UNKNOWN}: it is not used`,
  guess: UNKNOWN,
  pattern: new RegExp(`^(${UNKNOWN}|${FIELDWORK.source}(; ${FIELDWORK.source})*)$`),
  redraws: true,
});
export const monthsInAnswer = (answer: string): { first: string; last: string }[] =>
  Array.from(answer.matchAll(FIELDWORK), ([, first, last]) => ({ first: first!, last: last! }));

/** The question of which year the people of a table are that tells none. */
export const peopleYearQuestion = (file: string): Question => ({
  id: `year of the people in ${file}`,
  asks: `Year of the people in ${file}, or ${UNKNOWN}: rates of all years then refer to them as they are`,
  guess: UNKNOWN,
  pattern: new RegExp(`^(${UNKNOWN}|(19|20)\\d\\d)$`),
  redraws: true,
});

/** The id of the question about a figure of another source with which a table's counts are compared. */
const controlQuestionId = (file: string) => `control of ${file}`;
const NO_CONTROL = 'none';
const CONTROL = /((?:19|20)\d\d(?:-\d\d)?) (\d+) (\S.*)/;
/** By how much a sum may differ from the answer: late reports take a few per cent. */
const TOLERANCE = 0.02;

export function controlsFor(file: string, answers: Answers): Pick<Source, 'controls'> {
  const [, period, value, source] = CONTROL.exec(answers[controlQuestionId(file)] ?? '') ?? [];
  if (!period) return {};
  return { controls: [{ period, area: null, value: Number(value), source: source!, tolerance: TOLERANCE }] };
}

/** The columns whose sum a table's cases are taken for. */
export interface CaseSum {
  /** None if it is not known which to add up. */
  summed: readonly string[];
  /** The one that is the total of others, and is taken in their place where it is filled; null if there is none. */
  total: string | null;
  /** The others about cases. */
  leftOut: readonly string[];
  /** Those of the others that may be parts of the same cases. */
  siblings: readonly Sibling[];
  /** All to choose from. */
  columns: readonly string[];
}
/** The id of the question about the columns to add up to the cases of a table. */
export const casesQuestionId = (file: string) => `cases of ${file}`;
const SEPARATOR = '; ';
const NO_COLUMNS = 'none';
const alternatives = (texts: readonly string[]) =>
  `(?:${texts
    .toSorted((a, b) => b.length - a.length)
    .map((text) => RegExp.escape(text))
    .join('|')})`;
/** The columns that an answer about cases lists. */
export const columnsInAnswer = (answer: string, columns: readonly string[]): string[] =>
  answer === NO_COLUMNS
    ? []
    : [...answer.matchAll(new RegExp(`${alternatives(columns)}(?=${SEPARATOR}|$)`, 'g'))].map(([one]) => one);

const chooseFile = (id: string, what: string, files: readonly string[]): Question => ({
  id,
  asks: `${what}: ${files.join(' or ')}`,
  guess: files[0]!,
  pattern: new RegExp(`^${alternatives(files)}$`),
  redraws: true,
});

/** The questions in the order in which they are asked. */
export function listQuestions(hints: Hints): Question[] {
  const { codes, folder, levels, latest, outlines, population } = hints;
  const iso = /^[A-Z]{2}(?![A-Z])/.exec(codes[0] ?? '')?.[0] ?? null;
  const haveSamePrefix = iso !== null && codes.every((code) => code.startsWith(iso));
  const names = haveSamePrefix ? countryNames(iso) : [];
  const folderIso = isoOfCountry(folder);
  const country = hints.country ?? (folderIso && countryNames(folderIso)[0]!);
  // Any two letters may begin a code, those of another country too.
  const codesFitCountry = country === null || names.some((name) => sharesWord(name, country));
  const from = names[0] === undefined ? '' : ` (the codes of its areas begin with ${iso}, as for ${names[0]})`;
  const guess = haveSamePrefix && codesFitCountry ? iso : country && isoOfCountry(country);
  return [
    {
      id: 'name',
      asks: 'Name of the country',
      guess: country ?? names[0] ?? (titleFromFolder(folder) || null),
      pattern: ANY_TEXT,
    },
    {
      id: 'iso_code',
      asks: `Its two-letter ISO 3166-1 code${from}`,
      guess,
      placeholder: UNKNOWN_COUNTRY,
      pattern: /^[A-Z]{2}$/,
    },
    {
      id: 'language',
      asks: 'Language of the names of its areas (BCP 47)',
      guess: guessLanguage(hints.columns, guess),
      pattern: /^[a-z]{2,3}(-[A-Za-z0-9]+)*$/,
    },
    { id: 'upper_one', asks: 'Term for an upper-level area', guess: levels.upper?.one ?? 'region', pattern: ANY_TEXT },
    { id: 'upper_many', asks: 'Its plural', guess: levels.upper?.many ?? 'regions', pattern: ANY_TEXT },
    { id: 'lower_one', asks: 'Term for a lower-level area', guess: levels.lower?.one ?? 'district', pattern: ANY_TEXT },
    { id: 'lower_many', asks: 'Its plural', guess: levels.lower?.many ?? 'districts', pattern: ANY_TEXT },
    {
      id: 'code_is',
      asks: 'Kind of code that identifies the areas',
      guess: haveSamePrefix && codesFitCountry ? 'OCHA p-code' : 'code of the data team',
      pattern: ANY_TEXT,
    },
    { id: 'first_estimated', asks: 'First month to estimate', guess: hints.first, pattern: MONTH },
    {
      id: 'last_estimated',
      asks: `Last month to estimate, ${latest} at the latest: ${hints.latestReason}`,
      guess: hints.last,
      pattern: MONTH,
      latest,
    },
    {
      id: 'ages_months',
      asks: 'Ages of the children tested in the surveys, in months',
      guess: hints.ages.join('-'),
      pattern: /^\d+-\d+$/,
      redraws: true as const,
    },
    ...hints.tableQuestions,
    ...hints.countFiles.map((file) => ({
      id: controlQuestionId(file),
      asks: `What ${file} adds up to by another source: year, number and source, as in "2023 2158972 annual report, table 4", or ${NO_CONTROL}`,
      guess: NO_CONTROL,
      pattern: new RegExp(`^(${NO_CONTROL}|${CONTROL.source})$`),
      redraws: true as const,
    })),
    ...(outlines.length > 1
      ? [chooseFile('outlines', 'Outlines of the lower level, which several files draw differently', outlines)]
      : []),
    ...(population.length > 0 ? [chooseFile('population', 'Population raster', population)] : []),
    ...hints.unnamedNumbers.map(({ file, columns, guess, description }) => {
      const item = `${alternatives(columns)} = (${NUMBER_KINDS.join('|')})`;
      const example = columns.length === 1 ? '' : ', or each column of use, as in "COLUMN = cases; COLUMN = cases"';
      return {
        id: numbersQuestionId(file),
        asks: `What the unnamed numbers in ${file} are: ${NUMBER_KINDS.join(', ')}${example}${guess === 'other' ? '' : `; they are ${description}`}`,
        guess,
        pattern: new RegExp(`^(${NUMBER_KINDS.join('|')}|${item}(${SEPARATOR}${item})*)$`),
        redraws: true as const,
      };
    }),
    ...hints.caseSums.map(({ file, cases: { summed, total, leftOut, siblings, columns } }) => ({
      id: casesQuestionId(file),
      asks: `Columns to add up to the confirmed cases in ${file}, each case once, with "${SEPARATOR}" between them, or ${NO_COLUMNS}${total === null ? '' : `; ${total} is a total of others, and is taken in their place where it is filled`}${leftOut.length > 0 ? `; left out: ${leftOut.join(SEPARATOR)}` : ''}${siblings.length > 0 ? `; may be parts of the same cases: ${describeSiblings(siblings)}` : ''}`,
      guess: summed.join(SEPARATOR) || NO_COLUMNS,
      pattern: new RegExp(`^(?:${NO_COLUMNS}|${alternatives(columns)}(?:${SEPARATOR}${alternatives(columns)})*)$`),
      redraws: true as const,
    })),
  ];
}

/** The languages of the names of countries in files. */
const LANGUAGES = ['en', 'fr', 'pt', 'es'];

const REGIONS = LANGUAGES.map((language) => new Intl.DisplayNames([language], { type: 'region', fallback: 'none' }));

/** The names of the country with an ISO 3166-1 code, the English one first; none if no country has it. */
const countryNames = (iso: string): string[] => REGIONS.flatMap((regions) => regions.of(iso) ?? []);

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

/** Whether a code is no former one, such as that of Upper Volta. */
const isCurrentIso = (iso: string) => new Intl.Locale('und', { region: iso }).region === iso;

/** The ISO 3166-1 code of the only country with a name; null if there is none. */
function isoOfCountry(name: string): string | null {
  if (plainName(name) === '') return null;
  const codes = LETTERS.flatMap((first) => LETTERS.map((second) => first + second));
  const matches = codes.filter(
    (iso) =>
      iso !== UNKNOWN_COUNTRY &&
      isCurrentIso(iso) &&
      countryNames(iso).some((countryName) => plainName(countryName) === plainName(name)),
  );
  return matches.length === 1 ? matches[0]! : null;
}

const titleFromFolder = (folder: string) =>
  folder
    .replaceAll(/[-_\s]+/g, ' ')
    .trim()
    .replace(/^\p{L}/u, (letter) => letter.toUpperCase());

/** Words of names of columns that only one language has, as `plainName` writes them. */
const WORDS_BY_LANGUAGE: Readonly<Record<string, readonly string[]>> = {
  fr: ['annee', 'mois', 'cas', 'confirmes', 'pluie', 'enquete', 'departement', 'habitants', 'sanitaire', 'pays'],
  pt: ['populacao', 'habitantes', 'municipio', 'chuva', 'unidade', 'criancas', 'mulheres'],
  es: ['poblacion', 'lluvia', 'precipitacion', 'establecimiento', 'departamento', 'ninos', 'mujeres'],
};

/** The language of most of those words in names of columns or else, if it is one of them, that of the country. */
function guessLanguage(columns: readonly string[], iso: string | null): string {
  const words = columns.flatMap(splitWords);
  const [best] = Object.entries(WORDS_BY_LANGUAGE)
    .map(([language, vocabulary]) => ({ language, count: words.filter((word) => vocabulary.includes(word)).length }))
    .sort((a, b) => b.count - a.count);
  if (best!.count > 0) return best!.language;
  const spokenLanguage = iso && new Intl.Locale('und', { region: iso }).maximize().language;
  return LANGUAGES.find((language) => language === spokenLanguage) ?? 'en';
}

/** Whether two names of countries have a word of four letters or more in common, such as Congo. */
function sharesWord(name: string, otherName: string): boolean {
  const longWords = (text: string) =>
    text
      .split(/[^\p{L}\p{M}]+/u)
      .map(plainName)
      .filter((word) => word.length >= 4);
  return longWords(name).some((word) => longWords(otherName).includes(word));
}

/** What is wrong with an answer; null if nothing is. */
export function answerError({ id, asks, pattern, latest }: Question, answer: string): string | null {
  const expected = !pattern.test(answer)
    ? `an answer to "${asks}" in the form ${pattern.source}`
    : latest && answer > latest
      ? `${latest} at the latest`
      : null;
  return expected && `${id}: found ${JSON.stringify(answer)}, expected ${expected}`;
}

/**
 * Answers to all questions: those given, and guesses for the rest.
 * @returns also the questions that are guessed, and those that stay open
 * @throws BadInput if an answer is missing and nothing can be guessed, or if there is no such question
 * @throws UsageError if an answer has the wrong form
 */
export function completeAnswers(questions: readonly Question[], given: Answers) {
  const location = new InputLocation('answers');
  const unknown = Object.keys(given).find((id) => !questions.some((question) => question.id === id));
  if (unknown)
    throw location.at(unknown).error('no such question', `one of ${questions.map(({ id }) => id).join(', ')}`);
  const asked = questions.filter(({ id }) => given[id] === undefined);
  const [guessed, open] = [asked.filter(({ guess }) => guess !== null), asked.filter(({ guess }) => guess === null)];
  const needed = open.filter((question) => question.placeholder === undefined);
  if (needed.length > 0) {
    const example = JSON.stringify(Object.fromEntries(needed.map(({ id, asks }) => [id, asks])));
    throw location
      .at(needed.map(({ id }) => id).join(', '))
      .error('no answer and no guess', `--answers FILE with ${example}`);
  }
  const entries = questions.map((question) => {
    const answer = given[question.id] ?? question.guess ?? question.placeholder!;
    const wrong = answerError(question, answer);
    if (wrong) throw new UsageError(`answers, ${wrong}`);
    return [question.id, answer];
  });
  return { answers: Object.fromEntries(entries) as Answers, guessed, open };
}
