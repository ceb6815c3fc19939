import type { StageRun } from '../../catalog/country-stage.ts';
import { calendarMonth, type Period } from '../../contract/months.ts';
import { readSurveys } from '../../ingest/read-areas.ts';
import { toTable } from '../../lib/tables/table.ts';
import { surveyReferenceMonth } from './comparison-months.ts';
import { changesTable, contrastsTable, type EstimatedAreas, jointRisk, probabilitiesTable } from './decisions.ts';
import { estimateRisk } from './estimate.ts';
import { prepareRisk, readInputs } from './inputs.ts';
import type { AreaScores } from './prediction.ts';
import { CHANGES, CONTRASTS, LGAS, PROBABILITIES, STATES } from './risk-tables.ts';
import { fitStageBaseline, scoredPeriods } from './stage-baseline.ts';
import { allowsScores } from './survey-evidence.ts';
import { repeatForMonths, surveyReferenceOfYear, wholeYears } from './whole-years.ts';

/** What only joint draws give. */
const NO_DRAWS = {
  probabilities: toTable(PROBABILITIES, []),
  changes: toTable(CHANGES, []),
  contrasts: toTable(CONTRASTS, []),
  joint: { nation: [], lga_draws: {} },
};
const NO_SCORES = {
  lgas: toTable(LGAS, []),
  states: toTable(STATES, []),
  ...NO_DRAWS,
  evidence: { model: null, spatial: null },
  report: [],
};

/**
 * Risk of every LGA and state, for every estimated month and the forecast months after them, by the model that
 * model.json selects; none if the surveys are too few. Probabilities and changes are from the spatial model; if the
 * baseline is the score, those tables have no rows.
 */
export const run: StageRun = async (io) => {
  const { risk, seed } = io.model.parameters;
  if (!allowsScores(readSurveys(io), io.model.parameters)) return NO_SCORES;
  const inputs = readInputs(io);
  const { areas } = inputs;
  const prepared = prepareRisk(inputs);
  io.progress(0.1, 'fit');
  const baseline = fitStageBaseline(io, inputs, prepared);
  io.progress(0.5, 'predict');
  if (risk.score === 'baseline') {
    const scores = baseline.scores();
    const what =
      'each month uses the nearest round: ' +
      `${baseline.evidence.rounds.map(({ survey_year }) => survey_year).join(', ')}`;
    return {
      lgas: toTable(LGAS, scores.lgas),
      states: toTable(STATES, scores.states),
      ...NO_DRAWS,
      evidence: { model: 'baseline', baseline: baseline.evidence, spatial: null },
      report: [{ source: 'survey_clusters', rule: 'nearest round', what }],
    };
  }

  const periods = scoredPeriods(io);
  const { julys: yearMiddles, yearOfPeriod } = wholeYears(periods);
  const predicted = inputs.is_season_unknown ? yearMiddles : periods;
  const estimate = await estimateRisk(prepared, predicted, { ...risk, seed }, (share, what) =>
    io.progress(0.5 + share / 2, what),
  );
  const spatial = inputs.is_season_unknown
    ? {
        ...estimate,
        states: repeatForMonths(estimate.states, yearOfPeriod),
        lgas: repeatForMonths(estimate.lgas, yearOfPeriod),
      }
    : estimate;
  const areaKinds: EstimatedAreas[] = [
    { area: 'state', codes: areas.states.map((state) => state.state_code), estimates: spatial.states },
    { area: 'lga', codes: areas.lgas.map((lga) => lga.lga_code), estimates: spatial.lgas },
  ];
  return {
    lgas: toTable(LGAS, scoreRows(periods, areas.lgas, spatial.lgas)),
    states: toTable(STATES, scoreRows(periods, areas.states, spatial.states)),
    probabilities: probabilitiesTable(areaKinds, periods),
    changes: changesTable(
      areaKinds,
      periods,
      prepared.fieldwork_ends,
      inputs.is_season_unknown ? surveyReferenceOfYear : surveyReferenceMonth,
    ),
    contrasts: contrastsTable(areaKinds, periods),
    joint: jointRisk(
      estimate,
      areas.lgas.map((lga) => lga.lga_code),
      {
        positions: inputs.is_season_unknown ? yearOfPeriod : [...periods.keys()],
        month: calendarMonth(inputs.is_season_unknown ? yearMiddles.at(-1)! : io.model.last_estimated) - 1,
        drawCount: risk.draws,
      },
    ),
    evidence: { model: 'spatial', baseline: baseline.evidence, spatial: spatial.fit },
    report: spatial.fit.hyperparameters.map(({ name, scale, mean, sd }) => ({
      source: 'survey_clusters',
      rule: 'risk model',
      what: `${scale} of ${name}: ${mean.toFixed(2)}, standard deviation ${sd.toFixed(2)}`,
    })),
  };
};

/** Converts values by month and area to rows by area and month. */
function scoreRows<Area extends object>(periods: readonly Period[], areas: readonly Area[], values: AreaScores) {
  return areas.flatMap((area, a) =>
    periods.map((period, m) => {
      const index = m * areas.length + a;
      const score = values.mean[index]!;
      // if a long tail puts the mean outside its range, the range is widened, since the contract requires low ≤ score ≤
      // high
      const [score_low, score_high] = [Math.min(values.low[index]!, score), Math.max(values.high[index]!, score)];
      return { ...area, period, score, score_low, score_high };
    }),
  );
}
