import { HORIZONS } from '../../contract/months.ts';
import { mean } from '../../lib/numerics/averages.ts';
import type { Random } from '../../lib/numerics/random.ts';
import { areaPosteriors, type Estimates, leaveOneOut, residuals } from './area-posteriors.ts';
import { drawCounts, type ForecastPosterior } from './case-draws.ts';
import { hyperparameterPriors, unpackParameters } from './case-hyperparameters.ts';
import {
  type Fitted,
  firstSites,
  fitHyperparameters,
  type GroupedCases,
  observedAreas,
  processCovariances,
  settle,
} from './case-model-fit.ts';
import { NOISE_DF, overMonths, startNoise } from './case-noise.ts';
import { countQuantiles } from './count-quantiles.ts';
import { firstSite } from './count-sites.ts';
import { areaPart, countryPart, groupPart } from './hierarchy.ts';
import { filterSteps, quantilesWithStep, stepsAhead } from './level-steps.ts';
import { noisyQuantiles } from './noisy-quantiles.ts';
import { fromMonth, type Panel, withoutDisrupted } from './panel.ts';
import type { Forecast, Forecaster } from './past-errors.ts';

/** Number of origins after which hyperparameters are fitted again. */
export const REFIT_EVERY = 3;
/**
 * Alternating updates of noise and hyperparameters: in the first fit, and in later ones, which start from the previous.
 */
const ROUNDS = { first: 4, later: 1 };
/** Updates of the noise with fixed hyperparameters: in the first fit, and in later ones. */
const STEPS = { first: 5, later: 2 };
/** Number of months used at the end of a record: the work grows with their cube. MODEL.md, section 6. */
export const WINDOW = 72;
const START_NOISE_SD = 0.2;

/** The case model, which besides quantiles gives joint draws, and shows what it estimated. */
export interface CaseModel extends Forecaster {
  /**
   * The forecast of the panel, and joint draws from its distributions, whole numbers of cases by area and horizon: a
   * draw is one course of all areas over all horizons. The model is fitted as for `forecast`.
   * @param random stream from which everything is drawn
   */
  draw(seen: Panel, count: number, random: Random): { forecast: Forecast; draws: (Float64Array | null)[][] };
  /** Logarithms of the hyperparameters in the order of `hyperparameterPriors`; null before the first fit. */
  hyperparameters(): readonly number[] | null;
}

/**
 * The case model of MODEL.md. As origins pass, it is fitted again, starting from the previous fit.
 * @param horizons months ahead, ascending
 * @param fixedLogs logarithms of hyperparameters that are not to be estimated, of a panel with one group
 * @param onProgress called while it is fitted, with the share of the fit that is done
 */
export function caseModel(
  horizons: readonly number[] = HORIZONS,
  fixedLogs: readonly number[] | null = null,
  onProgress: (share: number) => void = () => {},
): CaseModel {
  const quantiles = noisyQuantiles(NOISE_DF);
  let origins = 0;
  let fitted: Fitted | null = null;
  let windowStart = 0;
  /** Null if no area has a month of data. */
  const fitTo = (seen: Panel): ForecastPosterior | null => {
    const first = Math.max(0, seen.months - WINDOW);
    const data = groupAreas(fromMonth(seen, first));
    if (Number.isNaN(data.centre)) return null;
    const rounds = origins++ % REFIT_EVERY > 0 ? 0 : fitted === null ? ROUNDS.first : ROUNDS.later;
    const steps = fitted === null ? STEPS.first : STEPS.later;
    fitted = settle(
      data,
      fitted === null ? startingFit(data, fixedLogs) : continuedFit(data, fitted, first - windowStart),
      steps,
    );
    windowStart = first;
    for (let round = 0; round < rounds; round++) {
      onProgress((round + 1) / (rounds + 2));
      fitted = settle(data, { ...fitted, logs: fixedLogs ?? fitHyperparameters(data, fitted) }, steps);
    }
    onProgress((rounds + 1) / (rounds + 2));
    return forecastPosterior(data, fitted, horizons);
  };
  const toForecast = ({ part, groups, covariance, months, centre, scales, steps }: ForecastPosterior): Forecast =>
    areaPosteriors(part, groups.posteriors(), covariance, months).map(({ mean, variance }, a) => {
      const chances = stepsAhead(steps[a]!, horizons.at(-1)!);
      return horizons.map((horizon, h) => {
        const usual = quantiles(variance[h]!, scales[a]!).map((offset) => centre + mean[h]! + offset);
        return countQuantiles(quantilesWithStep(usual, chances[horizon - 1]!));
      });
    });
  const noForecast = (seen: Panel) => seen.areas.map(() => horizons.map(() => null));
  return {
    name: 'case_model',
    forecast(seen) {
      const posterior = fitTo(seen);
      return posterior === null ? noForecast(seen) : toForecast(posterior);
    },
    draw(seen, count, random) {
      const posterior = fitTo(seen);
      if (posterior === null) return { forecast: noForecast(seen), draws: noForecast(seen) };
      return { forecast: toForecast(posterior), draws: drawCounts(posterior, count, random) };
    },
    hyperparameters: () => fitted?.logs ?? null,
  };
}

const startingFit = (data: GroupedCases, fixedLogs: readonly number[] | null): Fitted => ({
  logs: fixedLogs ?? hyperparameterPriors(data.groups > 1).map(({ median }) => Math.log(median)),
  noise: startNoise(data.cases.length, data.months, START_NOISE_SD),
  sites: data.cases.map(firstSites),
});

/** A fit as the start for a window that begins `moved` months later, with first sites for its new months. */
function continuedFit({ cases, months }: GroupedCases, { logs, noise, sites }: Fitted, moved: number): Fitted {
  const kept = (previous: Estimates, fresh: Estimates): Estimates => ({
    mean: fresh.mean.map((value, t) => previous.mean[t + moved] ?? value),
    variance: fresh.variance.map((value, t) => previous.variance[t + moved] ?? value),
  });
  return {
    logs,
    noise: overMonths(noise, months, moved),
    sites: cases.map((areaCases, a) => kept(sites[a]!, firstSites(areaCases))),
  };
}

/** LGAs grouped by state; states and long records are one group. */
function groupAreas(seen: Panel): GroupedCases {
  const { level, areas, months } = withoutDisrupted(seen);
  const codes = level === 'lga' ? [...new Set(areas.map(({ state_code }) => state_code))] : ['all'];
  const group = areas.map(({ state_code }) => Math.max(0, codes.indexOf(state_code)));
  const cases = areas.map((area) => area.cases);
  const centre = mean(
    cases.flatMap((areaCases) =>
      [...areaCases].filter((value) => !Number.isNaN(value)).map((value) => firstSite(value).mean),
    ),
  );
  return { cases, centre, group, groups: codes.length, months };
}

/** Posterior of the forecast months, which are treated as months with unknown values. */
function forecastPosterior(
  data: GroupedCases,
  { logs, noise, sites }: Fitted,
  horizons: readonly number[],
): ForecastPosterior {
  const n = data.months + horizons.at(-1)!;
  const longer = (values: Float64Array) => Float64Array.from({ length: n }, (_, t) => values[t] ?? Number.NaN);
  const extended = sites.map(({ mean, variance }) => ({ mean: longer(mean), variance: longer(variance) }));
  const covariances = processCovariances(unpackParameters(logs, data.groups > 1), n);
  const observed = observedAreas(data, { noise: overMonths(noise, n), sites: extended });
  const part = areaPart(observed, data.groups, covariances.area, n);
  const groups = countryPart(groupPart(part, covariances.group), covariances.country);
  const scales = noise.precision.map((precision) => 1 / Math.sqrt(precision));
  const courses = leaveOneOut(part, residuals(part, groups.posteriors()));
  return {
    part,
    groups,
    covariance: covariances.area,
    months: horizons.map((horizon) => data.months - 1 + horizon),
    horizons,
    centre: data.centre,
    scales,
    steps: data.cases.map((areaCases, a) => {
      const { mean, variance } = courses[a]!;
      return filterSteps(areaCases, { mean: mean.map((value) => value + data.centre), variance }, scales[a]!);
    }),
  };
}
