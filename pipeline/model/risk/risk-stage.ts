import type { StageRun } from '../../catalog/country-stage.ts';
import { addMonths, monthIndex, type Period, periodOf, periodRange } from '../../contract/months.ts';
import { FORECAST_MONTHS } from '../../contract/operations.ts';
import type { Surveys } from '../../ingest/ingest-tables.ts';
import { randomStream } from '../../lib/numerics/random.ts';
import { byCode, tableOf } from '../../lib/tables/table.ts';
import * as zonal from '../../measure/zonal/zonal-tables.ts';
import * as link from '../link/link-tables.ts';
import { fitBaseline } from './baseline.ts';
import { baselineScores } from './baseline-scores.ts';
import { caseShiftOf } from './case-shift.ts';
import { surveyReference } from './compared.ts';
import { changesTable, type Kind, probabilitiesTable } from './decisions.ts';
import { estimateRisk } from './estimate.ts';
import { inputsOf, LEAST_INDEX, prepareRisk } from './inputs.ts';
import type { AreaScores } from './prediction.ts';
import { CHANGES, LGAS, PROBABILITIES, STATES } from './risk-tables.ts';
import { inEveryMonth, referenceOfYear, wholeYears } from './whole-years.ts';

/**
 * Risk of every LGA and state, for every estimated month and the forecast months after them: always by the baseline,
 * and by the spatial model if model.json selects it for the score. Probabilities and changes are from the spatial
 * model; if the baseline is the score, those tables have no rows.
 */
export const run: StageRun = async (io) => {
  const { risk, seed } = io.model.parameters;
  const inputs = inputsOf(io);
  const { areas, surveys, season } = inputs;
  const figures = byCode(io.table(zonal.LGAS), 'lga_code');

  const baselineAreas = areas.lgas.map(({ lga_code, state_code }) => ({
    lga_code,
    state_code,
    population: figures[lga_code]!.population,
    log_season: season[lga_code]!.map((index) => Math.log(Math.max(index, LEAST_INDEX))),
  }));
  const prepared = prepareRisk(inputs);
  io.progress(0.1, 'fit');
  const fit = fitBaseline(
    prepared.observed.map(({ baseline }) => baseline),
    areas.states.map((state) => state.state_code),
    risk.season_exponent,
    risk.draws,
    randomStream(seed, 'risk/baseline'),
  );
  io.progress(0.5, 'predict');
  const lastForecast = addMonths(io.model.last_estimated, FORECAST_MONTHS);
  const middles = fit.rounds.map((year) => middleOf(surveys, year));
  const periods = periodRange(io.model.first_estimated, lastForecast);
  const scores = baselineScores(fit, baselineAreas, periods, middles, randomStream(seed, 'risk/baseline-areas'));
  const baseline = tableOf(LGAS, scores.lgas);
  const baselineEvidence = {
    rounds: fit.rounds.map((survey_year, i) => ({ survey_year, middle: middles[i]! })),
    between_states_sd_logit: fit.state_sd,
    overdispersion: fit.rho,
    season_exponent: fit.season_exponent.reduce((a, b) => a + b, 0) / fit.season_exponent.length,
  };
  if (risk.score === 'baseline') {
    const what = `each month uses the nearest round: ${baselineEvidence.rounds.map(({ survey_year }) => survey_year).join(', ')}`;
    const report = [{ source: 'survey_clusters', rule: 'nearest round', what }];
    return {
      lgas: baseline,
      states: tableOf(STATES, scores.states),
      baseline,
      probabilities: tableOf(PROBABILITIES, []),
      changes: tableOf(CHANGES, []),
      evidence: { model: 'baseline', baseline: baselineEvidence, spatial: null },
      report,
    };
  }

  const { middles: years, from } = wholeYears(periods);
  const predicted = inputs.season_unknown ? years : periods;
  const estimate = await estimateRisk(
    prepared,
    predicted,
    { ...risk, seed },
    (share, what) => io.progress(0.5 + share / 2, what),
    caseShiftOf(io.table(link.SHIFT), areas.states, predicted),
  );
  const spatial = inputs.season_unknown
    ? { ...estimate, states: inEveryMonth(estimate.states, from), lgas: inEveryMonth(estimate.lgas, from) }
    : estimate;
  const kinds: Kind[] = [
    { area: 'state', codes: areas.states.map((state) => state.state_code), estimates: spatial.states },
    { area: 'lga', codes: areas.lgas.map((lga) => lga.lga_code), estimates: spatial.lgas },
  ];
  return {
    lgas: tableOf(LGAS, scoresOf(periods, areas.lgas, spatial.lgas)),
    states: tableOf(STATES, scoresOf(periods, areas.states, spatial.states)),
    baseline,
    probabilities: probabilitiesTable(kinds, periods),
    changes: changesTable(
      kinds,
      periods,
      prepared.fieldwork_ends,
      inputs.season_unknown ? referenceOfYear : surveyReference,
    ),
    evidence: { model: 'spatial', baseline: baselineEvidence, spatial: spatial.fit },
    report: spatial.fit.hyperparameters.map(({ name, scale, mean, sd }) => ({
      source: 'survey_clusters',
      rule: 'risk model',
      what: `${scale} of ${name}: ${mean.toFixed(2)}, standard deviation ${sd.toFixed(2)}`,
    })),
  };
};

/** Converts values by month and area to rows by area and month. */
function scoresOf<Area extends object>(periods: readonly Period[], areas: readonly Area[], values: AreaScores) {
  return areas.flatMap((area, a) =>
    periods.map((period, m) => {
      const at = m * areas.length + a;
      const score = values.mean[at]!;
      // if a long tail puts the mean outside its range, the range is widened, since the contract requires low ≤ score ≤
      // high
      const [score_low, score_high] = [Math.min(values.low[at]!, score), Math.max(values.high[at]!, score)];
      return { ...area, period, score, score_low, score_high };
    }),
  );
}

/** Median month of a round's fieldwork, weighted by children examined; for a round without clusters, its only month. */
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
