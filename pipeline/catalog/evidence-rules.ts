import { addMonths, type Period } from '../contract/months.ts';
import { InputLocation } from '../lib/bad-input.ts';
import { caseRecords, surveyRounds, usefulSources } from './evidence.ts';
import type { Model } from './model.ts';
import type { Source } from './sources.ts';

/** The latest month that may be estimated, and what ends there; null without surveys and case records. */
function latestMonth(
  model: Pick<Model, 'parameters'> & Partial<Pick<Model, 'expected'>>,
  sources: readonly Source[],
): { month: Period; source: string; reason: string } | null {
  const lastToEnd = <T extends { last: Period }>(observations: readonly T[]) =>
    observations.toSorted((a, b) => (a.last < b.last ? -1 : 1)).at(-1);
  const cases = lastToEnd(caseRecords(sources));
  const survey = lastToEnd(surveyRounds(usefulSources(model, sources)));
  const { max_months_after_survey: months } = model.parameters.evidence;
  const limits = [
    cases && {
      month: cases.last,
      source: cases.id,
      reason: `the case records end there (sources.json, ${cases.id}, span)`,
    },
    survey && {
      month: addMonths(survey.last, months),
      source: survey.id,
      reason: `${months} months after the last survey, ${survey.last} (parameters.evidence.max_months_after_survey)`,
    },
  ];
  return limits.filter((limit) => limit !== undefined).sort((a, b) => (a.month < b.month ? -1 : 1))[0] ?? null;
}

/**
 * Checks that estimated months are backed by observations: `last_estimated` may be no later than the last month of case
 * records, if there are any, and no more months after the last survey than model.json allows, if it may give scores.
 * @throws BadInput naming the limit
 */
export function checkEvidence(model: Model, sources: readonly Source[]): void {
  const latest = latestMonth(model, sources);
  if (latest && model.last_estimated > latest.month)
    throw new InputLocation('model.json', 'last_estimated').error(
      model.last_estimated,
      `at most ${latest.month}: ${latest.reason}`,
    );
}

/** What new surveys and records mean for the months that are estimated, and how to change that. */
export function newEvidence(
  model: Pick<Model, 'last_estimated' | 'parameters'> & Partial<Pick<Model, 'expected'>>,
  before: readonly Source[],
  after: readonly Source[],
): string[] {
  const { last_estimated } = model;
  const [earlier, latest] = [latestMonth(model, before), latestMonth(model, after)];
  const formerRounds = new Set(surveyRounds(before).map(({ label, last }) => `${label} ${last}`));
  const laterRounds = surveyRounds(after).filter(
    ({ label, last }) => last > last_estimated && !formerRounds.has(`${label} ${last}`),
  );
  const isUnchanged = latest === null || latest.month === earlier?.month || latest.month <= last_estimated;
  if (latest === null || (laterRounds.length === 0 && isUnchanged)) return [];
  const lastSurveyed = laterRounds
    .map(({ last }) => last)
    .sort()
    .at(-1);
  const change =
    latest.month > last_estimated
      ? `--last-estimated ${latest.month} (catalog update) estimates up to that month`
      : `scores of later months need case records up to then: once there are, \`malaria-risk catalog update ${latest.source} FILE --last-estimated ${lastSurveyed}\``;
  const rounds = laterRounds.map(({ id, label, last }) => `${id}: ${label} ends in ${last}; `).join('');
  return [`${rounds}months are estimated up to ${last_estimated}; ${change}`];
}
