import type { Areas, Surveys, ZonalRow } from '../artifacts.ts';
import { addMonths, monthIndex, monthOf, type Period, periodOf, periodRange } from '../contract/months.ts';
import { FORECAST_MONTHS } from '../contract/operations.ts';
import type { Season } from '../contract/schemas.ts';
import type { StageRun } from '../engine/stage.ts';
import { type BaselineObservation, fitBaseline } from '../models/baseline.ts';
import { baselineScores } from '../models/baseline-scores.ts';
import { randomStream } from '../numerics/random.ts';

/** A month without any expected cases would have no logarithm: the index is taken to be at least this. */
const LEAST_INDEX = 0.01;

/** Risk of every LGA and state, for every estimated month and the forecast months after them. */
export const run: StageRun = async (io) => {
  const areas = io.artifact<Areas>('ingest/areas');
  const surveys = io.artifact<Surveys>('ingest/surveys');
  const population = new Map(io.artifact<ZonalRow[]>('zonal/lgas').map((row) => [row.lga_code, row.population]));
  const season = io.artifact<Record<string, Season>>('season/lgas');
  const { risk, seed } = io.model.parameters;
  if (risk.score !== 'baseline')
    throw new Error(`model.json, parameters.risk.score: found ${risk.score}, expected baseline`);

  const members = areas.lgas.map(({ lga_code, state_code }) => ({
    lga_code,
    state_code,
    population: population.get(lga_code)!,
    log_season: season[lga_code]!.seasonal_index.map((index) => Math.log(Math.max(index, LEAST_INDEX))),
  }));
  const byLga = new Map(members.map((member) => [member.lga_code, member]));
  const logSeason = (state: string, lga: string | null, period: Period) => {
    const within = lga === null ? members.filter((member) => member.state_code === state) : [byLga.get(lga)!];
    const people = within.reduce((sum, member) => sum + member.population, 0);
    return within.reduce((sum, m) => sum + (m.population / people) * m.log_season[monthOf(period) - 1]!, 0);
  };

  const observations: BaselineObservation[] = [
    ...surveys.clusters.map((cluster) => ({
      state_code: cluster.state_code,
      survey_year: cluster.survey_year,
      log_season: logSeason(cluster.state_code, cluster.lga_code, cluster.period),
      examined: cluster.examined,
      positive: cluster.examined * cluster.positivity,
      clustered: true,
    })),
    ...surveys.state_rounds.map((round) => ({
      state_code: round.state_code,
      survey_year: round.survey_year,
      log_season: logSeason(round.state_code, null, round.period),
      examined: risk.state_only_effective_size,
      positive: risk.state_only_effective_size * round.positivity,
      clustered: false,
    })),
  ];
  io.progress(0.1, 'fit');
  const fit = fitBaseline(
    observations,
    areas.states.map((state) => state.state_code),
    risk.season_exponent,
    risk.draws,
    randomStream(seed, 'risk/baseline'),
  );
  io.progress(0.5, 'predict');
  const lastForecast = addMonths(io.model.last_estimated, FORECAST_MONTHS);
  const middles = fit.rounds.map((year) => middleOf(surveys, year));
  const { lgas, states } = baselineScores(
    fit,
    members,
    periodRange(io.model.first_estimated, lastForecast),
    middles,
    randomStream(seed, 'risk/baseline-areas'),
  );
  const evidence = {
    model: 'baseline',
    rounds: fit.rounds.map((survey_year, i) => ({ survey_year, middle: middles[i]! })),
    between_states_sd_logit: fit.tau,
    overdispersion: fit.rho,
    season_exponent: fit.season_exponent.reduce((a, b) => a + b, 0) / fit.season_exponent.length,
  };
  const what = `each month takes the nearest round: ${evidence.rounds.map((r) => r.survey_year).join(', ')}`;
  return { lgas, states, evidence, report: [{ source: 'survey_clusters', rule: 'nearest round', what }] };
};

/** Median month of a round's fieldwork, weighted by children examined where clusters are known. */
function middleOf(surveys: Surveys, year: number): Period {
  const own = surveys.clusters.filter((cluster) => cluster.survey_year === year);
  if (own.length === 0) return surveys.state_rounds.find((round) => round.survey_year === year)!.period;
  const months = own.map((cluster) => ({ month: monthIndex(cluster.period), weight: cluster.examined }));
  months.sort((a, b) => a.month - b.month);
  const half = months.reduce((sum, { weight }) => sum + weight, 0) / 2;
  let passed = 0;
  for (const { month, weight } of months) {
    passed += weight;
    if (passed >= half) return periodOf(month);
  }
  throw new Error(`round ${year} has no clusters`);
}
