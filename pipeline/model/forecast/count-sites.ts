/**
 * The likelihood of a count as a Gaussian in the logarithm of its rate, by expectation propagation (MODEL.md, section
 * 4).
 */
import { digamma, trigamma } from '../../lib/numerics/special.ts';

/** What a count says about the logarithm of its rate: a Gaussian. */
export interface Site {
  mean: number;
  variance: number;
}

/** Steps in which the integrals over the logarithm of a rate are taken, and their reach, in standard deviations. */
const STEP_SD = 0.5;
const REACH_SD = 8;
/** Counts from which all other information hardly moves a site from the first. */
const LARGE_COUNT = 1000;
/** A count can say next to nothing about its rate (0 cases where none are expected), but never less. */
const LEAST_PRECISION = 1e-6;

/** The first site of a count: the mean and variance of the logarithm of a rate with Jeffreys' prior. */
export const firstSite = (count: number): Site => ({ mean: digamma(count + 0.5), variance: trigamma(count + 0.5) });

/** The distribution of a rate without one of the Gaussians that `product` is made of. */
export function divideGaussians(product: Site, factor: Site): Site {
  const variance = 1 / (1 / product.variance - 1 / factor.variance);
  return { mean: variance * (product.mean / product.variance - factor.mean / factor.variance), variance };
}

/**
 * The site which, with all other information about the rate, has the mean and the variance of the count's exact
 * posterior, ∝ Poisson(count; exp η) N(η; rest).
 * @param cavity mean and variance of the logarithm of the rate without this count
 */
export function countSite(count: number, cavity: Site): Site {
  if (count >= LARGE_COUNT) return firstSite(count);
  const mode = posteriorMode(count, cavity);
  const sd = 1 / Math.sqrt(1 / cavity.variance + Math.exp(mode));
  const logDensity = (x: number) => count * x - Math.exp(x) - (x - cavity.mean) ** 2 / (2 * cavity.variance);
  const peak = logDensity(mode);
  let [total, firstMoment, secondMoment] = [0, 0, 0];
  for (let z = -REACH_SD; z <= REACH_SD; z += STEP_SD) {
    const weight = Math.exp(logDensity(mode + z * sd) - peak);
    total += weight;
    firstMoment += weight * z;
    secondMoment += weight * z * z;
  }
  const shift = firstMoment / total;
  const variance = sd * sd * (secondMoment / total - shift * shift);
  const precision = Math.max(LEAST_PRECISION, 1 / variance - 1 / cavity.variance);
  return {
    mean: ((mode + sd * shift) / variance - cavity.mean / cavity.variance) / precision,
    variance: 1 / precision,
  };
}

/** The most probable logarithm of the rate, by Newton's method from above, where it cannot overshoot. */
function posteriorMode(count: number, cavity: Site): number {
  let x = Math.max(cavity.mean, Math.log(count + 0.5));
  for (let i = 0; i < 50; i++) {
    const rate = Math.exp(x);
    const step = (count - rate - (x - cavity.mean) / cavity.variance) / (rate + 1 / cavity.variance);
    x += step;
    if (Math.abs(step) < 1e-10) break;
  }
  return x;
}
