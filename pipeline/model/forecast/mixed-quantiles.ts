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
  const likelyValues = [...values.keys()].filter((i) => weights[i]! > NEGLIGIBLE_SHARE * total);
  const low = quantiles[0]! + values[likelyValues[0]!]!;
  const width = (quantiles.at(-1)! + values[likelyValues.at(-1)!]! - low) / INTERVALS;
  const mass = new Float64Array(INTERVALS + 1);
  const positions = quantiles
    .filter((_, i) => i % QUANTILES_PER_NODE === 1)
    .map((quantile) => (quantile - low) / width);
  for (const i of likelyValues) {
    const shift = values[i]! / width + 0.5;
    for (let j = 0; j < positions.length; j++) mass[Math.floor(positions[j]! + shift)]! += weights[i]!;
  }
  const totalMass = total * positions.length;
  let massBelow = 0;
  let bin = 0;
  return Float64Array.from(QUANTILE_LEVELS, (probability) => {
    while (bin < INTERVALS && (massBelow + mass[bin]!) / totalMass < probability) massBelow += mass[bin++]!;
    return low + width * (bin - 0.5 + (probability * totalMass - massBelow) / mass[bin]!);
  });
}

/** The 99 quantiles of a variable that is distributed as `other` with probability `share`, else as `usual`. */
export function mixQuantiles(usual: Float64Array, other: Float64Array, share: number): Float64Array {
  const nodes = new Float64Array(usual.length + other.length);
  nodes.set(usual);
  nodes.set(other, usual.length);
  nodes.sort();
  const otherChances = cdf(other, nodes);
  const chances = cdf(usual, nodes).map((chance, i) => (1 - share) * chance + share * otherChances[i]!);
  let i = 0;
  return Float64Array.from(QUANTILE_LEVELS, (probability) => {
    while (i < nodes.length - 1 && chances[i]! < probability) i++;
    const [from, to] = [chances[i - 1] ?? 0, chances[i]!];
    const fraction = Math.min(1, (probability - from) / (to - from));
    return i === 0 ? nodes[0]! : nodes[i - 1]! + fraction * (nodes[i]! - nodes[i - 1]!);
  });
}

/** At ascending points: linear between the quantiles, and with exponential tails. */
function cdf(quantiles: Float64Array, points: Float64Array): Float64Array {
  const last = quantiles.length - 1;
  const tail = (distance: number, scale: number) => QUANTILE_LEVELS[0]! * Math.exp(-distance / scale);
  let low = 0;
  return points.map((x) => {
    if (x <= quantiles[0]!) return tail(quantiles[0]! - x, quantiles[1]! - quantiles[0]!);
    if (x >= quantiles[last]!) return 1 - tail(x - quantiles[last]!, quantiles[last]! - quantiles[last - 1]!);
    while (quantiles[low + 1]! <= x) low++;
    const fraction = (x - quantiles[low]!) / (quantiles[low + 1]! - quantiles[low]!);
    return QUANTILE_LEVELS[low]! + fraction * (QUANTILE_LEVELS[low + 1]! - QUANTILE_LEVELS[low]!);
  });
}
