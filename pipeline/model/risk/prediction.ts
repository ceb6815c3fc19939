import { LEVELS } from '../../contract/levels.ts';
import {
  type ChangeSummary,
  type DrawSummary,
  highestTenthShares,
  sdOfChange,
  summariseChange,
  summariseDraws,
} from './draw-summary.ts';
import { drawPrevalence, type MonthDraws, type Paths, type PredictedMonth } from './paths.ts';

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

/** Estimates of all LGAs and states, and draws that belong together; in memory shared by threads. */
export interface Estimates {
  lgas: AreaEstimates;
  states: AreaEstimates;
  /** The nation in draw d of month m at `m * draws + d`. */
  nation_draws: Float64Array;
  /** The last month of each name, January first: LGA a in draw d of it at `(month * lgas + a) * draws + d`. */
  lga_draws: Float64Array;
}

/** Prevalence of every LGA and state in every month, from one set of joint draws. */
export function predictRisk(paths: Paths): Estimates {
  const estimates = emptyEstimates(paths);
  for (const month of calendarMonths(paths)) estimateCalendarMonth(paths, month, estimates);
  return estimates;
}

/** The months of the year that occur in the paths, 0 for January. */
export const calendarMonths = ({ months }: Pick<Paths, 'months'>): Set<number> =>
  new Set(months.map(({ month }) => month));

export function emptyEstimates({ months, state_by_lga, stateCount, drawCount }: Paths): Estimates {
  const maxYears = Math.max(
    0,
    ...calendarMonths({ months })
      .values()
      .map((month) => months.filter((predicted) => predicted.month === month).length),
  );
  return {
    lgas: emptyAreaEstimates(months.length, state_by_lga.length, maxYears, true),
    states: emptyAreaEstimates(months.length, stateCount, maxYears, false),
    nation_draws: emptyShared(months.length * drawCount),
    lga_draws: emptyShared(12 * state_by_lga.length * drawCount),
  };
}

const emptyShared = (length: number) => new Float64Array(new SharedArrayBuffer(8 * length));

/**
 * Fills in one month of the year, for all years. These are predicted together, since they are compared with each other;
 * only about a twelfth of the draws is in memory at a time.
 * @param month 0 for January
 */
export function estimateCalendarMonth(paths: Paths, month: number, target: Estimates): void {
  const { months, drawCount, state_by_lga, stateCount } = paths;
  const allLgas = [...state_by_lga.keys()];
  const byState = [...Map.groupBy(allLgas, (a) => state_by_lga[a]!).values()];
  const prevalence = drawPrevalence(paths, month);
  estimateAreas(prevalence, prevalence.lgas, months, drawCount, [allLgas], byState, target.lgas);
  estimateAreas(prevalence, prevalence.states, months, drawCount, [[...Array(stateCount).keys()]], null, target.states);
  for (const [k, m] of prevalence.months.entries()) target.nation_draws.set(prevalence.nation[k]!, m * drawCount);
  target.lga_draws.set(prevalence.lgas.at(-1)!, month * state_by_lga.length * drawCount);
}

const NO_COMPARISON = { year: null, survey: null };

/**
 * Fills in the months of the draws.
 * @param nation, byState sets of areas within which the highest tenth is determined
 */
function estimateAreas(
  { months: positions }: MonthDraws,
  values: readonly Float64Array[],
  months: readonly PredictedMonth[],
  drawCount: number,
  nation: readonly (readonly number[])[],
  byState: readonly (readonly number[])[] | null,
  target: AreaEstimates,
): void {
  positions.forEach((m, k) => {
    const monthDraws = values[k]!;
    const areaDraws = (a: number, month = k) => values[month]!.subarray(a * drawCount, (a + 1) * drawCount);
    const areas = monthDraws.length / drawCount;
    const { comparison } = months[m]!;
    const setScores = (scores: AreaScores, a: number, { mean, low, high }: DrawSummary) => {
      scores.mean[m * areas + a] = mean;
      scores.low[m * areas + a] = low;
      scores.high[m * areas + a] = high;
    };
    const setChange = (changes: AreaChanges, a: number, change: ChangeSummary | null) => {
      if (!change) return;
      setScores(changes, a, change);
      changes.rise[m * areas + a] = change.rise;
    };
    for (let a = 0; a < areas; a++) {
      const { at_least, ...summary } = summariseDraws(areaDraws(a), CUTOFFS);
      setScores(target, a, summary);
      at_least.forEach((reachedShare, c) => {
        target.at_least[c]![m * areas + a] = reachedShare;
      });
      const { year, survey } = comparison ?? NO_COMPARISON;
      const changeFrom = (earlierMonth: number | null) =>
        earlierMonth === null ? null : summariseChange(areaDraws(a), areaDraws(a, positions.indexOf(earlierMonth)));
      const fromYear = changeFrom(year);
      setChange(target.changes.year, a, fromYear);
      setChange(target.changes.survey, a, survey === year ? fromYear : changeFrom(survey));
      for (let yearsBefore = 1; yearsBefore <= k; yearsBefore++)
        target.contrasts[yearsBefore - 1]![m * areas + a] = sdOfChange(areaDraws(a), areaDraws(a, k - yearsBefore));
    }
    highestTenthShares(monthDraws, drawCount, nation, target.highest_nation.subarray(m * areas, (m + 1) * areas));
    if (byState)
      highestTenthShares(monthDraws, drawCount, byState, target.highest_state!.subarray(m * areas, (m + 1) * areas));
  });
}

/** @param maxYears most predicted months of one name, as many as years */
function emptyAreaEstimates(months: number, areas: number, maxYears: number, areLgas: boolean): AreaEstimates {
  const empty = (fill = 0) => emptyShared(months * areas).fill(fill);
  const scores = (fill = 0) => ({ mean: empty(fill), low: empty(fill), high: empty(fill) });
  const changes = () => ({ ...scores(Number.NaN), rise: empty(Number.NaN) });
  return {
    ...scores(),
    at_least: CUTOFFS.map(() => empty()),
    highest_nation: empty(),
    highest_state: areLgas ? empty() : null,
    changes: { year: changes(), survey: changes() },
    contrasts: Array.from({ length: Math.max(0, maxYears - 1) }, () => empty(Number.NaN)),
  };
}
