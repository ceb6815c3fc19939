/** Posteriors of single areas given those of their groups. */
import { choleskyDense } from '../../lib/numerics/dense.ts';
import { dot, multiply, multiplyVector } from '../../lib/numerics/dense-products.ts';
import { divideGaussians } from './count-sites.ts';
import type { AreaLayer, GroupPosterior } from './hierarchy.ts';

/** An estimate by month: its mean and variance; NaN where the value is unknown. */
export interface MonthlyEstimates {
  mean: Float64Array;
  variance: Float64Array;
}

/** Posteriors of the residuals, the observed values minus the areas' processes, given all data. */
export function posteriorResiduals(
  { n, areas, precisions }: AreaLayer,
  groupPosteriors: readonly GroupPosterior[],
): MonthlyEstimates[] {
  const roots = groupPosteriors.map(({ covariance }) => choleskyDense(covariance, n)!);
  return areas.map(({ group, y, variance }, a) => {
    const { mean } = groupPosteriors[group]!;
    const p = precisions[a]!;
    const precisionTimesRoot = multiply(p, roots[group]!, n, true);
    const estimates = { mean: new Float64Array(n).fill(Number.NaN), variance: new Float64Array(n).fill(Number.NaN) };
    for (let t = 0; t < n; t++) {
      if (Number.isNaN(y[t]!)) continue;
      let residual = 0;
      let precisionReduced = p[t * n + t]!;
      for (let u = 0; u < n; u++) {
        precisionReduced -= precisionTimesRoot[t * n + u]! ** 2;
        const weight = p[t * n + u]!;
        if (weight !== 0) residual += weight * (y[u]! - mean[u]!);
      }
      const v = variance[t]!;
      estimates.mean[t] = v * residual;
      estimates.variance[t] = v - v * v * precisionReduced;
    }
    return estimates;
  });
}

/** What all months but one say about an area's process in that month, by month. */
export function leaveOneOutEstimates(
  { areas }: AreaLayer,
  areaResiduals: readonly MonthlyEstimates[],
): MonthlyEstimates[] {
  return areas.map(({ y, variance }, a) => {
    const residual = areaResiduals[a]!;
    const estimatesFromOthers = [...y].map((value, t) =>
      divideGaussians(
        { mean: value - residual.mean[t]!, variance: residual.variance[t]! },
        { mean: value, variance: variance[t]! },
      ),
    );
    return {
      mean: Float64Array.from(estimatesFromOthers, ({ mean }) => mean),
      variance: Float64Array.from(estimatesFromOthers, ({ variance }) => variance),
    };
  });
}

/** Posterior mean and variance of the areas' processes in given months, without noise. */
export function areaPosteriors(
  areaLayer: AreaLayer,
  groupPosteriors: readonly GroupPosterior[],
  areaCovariance: Float64Array,
  months: readonly number[],
): { mean: number[]; variance: number[] }[] {
  const { n, areas, precisions } = areaLayer;
  return areas.map(({ group, y }, a) => {
    const { mean, covariance } = groupPosteriors[group]!;
    const posterior = { mean: [] as number[], variance: [] as number[] };
    for (const t of months) {
      const k = areaCovariance.subarray(t * n, (t + 1) * n);
      const b = multiplyVector(precisions[a]!, k, n);
      let value = mean[t]!;
      let variance = k[t]!;
      for (let u = 0; u < n; u++)
        if (b[u] !== 0) {
          value += b[u]! * (y[u]! - mean[u]!);
          variance -= b[u]! * k[u]!;
        }
      const groupWeights = b.map((x, u) => (u === t ? 1 : 0) - x);
      posterior.mean.push(value);
      posterior.variance.push(variance + dot(groupWeights, multiplyVector(covariance, groupWeights, n)));
    }
    return posterior;
  });
}
