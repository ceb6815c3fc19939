/** Columns of counts that are the sum of others, row by row. */

export interface SummedColumn {
  /** By row; anything but a finite number is unknown. */
  numbers: ArrayLike<number>;
  sum: number;
}

/** Two columns agree if they do in this share of the rows: a few are corrected later, or miscounted. */
const AGREEMENT_SHARE = 0.95;
/** The parts of a total are sought among this many columns, this many at a time. */
const MOST_COLUMNS = 14;
const MOST_PARTS = 4;

export const sumNumbers = (numbers: ArrayLike<number>) =>
  Array.from(numbers).reduce((sum, value) => sum + (Number.isFinite(value) ? value : 0), 0);

const mergeCache = new WeakMap<readonly SummedColumn[], SummedColumn>();
/** Several columns as one with their sums. */
export function mergeColumns<Column extends SummedColumn>(columns: readonly Column[]): Column {
  const cached = mergeCache.get(columns);
  if (cached) return cached as Column;
  const numbers = Array.from(columns[0]!.numbers, (_, row) =>
    columns.reduce((sum, column) => sum + (Number.isFinite(column.numbers[row]!) ? column.numbers[row]! : 0), 0),
  );
  const mergedColumn = { ...columns[0]!, numbers, sum: sumNumbers(numbers) };
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
  columns: readonly Pick<SummedColumn, 'numbers'>[],
): { total: number; parts: number[] } | null {
  const rows = Array.from(columns[0]!.numbers, (_, row) => row).filter((row) =>
    columns.every(({ numbers }) => Number.isFinite(numbers[row]!)),
  );
  if (rows.length < LEAST_ROWS) return null;
  const filledColumns = columns.map((column): SummedColumn => {
    const numbers = rows.map((row) => column.numbers[row]!);
    return { numbers, sum: sumNumbers(numbers) };
  });
  for (const [total, column] of filledColumns.entries()) {
    const parts = findParts(column, filledColumns).map((part) => filledColumns.indexOf(part));
    if (parts.length > 0) return { total, parts };
  }
  return null;
}

/** The columns, two or more, that add up to another one in nearly every row; none if no few of them do. */
export function findParts<Column extends SummedColumn>(total: SummedColumn, columns: readonly Column[]): Column[] {
  const smaller = columns.filter(({ sum }) => sum < total.sum);
  if (isSum(total, smaller)) return smaller;
  const find = (chosenColumns: readonly Column[], start: number): readonly Column[] | null => {
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

function isSum(total: SummedColumn, parts: readonly SummedColumn[]): boolean {
  const partsSum = parts.reduce((sum, part) => sum + part.sum, 0);
  if (parts.length < 2 || Math.abs(partsSum - total.sum) > (1 - AGREEMENT_SHARE) * total.sum) return false;
  const { numbers } = mergeColumns(parts);
  return holdsNearlyAlways(numbers, total.numbers, (a, b) => a === b);
}

/** In rows where both are known and one is not 0. */
export function holdsNearlyAlways(
  a: ArrayLike<number>,
  b: ArrayLike<number>,
  condition: (a: number, b: number) => boolean,
) {
  let [rows, matchingRows] = [0, 0];
  for (let i = 0; i < a.length; i++) {
    if (!Number.isFinite(a[i]!) || !Number.isFinite(b[i]!) || (a[i] === 0 && b[i] === 0)) continue;
    rows += 1;
    if (condition(a[i]!, b[i]!)) matchingRows += 1;
  }
  return rows > 0 && matchingRows >= AGREEMENT_SHARE * rows;
}
