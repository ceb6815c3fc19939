/** Joint draws of the counts of several months and areas. Their quantiles by month and area are `countQuantiles`. */
import { choleskyDense } from '../../lib/numerics/dense.ts';
import { dot, multiplyVector } from '../../lib/numerics/dense-products.ts';
import { drawGamma, drawPoisson } from '../../lib/numerics/distributions.ts';
import type { Random } from '../../lib/numerics/random.ts';
import { NOISE_DF } from './case-noise.ts';
import { percentIndex } from './forecast-scores.ts';
import type { AreaLayer, CountryLayer } from './hierarchy.ts';
import { createStepSampler, type LevelStep } from './level-steps.ts';

/** The posterior of the forecast months. */
export interface ForecastPosterior {
  areaLayer: AreaLayer;
  country: CountryLayer;
  /** Mean and variance of each area's process in the forecast months. */
  marginals: readonly { mean: number[]; variance: number[] }[];
  /** Of an area's process over all months, stored by rows. */
  covariance: Float64Array;
  /** The forecast months, as indices of all months. */
  months: readonly number[];
  /** The same, as months after the last one of the records. */
  horizons: readonly number[];
  /** Logarithm of a rate about which the processes vary. */
  centre: number;
  /** Scale of the noise by area. */
  noiseScales: readonly number[];
  /** The step of its level by area. */
  levelSteps: readonly LevelStep[];
}

/** Rates from which the square root of a count is drawn as normal with variance 1/4, as its quantiles are. */
const LARGE_RATE = 100;

/** Counts by area and forecast month, `drawCount` of each. Draws are joint over all months and areas. */
export function drawCounts(
  { areaLayer, country, covariance, months, horizons, centre, noiseScales, levelSteps }: ForecastPosterior,
  drawCount: number,
  random: Random,
): Float64Array[][] {
  const { n, areas, precisions } = areaLayer;
  const sampleGroups = country.createSampler();
  const groupDraws = Array.from({ length: drawCount }, () => sampleGroups(random));
  return areas.map(({ group, y }, a) => {
    // Given its group's process u, an area's process at month t is u(t) + b'(y − u) with covariances k(t, s) − b'k(s).
    const rows = months.map((t) => covariance.subarray(t * n, (t + 1) * n));
    const weights = rows.map((k) => multiplyVector(precisions[a]!, k, n));
    const values = y.map((value) => (Number.isNaN(value) ? 0 : value));
    const conditionalCovariance = weights.flatMap((b, h) => rows.map((k) => k[months[h]!]! - dot(b, k)));
    const root = choleskyDense(Float64Array.from(conditionalCovariance), months.length)!;
    const offsets = weights.map((b) => dot(b, values));
    const sampleSteps = createStepSampler(levelSteps[a]!, horizons.at(-1)!);
    const rootRows = months.map((_, h) => root.subarray(h * months.length, (h + 1) * months.length));
    const draws = months.map(() => new Float64Array(drawCount));
    const normals = new Float64Array(months.length);
    for (let i = 0; i < drawCount; i++) {
      const groupProcess = groupDraws[i]![group]!;
      const stepsByMonth = sampleSteps(random);
      for (let h = 0; h < months.length; h++) normals[h] = random.normal();
      for (let h = 0; h < months.length; h++) {
        const mean = groupProcess[months[h]!]! + offsets[h]! - dot(weights[h]!, groupProcess);
        const process = dot(rootRows[h]!, normals) + mean;
        const noise = random.normal() / Math.sqrt((2 * drawGamma(random, NOISE_DF / 2)) / NOISE_DF);
        const step = stepsByMonth[horizons[h]! - 1]!;
        const rate = Math.exp(centre + process + step + noiseScales[a]! * noise);
        draws[h]![i] =
          rate < LARGE_RATE ? drawPoisson(random, rate) : Math.round((Math.sqrt(rate) + random.normal() / 2) ** 2);
      }
    }
    return draws;
  });
}

/**
 * The draws with each value replaced by the quantile nearest to its rank, so that they have the quantiles of a
 * forecast, however many there are, and keep their order: which draw is high in which month and area. Ties are ordered
 * at random.
 * @param quantiles 99
 */
export function mapToQuantiles(draws: Float64Array, quantiles: Float64Array, random: Random): Float64Array {
  const ties = draws.map(() => random.uniform());
  const order = [...draws.keys()].sort((i, j) =>
    draws[i]! === draws[j]! ? ties[i]! - ties[j]! : draws[i]! < draws[j]! ? -1 : 1,
  );
  const ranked = new Float64Array(draws.length);
  for (const [rank, i] of order.entries()) {
    const percent = Math.round((100 * (rank + 0.5)) / draws.length);
    ranked[i] = quantiles[percentIndex(Math.min(99, Math.max(1, percent)))]!;
  }
  return ranked;
}
