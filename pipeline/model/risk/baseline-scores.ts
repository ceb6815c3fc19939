import { calendarMonth, monthIndex, type Period } from '../../contract/months.ts';
import type { Random } from '../../lib/numerics/random.ts';
import { expit } from '../../lib/numerics/special.ts';
import type { BaselineFit } from './baseline.ts';
import { summariseDraws } from './draw-summary.ts';
import type { LgaScore, StateScore } from './risk-tables.ts';

/** An LGA's data that the baseline needs. */
export interface BaselineArea {
  lga_code: string;
  state_code: string;
  population: number;
  /** ln of the seasonal index, January to December. */
  log_season: readonly number[];
}

/**
 * Index of the round nearest in time to a month; `roundMiddles` are the rounds' middle months of fieldwork, in order.
 */
export function nearestRound(period: Period, roundMiddles: readonly Period[]): number {
  const distances = roundMiddles.map((middle) => Math.abs(monthIndex(middle) - monthIndex(period)));
  return distances.indexOf(Math.min(...distances));
}

/**
 * The baseline's scores for every LGA, state and month: the state's posterior in the nearest round, shifted by the
 * LGA's own season. In each draw an LGA deviates from its state by the same amount in all months, with the clusters'
 * variance ρ p (1 − p) transformed to the logit scale, σ_ρ = √(ρ / (p (1 − p))). All overdispersion is attributed to
 * differences between LGAs, so that ranges are too wide rather than too narrow. To preserve the state's mean, the logit
 * is stretched by √(1 + π σ_ρ² / 8) (MacKay 1992, Neural Computation 4:720, eq. 17). A state's score is the
 * population-weighted mean over its LGAs, computed draw by draw.
 * @returns posterior means and central 90% ranges, shares 0-1, by area in order of code and month
 */
export function baselineScores(
  baselineFit: BaselineFit,
  areas: readonly BaselineArea[],
  periods: readonly Period[],
  roundMiddles: readonly Period[],
  random: Random,
): { lgas: LgaScore[]; states: StateScore[] } {
  const draws = baselineFit.posteriorDraws.length;
  const predictedMonths = periods.map((period) => ({
    period,
    round: nearestRound(period, roundMiddles),
    month: calendarMonth(period),
  }));
  const distinctMonths = [
    ...new Map(predictedMonths.map((predicted) => [`${predicted.round}/${predicted.month}`, predicted])).entries(),
  ];
  const lgas: LgaScore[] = [];
  const states: StateScore[] = [];

  for (const [state_code, members] of Map.groupBy(areas, (area) => area.state_code)) {
    const deviations = members.map(() => Float64Array.from({ length: draws }, () => random.normal()));
    const statePopulation = members.reduce((sum, { population }) => sum + population, 0);
    const scoresByKey = new Map(
      distinctMonths.map(([key, { round, month }]) => {
        const stateDraws = new Float64Array(draws);
        const lgaScores = members.map((area, i) => {
          const stateRound = baselineFit.states.indexOf(state_code) * baselineFit.rounds.length + round;
          const eta = Float64Array.from(
            baselineFit.posteriorDraws,
            (x, d) => x[stateRound]! + baselineFit.season_exponent[d]! * area.log_season[month - 1]!,
          );
          const mean = eta.reduce((sum, e) => sum + expit(e), 0) / draws;
          const sd = Math.sqrt(baselineFit.rho / (mean * (1 - mean)));
          const stretch = Math.sqrt(1 + (Math.PI * sd * sd) / 8);
          const prevalence = eta.map((e, d) => expit(stretch * e + sd * deviations[i]![d]!));
          for (let d = 0; d < draws; d++) stateDraws[d]! += (area.population / statePopulation) * prevalence[d]!;
          return summarise(prevalence);
        });
        return [key, { lgaScores, stateScore: summarise(stateDraws) }];
      }),
    );
    const series = predictedMonths.map(({ period, round, month }) => ({
      period,
      ...scoresByKey.get(`${round}/${month}`)!,
    }));
    for (const [i, { lga_code }] of members.entries())
      lgas.push(...series.map(({ period, lgaScores }) => ({ lga_code, period, ...lgaScores[i]! })));
    states.push(...series.map(({ period, stateScore }) => ({ state_code, period, ...stateScore })));
  }
  return { lgas, states: states.sort((a, b) => (a.state_code < b.state_code ? -1 : +(a.state_code > b.state_code))) };
}

/** Mean and central 90% range of draws; if a long tail puts the mean outside the range, the range is widened. */
function summarise(draws: Float64Array): Omit<StateScore, 'state_code' | 'period'> {
  const { mean: score, low, high } = summariseDraws(draws, []);
  return { score, score_low: Math.min(low, score), score_high: Math.max(high, score) };
}
