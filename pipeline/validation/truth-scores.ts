import type { LgaScore } from '../artifacts.ts';
import type { Period } from '../contract/months.ts';

/** How well scores recover a known truth, over a set of LGA-months. */
export interface TruthScore {
  lga_months: number;
  /** Share of the true values inside the central 90% range; NaN without LGA-months, as are all below. */
  coverage: number;
  /** Root mean square error of the score, a share 0 to 1. */
  rmse: number;
  /** The baseline's, over the same LGA-months. */
  baseline_rmse: number;
}

/** Sums that pool over countries: add them, then `truthScore`. */
export interface TruthSums {
  lga_months: number;
  inside: number;
  squares: number;
  baseline_squares: number;
}

export const NO_SUMS: TruthSums = { lga_months: 0, inside: 0, squares: 0, baseline_squares: 0 };

/**
 * Counts for a country whose truth is known, with estimated and forecast months kept apart.
 * @param baseline the same LGA-months in the same order
 * @param truth true prevalence by LGA and month, 0 to 1
 * @param lastEstimated months after it are forecast
 * @throws RangeError for an LGA-month whose truth is unknown
 */
export function compareWithTruth(
  spatial: readonly LgaScore[],
  baseline: readonly LgaScore[],
  truth: (lga_code: string, period: Period) => number | undefined,
  lastEstimated: Period,
): { estimated: TruthSums; forecast: TruthSums } {
  const sums = { estimated: { ...NO_SUMS }, forecast: { ...NO_SUMS } };
  for (const [i, { lga_code, period, score, score_low, score_high }] of spatial.entries()) {
    const true_value = truth(lga_code, period);
    if (true_value === undefined) throw new RangeError(`the truth of ${lga_code} in ${period} is not known`);
    const own = period <= lastEstimated ? sums.estimated : sums.forecast;
    own.lga_months++;
    if (score_low <= true_value && true_value <= score_high) own.inside++;
    own.squares += (score - true_value) ** 2;
    own.baseline_squares += (baseline[i]!.score - true_value) ** 2;
  }
  return sums;
}

export function addSums(a: TruthSums, b: TruthSums): TruthSums {
  return {
    lga_months: a.lga_months + b.lga_months,
    inside: a.inside + b.inside,
    squares: a.squares + b.squares,
    baseline_squares: a.baseline_squares + b.baseline_squares,
  };
}

export function truthScore({ lga_months, inside, squares, baseline_squares }: TruthSums): TruthScore {
  return {
    lga_months,
    coverage: inside / lga_months,
    rmse: Math.sqrt(squares / lga_months),
    baseline_rmse: Math.sqrt(baseline_squares / lga_months),
  };
}
