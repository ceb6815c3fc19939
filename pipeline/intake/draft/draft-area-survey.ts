/** Survey results by area, as reports print them: prevalence with its confidence interval or standard error. */
import path from 'node:path';
import { EXPECTED_PRECISION } from '../../catalog/source-rules.ts';
import { bareWords, candidateColumns, countDistinct, filledCells, likeliestColumn, testsNamed } from '../columns.ts';
import { type DraftEntry, fileDialect, type TableDraft } from './draft-entry.ts';
import { type PlaceKey, placeColumnName } from './draft-keys.ts';
import { parseMethods } from './draft-survey.ts';
import { type Answers, prevalenceQuestion, USUAL_AGES } from './questions.ts';
import type { TableFile } from './recognise.ts';
import { findRounds, findYearColumn, onlyYearIn } from './survey-rounds.ts';

/** Words in names of columns, in lower case without accents and punctuation. */
const PREVALENCE_WORDS = /\b(preval\w*|pf ?pr|parasit\w*|positivity|positivite|positividade)\b/;
const PRECISION_WORDS = {
  low: /\b(ci|ic)?(low(er)?|lci|lcl|inf(erieure?|erior)?)\b/,
  high: /\b(ci|ic)?(high|upp(er)?|uci|ucl|sup(erieure?|erior)?)\b/,
  interval: /\b(ci|ic|(confidence )?interval|intervall?[eo] de (confiance|confianca|confianza))\b/,
  standard_error: /\b(se|std ?err(or)?|standard error|erreur (type|standard)|erro padrao|error estandar)\b/,
};
const PRECISION_FORMS = [['low', 'high'], ['interval'], ['standard_error']] as const;
/** Other diseases, and intervals of another level. */
const OTHER_WORDS = /\b(ana?emi\w*|hiv|vih|80|90|99)\b/;
const INTERVAL = /^\D*\d+([.,]\d+)?\D+\d+([.,]\d+)?\D*$/;
/** Ages such as `6-59 mois` or `5 to 14 years`; without a unit they are taken for months. */
const AGES = /\b(\d{1,3}) (?:(?:to|and|a|et|e|y) )?(\d{1,3}) ?(?:m|mo|months?|mois|meses|(y|yrs?|years?|ans|anos))?\b/;

/** Ages in months in the name of a column or else of its file; null if neither has any. */
function agesInNames(column: string, file: string): string | null {
  const [, youngest, oldest, years] = AGES.exec(bareWords(column)) ?? AGES.exec(bareWords(path.basename(file))) ?? [];
  return youngest ? [youngest, oldest].map((age) => Number(age) * (years ? 12 : 1)).join('-') : null;
}

/**
 * The entry of a table with a share of children by area, or what it lacks; null for another table.
 * @param place the column of areas, of either level
 * @param answers about the ages of the score, and about whose prevalence it is if no name says so
 */
export function draftAreaSurvey(table: TableFile, place: PlaceKey | null, answers: Answers): TableDraft | null {
  if (!place || place.kind === 'facility' || place.facilityColumn) return null;
  const { header, file } = table;
  const isNumeric = (column: string) => filledCells(table, column).every((cell) => Number.isFinite(Number(cell)));
  const columnsNamed = (words: RegExp) =>
    header.filter((column) => words.test(bareWords(column)) && !OTHER_WORDS.test(bareWords(column)));
  const isShare = (column: string) =>
    isNumeric(column) && !Object.values(PRECISION_WORDS).some((words) => words.test(bareWords(column)));
  const named = columnsNamed(PREVALENCE_WORDS).filter(isShare);
  const findColumns = (names: readonly (keyof typeof PRECISION_WORDS)[]): Record<string, string> =>
    Object.fromEntries(
      names.flatMap((name) => {
        const columns = columnsNamed(PRECISION_WORDS[name]).filter((column) =>
          name === 'interval' ? filledCells(table, column).every((cell) => INTERVAL.test(cell)) : isNumeric(column),
        );
        return columns.length === 1 ? [[name, columns[0]!]] : [];
      }),
    );
  const [positivity, other] = named.length > 0 ? named : candidateColumns(header, 'positivity').filter(isShare);
  const precision =
    PRECISION_FORMS.map(findColumns).find((found, i) => Object.keys(found).length === PRECISION_FORMS[i]!.length) ?? {};
  const isPrecise = Object.keys(precision).length > 0;
  if (positivity === undefined || (!isPrecise && (named.length === 0 || likeliestColumn(header, 'examined'))))
    return null;
  const year = findYearColumn(table);
  const method = likeliestColumn(header, 'method');
  const sampleColumns = [place.column, place.stateColumn, year?.column, method].filter((column) => column != null);
  // Places with records of many months are not samples.
  if (countDistinct(table, sampleColumns) < table.rows.length) return null;
  const [testNamed, secondTest] = testsNamed(`${positivity} ${path.basename(file)}`);
  const methods = method
    ? parseMethods(filledCells(table, method))
    : testNamed && !secondTest
      ? { [testNamed]: testNamed }
      : 'no test, or two';
  const middles = table.rows.map(({ cells }) => {
    const cell = year ? (cells[header.indexOf(year.column)] ?? '') : String(onlyYearIn(file));
    return `${year?.recode?.[cell] ?? cell}-06`;
  });
  const { rounds, doubts } = findRounds(table, year, middles);
  const scoreAges = answers.ages_months ?? USUAL_AGES.join('-');
  const question = prevalenceQuestion(file, positivity, scoreAges);
  const isAsked = agesInNames(positivity, file) !== scoreAges;
  const questions = isAsked ? [question] : [];
  const lacking =
    other !== undefined
      ? `a file of its own, as "${other}" is another; keep one, or one file for each test, each with its interval`
      : !isPrecise
        ? `the number examined; add it, or ${EXPECTED_PRECISION}`
        : typeof methods === 'string'
          ? `a test that is known; name it in the heading, such as "${positivity} (RDT)"`
          : rounds.length === 0
            ? 'the year of the survey; add a column of it, or give it in the name of the file'
            : isAsked && answers[question.id] !== scoreAges
              ? `ages of ${scoreAges} months in its name; if it is of these children, answer "${question.id}" with ${scoreAges}`
              : null;
  if (lacking || typeof methods === 'string')
    return {
      entries: [],
      obstacles: [{ why: `"${positivity}" is a share by area without ${lacking}`, lost: 'survey results' }],
      questions,
    };
  const isPercent = [positivity, ...Object.values(precision)].some((column) =>
    filledCells(table, column).some((cell) => Number.parseFloat(cell) > 1),
  );
  const entry: DraftEntry = {
    role: 'survey_states',
    unit: isPercent ? 'percent' : 'share',
    columns: {
      ...(year ? { survey_year: year.column } : {}),
      [placeColumnName(place)]: place.column,
      ...(place.stateColumn ? { state: place.stateColumn } : {}),
      ...(method ? { method } : {}),
      positivity,
      ...precision,
    },
    ...(year?.recode ? { recode: { survey_year: year.recode } } : {}),
    ...fileDialect(table, null),
    methods,
    rounds,
  };
  const assumedMonths = rounds.map(({ first }) => first).join(' and ');
  const monthsDoubt = `${file}: the months of fieldwork are taken for ${assumedMonths}, and scores depend on the season: write them as \`rounds\` (sources.json)`;
  return {
    entries: [{ entry, note: `"${positivity}" is prevalence by area, of children of the ages of the score` }],
    obstacles: [],
    doubts: [...(year?.doubts ?? []), ...doubts, monthsDoubt],
    questions,
  };
}
