import type { StageRun } from '../../catalog/country-stage.ts';
import type { Period } from '../../contract/months.ts';
import { toTable } from '../../lib/tables/table.ts';
import { surveyReference } from './compared.ts';
import { changesTable, contrastsTable, type Kind, probabilitiesTable } from './decisions.ts';
import { estimateRisk } from './estimate.ts';
import { prepareRisk, readInputs } from './inputs.ts';
import type { AreaScores } from './prediction.ts';
import { CHANGES, CONTRASTS, LGAS, PROBABILITIES, STATES } from './risk-tables.ts';
import { fitStageBaseline, scoredPeriods } from './stage-baseline.ts';
import { inEveryMonth, wholeYears, yearReference } from './whole-years.ts';

/**
 * Risk of every LGA and state, for every estimated month and the forecast months after them, by the model that
 * model.json selects. Probabilities and changes are from the spatial model; if the baseline is the score, those tables
 * have no rows.
 */
export const run: StageRun = async (io) => {
  const { risk, seed } = io.model.parameters;
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
      probabilities: toTable(PROBABILITIES, []),
      changes: toTable(CHANGES, []),
      contrasts: toTable(CONTRASTS, []),
      evidence: { model: 'baseline', baseline: baseline.evidence, spatial: null },
      report: [{ source: 'survey_clusters', rule: 'nearest round', what }],
    };
  }

  const periods = scoredPeriods(io);
  const { middles: years, from } = wholeYears(periods);
  const predicted = inputs.season_unknown ? years : periods;
  const estimate = await estimateRisk(prepared, predicted, { ...risk, seed }, (share, what) =>
    io.progress(0.5 + share / 2, what),
  );
  const spatial = inputs.season_unknown
    ? { ...estimate, states: inEveryMonth(estimate.states, from), lgas: inEveryMonth(estimate.lgas, from) }
    : estimate;
  const kinds: Kind[] = [
    { area: 'state', codes: areas.states.map((state) => state.state_code), estimates: spatial.states },
    { area: 'lga', codes: areas.lgas.map((lga) => lga.lga_code), estimates: spatial.lgas },
  ];
  return {
    lgas: toTable(LGAS, scoreRows(periods, areas.lgas, spatial.lgas)),
    states: toTable(STATES, scoreRows(periods, areas.states, spatial.states)),
    probabilities: probabilitiesTable(kinds, periods),
    changes: changesTable(
      kinds,
      periods,
      prepared.fieldwork_ends,
      inputs.season_unknown ? yearReference : surveyReference,
    ),
    contrasts: contrastsTable(kinds, periods),
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
