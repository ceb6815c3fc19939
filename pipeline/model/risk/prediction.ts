import { LEVELS } from '../../contract/levels.ts';
import {
  type ChangeSummary,
  type DrawSummary,
  highestTenths,
  spreadOfChange,
  summariseChange,
  summariseDraws,
} from './draw-summary.ts';
import { drawMonths, type MonthDraws, type Paths, type PredictedMonth } from './paths.ts';

/** Posterior mean and central 90% of prevalence; values of area a in month m at `m * areas + a`. */
export interface AreaScores {
  mean: Float64Array;
  low: Float64Array;
  high: Float64Array;
}

/** Change of prevalence from an earlier month; NaN in months without a month to compare with. */
export interface AreaChanges extends AreaScores {
  /** Probability that it rose. */
  rise: Float64Array;
}

/** Estimates from joint draws for areas of one kind; values of area a in month m at `m * areas + a`. */
export interface AreaEstimates extends AreaScores {
  /** Probability of reaching the lower end of each level except the lowest, in the order of `LEVELS`. */
  at_least: Float64Array[];
  /** Probability of being among the highest tenth of the nation's areas of the kind. */
  highest_nation: Float64Array;
  /** Probability of being among the highest tenth of the state's LGAs; null for states. */
  highest_state: Float64Array | null;
  changes: { year: AreaChanges; survey: AreaChanges };
  /**
   * Standard deviation of the change from the same month of one, two … years before; NaN where that is not predicted.
   */
  contrasts: Float64Array[];
}

/** The lower ends of the levels except the lowest. */
export const CUTOFFS = LEVELS.slice(0, -1).map(({ below }) => below);

/** Estimates of all LGAs and states; in memory shared by threads. */
export interface Estimates {
  lgas: AreaEstimates;
  states: AreaEstimates;
}

/** Prevalence of every LGA and state in every month, from one set of joint draws. */
export function predictRisk(paths: Paths): Estimates {
  const estimates = emptyEstimates(paths);
  for (const month of monthsOfYear(paths)) predictMonths(paths, month, estimates);
  return estimates;
}

/** The months of the year that occur in the paths, 0 for January. */
export const monthsOfYear = ({ months }: Pick<Paths, 'months'>): Set<number> =>
  new Set(months.map(({ month }) => month));

export function emptyEstimates({ months, state_of, states }: Paths): Estimates {
  const yearly = Math.max(
    0,
    ...monthsOfYear({ months })
      .values()
      .map((month) => months.filter((predicted) => predicted.month === month).length),
  );
  return {
    lgas: emptyAreas(months.length, state_of.length, yearly, true),
    states: emptyAreas(months.length, states, yearly, false),
  };
}

/**
 * Fills in one month of the year, for all years. These are predicted together, since they are compared with each other;
 * only about a twelfth of the draws is in memory at a time.
 * @param month 0 for January
 */
export function predictMonths(paths: Paths, month: number, to: Estimates): void {
  const { months, draws, state_of, states } = paths;
  const everywhere = [...state_of.keys()];
  const byState = [...Map.groupBy(everywhere, (a) => state_of[a]!).values()];
  const drawn = drawMonths(paths, month);
  estimate(drawn, drawn.lgas, months, draws, [everywhere], byState, to.lgas);
  estimate(drawn, drawn.states, months, draws, [[...Array(states).keys()]], null, to.states);
}

const NOTHING = { year: null, survey: null };

/**
 * Fills in the months of the draws.
 * @param nation, byState sets of areas within which the highest tenth is determined
 */
function estimate(
  { months: positions }: MonthDraws,
  values: readonly Float64Array[],
  months: readonly PredictedMonth[],
  draws: number,
  nation: readonly (readonly number[])[],
  byState: readonly (readonly number[])[] | null,
  to: AreaEstimates,
): void {
  positions.forEach((m, k) => {
    const monthDraws = values[k]!;
    const areas = monthDraws.length / draws;
    const { compared } = months[m]!;
    const put = (target: AreaScores, a: number, { mean, low, high }: DrawSummary) => {
      target.mean[m * areas + a] = mean;
      target.low[m * areas + a] = low;
      target.high[m * areas + a] = high;
    };
    const putChange = (target: AreaChanges, a: number, change: ChangeSummary | null) => {
      if (!change) return;
      put(target, a, change);
      target.rise[m * areas + a] = change.rise;
    };
    for (let a = 0; a < areas; a++) {
      const { at_least, ...summary } = summariseDraws(monthDraws.subarray(a * draws, (a + 1) * draws), CUTOFFS);
      put(to, a, summary);
      at_least.forEach((share, c) => {
        to.at_least[c]![m * areas + a] = share;
      });
      const { year, survey } = compared ?? NOTHING;
      const changeFrom = (before: number | null) =>
        before === null
          ? null
          : summariseChange(
              monthDraws.subarray(a * draws, (a + 1) * draws),
              values[positions.indexOf(before)]!.subarray(a * draws, (a + 1) * draws),
            );
      const fromYear = changeFrom(year);
      putChange(to.changes.year, a, fromYear);
      putChange(to.changes.survey, a, survey === year ? fromYear : changeFrom(survey));
      for (let before = 1; before <= k; before++)
        to.contrasts[before - 1]![m * areas + a] = spreadOfChange(
          monthDraws.subarray(a * draws, (a + 1) * draws),
          values[k - before]!.subarray(a * draws, (a + 1) * draws),
        );
    }
    highestTenths(monthDraws, draws, nation, to.highest_nation.subarray(m * areas, (m + 1) * areas));
    if (byState) highestTenths(monthDraws, draws, byState, to.highest_state!.subarray(m * areas, (m + 1) * areas));
  });
}

/** @param yearly predicted months of one name */
function emptyAreas(months: number, areas: number, yearly: number, ofLgas: boolean): AreaEstimates {
  const empty = (fill = 0) => new Float64Array(new SharedArrayBuffer(8 * months * areas)).fill(fill);
  const scores = (fill = 0) => ({ mean: empty(fill), low: empty(fill), high: empty(fill) });
  const changes = () => ({ ...scores(Number.NaN), rise: empty(Number.NaN) });
  return {
    ...scores(),
    at_least: CUTOFFS.map(() => empty()),
    highest_nation: empty(),
    highest_state: ofLgas ? empty() : null,
    changes: { year: changes(), survey: changes() },
    contrasts: Array.from({ length: Math.max(0, yearly - 1) }, () => empty(Number.NaN)),
  };
}
