import { monthIndex, type Period, periodRange } from '../../../../pipeline/contract/months.ts';
import { randomStream } from '../../../../pipeline/lib/numerics/random.ts';
import type { Panel } from '../../../../pipeline/model/forecast/panel.ts';
import type { SurveyedState } from '../../../../pipeline/model/link/surveyed.ts';
import { drawDeviations } from '../../../../pipeline/synthetic/deviations.ts';
import { STATES } from '../../../../pipeline/synthetic/states.ts';

const FIRST: Period = '2015-01';
const LAST: Period = '2023-12';
const ROUNDS: [number, Period][] = [
  [2010, '2010-11'],
  [2015, '2015-11'],
  [2018, '2018-10'],
  [2021, '2021-11'],
];
/** Sampling error of a round's logit positivity, and the standard deviation of a state's drift between rounds. */
const SAMPLING_SD = 0.25;
const DRIFT_SD = 0.25;

/**
 * Quickly simulated records and survey rounds of twelve states of a family: ln cases are the sum of a level, a trend of
 * reporting, a season and the family's deviations; logit positivity is a drifting level plus those of prevalence.
 */
export function madeLink(seed: number, family: 'linked' | 'unlinked') {
  const random = randomStream(seed, 'made link');
  const deviations = drawDeviations(seed, family, '2010-01', '2024-04')!;
  const at = (of: 'prevalence' | 'cases', s: number, period: Period) =>
    deviations[of][s]![monthIndex(period) - monthIndex('2010-01')]!;
  const periods = periodRange(FIRST, LAST);
  const states = STATES.slice(0, 12);
  const panel: Panel = {
    level: 'state',
    first: monthIndex(FIRST),
    months: periods.length,
    origins: { tried: 0, scored: 0 },
    disrupted: periods.map(() => false),
    areas: states.map(({ state_code }, s) => {
      const [level, growth, peak] = [9 + random.normal(), 0.1 * random.normal(), 12 * random.uniform()];
      const cases = Float64Array.from(periods, (period, t) => {
        const season = 0.4 * Math.cos((2 * Math.PI * (t - peak)) / 12);
        return Math.exp(level + (growth * t) / 12 + season + at('cases', s, period) + 0.07 * random.normal());
      });
      return { code: state_code, state_code, people: null, cases };
    }),
  };
  const rounds = states.flatMap(({ state_code }, s) => {
    let level = -1 + 0.5 * random.normal();
    return ROUNDS.map(([round, period]): SurveyedState => {
      level += DRIFT_SD * random.normal();
      const month = monthIndex(period);
      const logit = level + at('prevalence', s, period) + SAMPLING_SD * random.normal();
      return { state_code, round, first: month, last: month, logit, variance: SAMPLING_SD ** 2 };
    });
  });
  return { panel, rounds, states, deviations };
}
