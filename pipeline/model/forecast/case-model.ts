import { HORIZONS } from '../../contract/months.ts';
import { mean } from '../../lib/numerics/averages.ts';
import { areaPosteriors } from './area-posteriors.ts';
import { parametersOf, priorsOf } from './case-hyperparameters.ts';
import {
  covariancesOf,
  type Fitted,
  fitHyperparameters,
  type Grouped,
  observedOf,
  settleNoise,
} from './case-model-fit.ts';
import { NOISE_DF, overMonths, startNoise } from './case-noise.ts';
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
      const { data, centre } = grouped(fromMonth(seen, first));
      if (Number.isNaN(centre)) return seen.areas.map(() => HORIZONS.map(() => null));
      const rounds = origins++ % REFIT_EVERY > 0 ? 0 : fitted === null ? ROUNDS.first : ROUNDS.later;
      const steps = fitted === null ? STEPS.first : STEPS.later;
      let { logs, noise } = fitted ?? startOf(data);
      noise = settleNoise(data, { logs, noise: overMonths(noise, data.months, first - began) }, steps);
      began = first;
      for (let round = 0; round < rounds; round++) {
        logs = fitHyperparameters(data, { logs, noise });
        noise = settleNoise(data, { logs, noise }, steps);
      }
      fitted = { logs, noise };
      const scales = noise.precision.map((precision) => 1 / Math.sqrt(precision));
      return posteriorsAhead(data, fitted).map(({ mean, variance }, a) =>
        HORIZONS.map((_, h) => quantiles(variance[h]!, scales[a]!).map((offset) => centre + mean[h]! + offset)),
      );
    },
  };
}

const startOf = (data: Grouped): Fitted => ({
  logs: priorsOf(data.groups > 1).map(({ median }) => Math.log(median)),
  noise: startNoise(data.y.length, data.months, START_NOISE_SD),
});

/** The panel minus its mean, with LGAs grouped by state; states and long records are one group. */
function grouped(seen: Panel): { data: Grouped; centre: number } {
  const { level, areas, months } = withoutDisrupted(seen);
  const codes = level === 'lga' ? [...new Set(areas.map(({ state_code }) => state_code))] : ['all'];
  const group = areas.map(({ state_code }) => Math.max(0, codes.indexOf(state_code)));
  const centre = mean(areas.flatMap(({ y }) => [...y].filter((value) => !Number.isNaN(value))));
  const y = areas.map((area) => area.y.map((value) => value - centre));
  return { data: { y, group, groups: codes.length, months }, centre };
}

/** Posteriors of the areas' processes in the forecast months, which are treated as months with unknown values. */
function posteriorsAhead(data: Grouped, { logs, noise }: Fitted) {
  const n = data.months + HORIZONS.length;
  const y = data.y.map((own) => Float64Array.from({ length: n }, (_, t) => own[t] ?? Number.NaN));
  const covariances = covariancesOf(parametersOf(logs, data.groups > 1), n);
  const part = areaPart(observedOf({ ...data, y }, overMonths(noise, n)), data.groups, covariances.area, n);
  const groupPosteriors = groupPart(part, covariances.group, covariances.country).posteriors();
  return areaPosteriors(
    part,
    groupPosteriors,
    covariances.area,
    HORIZONS.map((horizon) => data.months - 1 + horizon),
  );
}
