/**
 * Alternating estimation of hyperparameters (by marginal likelihood), noise (by variational Bayes) and what the counts
 * say about their rates (by expectation propagation).
 */
import { minimiseBfgs } from '../../lib/numerics/bfgs.ts';
import { type MonthlyEstimates, posteriorResiduals } from './area-posteriors.ts';
import {
  type HierarchyParameters,
  hyperparameterPriors,
  priorDeviance,
  SEASON_SMOOTHNESS,
  unpackHyperparameters,
} from './case-hyperparameters.ts';
import { type Noise, noiseVariance, updateNoise } from './case-noise.ts';
import { countSite, divideGaussians, firstSite, type Site } from './count-sites.ts';
import { processCovariance } from './covariance.ts';
import {
  type AreaLayer,
  buildAreaLayer,
  buildCountryLayer,
  buildGroupLayer,
  type GroupLayer,
  type ObservedArea,
} from './hierarchy.ts';

/** Areas in groups. */
export interface GroupedCases {
  /** By area and month; NaN if unknown. */
  cases: readonly Float64Array[];
  /** Mean of the logarithms of all rates, about which the processes vary. */
  centre: number;
  groupOfArea: readonly number[];
  groupCount: number;
  months: number;
}

export interface CaseModelFit {
  logParameters: readonly number[];
  noise: Noise;
  /** What the counts say about the logarithms of the rates, by area; NaN if unknown. */
  sites: readonly MonthlyEstimates[];
}

type NoiseAndSites = Omit<CaseModelFit, 'logParameters'>;

/** Covariance matrices of the processes over `n` months, stored by rows. */
export function processCovariances(parameters: HierarchyParameters, n: number) {
  return {
    country: parameters.country && processCovariance(parameters.country, SEASON_SMOOTHNESS, n),
    group: processCovariance(parameters.group, SEASON_SMOOTHNESS, n),
    area: processCovariance(parameters.area, SEASON_SMOOTHNESS, n),
  };
}

export const firstSites = (cases: Float64Array): MonthlyEstimates => buildSites(cases, firstSite);

function buildSites(cases: Float64Array, siteAt: (count: number, month: number) => Site): MonthlyEstimates {
  const sites = { mean: cases.map(() => Number.NaN), variance: cases.map(() => Number.NaN) };
  for (const [t, count] of cases.entries()) {
    if (Number.isNaN(count)) continue;
    const { mean, variance } = siteAt(count, t);
    sites.mean[t] = mean;
    sites.variance[t] = variance;
  }
  return sites;
}

export function observedAreas({ groupOfArea, centre }: GroupedCases, { noise, sites }: NoiseAndSites): ObservedArea[] {
  return sites.map((areaSites, a) => ({
    group: groupOfArea[a]!,
    y: areaSites.mean.map((value) => value - centre),
    variance: noiseVariance(noise, a).map((value, t) => value + areaSites.variance[t]!),
  }));
}

/** Updates the noise and the counts' sites in several steps, with fixed hyperparameters. */
export function iterateUpdates(
  data: GroupedCases,
  { logParameters, noise, sites }: CaseModelFit,
  updateCount: number,
): CaseModelFit {
  const { months: n, groupCount } = data;
  const covariances = processCovariances(unpackHyperparameters(logParameters, groupCount > 1), n);
  let updated: NoiseAndSites = { noise, sites };
  for (let step = 0; step < updateCount; step++) {
    const areaLayer = buildAreaLayer(observedAreas(data, updated), groupCount, covariances.area, n);
    const areaResiduals = posteriorResiduals(
      areaLayer,
      buildCountryLayer(buildGroupLayer(areaLayer, covariances.group), covariances.country).posteriors(),
    );
    updated = updateNoiseAndSites(data, updated, areaResiduals);
  }
  return { logParameters, noise: updated.noise, sites: updated.sites };
}

/** A residual is the noise plus the error of the site, in which it is divided in proportion to their variances. */
function updateNoiseAndSites(
  { cases }: GroupedCases,
  { noise, sites }: NoiseAndSites,
  areaResiduals: readonly MonthlyEstimates[],
): NoiseAndSites {
  const squaresByArea: Float64Array[] = [];
  const nextSites: MonthlyEstimates[] = [];
  for (const [a, residual] of areaResiduals.entries()) {
    const areaSites = sites[a]!;
    const noiseVariances = noiseVariance(noise, a);
    squaresByArea.push(
      noiseVariances.map((value, t) => {
        const share = value / (value + areaSites.variance[t]!);
        return share * share * (residual.mean[t]! ** 2 + residual.variance[t]!) + value * (1 - share);
      }),
    );
    nextSites.push(
      buildSites(cases[a]!, (count, t) => {
        const process = { mean: areaSites.mean[t]! - residual.mean[t]!, variance: residual.variance[t]! };
        const cavity = divideGaussians(process, {
          mean: areaSites.mean[t]!,
          variance: noiseVariances[t]! + areaSites.variance[t]!,
        });
        return countSite(count, { mean: cavity.mean, variance: cavity.variance + noiseVariances[t]! });
      }),
    );
  }
  return { noise: updateNoise(noise, squaresByArea), sites: nextSites };
}

/** Hyperparameters at the maximum of marginal likelihood times prior, with fixed noise and sites. */
export function fitHyperparameters(data: GroupedCases, fit: CaseModelFit): number[] {
  const { months: n, groupCount } = data;
  const priors = hyperparameterPriors(groupCount > 1);
  const { logParameters } = fit;
  const areas = observedAreas(data, fit);
  let reusable: { areaKey: string; areaLayer: AreaLayer; groupKey: string; groupLayer: GroupLayer } | null = null;
  const deviance = (logValues: number[]) => {
    const parameters = unpackHyperparameters(logValues, groupCount > 1);
    const [areaKey, groupKey] = [JSON.stringify(parameters.area), JSON.stringify(parameters.group)];
    const covariances = processCovariances(parameters, n);
    // Parts are reused while only parameters of other levels change.
    const areaLayer =
      reusable?.areaKey === areaKey ? reusable.areaLayer : buildAreaLayer(areas, groupCount, covariances.area, n);
    if (reusable?.areaLayer !== areaLayer || reusable.groupKey !== groupKey)
      reusable = { areaKey, areaLayer, groupKey, groupLayer: buildGroupLayer(areaLayer, covariances.group) };
    return buildCountryLayer(reusable.groupLayer, covariances.country).deviance + priorDeviance(logValues, priors);
  };
  const negativeLogPosterior = (logValues: number[]) => deviance(logValues) / 2;
  return minimiseBfgs(negativeLogPosterior, [...logParameters], {
    widths: logParameters.map(() => 0.15),
    maxIterations: 15,
    tolerance: 0.05,
    differenceStep: 1e-4,
  }).x;
}
