import type { StageRun } from '../../catalog/country-stage.ts';
import { FORECAST_MONTHS, monthIndex, periodOf } from '../../contract/months.ts';
import { worded } from '../../contract/words.ts';
import type { ReportLine } from '../../engine/stage.ts';
import { areasOf, surveysOf } from '../../ingest/areas-of.ts';
import { tableOf } from '../../lib/tables/table.ts';
import { withoutDisrupted } from '../forecast/panel.ts';
import { readPanels } from '../forecast/read-panels.ts';
import type { CarryOver } from './carry-over.ts';
import { type ElasticityEvidence, elasticityOf } from './elasticity.ts';
import { SHIFT } from './link-tables.ts';
import { carryOverBetween, changesOf, recordedDeviations, shiftsOf } from './shift.ts';
import { surveyedStates } from './surveyed.ts';

/** Content of the artifact link/evidence. */
export interface LinkEvidence {
  elasticity: ElasticityEvidence;
  carry_over: CarryOver;
}

/**
 * The link between case records and prevalence: the elasticity and the evidence for it, and for each month after the
 * last survey the deviations that move its scores. The table has no rows if the elasticity is 0 or the baseline is the
 * score.
 */
export const run: StageRun = async (io) => {
  const { last_estimated, parameters } = io.model;
  const states = readPanels(io).find(({ level }) => level === 'state');
  const recorded = states ? recordedDeviations(withoutDisrupted(states)) : { first: 0, series: new Map() };
  const rounds = surveyedStates(surveysOf(io), parameters.risk.state_only_effective_size);
  const elasticity = elasticityOf(changesOf(rounds, recorded));
  const carry_over = carryOverBetween(recorded);
  const evidence: LinkEvidence = { elasticity, carry_over };
  const { mean, sd } = elasticity.used;
  const estimated = monthIndex(last_estimated);
  const span = {
    states: areasOf(io).states.map(({ state_code }) => state_code),
    rounds,
    last_estimated: estimated,
    last_forecast: estimated + FORECAST_MONTHS,
  };
  const moved = mean === 0 || parameters.risk.score === 'baseline' ? [] : shiftsOf(recorded, carry_over.used, span);
  const rows = moved.map(({ state_code, month, basis, deviation, at_survey }) => ({
    state_code,
    period: periodOf(month),
    basis,
    deviation: deviation.value,
    deviation_sd: deviation.sd,
    at_survey,
    elasticity: mean,
    elasticity_sd: sd,
    spread: elasticity.spread,
  }));
  return { evidence, shift: tableOf(SHIFT, rows), report: reportOf(evidence, states !== undefined) };
};

function reportOf({ elasticity, carry_over }: LinkEvidence, has_records: boolean): ReportLine[] {
  if (!has_records) return [];
  const two = (value: number) => value.toFixed(2);
  const { surveys, used, changes, states } = elasticity;
  const estimate = surveys
    ? worded`${two(surveys.mean)} ± ${two(surveys.sd)} from ${changes} changes in ${states} {state.many}`
    : worded`too little evidence: ${changes} changes in ${states} {state.many}`;
  const result = used.mean === 0 ? 'set to 0, so that cases move no score' : `with the prior ${two(used.mean)}`;
  const shared = worded`${(100 * carry_over.explained).toFixed(0)}% of deviations in left-out {state.many} explained by the others`;
  return [
    { source: 'cases', rule: 'elasticity of logit prevalence to ln cases', what: worded`${estimate}; ${result}` },
    { source: 'cases', rule: 'carried over', what: worded`${shared}: ${carry_over.used ? 'used' : 'not used'}` },
  ];
}
