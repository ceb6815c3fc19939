import { addMonths } from '../contract/months.ts';
import { InputLocation } from '../lib/bad-input.ts';
import { caseRecords, surveyRounds } from './evidence.ts';
import type { Model } from './model.ts';
import type { Source } from './sources.ts';

/**
 * Checks that estimated months are backed by observations: `last_estimated` may be no later than the last month of case
 * records, if there are any, and no more months after the last survey than model.json allows.
 * @throws BadInput naming the limit
 */
export function checkEvidence({ last_estimated, parameters }: Model, sources: readonly Source[]): void {
  const lastToEnd = <T extends { last: string }>(observations: readonly T[]) =>
    observations.toSorted((a, b) => (a.last < b.last ? -1 : 1)).at(-1);
  const refuseLaterThan = (limit: string, reason: string) => {
    if (last_estimated > limit)
      throw new InputLocation('model.json', 'last_estimated').error(last_estimated, `at most ${limit}: ${reason}`);
  };
  const cases = lastToEnd(caseRecords(sources));
  if (cases) refuseLaterThan(cases.last, `the case records end there (sources.json, ${cases.id}, span)`);
  const survey = lastToEnd(surveyRounds(sources));
  const { max_months_after_survey: months } = parameters.evidence;
  if (survey)
    refuseLaterThan(
      addMonths(survey.last, months),
      `${months} months after the last survey, ${survey.last} (parameters.evidence.max_months_after_survey)`,
    );
}
