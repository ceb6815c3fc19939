/** The columns of a routine table that add up to its confirmed cases: parts by age, test and sex, each case once. */
import type { TextTable } from '../../ingest/readers/csv.ts';
import { filledCells, nameAsWords, guessSubject, TEST_WORDS } from '../columns.ts';
import type { TableFile } from './recognise.ts';

/** Whom a column counts; without a key, people of all ages, tests or sexes. */
interface Part {
  column: string;
  /** In months, the end exclusive. */
  ages: readonly [number, number] | null;
  test: string | null;
  sex: string | null;
  /** Whether its name says no more than that something was positive. */
  isVague: boolean;
}

/** The columns of confirmed cases in a table. */
export interface CaseColumns {
  /** Those that add up to all cases, each once; none if none are known to. */
  added: string[];
  /** The other columns about cases. */
  leftOut: string[];
}

/** Words of columns that are not all cases of an age, or are cases counted elsewhere too. */
const SOME_CASES =
  /\b(deaths?|died|deces|obitos?|muertes?|mort(s|ality|alite)?|in[- ]?patients?|ipd|admi(ssions?|tted|s)|hospitali[sz]\w+|internad\w+|internamento\w*|severe|graves?|pregnan\w+|enceintes?|gravidas?|gestantes?|embarazadas?|anc|cpn|communaut\w+|communit\w+|comunit\w+|chws?|asc|relais|refer\w+|import\w+)\b/;

/** Whether a column's name says that its cases are counted elsewhere too, or are not all of an age. */
export const isOfSomeCases = (column: string) => SOME_CASES.test(bareName(column));

/** Words of cases that nobody tested, alone or in a total. */
const PRESUMED =
  /\b(not tested|untested|non teste\w*|nao testad\w+|presum\w+|presumptive|clinical(ly)?|cliniques?|clinic[ao]s?)\b/;

/** What is left in a name whose ages are not understood. */
const OF_SOME_AGES =
  /[<>≤≥+]|(?<!\d)\d{1,2}(?!\d)|\b(ages?|ans|anos?|years?|yrs?|mois|meses|months?|child(ren)?|enfants?|criancas?|ninos?|adult\w*|infants?|nourrissons?)\b/u;
const ALL_AGES = /\b(all|tous|toutes|todas|todos)\b.*\b(ages?|idades|edades)\b/;

export const OF_MALARIA = /malaria|palu/i;

const NUMBER_WORDS: Readonly<Record<string, string>> = {
  five: '5',
  cinq: '5',
  cinco: '5',
  fifteen: '15',
  quinze: '15',
};
const UNIT = String.raw`(?:\s*(days?|dys|jours?|dias?|d|j|months?|mois|meses|mos?|m|years?|yrs?|ans?|anos?|y)\b\.?)?`;
const AGES = {
  range: new RegExp(String.raw`(?<![\p{L}\d])(\d{1,2})${UNIT}\s*(?:-|–|to|a)\s*(\d{1,2})(?!\d)${UNIT}`, 'u'),
  below: new RegExp(
    String.raw`(?:<|(?<!\p{L})(?:under|below|less than|moins de|menos de|menor(?:es)? (?:de|que)|inferieurs? a|u))[\s-]*(\d{1,2})(?!\d)${UNIT}`,
    'u',
  ),
  upTo: new RegExp(String.raw`(?:<=|≤)\s*(\d{1,2})(?!\d)${UNIT}`, 'u'),
  andMore: new RegExp(
    String.raw`(?<![\p{L}\d])(\d{1,2})${UNIT}\s*(?:\+|plus(?!\p{L})|(?:and|&|et|e|y|ou|or|o|a) (?:above|over|older|more|plus|mais|mas)(?!\p{L}))`,
    'u',
  ),
  above: new RegExp(
    String.raw`(?:>=?|≥|\+(?:\s*de)?|(?<!\p{L})(?:over|above|ov|o|plus de|mais de|mas de|ma[iy]or(?:es)? (?:de|que)|superieurs? a))[\s-]*(\d{1,2})(?!\d)${UNIT}`,
    'u',
  ),
};

/** A month has 29 days here, so that 0-28 days end where a month begins. */
const months = (number: string, unit = 'y') => {
  if (/^[dj]/.test(unit)) return Number(number) / 29;
  return Number(number) * (/^m/.test(unit) ? 1 : 12);
};

/** The ages that a name gives, in months, and the name without them; null if it gives none. */
function agesIn(name: string): { ages: readonly [number, number]; rest: string } | null {
  const text = name.replaceAll(/\p{L}+/gu, (word) => NUMBER_WORDS[word] ?? word);
  const without = (match: RegExpExecArray) => text.replace(match[0], ' ');
  const range = AGES.range.exec(text);
  if (range) {
    const [, from, unitOfFrom, to, unit] = range as unknown as [string, string, string?, string?, string?];
    const [first, last] = [months(from, unitOfFrom ?? unit), months(to!, unit) + months('1', unit)];
    if (first < last) return { ages: [first, last], rest: without(range) };
  }
  const more = AGES.andMore.exec(text) ?? AGES.above.exec(text);
  if (more) return { ages: [months(more[1]!, more[2]), Number.POSITIVE_INFINITY], rest: without(more) };
  const upTo = AGES.upTo.exec(text);
  if (upTo) return { ages: [0, months(upTo[1]!, upTo[2]) + months('1', upTo[2])], rest: without(upTo) };
  const below = AGES.below.exec(text);
  return below && { ages: [0, months(below[1]!, below[2])], rest: without(below) };
}

const SEXES = {
  female: /\b(females?|f|femmes?|feminin|feminino|mulheres|femenino|mujeres)\b/,
  male: /\b(males?|m|hommes?|masculin|masculino|homens|hombres)\b/,
};

/**
 * Without the number of a form at its start, as in `105-1 OPD Malaria`, and without signs that are no ages: `RDT + BS`,
 * `GE+`.
 */
const bareName = (column: string) =>
  nameAsWords(column.replaceAll(/(?<=\d)_(?=\d)/g, '-'))
    .replaceAll('b/s', 'bs')
    .replace(/^\d{3}-\d+[a-z]?(?=\s)/, '')
    .replaceAll(/(?<=\p{L})\s*\+/gu, ' ');

/** Whether a name says nothing but ages and sex. */
function isOnlyWhom(name: string): boolean {
  const { rest = name } = agesIn(name) ?? {};
  const left = Object.values(SEXES).reduce((text, sex) => text.replace(sex, ''), rest);
  return left !== name && !/[\p{L}\d]/u.test(left);
}

/** Whether a column's name, as `bareName` writes it, says that it has the wanted figures. */
type Names = (name: string, has: (word: keyof typeof TEST_WORDS) => boolean) => boolean;

/** Cases confirmed by any test, or a result of one that is named, or of malaria. */
const ofCases: Names = (name, has) =>
  has('confirmed') || (has('positive') && (has('rdt') || has('microscopy') || has('tested') || OF_MALARIA.test(name)));

const ofTested: Names = (_, has) => has('tested') && !has('positive') && !has('confirmed');

/** Whom a column counts; null for a column without the wanted figures, or with some of them alone. */
function readPart(column: string, isWanted: Names): Part | null {
  const name = bareName(column);
  const has = (word: keyof typeof TEST_WORDS) => TEST_WORDS[word].test(name);
  if (!isWanted(name, has) || has('share') || SOME_CASES.test(name) || PRESUMED.test(name)) return null;
  const aged = agesIn(name);
  if (aged ? agesIn(aged.rest) : OF_SOME_AGES.test(name.replace(ALL_AGES, ''))) return null;
  const [sex = null] = Object.entries(SEXES).flatMap(([one, word]) => (word.test(aged?.rest ?? name) ? [one] : []));
  const [rdt, microscopy] = [has('rdt'), has('microscopy')];
  return {
    column,
    ages: aged?.ages ?? null,
    test: rdt === microscopy ? null : rdt ? 'rdt' : 'microscopy',
    sex,
    isVague: !(has('confirmed') || has('tested') || rdt || microscopy),
  };
}

export const isOfCounts = (cells: readonly string[]) =>
  cells.length > 0 && cells.every((cell) => /^\d+(\.0*)?$/.test(cell));

/**
 * The fewest columns that together count each case once: a total, or parts by age, test or sex that leave nothing out
 * and do not overlap. A total is never added to its parts.
 * @returns null if no column is one of confirmed cases
 */
export function caseColumnsIn(
  table: TextTable & Pick<TableFile, 'file' | 'dialect'>,
  columns: readonly string[],
): CaseColumns | null {
  // Figures as rows by age alone have the name of their file.
  const isOfCases = table.dialect.wide !== undefined && guessSubject([table.file]) === 'cases';
  const isWanted: Names = (name, has) => ofCases(name, has) || (isOfCases && isOnlyWhom(name));
  const all = columns.flatMap((column) =>
    isOfCounts(filledCells(table, column)) ? (readPart(column, isWanted) ?? []) : [],
  );
  // Beside a test that is named, what else is positive is of a test whose name is not known.
  const parts = all.some(({ test }) => test !== null) ? all.filter(({ isVague }) => !isVague) : all;
  const isPart = ({ ages, test, sex }: Part) => (ages ?? test ?? sex) !== null;
  if (
    parts.length === 0 ||
    !(parts.some(isPart) || [table.file, ...parts.map(({ column }) => column)].some((name) => OF_MALARIA.test(name)))
  )
    return null;
  const added = fewestThatCover(parts)?.map(({ column }) => column) ?? [];
  const about = (column: string) =>
    /\b(cases?|cas|casos|mal\w*|palu\w*|susp\w*|conf|confirm\w+)\b/.test(bareName(column)) ||
    parts.some((part) => part.column === column);
  return { added, leftOut: columns.filter((column) => about(column) && !added.includes(column)) };
}

/** The fewest parts that cover every age, test and sex once; null if none are known to. */
function fewestThatCover(parts: readonly Part[]): Part[] | null {
  const bounds = [...new Set([0, ...parts.flatMap(({ ages }) => ages ?? [])])].sort((a, b) => a - b);
  const starts = bounds.filter((age) => age !== Number.POSITIVE_INFINITY);
  const any = (key: 'test' | 'sex') => parts.some((part) => part[key] !== null);
  const tests = any('test') ? ['rdt', 'microscopy'] : [''];
  const sexes = any('sex') ? ['female', 'male'] : [''];
  const people = starts.flatMap((age) => tests.flatMap((test) => sexes.map((sex) => ({ age, test, sex }))));
  const counted = parts.map((part) => {
    const counts = ({ age, test, sex }: (typeof people)[number]) =>
      (part.ages === null || (part.ages[0] <= age && age < part.ages[1])) &&
      (part.test ?? test) === test &&
      (part.sex ?? sex) === sex;
    return { part, whom: people.flatMap((one, i) => (counts(one) ? [i] : [])) };
  });
  // Columns that count the same people may be of different things: none of them is known to be the right one.
  const distinct = [...Map.groupBy(counted, ({ whom }) => whom.join(' ')).values()].flatMap((same) =>
    same.length === 1 ? same : [],
  );
  let best: Part[] | null = null;
  const add = (chosen: readonly Part[], covered: ReadonlySet<number>): void => {
    if (best !== null && chosen.length >= best.length) return;
    const next = people.findIndex((_, i) => !covered.has(i));
    if (next === -1) best = [...chosen];
    else
      for (const { part, whom } of distinct)
        if (whom.includes(next) && !whom.some((i) => covered.has(i)))
          add([...chosen, part], new Set([...covered, ...whom]));
  };
  add([], new Set());
  const cover = best as Part[] | null;
  return cover && parts.filter((part) => cover.includes(part));
}

/** The fewest columns that together count all people tested once; none if it is not known which do. */
export const testedIn = (columns: readonly string[]): string[] => {
  const parts = columns.flatMap((column) => readPart(column, ofTested) ?? []);
  return fewestThatCover(parts)?.map(({ column }) => column) ?? [];
};
