/** The columns whose sum is the confirmed cases of a routine table: parts by age, test and sex, without overlap. */
import type { TextTable } from '../../ingest/readers/csv.ts';
import { filledCells, isUid, nameAsWords, TEST_WORDS } from '../columns.ts';
import type { TableFile } from './recognise.ts';

/** The people that a column counts; null stands for all ages, tests or sexes. */
interface Part {
  column: string;
  /** In months, the end exclusive. */
  ages: readonly [number, number] | null;
  test: string | null;
  sex: string | null;
  /** Whether its name says only that something was positive. */
  isVague: boolean;
}

/** The columns of confirmed cases in a table. */
interface CaseColumns {
  /** Those whose sum is all cases; empty if it is not known which these are. */
  summed: string[];
  /** The other columns about cases. */
  leftOut: string[];
  /** Those of them whose names say that they count people of the summed ones again. */
  overlapping: string[];
}

/** Words of columns with a subset of the cases, or with cases that another column counts too. */
const SUBSET_WORDS =
  /\b(deaths?|died|deces|obitos?|muertes?|mort(s|ality|alite)?|in[- ]?patients?|ipd|admi(ssions?|tted|s)|hospitali[sz]\w+|internad\w+|internamento\w*|severe|graves?|pregnan\w+|enceintes?|gravidas?|gestantes?|embarazadas?|anc|cpn|communaut\w+|communit\w+|comunit\w+|chws?|asc|relais|refer\w+|import\w+)\b/;

/** Whether a column's name says that it has a subset of the cases, or cases that another column counts too. */
export const namesSubset = (column: string) => SUBSET_WORDS.test(cleanName(column));

/** Words of cases that were not tested, or of totals with them. */
const PRESUMED_WORDS =
  /\b(not tested|untested|non teste\w*|nao testad\w+|presum\w+|presumptive|clinical(ly)?|cliniques?|clinic[ao]s?)\b/;

/** Words of ages, which remain in a name if its ages cannot be parsed. */
const AGE_WORDS =
  /[<>≤≥+]|(?<!\d)\d{1,2}(?!\d)|\b(ages?|ans|anos?|years?|yrs?|mois|meses|months?|child(ren)?|enfants?|criancas?|ninos?|adult\w*|infants?|nourrissons?)\b/u;
const ALL_AGES_WORDS = /\b(all|tous|toutes|todas|todos)\b.*\b(ages?|idades|edades)\b/;

const MALARIA_WORDS = /malaria|palu/i;

const NUMBER_WORDS: Readonly<Record<string, string>> = {
  five: '5',
  cinq: '5',
  cinco: '5',
  fifteen: '15',
  quinze: '15',
};
const UNIT_PATTERN = String.raw`(?:\s*(days?|dys|jours?|dias?|d|j|months?|mois|meses|mos?|m|years?|yrs?|ans?|anos?|y)\b\.?)?`;
const AGE_PATTERNS = {
  range: new RegExp(
    String.raw`(?<![\p{L}\d])(\d{1,2})${UNIT_PATTERN}\s*(?:-|–|to|a)\s*(\d{1,2})(?!\d)${UNIT_PATTERN}`,
    'u',
  ),
  below: new RegExp(
    String.raw`(?:<|(?<!\p{L})(?:under|below|less than|moins(?: de)?|menos(?: de)?|menor(?:es)?(?: de| que)?|inferieurs? a|u))[\s-]*(\d{1,2})(?!\d)${UNIT_PATTERN}`,
    'u',
  ),
  upTo: new RegExp(String.raw`(?:<=|≤)\s*(\d{1,2})(?!\d)${UNIT_PATTERN}`, 'u'),
  andMore: new RegExp(
    String.raw`(?<![\p{L}\d])(\d{1,2})${UNIT_PATTERN}\s*(?:\+|(?:plus|mais|mas)(?!\p{L})|(?:and|&|et|e|y|ou|or|o|a) (?:above|over|older|more|plus|mais|mas)(?!\p{L}))`,
    'u',
  ),
  above: new RegExp(
    String.raw`(?:>=?|≥|\+(?:\s*de)?|(?<!\p{L})(?:over|above|ov|o|plus de|mais de|mas de|ma[iy]or(?:es)? (?:de|que)|superieurs? a))[\s-]*(\d{1,2})(?!\d)${UNIT_PATTERN}`,
    'u',
  ),
};

/** Days are counted as 1/29 of a month, so that 0-28 days are the first month. */
const ageInMonths = (number: string, unit = 'y') => {
  if (/^[dj]/.test(unit)) return Number(number) / 29;
  return Number(number) * (/^m/.test(unit) ? 1 : 12);
};

/** The ages in a name, in months, and the name without them; null if it has none. */
function parseAges(name: string): { ages: readonly [number, number]; rest: string } | null {
  const text = name.replaceAll(/\p{L}+/gu, (word) => NUMBER_WORDS[word] ?? word);
  const withoutMatch = (match: RegExpExecArray) => text.replace(match[0], ' ');
  const range = AGE_PATTERNS.range.exec(text);
  if (range) {
    const [, from, unitOfFrom, to, unit] = range as unknown as [string, string, string?, string?, string?];
    const [first, last] = [ageInMonths(from, unitOfFrom ?? unit), ageInMonths(to!, unit) + ageInMonths('1', unit)];
    if (first < last) return { ages: [first, last], rest: withoutMatch(range) };
  }
  const atLeast = AGE_PATTERNS.andMore.exec(text) ?? AGE_PATTERNS.above.exec(text);
  if (atLeast)
    return { ages: [ageInMonths(atLeast[1]!, atLeast[2]), Number.POSITIVE_INFINITY], rest: withoutMatch(atLeast) };
  const upTo = AGE_PATTERNS.upTo.exec(text);
  if (upTo) return { ages: [0, ageInMonths(upTo[1]!, upTo[2]) + ageInMonths('1', upTo[2])], rest: withoutMatch(upTo) };
  const below = AGE_PATTERNS.below.exec(text);
  return below && { ages: [0, ageInMonths(below[1]!, below[2])], rest: withoutMatch(below) };
}

const SEX_WORDS = {
  female: /\b(females?|f|femmes?|feminin|feminino|mulheres|femenino|mujeres)\b/,
  male: /\b(males?|m|hommes?|masculin|masculino|homens|hombres)\b/,
};

/**
 * A name as words, without a form's number at its start (`105-1 OPD Malaria`) and `+` after words (`RDT + BS`, `GE+`).
 */
const cleanName = (column: string) =>
  nameAsWords(column.replaceAll(/(?<=\d)_(?=\d)/g, '-'))
    .replaceAll('b/s', 'bs')
    .replace(/^\d{3}-\d+[a-z]?(?=\s)/, '')
    .replaceAll(/(?<=\p{L})\s*\+/gu, ' ');

/** Whether a column's name, as `cleanName` writes it, is of the figures that are looked for. */
type NameTest = (name: string, hasWord: (word: keyof typeof TEST_WORDS) => boolean) => boolean;

/** Names of confirmed cases, or of positives by a named test or of malaria. */
const namesCases: NameTest = (name, hasWord) =>
  hasWord('confirmed') ||
  (hasWord('positive') && (hasWord('rdt') || hasWord('microscopy') || hasWord('tested') || MALARIA_WORDS.test(name)));

const namesTested: NameTest = (_name, hasWord) => hasWord('tested') && !hasWord('positive') && !hasWord('confirmed');

/** The part that a column counts; null for a column that is not relevant or has only a subset of the figures. */
function parsePart(column: string, isRelevant: NameTest): Part | null {
  const name = cleanName(column);
  const hasWord = (word: keyof typeof TEST_WORDS) => TEST_WORDS[word].test(name);
  if (!isRelevant(name, hasWord) || hasWord('share') || SUBSET_WORDS.test(name) || PRESUMED_WORDS.test(name))
    return null;
  const withAges = parseAges(name);
  if (withAges ? parseAges(withAges.rest) : AGE_WORDS.test(name.replace(ALL_AGES_WORDS, ''))) return null;
  const [sex = null] = Object.entries(SEX_WORDS).flatMap(([sexName, pattern]) =>
    pattern.test(withAges?.rest ?? name) ? [sexName] : [],
  );
  const [rdt, microscopy] = [hasWord('rdt'), hasWord('microscopy')];
  return {
    column,
    ages: withAges?.ages ?? null,
    test: rdt === microscopy ? null : rdt ? 'rdt' : 'microscopy',
    sex,
    isVague: !(hasWord('confirmed') || hasWord('tested') || rdt || microscopy),
  };
}

/**
 * The columns of each figure: those whose names differ in the ids at their ends alone are parts that do not overlap,
 * since DHIS2 leaves the ids of category option combinations among its names.
 */
const groupByFigure = (columns: readonly string[]) =>
  Map.groupBy(columns, (column) => {
    const words = column.split(' ');
    return words.slice(0, words.findLastIndex((word) => !isUid(word)) + 1).join(' ') || column;
  });

/** Whether a column's name says that it counts no confirmed cases: people tested, suspected cases, or a subset. */
export const namesOtherCounts = (column: string) =>
  parsePart(column, namesTested) !== null ||
  /\bsusp\w*/.test(cleanName(column)) ||
  PRESUMED_WORDS.test(cleanName(column)) ||
  namesSubset(column);

export const areCounts = (cells: readonly string[]) =>
  cells.length > 0 && cells.every((cell) => /^\d+(\.0*)?$/.test(cell));

/**
 * The fewest columns that together count each case once: a total, or parts by age, test or sex that leave nothing out
 * and do not overlap. A total is never added to its parts.
 * @returns null if no column is one of confirmed cases
 */
export function findCaseColumns(
  table: TextTable & Pick<TableFile, 'file'>,
  columns: readonly string[],
): CaseColumns | null {
  const columnsByFigure = groupByFigure(columns);
  const allParts = [...columnsByFigure].flatMap(([figure, options]) =>
    options.every((column) => areCounts(filledCells(table, column))) ? (parsePart(figure, namesCases) ?? []) : [],
  );
  // If columns name their test, positives without a test are of an unknown one.
  const parts = allParts.some(({ test }) => test !== null) ? allParts.filter(({ isVague }) => !isVague) : allParts;
  const isOfSubgroup = ({ ages, test, sex }: Part) => (ages ?? test ?? sex) !== null;
  if (
    parts.length === 0 ||
    !(
      parts.some(isOfSubgroup) ||
      [table.file, ...parts.map(({ column }) => column)].some((name) => MALARIA_WORDS.test(name))
    )
  )
    return null;
  const summed = fewestCoveringParts(parts)?.flatMap(({ column }) => columnsByFigure.get(column)!) ?? [];
  const isAboutCases = (column: string) =>
    /\b(cases?|cas|casos|mal\w*|palu\w*|susp\w*|conf|confirm\w+)\b/.test(cleanName(column)) ||
    parts.some((part) => part.column === column);
  const agesOfSummed = parts.flatMap(({ column, ages }) => (ages && summed.includes(column) ? [ages] : []));
  const overlapping = parts.flatMap(({ column, ages }) =>
    ages && !summed.includes(column) && agesOfSummed.some(([from, to]) => from < ages[1] && ages[0] < to)
      ? [column]
      : [],
  );
  return { summed, overlapping, leftOut: columns.filter((column) => isAboutCases(column) && !summed.includes(column)) };
}

/** The fewest parts that cover every age, test and sex once; null if no parts do. */
function fewestCoveringParts(parts: readonly Part[]): Part[] | null {
  const bounds = [...new Set([0, ...parts.flatMap(({ ages }) => ages ?? [])])].sort((a, b) => a - b);
  const starts = bounds.filter((age) => age !== Number.POSITIVE_INFINITY);
  const isSplitBy = (key: 'test' | 'sex') => parts.some((part) => part[key] !== null);
  const tests = isSplitBy('test') ? ['rdt', 'microscopy'] : [''];
  const sexes = isSplitBy('sex') ? ['female', 'male'] : [''];
  const groups = starts.flatMap((age) => tests.flatMap((test) => sexes.map((sex) => ({ age, test, sex }))));
  const partGroups = parts.map((part) => {
    const countsGroup = ({ age, test, sex }: (typeof groups)[number]) =>
      (part.ages === null || (part.ages[0] <= age && age < part.ages[1])) &&
      (part.test ?? test) === test &&
      (part.sex ?? sex) === sex;
    return { part, groupIndexes: groups.flatMap((group, groupIndex) => (countsGroup(group) ? [groupIndex] : [])) };
  });
  // If several columns count the same people, it is not known which is right, so none is used.
  const distinct = [...Map.groupBy(partGroups, ({ groupIndexes }) => groupIndexes.join(' ')).values()].flatMap(
    (samePeople) => (samePeople.length === 1 ? samePeople : []),
  );
  let fewest: Part[] | null = null;
  const extend = (chosen: readonly Part[], covered: ReadonlySet<number>): void => {
    if (fewest !== null && chosen.length >= fewest.length) return;
    const firstUncovered = groups.findIndex((_, i) => !covered.has(i));
    if (firstUncovered === -1) fewest = [...chosen];
    else
      for (const { part, groupIndexes } of distinct)
        if (groupIndexes.includes(firstUncovered) && !groupIndexes.some((groupIndex) => covered.has(groupIndex)))
          extend([...chosen, part], new Set([...covered, ...groupIndexes]));
  };
  extend([], new Set());
  const covering = fewest as Part[] | null;
  return covering && parts.filter((part) => covering.includes(part));
}

/** The fewest columns that together count every person tested once; empty if it is not known which do. */
export const findTestedColumns = (columns: readonly string[]): string[] => {
  const columnsByFigure = groupByFigure(columns);
  const parts = [...columnsByFigure.keys()].flatMap((figure) => parsePart(figure, namesTested) ?? []);
  return fewestCoveringParts(parts)?.flatMap(({ column }) => columnsByFigure.get(column)!) ?? [];
};
