/** How far a record of cases lies from its usual course, and how much of that lasts. */
import { mean } from '../../numerics/averages.ts';
import { choleskyDense, solveLower, solveUpper } from '../../numerics/dense.ts';

/** Months that a record needs before it says what is usual, and of each month of the year. */
const LEAST_KNOWN = 36;
const LEAST_OF_A_MONTH = 2;
/** A straight line and eleven months beside the first. */
const COLUMNS = 13;
/** Months after the last one that has data to which deviations are carried. */
export const MONTHS_AHEAD = 4;

/** Deviation from the usual in ln cases, and its standard deviation. */
export interface Deviation {
  value: number;
  sd: number;
}

export interface DeviationCourse {
  /** By month of the record: mean over the month, the one before and the one after; NaN where all are unknown. */
  smooth: Float64Array;
  /** Of the last three months up to each; NaN where all are unknown. */
  recent: Float64Array;
  /** Standard error of the usual. */
  error: number;
}

/**
 * What a record has beyond its own straight line and calendar months, by least squares over the known months: growing
 * reporting and a usual season are no deviation. Null where fewer than 36 months are known, or some month of the year
 * less than twice.
 * @param y ln cases by month; NaN is unknown
 * @param first `monthIndex` of the first
 */
export function deviationsOf(y: Float64Array, first: number): DeviationCourse | null {
  const known = [...y.keys()].filter((t) => !Number.isNaN(y[t]!));
  const counts = Array.from({ length: 12 }, (_, m) => known.filter((t) => (first + t) % 12 === m).length);
  if (known.length < LEAST_KNOWN || counts.some((count) => count < LEAST_OF_A_MONTH)) return null;

  const rowOf = (t: number) => {
    const row = new Float64Array(COLUMNS);
    row[0] = 1;
    row[1] = t / y.length - 0.5;
    const month = (first + t) % 12;
    if (month > 0) row[1 + month] = 1;
    return row;
  };
  const square = new Float64Array(COLUMNS * COLUMNS);
  const side = new Float64Array(COLUMNS);
  for (const t of known) {
    const row = rowOf(t);
    for (let i = 0; i < COLUMNS; i++) {
      side[i]! += row[i]! * y[t]!;
      for (let j = 0; j < COLUMNS; j++) square[i * COLUMNS + j]! += row[i]! * row[j]!;
    }
  }
  const factor = choleskyDense(square, COLUMNS)!;
  const usual = solveUpper(factor, COLUMNS, solveLower(factor, COLUMNS, side));
  const left = y.map((value, t) => value - rowOf(t).reduce((sum, x, i) => sum + x * usual[i]!, 0));
  const squares = known.reduce((sum, t) => sum + left[t]! ** 2, 0);
  return {
    smooth: left.map((_, t) => meanKnown(left, t - 1, t + 1)),
    recent: left.map((_, t) => meanKnown(left, t - 2, t)),
    error: Math.sqrt(((squares / (known.length - COLUMNS)) * COLUMNS) / known.length),
  };
}

function meanKnown(values: Float64Array, from: number, to: number): number {
  return mean(values.slice(Math.max(0, from), to + 1).filter((value) => !Number.isNaN(value)));
}

/** How much of the last three months' deviation is left so many months later, 0 to 4, and what that leaves open. */
export interface Lasting {
  slope: number;
  sd: number;
}

/** By least squares through 0, all records and months together. */
export function lastingOf(courses: readonly DeviationCourse[]): Lasting[] {
  return Array.from({ length: MONTHS_AHEAD + 1 }, (_, ahead) => {
    const pairs = courses.flatMap(({ recent, smooth }) =>
      [...recent.keys()].flatMap((t): [number, number][] => {
        const [now, then] = [recent[t]!, smooth[t + ahead] ?? Number.NaN];
        return Number.isNaN(now) || Number.isNaN(then) ? [] : [[now, then]];
      }),
    );
    return throughZero(pairs);
  });
}

/** Slope of y on x through 0, and the standard deviation of what is left; both 0 without data. */
export function throughZero(pairs: readonly (readonly [x: number, y: number])[]): Lasting {
  const xx = pairs.reduce((sum, [x]) => sum + x * x, 0);
  const slope = xx > 0 ? pairs.reduce((sum, [x, y]) => sum + x * y, 0) / xx : 0;
  const left = pairs.reduce((sum, [x, y]) => sum + (y - slope * x) ** 2, 0);
  return { slope, sd: pairs.length > 0 ? Math.sqrt(left / pairs.length) : 0 };
}

/**
 * The deviation of a month: what was recorded, or what lasts of the last three months. Null where neither is known.
 * @param end the last month with data, by position; the month after it is not known, so nor is the mean around it
 */
export function deviationAt(
  { smooth, recent, error }: DeviationCourse,
  lasting: readonly Lasting[],
  t: number,
  end: number,
): Deviation | null {
  const ahead = t - end;
  if (ahead < 0) return Number.isNaN(smooth[t] ?? Number.NaN) ? null : { value: smooth[t]!, sd: error };
  const how = lasting[ahead];
  const now = recent[end]!;
  if (how === undefined || Number.isNaN(now)) return null;
  return { value: how.slope * now, sd: Math.hypot(how.sd, how.slope * error) };
}
