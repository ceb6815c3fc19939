import type { StageIo } from '../../catalog/country-stage.ts';
import {
  addMonths,
  FORECAST_MONTHS,
  monthFromIndex,
  monthIndex,
  type Period,
  periodRange,
} from '../../contract/months.ts';
import type { Surveys } from '../../ingest/ingest-tables.ts';
import { mean } from '../../lib/numerics/averages.ts';
import { randomStream } from '../../lib/numerics/random.ts';
import { rowByCode } from '../../lib/tables/table.ts';
import * as zonal from '../../measure/zonal/zonal-tables.ts';
import { fitBaseline } from './baseline.ts';
import { baselineScores } from './baseline-scores.ts';
import { MIN_SEASONAL_INDEX, type PreparedRisk, type RiskInputs } from './inputs.ts';

/** The estimated months, and the forecast months after them. */
export const scoredPeriods = ({ model }: StageIo): Period[] =>
  periodRange(model.first_estimated, addMonths(model.last_estimated, FORECAST_MONTHS));

/**
 * The baseline's fit, of which the model card always tells, and a function that computes its scores, which only a
 * country that publishes them and comparisons with a known truth need.
 */
export function fitStageBaseline(
  io: StageIo,
  { areas, surveys, season }: RiskInputs,
  { observations: observed }: PreparedRisk,
) {
  const { risk, seed } = io.model.parameters;
  const fit = fitBaseline(
    observed.map(({ baseline }) => baseline),
    areas.states.map((state) => state.state_code),
    risk.season_exponent,
    risk.draws,
    randomStream(seed, 'risk/baseline'),
  );
  const roundMiddles = fit.rounds.map((year) => middleMonth(surveys, year));
  const evidence = {
    rounds: fit.rounds.map((survey_year, i) => ({ survey_year, middle: roundMiddles[i]! })),
    between_states_sd_logit: fit.state_logit_sd,
    overdispersion: fit.rho,
    season_exponent: mean(fit.season_exponent),
  };
  const scores = () => {
    const lgaRows = rowByCode(io.table(zonal.LGAS), 'lga_code');
    const baselineAreas = areas.lgas.map(({ lga_code, state_code }) => ({
      lga_code,
      state_code,
      population: lgaRows[lga_code]!.population,
      log_season: season[lga_code]!.map((index) => Math.log(Math.max(index, MIN_SEASONAL_INDEX))),
    }));
    return baselineScores(
      fit,
      baselineAreas,
      scoredPeriods(io),
      roundMiddles,
      randomStream(seed, 'risk/baseline-areas'),
    );
  };
  return { evidence, scores };
}

/** Median month of a round's fieldwork, weighted by children examined; for a round without clusters, its only month. */
function middleMonth(surveys: Surveys, year: number): Period {
  const clusters = surveys.clusters.filter((cluster) => cluster.survey_year === year);
  if (clusters.length === 0) return surveys.area_rounds.find((round) => round.survey_year === year)!.period;
  const weightedMonths = clusters.map((cluster) => ({ month: monthIndex(cluster.period), weight: cluster.examined }));
  weightedMonths.sort((a, b) => a.month - b.month);
  const half = weightedMonths.reduce((sum, { weight }) => sum + weight, 0) / 2;
  let cumulativeWeight = 0;
  for (const { month, weight } of weightedMonths) {
    cumulativeWeight += weight;
    if (cumulativeWeight >= half) return monthFromIndex(month);
  }
  throw new Error(`round ${year} has no clusters`);
}
