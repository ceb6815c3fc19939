/** What a range says of the spread of a share, and how far a new survey would narrow it. */
import { expit, logit } from '../../../lib/numerics/special.ts';

/** Half the width of the central 90% of a standard normal deviate. */
export const Z90 = 1.645;

/**
 * Mean and standard deviation, on the logit scale, of the normal distribution that has a central 90% range of shares.
 */
export function logitNormal({ low, high }: { low: number; high: number }): { mean: number; sd: number } {
  const [lowLogit, highLogit] = [inner(low), inner(high)].map(logit) as [number, number];
  return { mean: (lowLogit + highLogit) / 2, sd: (highLogit - lowLogit) / (2 * Z90) };
}

const inner = (share: number) => Math.min(0.9999, Math.max(0.0001, share));

/** Steps of a standard deviation in which the place of a draw within its range is told. */
const STEPS = 8;

/** The place of a draw of a share within its range, as a byte. */
export function toDeviation(share: number, range: { low: number; high: number }): number {
  const { mean, sd } = logitNormal(range);
  return sd === 0 ? 0 : Math.max(-127, Math.min(127, Math.round((STEPS * (logit(inner(share)) - mean)) / sd)));
}

/** The shares at some places within a range. */
export function fromDeviations(deviations: Int8Array, range: { low: number; high: number }): Float64Array {
  const { mean, sd } = logitNormal(range);
  return Float64Array.from(deviations, (deviation) => expit(mean + (sd * deviation) / STEPS));
}

/** What a new survey would be like. */
export interface NextSurvey {
  /** Children tested in a cluster, the mean of the last round known by cluster. */
  children: number;
  /** Overdispersion of clusters: the correlation of two children of one, in the last round that the model fitted. */
  rho: number;
}

/**
 * Number of clusters in a place at which its range would be half as wide on the logit scale. A cluster of m children
 * tells the logit of prevalence p with the variance v = (1 + (m − 1) ρ) / (m p (1 − p)), by the delta method; with a
 * posterior of variance σ², n clusters leave 1 / (1 / σ² + n / v), which is σ² / 4 at n = 3 v / σ². Differences within
 * the place that ρ does not contain need more.
 * @param score, low, high shares: posterior mean and central 90% range
 */
export function clustersToHalve(
  { score, low, high }: { score: number; low: number; high: number },
  { children, rho }: NextSurvey,
): number {
  const { sd } = logitNormal({ low, high });
  const variance = (1 + (children - 1) * rho) / (children * score * (1 - score));
  return Math.ceil((3 * variance) / sd ** 2);
}
