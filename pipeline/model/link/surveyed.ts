/** Prevalence of each state in the survey rounds, on the logit scale of the risk model. */
import { monthIndex, type Period } from '../../contract/months.ts';
import type { Surveys } from '../../ingest/ingest-tables.ts';
import { ratioEstimate } from '../../lib/numerics/ratio-estimate.ts';
import { logit } from '../../lib/numerics/special.ts';

export interface SurveyedState {
  state_code: string;
  round: number;
  /** First and last month of fieldwork in the state, as `monthIndex`. */
  first: number;
  last: number;
  /** Logit positivity; null if it or its variance is undefined: one cluster, or a share of 0 or 1. */
  logit: number | null;
  /** Sampling variance of the logit. */
  variance: number;
}

/** Arbitrary: only the standard error of the estimate is used. */
const CONFIDENCE = 0.95;

/** Each state's rounds in order. @param effective effective number of children of a figure by state only */
export function surveyedStates({ clusters, state_rounds }: Surveys, effective: number): SurveyedState[] {
  const byClusters = [...Map.groupBy(clusters, (row) => `${row.state_code} ${row.survey_year}`).values()].map((own) => {
    const sampled = own.map(({ examined, weight, positivity }) => ({ size: examined * weight, positivity }));
    const { positivity, se } = ratioEstimate(sampled, CONFIDENCE);
    return { ...rowOf(own[0]!, own), ...onLogit(positivity, se === null ? null : se ** 2) };
  });
  const byState = state_rounds.map((row) => {
    const { positivity } = row;
    return { ...rowOf(row, [row]), ...onLogit(positivity, (positivity * (1 - positivity)) / effective) };
  });
  return [...byClusters, ...byState].sort(
    (a, b) => (a.state_code < b.state_code ? -1 : a.state_code > b.state_code ? 1 : 0) || a.round - b.round,
  );
}

function rowOf(of: { state_code: string; survey_year: number }, rows: readonly { period: Period }[]) {
  const months = rows.map(({ period }) => monthIndex(period));
  return {
    state_code: of.state_code,
    round: of.survey_year,
    first: Math.min(...months),
    last: Math.max(...months),
  };
}

/** @param variance sampling variance of the share */
function onLogit(share: number, variance: number | null) {
  if (!(share > 0 && share < 1) || !variance) return { logit: null, variance: 0 };
  return { logit: logit(share), variance: variance / (share * (1 - share)) ** 2 };
}
