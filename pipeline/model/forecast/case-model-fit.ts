/**
 * Alternating estimation of hyperparameters (by marginal likelihood), noise (by variational Bayes) and what the counts
 * say about their rates (by expectation propagation).
 */
import { minimiseBfgs } from '../../lib/numerics/bfgs.ts';
import { type Estimates, residuals } from './area-posteriors.ts';
import {
  hyperparameterPriors,
  type LevelParameters,
  priorDeviance,
  SMOOTHNESS,
  unpackParameters,
} from './case-hyperparameters.ts';
import { type Noise, noiseVariance, updateNoise } from './case-noise.ts';
import { countSite, firstSite, type Site, without } from './count-sites.ts';
import { processCovariance } from './covariance.ts';
import { type AreaPart, areaPart, countryPart, type GroupPart, groupPart, type Observed } from './hierarchy.ts';

/** Areas in groups. */
export interface GroupedCases {
  /** By area and month; NaN if unknown. */
  cases: readonly Float64Array[];
  /** Mean of the logarithms of all rates, about which the processes vary. */
  centre: number;
  group: readonly number[];
  groups: number;
  months: number;
}

export interface Fitted {
  logs: readonly number[];
  noise: Noise;
  /** What the counts say about the logarithms of the rates, by area; NaN if unknown. */
  sites: readonly Estimates[];
}

type NoiseAndSites = Omit<Fitted, 'logs'>;

/** Covariance matrices of the processes over `n` months, stored by rows. */
export function processCovariances(parameters: LevelParameters, n: number) {
  return {
    country: parameters.country && processCovariance(parameters.country, SMOOTHNESS, n),
    group: processCovariance(parameters.group, SMOOTHNESS, n),
    area: processCovariance(parameters.area, SMOOTHNESS, n),
  };
}

export const firstSites = (cases: Float64Array): Estimates => sitesBy(cases, firstSite);

function sitesBy(cases: Float64Array, siteAt: (count: number, month: number) => Site): Estimates {
  const sites = { mean: cases.map(() => Number.NaN), variance: cases.map(() => Number.NaN) };
  for (const [t, count] of cases.entries()) {
    if (Number.isNaN(count)) continue;
    const { mean, variance } = siteAt(count, t);
    sites.mean[t] = mean;
    sites.variance[t] = variance;
  }
  return sites;
}

export function observedAreas({ group, centre }: GroupedCases, { noise, sites }: NoiseAndSites): Observed[] {
  return sites.map((areaSites, a) => ({
    group: group[a]!,
    y: areaSites.mean.map((value) => value - centre),
    variance: noiseVariance(noise, a).map((value, t) => value + areaSites.variance[t]!),
  }));
}

/** Updates the noise and the counts' sites in several steps, with fixed hyperparameters. */
export function settle(data: GroupedCases, { logs, noise, sites }: Fitted, steps: number): Fitted {
  const { months: n, groups } = data;
  const covariances = processCovariances(unpackParameters(logs, groups > 1), n);
  let settled: NoiseAndSites = { noise, sites };
  for (let step = 0; step < steps; step++) {
    const part = areaPart(observedAreas(data, settled), groups, covariances.area, n);
    const areaResiduals = residuals(
      part,
      countryPart(groupPart(part, covariances.group), covariances.country).posteriors(),
    );
    settled = updateNoiseAndSites(data, settled, areaResiduals);
  }
  return { logs, noise: settled.noise, sites: settled.sites };
}

/** A residual is the noise plus the error of the site, in which it is divided in proportion to their variances. */
function updateNoiseAndSites(
  { cases }: GroupedCases,
  { noise, sites }: NoiseAndSites,
  areaResiduals: readonly Estimates[],
): NoiseAndSites {
  const squares: Float64Array[] = [];
  const next: Estimates[] = [];
  for (const [a, residual] of areaResiduals.entries()) {
    const areaSites = sites[a]!;
    const v = noiseVariance(noise, a);
    squares.push(
      v.map((value, t) => {
        const share = value / (value + areaSites.variance[t]!);
        return share * share * (residual.mean[t]! ** 2 + residual.variance[t]!) + value * (1 - share);
      }),
    );
    next.push(
      sitesBy(cases[a]!, (count, t) => {
        const process = { mean: areaSites.mean[t]! - residual.mean[t]!, variance: residual.variance[t]! };
        const rest = without(process, { mean: areaSites.mean[t]!, variance: v[t]! + areaSites.variance[t]! });
        return countSite(count, { mean: rest.mean, variance: rest.variance + v[t]! });
      }),
    );
  }
  return { noise: updateNoise(noise, squares), sites: next };
}

/** Hyperparameters at the maximum of marginal likelihood times prior, with fixed noise and sites. */
export function fitHyperparameters(data: GroupedCases, fitted: Fitted): number[] {
  const { months: n, groups } = data;
  const priors = hyperparameterPriors(groups > 1);
  const { logs } = fitted;
  const observed = observedAreas(data, fitted);
  let latest: { area: string; part: AreaPart; group: string; groups: GroupPart } | null = null;
  const deviance = (x: number[]) => {
    const parameters = unpackParameters(x, groups > 1);
    const [area, group] = [JSON.stringify(parameters.area), JSON.stringify(parameters.group)];
    const covariances = processCovariances(parameters, n);
    // Parts are reused while only parameters of other levels change.
    const part = latest?.area === area ? latest.part : areaPart(observed, groups, covariances.area, n);
    if (latest?.part !== part || latest.group !== group)
      latest = { area, part, group, groups: groupPart(part, covariances.group) };
    return countryPart(latest.groups, covariances.country).deviance + priorDeviance(x, priors);
  };
  const half = (x: number[]) => deviance(x) / 2;
  return minimiseBfgs(half, [...logs], { spread: logs.map(() => 0.15), limit: 15, tolerance: 0.05, difference: 1e-4 })
    .x;
}
