import type { Scores } from '../artifacts.ts';
import { monthIndex, monthOf, type Period } from '../contract/months.ts';
import { quantiles } from '../numerics/quantiles.ts';
import type { Random } from '../numerics/random.ts';
import { expit } from '../numerics/special.ts';
import type { BaselineFit } from './baseline.ts';

/** An LGA as the baseline sees it. */
export interface BaselineArea {
  lga_code: string;
  state_code: string;
  population: number;
  /** ln of the seasonal index, January to December. */
  log_season: readonly number[];
}

/** The round nearest in time to a month: `middles` are the middle months of fieldwork, ascending with the rounds. */
export function nearestRound(period: Period, middles: readonly Period[]): number {
  const away = middles.map((middle) => Math.abs(monthIndex(middle) - monthIndex(period)));
  return away.indexOf(Math.min(...away));
}

/**
 * The baseline's scores for every LGA and state and month: its state's posterior in the nearest round, moved by the
 * LGA's own season. An LGA strays from its state by a deviation of its own, one a draw and the same in all months, with
 * the variance ρ p (1 − p) of clusters on the logit scale, √(ρ / (p (1 − p))): all the overdispersion is taken to lie
 * between LGAs, so that ranges are wide rather than narrow. The score is the posterior mean without it; a state's range
 * comes from joint draws over its LGAs.
 * @returns posterior means and central 90% ranges, shares 0-1
 */
export function baselineScores(
  fit: BaselineFit,
  areas: readonly BaselineArea[],
  periods: readonly Period[],
  middles: readonly Period[],
  random: Random,
): { lgas: Scores; states: Scores } {
  const draws = fit.draws.length;
  const units = periods.map((period) => ({ round: nearestRound(period, middles), month: monthOf(period) }));
  const distinct = [...new Map(units.map((unit) => [`${unit.round}/${unit.month}`, unit])).entries()];
  const lgas: Scores = { periods: [...periods], areas: {} };
  const states: Scores = { periods: [...periods], areas: {} };

  for (const [state_code, members] of Map.groupBy(areas, (area) => area.state_code)) {
    const stray = members.map(() => Float64Array.from({ length: draws }, () => random.normal()));
    const people = members.reduce((sum, { population }) => sum + population, 0);
    const byUnit = new Map(
      distinct.map(([key, { round, month }]) => {
        const whole = new Float64Array(draws);
        let wholeMean = 0;
        const parts = members.map((area, i) => {
          const k = fit.states.indexOf(state_code) * fit.rounds.length + round;
          const eta = Float64Array.from(
            fit.draws,
            (x, d) => x[k]! + fit.season_exponent[d]! * area.log_season[month - 1]!,
          );
          const mean = eta.reduce((sum, e) => sum + expit(e), 0) / draws;
          const sd = Math.sqrt(fit.rho / (mean * (1 - mean)));
          const own = eta.map((e, d) => expit(e + sd * stray[i]![d]!));
          for (let d = 0; d < draws; d++) whole[d]! += (area.population / people) * own[d]!;
          wholeMean += (area.population / people) * mean;
          return summary(mean, own);
        });
        return [key, { parts, whole: summary(wholeMean, whole) }];
      }),
    );
    const series = units.map(({ round, month }) => byUnit.get(`${round}/${month}`)!);
    members.forEach((area, i) => {
      lgas.areas[area.lga_code] = columns(series.map(({ parts }) => parts[i]!));
    });
    states.areas[state_code] = columns(series.map(({ whole }) => whole));
  }
  return { lgas, states };
}

interface Summary {
  score: number;
  score_low: number;
  score_high: number;
}

/** The mean with the central 90% of draws; a mean outside its own draws' range (a long tail) widens the range to it. */
function summary(score: number, draws: Float64Array): Summary {
  const [low, high] = quantiles(draws, [0.05, 0.95]) as [number, number];
  return { score, score_low: Math.min(low, score), score_high: Math.max(high, score) };
}

function columns(rows: readonly Summary[]) {
  return {
    score: rows.map((row) => row.score),
    score_low: rows.map((row) => row.score_low),
    score_high: rows.map((row) => row.score_high),
  };
}
