import { HORIZONS } from '../../contract/months.ts';
import { mean } from '../../lib/numerics/averages.ts';
import { areaPosteriors, type Estimates } from './area-posteriors.ts';
import { parametersOf, priorsOf } from './case-hyperparameters.ts';
import {
  covariancesOf,
  type Fitted,
  firstSites,
  fitHyperparameters,
  type Grouped,
  observedOf,
  settle,
} from './case-model-fit.ts';
import { NOISE_DF, overMonths, startNoise } from './case-noise.ts';
import { countQuantiles } from './count-quantiles.ts';
import { firstSite } from './count-sites.ts';
import { areaPart, groupPart } from './hierarchy.ts';
import { noisyQuantiles } from './noisy-quantiles.ts';
import { fromMonth, type Panel, withoutDisrupted } from './panel.ts';
import type { Forecaster } from './past-errors.ts';

/** Number of origins after which hyperparameters are fitted again. */
const REFIT_EVERY = 3;
/**
 * Alternating updates of noise and hyperparameters: in the first fit, and in later ones, which start from the previous.
 */
const ROUNDS = { first: 4, later: 1 };
/** Updates of the noise with fixed hyperparameters: in the first fit, and in later ones. */
const STEPS = { first: 5, later: 2 };
/** Number of months used at the end of a record: the work grows with their cube. MODEL.md, section 6. */
const WINDOW = 72;
const START_NOISE_SD = 0.2;

/** The case model of MODEL.md. As origins pass, it is fitted again, starting from the previous fit. */
export function caseModel(): Forecaster {
  const quantiles = noisyQuantiles(NOISE_DF);
  let origins = 0;
  let fitted: Fitted | null = null;
  let began = 0;
  return {
    name: 'case_model',
    forecast(seen) {
      const first = Math.max(0, seen.months - WINDOW);
      const data = grouped(fromMonth(seen, first));
      if (Number.isNaN(data.centre)) return seen.areas.map(() => HORIZONS.map(() => null));
      const rounds = origins++ % REFIT_EVERY > 0 ? 0 : fitted === null ? ROUNDS.first : ROUNDS.later;
      const steps = fitted === null ? STEPS.first : STEPS.later;
      fitted = settle(data, fitted === null ? startOf(data) : later(data, fitted, first - began), steps);
      began = first;
      for (let round = 0; round < rounds; round++)
        fitted = settle(data, { ...fitted, logs: fitHyperparameters(data, fitted) }, steps);
      const scales = fitted.noise.precision.map((precision) => 1 / Math.sqrt(precision));
      return posteriorsAhead(data, fitted).map(({ mean, variance }, a) =>
        HORIZONS.map((_, h) => {
          const rates = quantiles(variance[h]!, scales[a]!).map((offset) => data.centre + mean[h]! + offset);
          return countQuantiles(rates);
        }),
      );
    },
  };
}

const startOf = (data: Grouped): Fitted => ({
  logs: priorsOf(data.groups > 1).map(({ median }) => Math.log(median)),
  noise: startNoise(data.cases.length, data.months, START_NOISE_SD),
  sites: data.cases.map(firstSites),
});

/** A fit as the start for a window that begins `moved` months later, with first sites for its new months. */
function later({ cases, months }: Grouped, { logs, noise, sites }: Fitted, moved: number): Fitted {
  const kept = (own: Estimates, fresh: Estimates): Estimates => ({
    mean: fresh.mean.map((value, t) => own.mean[t + moved] ?? value),
    variance: fresh.variance.map((value, t) => own.variance[t + moved] ?? value),
  });
  return {
    logs,
    noise: overMonths(noise, months, moved),
    sites: cases.map((own, a) => kept(sites[a]!, firstSites(own))),
  };
}

/** LGAs grouped by state; states and long records are one group. */
function grouped(seen: Panel): Grouped {
  const { level, areas, months } = withoutDisrupted(seen);
  const codes = level === 'lga' ? [...new Set(areas.map(({ state_code }) => state_code))] : ['all'];
  const group = areas.map(({ state_code }) => Math.max(0, codes.indexOf(state_code)));
  const cases = areas.map((area) => area.cases);
  const centre = mean(
    cases.flatMap((own) => [...own].filter((value) => !Number.isNaN(value)).map((value) => firstSite(value).mean)),
  );
  return { cases, centre, group, groups: codes.length, months };
}

/** Posteriors of the areas' processes in the forecast months, which are treated as months with unknown values. */
function posteriorsAhead(data: Grouped, { logs, noise, sites }: Fitted) {
  const n = data.months + HORIZONS.length;
  const longer = (own: Float64Array) => Float64Array.from({ length: n }, (_, t) => own[t] ?? Number.NaN);
  const extended = sites.map(({ mean, variance }) => ({ mean: longer(mean), variance: longer(variance) }));
  const covariances = covariancesOf(parametersOf(logs, data.groups > 1), n);
  const observed = observedOf(data, { noise: overMonths(noise, n), sites: extended });
  const part = areaPart(observed, data.groups, covariances.area, n);
  const groupPosteriors = groupPart(part, covariances.group, covariances.country).posteriors();
  return areaPosteriors(
    part,
    groupPosteriors,
    covariances.area,
    HORIZONS.map((horizon) => data.months - 1 + horizon),
  );
}
