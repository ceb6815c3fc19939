/**
 * Numbers of nines that stand for missing values: the largest of a column in several rows. Measurements may repeat a
 * number of few digits, but then none is more than twice as large as the next.
 */
const NINES = /^9{2,}(\.9+)?$/;
const LEAST_REPEATS = 3;
const LEAST_RATIO = 2;
/** Larger measurements do not repeat to the digit. */
const LEAST_DISTINCT = 9999;

export interface FillValue {
  value: number;
  rows: number;
  next: number;
}

/** @param numbers anything but a finite number is unknown */
export function findFillValue(numbers: ArrayLike<number>): FillValue | null {
  let [value, next, rows] = [0, 0, 0];
  for (let i = 0; i < numbers.length; i++) {
    const number = numbers[i]!;
    if (!Number.isFinite(number)) continue;
    if (number > value) [value, next, rows] = [number, value, 1];
    else if (number === value) rows += 1;
    else if (number > next) next = number;
  }
  return NINES.test(String(value)) && rows >= LEAST_REPEATS && (value > LEAST_RATIO * next || value >= LEAST_DISTINCT)
    ? { value, rows, next }
    : null;
}

export const describeFill = ({ value, rows, next }: FillValue, column: string): string =>
  `${value} in ${rows} rows of ${column}, where the next is ${next}`;
