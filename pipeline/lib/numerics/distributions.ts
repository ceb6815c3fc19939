import { multiplyVector } from './dense-products.ts';
import type { Random } from './random.ts';

/**
 * Gamma with `shape` and scale 1 (mean and variance both `shape`). Marsaglia & Tsang (2000), "A simple method for
 * generating gamma variables"; a shape below 1 is boosted by U^(1/shape).
 * @throws RangeError if `shape` is not positive and finite
 */
export function drawGamma(random: Random, shape: number): number {
  if (!(shape > 0 && shape < Number.POSITIVE_INFINITY)) throw new RangeError(`gamma: shape ${shape}, expected above 0`);
  if (shape < 1) {
    const boost = Math.exp(Math.log(random.uniform()) / shape);
    return drawGamma(random, shape + 1) * boost;
  }
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = random.normal();
    const root = 1 + c * x;
    if (root <= 0) continue;
    const v = root * root * root;
    if (Math.log(random.uniform()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v;
  }
}

/**
 * Beta with shapes `a` and `b` (mean a / (a + b)), as the ratio of gammas. With shapes so small that both gammas
 * underflow, nearly all probability is at 0 and 1.
 */
export function drawBeta(random: Random, a: number, b: number): number {
  const x = drawGamma(random, a);
  const y = drawGamma(random, b);
  return x + y > 0 ? x / (x + y) : Number(random.uniform() < a / (a + b));
}

/** Up to this many trials or this mean, events are drawn one by one. */
const DIRECT_DRAW_LIMIT = 32;

/**
 * Successes in `trials` trials with probability `chance`. Few trials are drawn one by one; many are halved exactly by
 * the beta distribution of the middle order statistic (Relles 1972).
 * @throws RangeError if `trials` is not an integer from 0 or `chance` is outside 0-1
 */
export function drawBinomial(random: Random, trials: number, chance: number): number {
  if (!(Number.isSafeInteger(trials) && trials >= 0))
    throw new RangeError(`binomial: ${trials} trials, expected an integer from 0`);
  if (!(chance >= 0 && chance <= 1)) throw new RangeError(`binomial: chance ${chance}, expected 0 to 1`);
  let n = trials;
  let p = chance;
  let successes = 0;
  while (n > DIRECT_DRAW_LIMIT && p > 0 && p < 1) {
    const middle = 1 + Math.floor(n / 2);
    const y = drawBeta(random, middle, n + 1 - middle);
    if (y >= p) {
      n = middle - 1;
      p = Math.min(1, p / y);
    } else {
      successes += middle;
      n -= middle;
      p = Math.min(1, (p - y) / (1 - y));
    }
  }
  if (p >= 1) return successes + n;
  for (let i = 0; i < n; i++) if (random.uniform() < p) successes++;
  return successes;
}

/**
 * Poisson with mean `mean`: small means by multiplying uniforms (Knuth), large ones reduced by the gamma waiting time
 * of 7/8 of the events (Ahrens & Dieter 1974).
 * @throws RangeError if `mean` is negative or not finite
 */
export function drawPoisson(random: Random, mean: number): number {
  if (!(mean >= 0 && mean < Number.POSITIVE_INFINITY))
    throw new RangeError(`poisson: mean ${mean}, expected 0 or more`);
  if (mean > DIRECT_DRAW_LIMIT) {
    const events = Math.floor((7 * mean) / 8);
    const waitingTime = drawGamma(random, events);
    if (waitingTime > mean) return drawBinomial(random, events - 1, mean / waitingTime);
    return events + drawPoisson(random, mean - waitingTime);
  }
  const limit = Math.exp(-mean);
  let product = random.uniform();
  let count = 0;
  while (product > limit) {
    product *= random.uniform();
    count++;
  }
  return count;
}

/** Negative binomial with mean `mean` and variance mean + mean² / `size`, as a Poisson with a gamma mean. */
export function drawNegativeBinomial(random: Random, mean: number, size: number): number {
  return drawPoisson(random, (mean * drawGamma(random, size)) / size);
}

/** Beta with mean `mean` and variance mean (1 − mean) `rho`: the prevalence of one cluster. */
export function drawClusterPrevalence(random: Random, mean: number, rho: number): number {
  const size = 1 / rho - 1;
  return drawBeta(random, mean * size, (1 - mean) * size);
}

/**
 * Beta-binomial successes in `trials` trials with mean probability `mean` and overdispersion `rho`; 0 is the binomial.
 */
export function drawBetaBinomial(random: Random, trials: number, mean: number, rho: number): number {
  const isOverdispersed = rho > 0 && mean > 0 && mean < 1;
  return drawBinomial(random, trials, isOverdispersed ? drawClusterPrevalence(random, mean, rho) : mean);
}

/** A normal vector with this mean, and the covariance of which `choleskyFactor` is the lower Cholesky factor. */
export function drawMultivariateNormal(
  random: Random,
  mean: ArrayLike<number>,
  choleskyFactor: Float64Array,
): Float64Array {
  const normals = new Float64Array(mean.length);
  for (let i = 0; i < normals.length; i++) normals[i] = random.normal();
  const values = multiplyVector(choleskyFactor, normals, normals.length);
  for (let i = 0; i < values.length; i++) values[i]! += mean[i]!;
  return values;
}

/**
 * An index of `cumulative` (ascending sums of weights), drawn with probability proportional to its weight, by
 * bisection. Indices with weight 0 are never drawn.
 */
export function drawIndex(random: Random, cumulative: ArrayLike<number>): number {
  const target = random.uniform() * cumulative[cumulative.length - 1]!;
  let low = 0;
  let high = cumulative.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (cumulative[middle]! > target) high = middle;
    else low = middle + 1;
  }
  return low;
}
