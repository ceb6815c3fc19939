/** Summaries of joint draws of prevalence: means, ranges, probabilities, ranks and changes. */
import { quickselect, selectQuantiles } from '../../lib/numerics/selection.ts';

const CENTRAL_RANGE = [0.05, 0.95];

export interface DrawSummary {
  mean: number;
  /** Ends of the central 90%. */
  low: number;
  high: number;
}

export interface ChangeSummary extends DrawSummary {
  /** Share of the draws in which prevalence rose. */
  rise: number;
}

/** Mean and range of draws, and the share of the draws that reach each cut-off. @param cutoffs ascending */
export function summariseDraws(
  draws: Float64Array,
  cutoffs: readonly number[],
): DrawSummary & { at_least: readonly number[] } {
  let sum = 0;
  const reachedCounts = cutoffs.map(() => 0);
  for (let d = 0; d < draws.length; d++) {
    const value = draws[d]!;
    sum += value;
    for (let c = 0; c < cutoffs.length && value >= cutoffs[c]!; c++) reachedCounts[c]!++;
  }
  const [low, high] = selectQuantiles(draws.slice(), CENTRAL_RANGE) as [number, number];
  return { mean: sum / draws.length, low, high, at_least: reachedCounts.map((n) => n / draws.length) };
}

/** Summary of the change of an area's prevalence, computed draw by draw. */
export function summariseChange(now: Float64Array, then: Float64Array): ChangeSummary {
  const change = new Float64Array(now.length);
  let rises = 0;
  for (let d = 0; d < now.length; d++) {
    change[d] = now[d]! - then[d]!;
    if (change[d]! > 0) rises++;
  }
  const { mean, low, high } = summariseDraws(change, []);
  return { mean, low, high, rise: rises / now.length };
}

/** Standard deviation of the change of an area's prevalence over the draws. */
export function sdOfChange(now: Float64Array, then: Float64Array): number {
  let [sum, squares] = [0, 0];
  for (let d = 0; d < now.length; d++) {
    const change = now[d]! - then[d]!;
    sum += change;
    squares += change * change;
  }
  return Math.sqrt(Math.max(0, squares / now.length - (sum / now.length) ** 2));
}

/** Number of areas in the highest tenth: a tenth of `areas`, rounded up. */
export const highestTenthSize = (areas: number): number => Math.ceil(areas / 10);

/**
 * The share of the draws in which each area is among the highest tenth of its set. Ties are resolved in favour of the
 * first areas, so that every draw has exactly `highestTenthSize` of them.
 * @param values value of area a in draw d at `a * draws + d`
 * @param areaSets areas that are ranked together
 * @param target receives the shares, by area
 */
export function highestTenthShares(
  values: Float64Array,
  draws: number,
  areaSets: readonly (readonly number[])[],
  target: Float64Array,
): void {
  for (const areas of areaSets) {
    const size = highestTenthSize(areas.length);
    const counts = new Int32Array(areas.length);
    const ranked = new Float64Array(areas.length);
    for (let d = 0; d < draws; d++) {
      for (let i = 0; i < areas.length; i++) ranked[i] = values[areas[i]! * draws + d]!;
      const threshold = quickselect(ranked, areas.length - size);
      let remaining = size;
      for (let i = 0; i < areas.length; i++)
        if (values[areas[i]! * draws + d]! > threshold) {
          counts[i]!++;
          remaining--;
        }
      for (let i = 0; i < areas.length && remaining > 0; i++)
        if (values[areas[i]! * draws + d]! === threshold) {
          counts[i]!++;
          remaining--;
        }
    }
    for (const [i, a] of areas.entries()) target[a] = counts[i]! / draws;
  }
}
