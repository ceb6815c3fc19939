/** Quantiles of mixtures, of distributions given by their 99 quantiles. */
import { SHARES } from './forecast-scores.ts';

/** Intervals into which the range of a sum is divided. */
const INTERVALS = 500;
/** Of three neighbouring quantiles the middle one stands for all. */
const EVERY = 3;
/** Probabilities that do not count. */
const NEGLIGIBLE = 1e-5;

/** The 99 quantiles of a variable with these quantiles plus an independent one with these values. */
export function sumQuantiles(quantiles: Float64Array, values: Float64Array, weights: Float64Array): Float64Array {
  const total = weights.reduce((a, b) => a + b);
  const likely = [...values.keys()].filter((i) => weights[i]! > NEGLIGIBLE * total);
  const low = quantiles[0]! + values[likely[0]!]!;
  const width = (quantiles.at(-1)! + values[likely.at(-1)!]! - low) / INTERVALS;
  const mass = new Float64Array(INTERVALS + 1);
  const places = quantiles.filter((_, i) => i % EVERY === 1).map((quantile) => (quantile - low) / width);
  for (const i of likely) {
    const moved = values[i]! / width + 0.5;
    for (let j = 0; j < places.length; j++) mass[Math.floor(places[j]! + moved)]! += weights[i]!;
  }
  const sum = total * places.length;
  let below = 0;
  let at = 0;
  return Float64Array.from(SHARES, (share) => {
    while (at < INTERVALS && (below + mass[at]!) / sum < share) below += mass[at++]!;
    return low + width * (at - 0.5 + (share * sum - below) / mass[at]!);
  });
}

/** The 99 quantiles of a variable that is distributed as `other` with probability `share`, else as `usual`. */
export function mixQuantiles(usual: Float64Array, other: Float64Array, share: number): Float64Array {
  const nodes = new Float64Array(usual.length + other.length);
  nodes.set(usual);
  nodes.set(other, usual.length);
  nodes.sort();
  const chances = nodes.map((x) => (1 - share) * cdf(usual, x) + share * cdf(other, x));
  let i = 0;
  return Float64Array.from(SHARES, (wanted) => {
    while (i < nodes.length - 1 && chances[i]! < wanted) i++;
    const [from, to] = [chances[i - 1] ?? 0, chances[i]!];
    const part = Math.min(1, (wanted - from) / (to - from));
    return i === 0 ? nodes[0]! : nodes[i - 1]! + part * (nodes[i]! - nodes[i - 1]!);
  });
}

/** Linear between the quantiles, and with exponential tails. */
function cdf(quantiles: Float64Array, x: number): number {
  const last = quantiles.length - 1;
  const tail = (distance: number, scale: number) => SHARES[0]! * Math.exp(-distance / scale);
  if (x <= quantiles[0]!) return tail(quantiles[0]! - x, quantiles[1]! - quantiles[0]!);
  if (x >= quantiles[last]!) return 1 - tail(x - quantiles[last]!, quantiles[last]! - quantiles[last - 1]!);
  let low = 0;
  let high = last;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (quantiles[middle]! <= x) low = middle;
    else high = middle;
  }
  const part = (x - quantiles[low]!) / (quantiles[high]! - quantiles[low]!);
  return SHARES[low]! + part * (SHARES[high]! - SHARES[low]!);
}
