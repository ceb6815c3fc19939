import { quantile } from '../lib/numerics/quantiles.ts';
import { fairCrps } from './scores.ts';

/** A prediction of one LGA-month and the truth; shares 0 to 1. */
export interface PredictedTruth {
  truth: number;
  score: number;
  /** The central 90% range. */
  low: number;
  high: number;
  /** The baseline's score. */
  baseline: number;
  /** Posterior draws in ascending order; null if there are none, in which case scores that need them are null. */
  draws: ArrayLike<number> | null;
}

/** How well scores recover a known truth, over a set of LGA-months; all figures are NaN if the set is empty. */
export interface TruthScore {
  lga_months: number;
  /** Share of the true values inside the central 50, 90 and 95% ranges. */
  coverage_50: number | null;
  coverage_90: number;
  coverage_95: number | null;
  /** Mean of score minus truth. */
  bias: number;
  /** Root mean square error of the score. */
  rmse: number;
  /** That of the baseline over the same LGA-months. */
  baseline_rmse: number;
  /** Mean fair continuous ranked probability score of the draws. */
  crps: number | null;
  /** Mean interval score of the 90% range (Gneiting & Raftery 2007, J. Am. Stat. Assoc. 102:359). */
  interval_score: number;
}

/** Sums for pooling over countries: add them, then call `truthScore`. */
export type TruthSums = ReturnType<typeof lgaMonthSums>;

/** Sums for one LGA-month. */
export function lgaMonthSums({ truth, score, low, high, baseline, draws }: PredictedTruth) {
  const isInside = (from: number, to: number) => Number(from <= truth && truth <= to);
  const isInsideDraws = (from: number, to: number) =>
    draws ? isInside(quantile(draws, from), quantile(draws, to)) : 0;
  return {
    lga_months: 1,
    lga_months_with_draws: draws ? 1 : 0,
    inside_50: isInsideDraws(0.25, 0.75),
    inside_90: isInside(low, high),
    inside_95: isInsideDraws(0.025, 0.975),
    errors: score - truth,
    squares: (score - truth) ** 2,
    baseline_squares: (baseline - truth) ** 2,
    crps: draws ? fairCrps(draws, truth) : 0,
    interval_scores: intervalScore(low, high, truth, 0.1),
  };
}

/** Width of a central (1 − alpha) range, plus 2 / alpha times the distance by which it misses the truth. */
export function intervalScore(low: number, high: number, truth: number, alpha: number): number {
  return high - low + (2 / alpha) * (Math.max(0, low - truth) + Math.max(0, truth - high));
}

/** Adds `added` to `total`, in place. */
export function addSums(total: TruthSums, added: TruthSums): void {
  for (const key of Object.keys(total) as (keyof TruthSums)[]) total[key] += added[key];
}

export function truthScore(sums: TruthSums): TruthScore {
  const { lga_months, lga_months_with_draws } = sums;
  // a mean over only some of the LGA-months would not be comparable
  const meanIfAllDrawn = (sum: number) => (lga_months_with_draws === lga_months ? sum / lga_months : null);
  return {
    lga_months,
    coverage_50: meanIfAllDrawn(sums.inside_50),
    coverage_90: sums.inside_90 / lga_months,
    coverage_95: meanIfAllDrawn(sums.inside_95),
    bias: sums.errors / lga_months,
    rmse: Math.sqrt(sums.squares / lga_months),
    baseline_rmse: Math.sqrt(sums.baseline_squares / lga_months),
    crps: meanIfAllDrawn(sums.crps),
    interval_score: sums.interval_scores / lga_months,
  };
}
