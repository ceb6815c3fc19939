/** Quantiles of mixtures, of distributions given by their 99 quantiles. */
import { QUANTILE_LEVELS } from './forecast-scores.ts';

/** Intervals into which the range of a sum is divided. */
const INTERVALS = 500;
/** Of three neighbouring quantiles the middle one stands for all. */
const QUANTILES_PER_NODE = 3;
/** Probabilities that do not count. */
const NEGLIGIBLE_SHARE = 1e-4;

/** The 99 quantiles of a variable with these quantiles plus an independent one with these values. */
export function sumQuantiles(quantiles: Float64Array, values: Float64Array, weights: Float64Array): Float64Array {
  const total = weights.reduce((a, b) => a + b);
  const isLikely = (weight: number) => weight > NEGLIGIBLE_SHARE * total;
  const low = quantiles[0]! + values[weights.findIndex(isLikely)]!;
  const width = (quantiles.at(-1)! + values[weights.findLastIndex(isLikely)]! - low) / INTERVALS;
  const mass = new Float64Array(INTERVALS + 1);
  let totalMass = 0;
  for (let i = 0; i < values.length; i++) {
    if (!isLikely(weights[i]!)) continue;
    const shift = (values[i]! - low) / width + 0.5;
    for (let j = 1; j < quantiles.length; j += QUANTILES_PER_NODE) {
      mass[Math.floor(quantiles[j]! / width + shift)]! += weights[i]!;
      totalMass += weights[i]!;
    }
  }
  let massBelow = 0;
  let bin = 0;
  const sumOfBoth = new Float64Array(QUANTILE_LEVELS.length);
  for (const [level, probability] of QUANTILE_LEVELS.entries()) {
    while (massBelow + mass[bin]! < probability * totalMass) massBelow += mass[bin++]!;
    sumOfBoth[level] = low + width * (bin - 0.5 + (probability * totalMass - massBelow) / mass[bin]!);
  }
  return sumOfBoth;
}

/** The 99 quantiles of a variable that is distributed as `other` with probability `share`, else as `usual`. */
export function mixQuantiles(usual: Float64Array, other: Float64Array, share: number): Float64Array {
  const last = QUANTILE_LEVELS.length - 1;
  const mixture = new Float64Array(last + 1);
  // Numbers of quantiles up to the point x, which moves through those of both.
  let [usualBelow, otherBelow, level] = [0, 0, 0];
  let [x, chance] = [Number.NaN, 0];
  while (level <= last) {
    const [previousX, previousChance] = [x, chance];
    if (usualBelow > last && otherBelow > last) mixture[level++] = x;
    else x = Math.min(usual[usualBelow] ?? Number.POSITIVE_INFINITY, other[otherBelow] ?? Number.POSITIVE_INFINITY);
    while (usual[usualBelow]! <= x) usualBelow++;
    while (other[otherBelow]! <= x) otherBelow++;
    chance = (1 - share) * cdf(usual, usualBelow, x) + share * cdf(other, otherBelow, x);
    for (; level <= last && QUANTILE_LEVELS[level]! <= chance; level++) {
      const fraction = (QUANTILE_LEVELS[level]! - previousChance) / (chance - previousChance);
      mixture[level] = Number.isNaN(previousX) ? x : previousX + fraction * (x - previousX);
    }
  }
  return mixture;
}

/** At x, with `below` quantiles up to it: linear between the quantiles, and with exponential tails. */
function cdf(quantiles: Float64Array, below: number, x: number): number {
  const last = quantiles.length - 1;
  const tail = (distance: number, scale: number) => QUANTILE_LEVELS[0]! * Math.exp(-distance / scale);
  if (below === 0) return tail(quantiles[0]! - x, quantiles[1]! - quantiles[0]!);
  if (below > last) return 1 - tail(x - quantiles[last]!, quantiles[last]! - quantiles[last - 1]!);
  const fraction = (x - quantiles[below - 1]!) / (quantiles[below]! - quantiles[below - 1]!);
  return QUANTILE_LEVELS[below - 1]! + fraction * (QUANTILE_LEVELS[below]! - QUANTILE_LEVELS[below - 1]!);
}
