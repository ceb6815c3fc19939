/**
 * Columns beside those that a table's cases are taken from that may be parts of the same cases: they add up with them,
 * or their heading differs in one part, such as an age, a test or pregnancy. Headings are compared with each other,
 * never with a list of words; words only tell that a column which is larger, or smaller, throughout is another step of
 * the cascade, such as those tested or treated.
 */
import { firstFew } from '../lib/first-few.ts';
import { findParts, holdsNearlyAlways, mergeColumns, sumNumbers } from './readers/column-sums.ts';

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

/** A column with a smaller share of the taken one's sum is not worth a question. */
const LEAST_SUM_SHARE = 0.02;

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
    .map((column) => ({ ...column, heading: plainHeading(column.column), sum: sumNumbers(column.numbers) }));
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

/**
 * Whether a column is another step of the cascade than the taken one: nearly always larger, or smaller, and called so.
 */
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
