import { mean } from '../../numerics/averages.ts';
import { HORIZONS } from '../horizons.ts';
import { fromMonth, type Panel, withoutDisrupted } from '../panel.ts';
import type { Forecaster } from '../past-errors.ts';
import { coursesOfAreas } from './area-courses.ts';
import { covariancesOf, type Fitted, fitHyperparameters, type Grouped, observedOf, settleNoise } from './fit.ts';
import { areaPart, groupPart } from './hierarchy.ts';
import { coursesOf, priorsOf } from './hyperparameters.ts';
import { NOISE_DF, overMonths, startNoise } from './noise.ts';
import { noisyQuantiles } from './noisy-quantiles.ts';

/** Hyperparameters hold for so many origins. */
const REFIT_EVERY = 3;
/** Rounds of noise and hyperparameters in turn: from nothing, and from the fit before. */
const ROUNDS = { first: 4, later: 2 };
/** Steps of the noise by itself. */
const STEPS = 5;
/** The last months of a record that it looks at: work grows with their cube. MODEL.md, section 6. */
const WINDOW = 72;
const START_NOISE_SD = 0.2;

/** The case model of MODEL.md. Fitted anew as origins pass, from where the fit before ended. */
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
      let { logs, noise } = fitted ?? startOf(data);
      noise = settleNoise(data, { logs, noise: overMonths(noise, data.months, first - began) }, STEPS);
      began = first;
      for (let round = 0; round < rounds; round++) {
        logs = fitHyperparameters(data, { logs, noise });
        noise = settleNoise(data, { logs, noise }, STEPS);
      }
      fitted = { logs, noise };
      const scales = noise.precision.map((precision) => 1 / Math.sqrt(precision));
      return coursesAhead(data, fitted).map(({ mean, variance }, a) =>
        HORIZONS.map((_, h) => quantiles(variance[h]!, scales[a]!).map((offset) => centre + mean[h]! + offset)),
      );
    },
  };
}

const startOf = (data: Grouped): Fitted => ({
  logs: priorsOf(data.groups > 1).map(({ median }) => Math.log(median)),
  noise: startNoise(data.y.length, data.months, START_NOISE_SD),
});

/** The panel about its mean, LGAs in their states; states and long records are one group. */
function grouped(seen: Panel): { data: Grouped; centre: number } {
  const { level, areas, months } = withoutDisrupted(seen);
  const codes = level === 'lga' ? [...new Set(areas.map(({ state_code }) => state_code))] : ['all'];
  const group = areas.map(({ state_code }) => Math.max(0, codes.indexOf(state_code)));
  const centre = mean(areas.flatMap(({ y }) => [...y].filter((value) => !Number.isNaN(value))));
  const y = areas.map((area) => area.y.map((value) => value - centre));
  return { data: { y, group, groups: codes.length, months }, centre };
}

/** The courses of the areas in the months to come, which are months like others, unknown. */
function coursesAhead(data: Grouped, { logs, noise }: Fitted) {
  const n = data.months + HORIZONS.length;
  const y = data.y.map((own) => Float64Array.from({ length: n }, (_, t) => own[t] ?? Number.NaN));
  const k = covariancesOf(coursesOf(logs, data.groups > 1), n);
  const part = areaPart(observedOf({ ...data, y }, overMonths(noise, n)), data.groups, k.area, n);
  const courses = groupPart(part, k.group, k.whole).courses();
  return coursesOfAreas(
    part,
    courses,
    k.area,
    HORIZONS.map((horizon) => data.months - 1 + horizon),
  );
}
