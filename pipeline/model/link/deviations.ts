/** Deviations of case records from their usual level, and their persistence. */
import { mean } from '../../lib/numerics/averages.ts';
import { choleskyDense, solveLower, solveUpper } from '../../lib/numerics/dense.ts';

/** Minimum number of known months from which a usual level is determined: in total, and for each month of the year. */
const LEAST_KNOWN = 36;
const LEAST_OF_A_MONTH = 2;
/** Intercept, slope, and eleven months in addition to the first. */
const COLUMNS = 13;
/** Months after the last one with data to which deviations are extrapolated. */
export const MONTHS_AHEAD = 4;

/** Deviation from the usual in ln cases, and its standard deviation. */
export interface Deviation {
  value: number;
  sd: number;
}

export interface DeviationSeries {
  /** By month of the record: mean over the month and its two neighbours; NaN if all are unknown. */
  smooth: Float64Array;
  /** Mean over the three months up to each month; NaN if all are unknown. */
  recent: Float64Array;
  /** Standard error of the usual level. */
  error: number;
}

/**
 * Residuals of a record from a linear trend with effects of calendar months, fitted by least squares to the known
 * months, so that growing reporting and the usual season are not deviations. Null if fewer than 36 months are known, or
 * some month of the year less than twice.
 * @param y ln cases by month; NaN if unknown
 * @param first `monthIndex` of the first month
 */
export function deviationsOf(y: Float64Array, first: number): DeviationSeries | null {
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
  const residuals = y.map((value, t) => value - rowOf(t).reduce((sum, x, i) => sum + x * usual[i]!, 0));
  const squares = known.reduce((sum, t) => sum + residuals[t]! ** 2, 0);
  return {
    smooth: residuals.map((_, t) => meanKnown(residuals, t - 1, t + 1)),
    recent: residuals.map((_, t) => meanKnown(residuals, t - 2, t)),
    error: Math.sqrt(((squares / (known.length - COLUMNS)) * COLUMNS) / known.length),
  };
}

function meanKnown(values: Float64Array, from: number, to: number): number {
  return mean(values.slice(Math.max(0, from), to + 1).filter((value) => !Number.isNaN(value)));
}

/** Regression through 0: slope and residual standard deviation. */
export interface SlopeThroughZero {
  slope: number;
  sd: number;
}

/**
 * Persistence of deviations: regression on the mean of the last three months, 0 to 4 months later, over all records.
 */
export function persistenceOf(series: readonly DeviationSeries[]): SlopeThroughZero[] {
  return Array.from({ length: MONTHS_AHEAD + 1 }, (_, ahead) => {
    const pairs = series.flatMap(({ recent, smooth }) =>
      [...recent.keys()].flatMap((t): [number, number][] => {
        const [now, then] = [recent[t]!, smooth[t + ahead] ?? Number.NaN];
        return Number.isNaN(now) || Number.isNaN(then) ? [] : [[now, then]];
      }),
    );
    return throughZero(pairs);
  });
}

/** Regression of y on x through 0; both results are 0 without data. */
export function throughZero(pairs: readonly (readonly [x: number, y: number])[]): SlopeThroughZero {
  const xx = pairs.reduce((sum, [x]) => sum + x * x, 0);
  const slope = xx > 0 ? pairs.reduce((sum, [x, y]) => sum + x * y, 0) / xx : 0;
  const squares = pairs.reduce((sum, [x, y]) => sum + (y - slope * x) ** 2, 0);
  return { slope, sd: pairs.length > 0 ? Math.sqrt(squares / pairs.length) : 0 };
}

/**
 * The deviation of a month: the recorded one, or the one extrapolated from the last three months. Null if neither is
 * known.
 * @param end position of the last month with data, from which on deviations are extrapolated, since its smoothed value
 *   would need the next month
 */
export function deviationAt(
  { smooth, recent, error }: DeviationSeries,
  persistence: readonly SlopeThroughZero[],
  t: number,
  end: number,
): Deviation | null {
  const ahead = t - end;
  if (ahead < 0) return Number.isNaN(smooth[t] ?? Number.NaN) ? null : { value: smooth[t]!, sd: error };
  const regression = persistence[ahead];
  const now = recent[end]!;
  if (regression === undefined || Number.isNaN(now)) return null;
  return { value: regression.slope * now, sd: Math.hypot(regression.sd, regression.slope * error) };
}
