import { logDensity, type TestCounts } from '../lib/numerics/beta-binomial.ts';
import type { Random } from '../lib/numerics/random.ts';
import { logSumExp } from '../lib/numerics/special.ts';

/** ln of the mean over draws of the beta-binomial density; `prevalence` and `rho` have one value per draw. */
export function logScore(tested: TestCounts, prevalence: ArrayLike<number>, rho: ArrayLike<number>): number {
  const densities = Array.from(prevalence, (p, draw) => logDensity(tested, p, rho[draw]!));
  return logSumExp(densities) - Math.log(densities.length);
}

/**
 * Fair continuous ranked probability score of m draws x for the outcome y (Ferro 2014, Q. J. R. Meteorol. Soc.
 * 140:1917): Σ|x_i − y| / m − Σ_{i,j}|x_i − x_j| / (2m(m − 1)).
 * @param sorted at least two draws, ascending
 */
export function fairCrps(sorted: ArrayLike<number>, y: number): number {
  const m = sorted.length;
  let error = 0;
  let spread = 0;
  for (let i = 0; i < m; i++) {
    error += Math.abs(sorted[i]! - y);
    spread += (2 * i + 1 - m) * sorted[i]!;
  }
  return error / m - spread / (m * (m - 1));
}

/**
 * Randomised probability integral transform: the share of draws below y, with ties broken by a uniform random number.
 */
export function randomisedPit(sorted: ArrayLike<number>, y: number, random: Random): number {
  let below = 0;
  let equal = 0;
  for (let i = 0; i < sorted.length; i++) {
    if (sorted[i]! < y) below++;
    else if (sorted[i] === y) equal++;
  }
  return (below + random.uniform() * (equal + 1)) / (sorted.length + 1);
}
