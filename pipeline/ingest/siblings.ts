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
const NEARLY_ALL = 0.95;
/** A column with a smaller share of the taken one's sum is not worth a question. */
const LEAST_SHARE = 0.02;
/** The parts of a total are sought among this many columns, this many at a time. */
const MOST_COLUMNS = 14;
const MOST_PARTS = 4;

const STEPS =
  /treat|trait|tratad|\bact\b|death|died|deces|obito|muert|susp|fever|fievre|febr|presum|clinic|((test|exam)(?!.*(pos|conf)))/;
/** The other outcome of a test is no part, however many it counts. */
const NEGATIVE = /\bneg/;
const TOTAL = /\b(all|totals?|tous|toutes|todos|todas|ensemble|both)\b/;

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
export function siblingsOf(columns: readonly CountColumn[]): Sibling[] {
  const counts = columns
    .filter(({ isTaken, numbers }) => isTaken || Array.from(numbers).every((n) => !(n < 0) && !(n % 1 > 0)))
    .map((column) => ({ ...column, heading: plainHeading(column.column), sum: sumOf(column.numbers) }));
  const taken = counts.filter(({ isTaken }) => isTaken);
  const others = counts.filter(({ isTaken, sum }) => !isTaken && sum > 0);
  const inside = new Set(taken.flatMap((total) => partsOf(total, others)));
  const outside = others.filter((column) => !inside.has(column));
  const wholes = [taken, ...(taken.length > 1 ? taken.map((one) => [one]) : [])];
  const added = wholes.flatMap((whole) =>
    outside.flatMap((total) => {
      if (STEPS.test(total.heading)) return [];
      const parts = partsOf(total, [merged(whole), ...outside.filter((column) => column !== total)]);
      const isPart = parts.some(({ numbers }) => numbers === merged(whole).numbers);
      return isPart ? parts.slice(1).map((column) => ({ column, total, whole })) : [];
    }),
  );
  return outside.flatMap((column): Sibling[] => {
    const { column: name, sum, heading } = column;
    const addition = added.find((one) => one.column === column);
    const alike = taken.flatMap((one) => {
      const parts = differingParts(one.heading, heading);
      return parts && sum >= LEAST_SHARE * one.sum && !isStep(column, one) ? [{ one, parts }] : [];
    });
    if (!addition && alike.length === 0) return [];
    const apart = ({ parts }: (typeof alike)[number]) => parts.join('').length;
    const beside = addition?.whole ?? [alike.toSorted((a, b) => apart(a) - apart(b))[0]!.one];
    return [
      {
        column: name,
        sum,
        beside: beside.map((one) => one.column),
        besideSum: beside.reduce((total, one) => total + one.sum, 0),
        total: addition?.total.column ?? null,
        areBothParts: alike.some(({ parts }) => parts.every((part) => part.trim() !== '' && !TOTAL.test(part))),
      },
    ];
  });
}

type Counts = CountColumn & { heading: string; sum: number };

const sumOf = (numbers: ArrayLike<number>) =>
  Array.from(numbers).reduce((sum, value) => sum + (Number.isFinite(value) ? value : 0), 0);

const mergedColumns = new WeakMap<readonly Counts[], Counts>();
/** Several columns as one with their sums. */
function merged(columns: readonly Counts[]): Counts {
  const known = mergedColumns.get(columns);
  if (known) return known;
  const numbers = Array.from(columns[0]!.numbers, (_, row) =>
    columns.reduce((sum, column) => sum + (Number.isFinite(column.numbers[row]!) ? column.numbers[row]! : 0), 0),
  );
  const one = { ...columns[0]!, numbers, sum: sumOf(numbers) };
  mergedColumns.set(columns, one);
  return one;
}

/** The columns, two or more, that add up to another one in nearly every row; none if no few of them do. */
function partsOf(total: Counts, columns: readonly Counts[]): Counts[] {
  const smaller = columns.filter(({ sum }) => sum < total.sum);
  if (addUp(total, smaller)) return smaller;
  const find = (chosen: readonly Counts[], from: number): readonly Counts[] | null => {
    if (chosen.length > 1 && addUp(total, chosen)) return chosen;
    if (chosen.length === MOST_PARTS) return null;
    for (let i = from; i < Math.min(smaller.length, MOST_COLUMNS); i++) {
      const parts = find([...chosen, smaller[i]!], i + 1);
      if (parts) return parts;
    }
    return null;
  };
  return [...(find([], 0) ?? [])];
}

function addUp(total: Counts, parts: readonly Counts[]): boolean {
  const sum = parts.reduce((all, part) => all + part.sum, 0);
  if (parts.length < 2 || Math.abs(sum - total.sum) > (1 - NEARLY_ALL) * total.sum) return false;
  const { numbers } = merged(parts);
  return isNearlyAlways(numbers, total.numbers, (a, b) => a === b);
}

/** In rows where both are known and one is not 0. */
function isNearlyAlways(a: ArrayLike<number>, b: ArrayLike<number>, holds: (a: number, b: number) => boolean) {
  let [rows, held] = [0, 0];
  for (let i = 0; i < a.length; i++) {
    if (!Number.isFinite(a[i]!) || !Number.isFinite(b[i]!) || (a[i] === 0 && b[i] === 0)) continue;
    rows += 1;
    if (holds(a[i]!, b[i]!)) held += 1;
  }
  return rows > 0 && held >= NEARLY_ALL * rows;
}

/** Whether a column is another step of the cascade than the taken one: nearly always larger, or smaller, and called so. */
const isStep = (column: Counts, taken: Counts) =>
  NEGATIVE.test(column.heading) ||
  (STEPS.test(column.heading) &&
    !STEPS.test(taken.heading) &&
    (isNearlyAlways(column.numbers, taken.numbers, (a, b) => a >= b) ||
      isNearlyAlways(column.numbers, taken.numbers, (a, b) => a <= b)));

/** `"conf_preg" (12,345, 14% of "conf_u5")`; then the rest by number alone. */
export const describeSiblings = (siblings: readonly Sibling[]): string =>
  firstFew(
    siblings.map(({ column, sum, beside, besideSum, total }) => {
      const names = beside.map((name) => `"${name}"`).join(' + ');
      const share = `${sum.toLocaleString('en-US')}, ${Math.round((100 * sum) / besideSum)}% of ${names}`;
      return `"${column}" (${share}${total === null ? '' : `, with which it adds up to "${total}"`})`;
    }),
    NAMED,
    '; ',
  );
/** As many as a table of tests by age and pregnancy has. */
const NAMED = 12;
