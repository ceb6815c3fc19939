/** Hyperparameters by marginal likelihood, noise by variational Bayes, in turn. */
import { minimiseBfgs } from '../../numerics/bfgs.ts';
import { squaredNoise } from './area-courses.ts';
import { covarianceOf } from './covariance.ts';
import { type AreaPart, areaPart, groupPart, type Observed } from './hierarchy.ts';
import { type Courses, coursesOf, priorDeviance, priorsOf, SMOOTHNESS } from './hyperparameters.ts';
import { type Noise, updateNoise, varianceOf } from './noise.ts';

/** Areas in groups; NaN is unknown. */
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

export function covariancesOf(courses: Courses, n: number) {
  return {
    whole: courses.whole && covarianceOf(courses.whole, SMOOTHNESS, n),
    group: covarianceOf(courses.group, SMOOTHNESS, n),
    area: covarianceOf(courses.area, SMOOTHNESS, n),
  };
}

export function observedOf({ y, group }: Grouped, noise: Noise): Observed[] {
  return y.map((own, a) => ({ group: group[a]!, y: own, variance: varianceOf(noise, a) }));
}

/** Noise by its own steps, hyperparameters as they are. */
export function settleNoise(data: Grouped, { logs, noise }: Fitted, steps: number): Noise {
  const { months: n, groups } = data;
  const k = covariancesOf(coursesOf(logs, groups > 1), n);
  let settled = noise;
  for (let step = 0; step < steps; step++) {
    const part = areaPart(observedOf(data, settled), groups, k.area, n);
    settled = updateNoise(settled, squaredNoise(part, groupPart(part, k.group, k.whole).courses()));
  }
  return settled;
}

/** Hyperparameters at the top of marginal likelihood times prior, noise as it is. */
export function fitHyperparameters(data: Grouped, { logs, noise }: Fitted): number[] {
  const { months: n, groups } = data;
  const priors = priorsOf(groups > 1);
  const observed = observedOf(data, noise);
  let latest: { area: string; part: AreaPart } | null = null;
  const deviance = (x: number[]) => {
    const courses = coursesOf(x, groups > 1);
    const area = JSON.stringify(courses.area);
    const k = covariancesOf(courses, n);
    if (latest?.area !== area) latest = { area, part: areaPart(observed, groups, k.area, n) };
    return groupPart(latest.part, k.group, k.whole).deviance + priorDeviance(x, priors);
  };
  const half = (x: number[]) => deviance(x) / 2;
  return minimiseBfgs(half, [...logs], { spread: logs.map(() => 0.15), limit: 15, tolerance: 0.05, difference: 1e-4 })
    .x;
}
