/** Alternating estimation of hyperparameters (by marginal likelihood) and noise (by variational Bayes). */
import { minimiseBfgs } from '../../lib/numerics/bfgs.ts';
import { squaredNoise } from './area-posteriors.ts';
import { type LevelParameters, parametersOf, priorDeviance, priorsOf, SMOOTHNESS } from './case-hyperparameters.ts';
import { type Noise, updateNoise, varianceOf } from './case-noise.ts';
import { covarianceOf } from './covariance.ts';
import { type AreaPart, areaPart, groupPart, type Observed } from './hierarchy.ts';

/** Areas in groups; NaN if unknown. */
export interface Grouped {
  y: readonly Float64Array[];
  group: readonly number[];
  groups: number;
  months: number;
}

export interface Fitted {
  logs: number[];
  noise: Noise;
}

/** Covariance matrices of the processes over `n` months, stored by rows. */
export function covariancesOf(parameters: LevelParameters, n: number) {
  return {
    country: parameters.country && covarianceOf(parameters.country, SMOOTHNESS, n),
    group: covarianceOf(parameters.group, SMOOTHNESS, n),
    area: covarianceOf(parameters.area, SMOOTHNESS, n),
  };
}

export function observedOf({ y, group }: Grouped, noise: Noise): Observed[] {
  return y.map((own, a) => ({ group: group[a]!, y: own, variance: varianceOf(noise, a) }));
}

/** Updates the noise in several steps, with fixed hyperparameters. */
export function settleNoise(data: Grouped, { logs, noise }: Fitted, steps: number): Noise {
  const { months: n, groups } = data;
  const covariances = covariancesOf(parametersOf(logs, groups > 1), n);
  let settled = noise;
  for (let step = 0; step < steps; step++) {
    const part = areaPart(observedOf(data, settled), groups, covariances.area, n);
    settled = updateNoise(
      settled,
      squaredNoise(part, groupPart(part, covariances.group, covariances.country).posteriors()),
    );
  }
  return settled;
}

/** Hyperparameters at the maximum of marginal likelihood times prior, with fixed noise. */
export function fitHyperparameters(data: Grouped, { logs, noise }: Fitted): number[] {
  const { months: n, groups } = data;
  const priors = priorsOf(groups > 1);
  const observed = observedOf(data, noise);
  let latest: { area: string; part: AreaPart } | null = null;
  const deviance = (x: number[]) => {
    const parameters = parametersOf(x, groups > 1);
    const area = JSON.stringify(parameters.area);
    const covariances = covariancesOf(parameters, n);
    // the areas' part is reused while only parameters of other levels change
    if (latest?.area !== area) latest = { area, part: areaPart(observed, groups, covariances.area, n) };
    return groupPart(latest.part, covariances.group, covariances.country).deviance + priorDeviance(x, priors);
  };
  const half = (x: number[]) => deviance(x) / 2;
  return minimiseBfgs(half, [...logs], { spread: logs.map(() => 0.15), limit: 15, tolerance: 0.05, difference: 1e-4 })
    .x;
}
