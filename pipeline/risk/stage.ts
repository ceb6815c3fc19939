import type { Areas, PredictionCells, Scores, Surveys, ZonalRow } from '../artifacts.ts';
import { addMonths, monthIndex, type Period, periodOf, periodRange } from '../contract/months.ts';
import { FORECAST_MONTHS } from '../contract/operations.ts';
import type { Season } from '../contract/schemas.ts';
import type { StageRun } from '../engine/stage.ts';
import { randomStream } from '../numerics/random.ts';
import { fitBaseline } from './baseline.ts';
import { baselineScores } from './baseline-scores.ts';
import { estimateRisk } from './estimate.ts';
import { LEAST_INDEX, prepareRisk } from './inputs.ts';
import type { AreaScores } from './prediction.ts';

/**
 * Risk of every LGA and state, for every estimated month and the forecast months after them: the baseline always, and
 * the spatial model where model.json makes it the score.
 */
export const run: StageRun = async (io) => {
  const areas = io.artifact<Areas>('ingest/areas');
  const surveys = io.artifact<Surveys>('ingest/surveys');
  const population = new Map(io.artifact<ZonalRow[]>('zonal/lgas').map((row) => [row.lga_code, row.population]));
  const season = io.artifact<Record<string, Season>>('season/lgas');
  const { risk, seed } = io.model.parameters;

  const members = areas.lgas.map(({ lga_code, state_code }) => ({
    lga_code,
    state_code,
    population: population.get(lga_code)!,
    log_season: season[lga_code]!.seasonal_index.map((index) => Math.log(Math.max(index, LEAST_INDEX))),
  }));
  const prepared = prepareRisk({
    areas,
    cells: io.artifact<PredictionCells>('zonal/cells'),
    surveys,
    season,
    state_only_effective_size: risk.state_only_effective_size,
  });
  io.progress(0.1, 'fit');
  const fit = fitBaseline(
    prepared.observed.map((o) => o.baseline),
    areas.states.map((state) => state.state_code),
    risk.season_exponent,
    risk.draws,
    randomStream(seed, 'risk/baseline'),
  );
  io.progress(0.5, 'predict');
  const lastForecast = addMonths(io.model.last_estimated, FORECAST_MONTHS);
  const middles = fit.rounds.map((year) => middleOf(surveys, year));
  const periods = periodRange(io.model.first_estimated, lastForecast);
  const baseline = baselineScores(fit, members, periods, middles, randomStream(seed, 'risk/baseline-areas'));
  const plain = {
    rounds: fit.rounds.map((survey_year, i) => ({ survey_year, middle: middles[i]! })),
    between_states_sd_logit: fit.tau,
    overdispersion: fit.rho,
    season_exponent: fit.season_exponent.reduce((a, b) => a + b, 0) / fit.season_exponent.length,
  };
  if (risk.score === 'baseline') {
    const what = `each month takes the nearest round: ${plain.rounds.map((r) => r.survey_year).join(', ')}`;
    const report = [{ source: 'survey_clusters', rule: 'nearest round', what }];
    return {
      ...baseline,
      baseline: baseline.lgas,
      evidence: { model: 'baseline', baseline: plain, spatial: null },
      report,
    };
  }

  const spatial = estimateRisk(prepared, periods, { ...risk, seed }, (share, what) =>
    io.progress(0.5 + share / 2, what),
  );
  return {
    lgas: scoresOf(
      periods,
      areas.lgas.map((l) => l.lga_code),
      spatial.lgas,
    ),
    states: scoresOf(
      periods,
      areas.states.map((s) => s.state_code),
      spatial.states,
    ),
    baseline: baseline.lgas,
    evidence: { model: 'spatial', baseline: plain, spatial: spatial.fit },
    report: spatial.fit.hyperparameters.map(({ name, scale, mean, sd }) => ({
      source: 'survey_clusters',
      rule: 'risk model',
      what: `${scale} of ${name}: ${mean.toFixed(2)}, standard deviation ${sd.toFixed(2)}`,
    })),
  };
};

/** Columns by area from values by month and area. */
function scoresOf(periods: Period[], codes: string[], { mean, low, high }: AreaScores): Scores {
  const column = (values: Float64Array, a: number) => periods.map((_, m) => values[m * codes.length + a]!);
  const areas = codes.map((code, a) => {
    const score = column(mean, a);
    // a mean past its range (a long tail) widens it, as the contract has low ≤ score ≤ high
    const score_low = column(low, a).map((v, m) => Math.min(v, score[m]!));
    const score_high = column(high, a).map((v, m) => Math.max(v, score[m]!));
    return [code, { score, score_low, score_high }] as const;
  });
  return { periods: [...periods], areas: Object.fromEntries(areas) };
}

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
