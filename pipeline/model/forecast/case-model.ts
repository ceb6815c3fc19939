import { HORIZONS } from '../../contract/months.ts';
import { mean } from '../../lib/numerics/averages.ts';
import type { Random } from '../../lib/numerics/random.ts';
import { areaPosteriors, leaveOneOutEstimates, type MonthlyEstimates, posteriorResiduals } from './area-posteriors.ts';
import { drawCounts, type ForecastPosterior } from './case-draws.ts';
import { hyperparameterPriors, unpackHyperparameters } from './case-hyperparameters.ts';
import {
  type CaseModelFit,
  firstSites,
  fitHyperparameters,
  type GroupedCases,
  iterateUpdates,
  observedAreas,
  processCovariances,
} from './case-model-fit.ts';
import { NOISE_DF, noiseForMonths, startNoise } from './case-noise.ts';
import { countQuantiles } from './count-quantiles.ts';
import { firstSite } from './count-sites.ts';
import { buildAreaLayer, buildCountryLayer, buildGroupLayer } from './hierarchy.ts';
import { filterSteps, quantilesWithStep, stepsAhead } from './level-steps.ts';
import { noisyQuantiles } from './noisy-quantiles.ts';
import { hideDisrupted, type Panel } from './panel.ts';
import type { Forecast, Forecaster } from './past-errors.ts';

/** Number of origins after which hyperparameters are fitted again. */
export const REFIT_EVERY = 3;
/**
 * Alternating updates of noise and hyperparameters: in the first fit, and in later ones, which start from the previous.
 */
const FIT_ROUNDS = { first: 4, later: 1 };
/** Updates of the noise with fixed hyperparameters: in the first fit, and in later ones. */
const NOISE_UPDATES = { first: 5, later: 2 };
/** Number of months used at the end of a record: the work grows with their cube. MODEL.md, section 6. */
export const WINDOW_MONTHS = 72;
const START_NOISE_SD = 0.2;

/** The case model, which besides quantiles gives joint draws, and shows what it estimated. */
export interface CaseModel extends Forecaster {
  /**
   * The forecast of the panel, and joint draws from its distributions, whole numbers of cases by area and horizon: a
   * draw is one course of all areas over all horizons. The model is fitted as for `forecast`.
   * @param random stream from which everything is drawn
   */
  draw(panel: Panel, drawCount: number, random: Random): { forecast: Forecast; draws: (Float64Array | null)[][] };
  /** Logarithms of the hyperparameters in the order of `hyperparameterPriors`; null before the first fit. */
  hyperparameters(): readonly number[] | null;
}

/**
 * The case model of MODEL.md. As origins pass, it is fitted again, starting from the previous fit.
 * @param horizons months ahead, ascending
 * @param fixedParameters logarithms of hyperparameters that are not to be estimated, of a panel with one group
 * @param onProgress called while it is fitted, with the share of the fit that is done
 */
export function caseModel(
  horizons: readonly number[] = HORIZONS,
  fixedParameters: readonly number[] | null = null,
  onProgress: (share: number) => void = () => {},
): CaseModel {
  const noiseQuantiles = noisyQuantiles(NOISE_DF);
  let origins = 0;
  let fit: CaseModelFit | null = null;
  let windowStart = 0;
  /** Null if no area has a month of data. */
  const fitPanel = (panel: Panel): ForecastPosterior | null => {
    const firstMonth = Math.max(0, panel.months - WINDOW_MONTHS);
    const data = groupAreas(panel, firstMonth);
    if (Number.isNaN(data.centre)) return null;
    const roundCount = origins++ % REFIT_EVERY > 0 ? 0 : fit === null ? FIT_ROUNDS.first : FIT_ROUNDS.later;
    const updateCount = fit === null ? NOISE_UPDATES.first : NOISE_UPDATES.later;
    fit = iterateUpdates(
      data,
      fit === null ? startingFit(data, fixedParameters) : continuedFit(data, fit, firstMonth - windowStart),
      updateCount,
    );
    windowStart = firstMonth;
    for (let round = 0; round < roundCount; round++) {
      onProgress((round + 1) / (roundCount + 2));
      fit = iterateUpdates(
        data,
        { ...fit, logParameters: fixedParameters ?? fitHyperparameters(data, fit) },
        updateCount,
      );
    }
    onProgress((roundCount + 1) / (roundCount + 2));
    return forecastPosterior(data, fit, horizons);
  };
  const toForecast = ({ marginals, centre, noiseScales, levelSteps }: ForecastPosterior): Forecast =>
    marginals.map(({ mean, variance }, a) => {
      const stepChances = stepsAhead(levelSteps[a]!, horizons.at(-1)!);
      return horizons.map((horizon, h) => {
        const usualQuantiles = noiseQuantiles(variance[h]!, noiseScales[a]!).map(
          (offset) => centre + mean[h]! + offset,
        );
        return countQuantiles(quantilesWithStep(usualQuantiles, stepChances[horizon - 1]!));
      });
    });
  const noForecast = (panel: Panel) => panel.areas.map(() => horizons.map(() => null));
  return {
    name: 'case_model',
    forecast(panel) {
      const posterior = fitPanel(panel);
      return posterior === null ? noForecast(panel) : toForecast(posterior);
    },
    draw(panel, drawCount, random) {
      const posterior = fitPanel(panel);
      if (posterior === null) return { forecast: noForecast(panel), draws: noForecast(panel) };
      return { forecast: toForecast(posterior), draws: drawCounts(posterior, drawCount, random) };
    },
    hyperparameters: () => fit?.logParameters ?? null,
  };
}

const startingFit = (data: GroupedCases, fixedParameters: readonly number[] | null): CaseModelFit => ({
  logParameters: fixedParameters ?? hyperparameterPriors(data.groupCount > 1).map(({ median }) => Math.log(median)),
  noise: startNoise(data.cases.length, data.months, START_NOISE_SD),
  sites: data.cases.map(firstSites),
});

/** A fit as the start for a window that begins `monthsMoved` months later, with first sites for its new months. */
function continuedFit(
  { cases, months }: GroupedCases,
  { logParameters, noise, sites }: CaseModelFit,
  monthsMoved: number,
): CaseModelFit {
  const keepKnown = (previous: MonthlyEstimates, initial: MonthlyEstimates): MonthlyEstimates => ({
    mean: initial.mean.map((value, t) => previous.mean[t + monthsMoved] ?? value),
    variance: initial.variance.map((value, t) => previous.variance[t + monthsMoved] ?? value),
  });
  return {
    logParameters,
    noise: noiseForMonths(noise, months, monthsMoved),
    sites: cases.map((areaCases, a) => keepKnown(sites[a]!, firstSites(areaCases))),
  };
}

/** LGAs grouped by state; states and long records are one group. */
function groupAreas(panel: Panel, firstMonth: number): GroupedCases {
  const { level, areas, months } = hideDisrupted(panel);
  const codes = level === 'lga' ? [...new Set(areas.map(({ state_code }) => state_code))] : ['all'];
  const groupOfArea = areas.map(({ state_code }) => Math.max(0, codes.indexOf(state_code)));
  const cases = areas.map((area) => area.cases.slice(firstMonth));
  const centre = mean(
    cases.flatMap((areaCases) =>
      [...areaCases].filter((value) => !Number.isNaN(value)).map((value) => firstSite(value).mean),
    ),
  );
  return { cases, centre, groupOfArea, groupCount: codes.length, months: months - firstMonth };
}

/** Posterior of the forecast months, which are treated as months with unknown values. */
function forecastPosterior(
  data: GroupedCases,
  { logParameters, noise, sites }: CaseModelFit,
  horizons: readonly number[],
): ForecastPosterior {
  const n = data.months + horizons.at(-1)!;
  const extendToForecast = (values: Float64Array) =>
    Float64Array.from({ length: n }, (_, t) => values[t] ?? Number.NaN);
  const extendedSites = sites.map(({ mean, variance }) => ({
    mean: extendToForecast(mean),
    variance: extendToForecast(variance),
  }));
  const covariances = processCovariances(unpackHyperparameters(logParameters, data.groupCount > 1), n);
  const observed = observedAreas(data, { noise: noiseForMonths(noise, n), sites: extendedSites });
  const areaLayer = buildAreaLayer(observed, data.groupCount, covariances.area, n);
  const country = buildCountryLayer(buildGroupLayer(areaLayer, covariances.group), covariances.country);
  const noiseScales = noise.precision.map((precision) => 1 / Math.sqrt(precision));
  const groupPosteriors = country.posteriors();
  const usualCourses = leaveOneOutEstimates(areaLayer, posteriorResiduals(areaLayer, groupPosteriors));
  const months = horizons.map((horizon) => data.months - 1 + horizon);
  return {
    areaLayer,
    country,
    marginals: areaPosteriors(areaLayer, groupPosteriors, covariances.area, months),
    covariance: covariances.area,
    months,
    horizons,
    centre: data.centre,
    noiseScales,
    levelSteps: data.cases.map((areaCases, a) => {
      const { mean, variance } = usualCourses[a]!;
      return filterSteps(areaCases, { mean: mean.map((value) => value + data.centre), variance }, noiseScales[a]!);
    }),
  };
}
