/**
 * Windows for seasonal intervention: the runs of months with most of a year's cases, their share, and its uncertainty.
 */
import { selectQuantiles } from '../../lib/numerics/selection.ts';
import { monthsApart } from './high-season.ts';

/** Lengths of the runs, in months. */
export const WINDOW_MONTHS: readonly number[] = [3, 4, 5];

/**
 * Seasonal chemoprevention was recommended where four consecutive months account for this share of a year's cases
 * (MODEL.md, section 7).
 */
export const CRITERION = { months: 4, share: 0.6 };

/** A run of months of the year, and its share of the year. */
export interface MonthRun {
  /** 1 (January) to 12. */
  first_month: number;
  share: number;
}

/** A place's best run of a given length, with its uncertainty. */
export interface JudgedRun extends MonthRun {
  months: number;
  /** Central 90% range of the run's share; null if the errors of seasons are unknown. */
  share_low: number | null;
  share_high: number | null;
  /** Probability that the true best run begins in the same month, or one month before or after. */
  start_probability: number | null;
  /** Probability that the true share of some run of this length reaches the criterion. */
  criterion_probability: number | null;
}

/**
 * The share of the year in a run of `months`, by first month, January first.
 * @param shares receives the result, for callers with millions of seasons
 */
export function shareByStart(values: ArrayLike<number>, months: number, shares = new Float64Array(12)): Float64Array {
  let total = 0;
  let runTotal = 0;
  for (let i = 0; i < 12; i++) {
    total += values[i]!;
    if (i < months) runTotal += values[i]!;
  }
  for (let first = 0; first < 12; first++) {
    shares[first] = runTotal / total;
    runTotal += values[(first + months) % 12]! - values[first]!;
  }
  return shares;
}

/** The run with the largest share of the year; the earliest of equals. */
export function bestRun(values: readonly number[], months: number): MonthRun {
  const shares = shareByStart(values, months);
  const share = Math.max(...shares);
  return { first_month: shares.indexOf(share) + 1, share };
}

/** More records would hardly change a 90% range, and take a time that grows with areas × records. */
const MAX_ERROR_RECORDS = 250;

/**
 * Errors of a season by month, as factors: the ratios of recorded to expected cases of every record, shifted round the
 * year by 0 to 11 months. The shifts preserve the errors' size, autocorrelation and tails, but not differences in
 * accuracy between months. Of more than 250 records, 250 at equal distances in their order are used.
 * @param records twelve values each; `expected` from a fit without the record
 */
export function seasonErrors(
  records: readonly { expected: readonly number[]; recorded: readonly number[] }[],
): Float64Array[] {
  const count = Math.min(records.length, MAX_ERROR_RECORDS);
  const usedRecords = Array.from({ length: count }, (_, i) => records[Math.floor((i * records.length) / count)]!);
  return usedRecords.flatMap(({ expected, recorded }) => {
    const ratio = expected.map((value, month) => recorded[month]! / value);
    return ratio.map((_, shift) => Float64Array.from(ratio, (_, month) => ratio[(month + shift) % 12]!));
  });
}

/**
 * The run of `months` with the largest expected share, with its uncertainty under the given errors.
 * @param expected twelve values of any unit, January first
 * @param errors from `seasonErrors`, all equally likely; empty if they are unknown
 */
export function judgeRun(expected: readonly number[], months: number, errors: readonly Float64Array[]): JudgedRun {
  const expectedBest = bestRun(expected, months);
  if (errors.length === 0)
    return {
      months,
      ...expectedBest,
      share_low: null,
      share_high: null,
      start_probability: null,
      criterion_probability: null,
    };
  const bestRunShares = new Float64Array(errors.length);
  let nearStarts = 0;
  let criterionReached = 0;
  const simulated = new Float64Array(12);
  const shares = new Float64Array(12);
  for (const [i, error] of errors.entries()) {
    for (let month = 0; month < 12; month++) simulated[month] = expected[month]! * error[month]!;
    shareByStart(simulated, months, shares);
    let largest = 0;
    for (let first = 1; first < 12; first++) if (shares[first]! > shares[largest]!) largest = first;
    bestRunShares[i] = shares[expectedBest.first_month - 1]!;
    if (monthsApart(largest, expectedBest.first_month - 1) <= 1) nearStarts++;
    if (shares[largest]! >= CRITERION.share) criterionReached++;
  }
  const [share_low, share_high] = selectQuantiles(bestRunShares, [0.05, 0.95]);
  return {
    months,
    ...expectedBest,
    share_low: share_low!,
    share_high: share_high!,
    start_probability: nearStarts / errors.length,
    criterion_probability: criterionReached / errors.length,
  };
}

/** A probability of 90% or more counts as reached, one of 10% or less as unlikely. */
export function probabilityVerdict(probability: number | null): 'reached' | 'unlikely' | 'unknown' {
  if (probability === null) return 'unknown';
  return probability >= 0.9 ? 'reached' : probability <= 0.1 ? 'unlikely' : 'unknown';
}
