/**
 * Columns beside those that a table's cases are taken from that may be parts of the same cases: they add up with them, or
 * their heading differs in one part, such as an age, a test or pregnancy. Headings are compared with each other, never
 * with a list of words; words only tell that a column which is larger, or smaller, throughout is another step of the
 * cascade, such as those tested or treated.
 */
import { firstFew } from '../lib/first-few.ts';

export interface CountColumn {
  column: string;
  isTaken: boolean;
  /** By row; anything but a finite number is unknown. */
  numbers: ArrayLike<number>;
}

export interface Sibling {
  column: string;
  sum: number;
  /** The taken column with the likest heading or, if they add up, those that it adds up with. */
  beside: readonly string[];
  besideSum: number;
  /** The column that both add up to; null if only the heading is alike. */
  total: string | null;
  /** Whether both headings name a part: `<5` and `5+`, and not `cases` and `cases <5`. */
  areBothParts: boolean;
}

/** Two columns agree if they do in this share of the rows: a few are corrected later, or miscounted. */
const AGREEMENT_SHARE = 0.95;
/** A column with a smaller share of the taken one's sum is not worth a question. */
const LEAST_SUM_SHARE = 0.02;
/** The parts of a total are sought among this many columns, this many at a time. */
const MOST_COLUMNS = 14;
const MOST_PARTS = 4;

const CASCADE_STEP =
  /treat|trait|tratad|\bact\b|death|died|deces|obito|muert|susp|fever|fievre|febr|presum|clinic|((test|exam)(?!.*(pos|conf)))/;
/** The other outcome of a test is no part, however many it counts. */
const NEGATIVE_RESULT = /\bneg/;
const TOTAL_WORD = /\b(all|totals?|tous|toutes|todos|todas|ensemble|both)\b/;

const plainHeading = (heading: string) =>
  heading
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[\s_]+/g, ' ')
    .trim();

/** What two headings do not have in common; null if that is more than half of the shorter one, or a year alone. */
function differingParts(a: string, b: string): [string, string] | null {
  const shorter = Math.min(a.length, b.length);
  let [start, end] = [0, 0];
  while (start < shorter && a[start] === b[start]) start += 1;
  while (end < shorter - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const parts: [string, string] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  const isYear = parts.every((part) => /^\d*$/.test(part)) && [a, b].every((text) => /(19|20)\d\d/.test(text));
  return 2 * (start + end) < shorter || isYear ? null : parts;
}

/** @param columns of counts, in the file's order */
export function findSiblings(columns: readonly CountColumn[]): Sibling[] {
  const countColumns = columns
    .filter(({ isTaken, numbers }) => isTaken || Array.from(numbers).every((n) => !(n < 0) && !(n % 1 > 0)))
    .map((column) => ({ ...column, heading: plainHeading(column.column), sum: sumOf(column.numbers) }));
  const takenColumns = countColumns.filter(({ isTaken }) => isTaken);
  const otherColumns = countColumns.filter(({ isTaken, sum }) => !isTaken && sum > 0);
  const partsOfTaken = new Set(takenColumns.flatMap((total) => findParts(total, otherColumns)));
  const freeColumns = otherColumns.filter((column) => !partsOfTaken.has(column));
  const takenGroups = [takenColumns, ...(takenColumns.length > 1 ? takenColumns.map((column) => [column]) : [])];
  const additions = takenGroups.flatMap((takenGroup) =>
    freeColumns.flatMap((total) => {
      if (CASCADE_STEP.test(total.heading)) return [];
      const parts = findParts(total, [mergeColumns(takenGroup), ...freeColumns.filter((column) => column !== total)]);
      const isPart = parts.some(({ numbers }) => numbers === mergeColumns(takenGroup).numbers);
      return isPart ? parts.slice(1).map((column) => ({ column, total, takenGroup })) : [];
    }),
  );
  return freeColumns.flatMap((column): Sibling[] => {
    const { column: name, sum, heading } = column;
    const addition = additions.find((candidate) => candidate.column === column);
    const similar = takenColumns.flatMap((takenColumn) => {
      const parts = differingParts(takenColumn.heading, heading);
      return parts && sum >= LEAST_SUM_SHARE * takenColumn.sum && !isOtherStep(column, takenColumn)
        ? [{ one: takenColumn, parts }]
        : [];
    });
    if (!addition && similar.length === 0) return [];
    const differenceLength = ({ parts }: (typeof similar)[number]) => parts.join('').length;
    const beside = addition?.takenGroup ?? [
      similar.toSorted((a, b) => differenceLength(a) - differenceLength(b))[0]!.one,
    ];
    return [
      {
        column: name,
        sum,
        beside: beside.map((takenColumn) => takenColumn.column),
        besideSum: beside.reduce((total, takenColumn) => total + takenColumn.sum, 0),
        total: addition?.total.column ?? null,
        areBothParts: similar.some(({ parts }) => parts.every((part) => part.trim() !== '' && !TOTAL_WORD.test(part))),
      },
    ];
  });
}

type NormalizedColumn = CountColumn & { heading: string; sum: number };

const sumOf = (numbers: ArrayLike<number>) =>
  Array.from(numbers).reduce((sum, value) => sum + (Number.isFinite(value) ? value : 0), 0);

const mergeCache = new WeakMap<readonly NormalizedColumn[], NormalizedColumn>();
/** Several columns as one with their sums. */
function mergeColumns(columns: readonly NormalizedColumn[]): NormalizedColumn {
  const cached = mergeCache.get(columns);
  if (cached) return cached;
  const numbers = Array.from(columns[0]!.numbers, (_, row) =>
    columns.reduce((sum, column) => sum + (Number.isFinite(column.numbers[row]!) ? column.numbers[row]! : 0), 0),
  );
  const mergedColumn = { ...columns[0]!, numbers, sum: sumOf(numbers) };
  mergeCache.set(columns, mergedColumn);
  return mergedColumn;
}

/** With fewer rows, numbers may add up by chance. */
const LEAST_ROWS = 6;

/**
 * The column of a sum that is the total of others of it, by position: wherever all are filled, these add up to it. Null
 * if the columns are parts beside each other.
 */
export function findTotalColumn(
  columns: readonly Pick<CountColumn, 'numbers'>[],
): { total: number; parts: number[] } | null {
  const rows = Array.from(columns[0]!.numbers, (_, row) => row).filter((row) =>
    columns.every(({ numbers }) => Number.isFinite(numbers[row]!)),
  );
  if (rows.length < LEAST_ROWS) return null;
  const filledColumns = columns.map((column): NormalizedColumn => {
    const numbers = rows.map((row) => column.numbers[row]!);
    return { column: '', heading: '', isTaken: true, numbers, sum: sumOf(numbers) };
  });
  for (const [total, column] of filledColumns.entries()) {
    const parts = findParts(column, filledColumns).map((part) => filledColumns.indexOf(part));
    if (parts.length > 0) return { total, parts };
  }
  return null;
}

/** The columns, two or more, that add up to another one in nearly every row; none if no few of them do. */
function findParts(total: NormalizedColumn, columns: readonly NormalizedColumn[]): NormalizedColumn[] {
  const smaller = columns.filter(({ sum }) => sum < total.sum);
  if (isSum(total, smaller)) return smaller;
  const find = (chosenColumns: readonly NormalizedColumn[], start: number): readonly NormalizedColumn[] | null => {
    if (chosenColumns.length > 1 && isSum(total, chosenColumns)) return chosenColumns;
    if (chosenColumns.length === MOST_PARTS) return null;
    for (let i = start; i < Math.min(smaller.length, MOST_COLUMNS); i++) {
      const parts = find([...chosenColumns, smaller[i]!], i + 1);
      if (parts) return parts;
    }
    return null;
  };
  return [...(find([], 0) ?? [])];
}

function isSum(total: NormalizedColumn, parts: readonly NormalizedColumn[]): boolean {
  const partsSum = parts.reduce((total, part) => total + part.sum, 0);
  if (parts.length < 2 || Math.abs(partsSum - total.sum) > (1 - AGREEMENT_SHARE) * total.sum) return false;
  const { numbers } = mergeColumns(parts);
  return holdsNearlyAlways(numbers, total.numbers, (a, b) => a === b);
}

/** In rows where both are known and one is not 0. */
function holdsNearlyAlways(a: ArrayLike<number>, b: ArrayLike<number>, condition: (a: number, b: number) => boolean) {
  let [rows, matchingRows] = [0, 0];
  for (let i = 0; i < a.length; i++) {
    if (!Number.isFinite(a[i]!) || !Number.isFinite(b[i]!) || (a[i] === 0 && b[i] === 0)) continue;
    rows += 1;
    if (condition(a[i]!, b[i]!)) matchingRows += 1;
  }
  return rows > 0 && matchingRows >= AGREEMENT_SHARE * rows;
}

/** Whether a column is another step of the cascade than the taken one: nearly always larger, or smaller, and called so. */
const isOtherStep = (column: NormalizedColumn, taken: NormalizedColumn) =>
  NEGATIVE_RESULT.test(column.heading) ||
  (CASCADE_STEP.test(column.heading) &&
    !CASCADE_STEP.test(taken.heading) &&
    (holdsNearlyAlways(column.numbers, taken.numbers, (a, b) => a >= b) ||
      holdsNearlyAlways(column.numbers, taken.numbers, (a, b) => a <= b)));

/** `"conf_preg" (12,345, 14% of "conf_u5")`; then the rest by number alone. */
export const describeSiblings = (siblings: readonly Sibling[]): string =>
  firstFew(
    siblings.map(({ column, sum, beside, besideSum, total }) => {
      const names = beside.map((name) => `"${name}"`).join(' + ');
      const share = `${sum.toLocaleString('en-US')}, ${Math.round((100 * sum) / besideSum)}% of ${names}`;
      return `"${column}" (${share}${total === null ? '' : `, with which it adds up to "${total}"`})`;
    }),
    MOST_EXAMPLES,
    '; ',
  );
/** As many as a table of tests by age and pregnancy has. */
const MOST_EXAMPLES = 12;
