/** Runs of months for seasonal action: which hold most of a year's cases, how much that is, and how sure. */
import { quantiles } from '../numerics/quantiles.ts';
import { monthsApart } from './high-season.ts';

/** Lengths of runs that are asked for, in months. */
export const WINDOW_MONTHS: readonly number[] = [3, 4, 5];

/** Seasonal chemoprevention was for places where four months on end hold this share of a year's cases (MODEL.md). */
export const CRITERION = { months: 4, share: 0.6 };

/** A run of months of the year, and the share of the year that it holds. */
export interface Window {
  /** 1 (January) to 12. */
  first_month: number;
  share: number;
}

/** What is told of a place's run of so many months. */
export interface JudgedWindow extends Window {
  months: number;
  /** Central 90% range of the run's share; null where nothing says how far off a season can be. */
  share_low: number | null;
  share_high: number | null;
  /** Chance that the run that really holds most begins in the same month, or one before or after. */
  start_probability: number | null;
  /** Chance that some run of this length really holds the criterion's share. */
  criterion_probability: number | null;
}

/** By first month, January first, the share of the year that so many months hold. */
export function windowShares(values: readonly number[], months: number): number[] {
  const total = values.reduce((sum, value) => sum + value, 0);
  let held = 0;
  for (let i = 0; i < months; i++) held += values[i % 12]!;
  return values.map((value, first) => {
    const share = held / total;
    held += values[(first + months) % 12]! - value;
    return share;
  });
}

/** The run that holds most of the year; the earliest of equals. */
export function bestWindow(values: readonly number[], months: number): Window {
  const shares = windowShares(values, months);
  const share = Math.max(...shares);
  return { first_month: shares.indexOf(share) + 1, share };
}

/**
 * By how much each month of a season can be off, as factors: what was recorded over what was expected, of every record,
 * shifted round the year by 0 to 11 months. Errors so keep their size, their run from month to month and their tails; what
 * is given up is that some months might be told better than others.
 * @param records twelve values each, expected without the record
 */
export function seasonErrors(
  records: readonly { expected: readonly number[]; recorded: readonly number[] }[],
): Float64Array[] {
  return records.flatMap(({ expected, recorded }) => {
    const ratio = expected.map((value, month) => recorded[month]! / value);
    return ratio.map((_, shift) => Float64Array.from(ratio, (_, month) => ratio[(month + shift) % 12]!));
  });
}

/**
 * The run of so many months that is expected to hold most, judged by seasons that are off as others were found to be.
 * @param expected twelve values of any unit, January first
 * @param errors of `seasonErrors`, all equally likely; none where none is known
 */
export function judgeWindow(
  expected: readonly number[],
  months: number,
  errors: readonly Float64Array[],
): JudgedWindow {
  const best = bestWindow(expected, months);
  if (errors.length === 0)
    return {
      ...{ months, ...best },
      ...{ share_low: null, share_high: null, start_probability: null, criterion_probability: null },
    };
  const held = new Float64Array(errors.length);
  let near = 0;
  let reached = 0;
  const season = new Array<number>(12);
  for (const [i, error] of errors.entries()) {
    for (let month = 0; month < 12; month++) season[month] = expected[month]! * error[month]!;
    const shares = windowShares(season, months);
    const most = Math.max(...shares);
    held[i] = shares[best.first_month - 1]!;
    if (monthsApart(shares.indexOf(most), best.first_month - 1) <= 1) near++;
    if (most >= CRITERION.share) reached++;
  }
  const [share_low, share_high] = quantiles(held, [0.05, 0.95]);
  return {
    ...{ months, ...best, share_low: share_low!, share_high: share_high! },
    ...{ start_probability: near / errors.length, criterion_probability: reached / errors.length },
  };
}

export type Verdict = 'reached' | 'unlikely' | 'unknown';

/** A chance of 90% or more counts as reached, one of 10% or less as unlikely. */
export function verdictOf(probability: number | null): Verdict {
  if (probability === null) return 'unknown';
  return probability >= 0.9 ? 'reached' : probability <= 0.1 ? 'unlikely' : 'unknown';
}
