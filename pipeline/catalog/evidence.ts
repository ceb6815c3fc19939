/** The months with observations according to the catalog: survey rounds and case records. */
import { type Period, periodRange } from '../contract/months.ts';
import type { Source } from './sources.ts';

type ObservingSource = Pick<Source, 'id' | 'role' | 'rounds' | 'fieldwork' | 'span'>;

interface ObservedMonths {
  /** Identifies evidence across versions: `survey 2021`, `cases_states`. */
  label: string;
  id: string;
  first: Period;
  last: Period;
}

/** Survey rounds with their months of fieldwork. */
export function surveyRounds(sources: readonly ObservingSource[]): ObservedMonths[] {
  return sources.flatMap(({ id, rounds = [], fieldwork }) => [
    ...rounds.map(({ survey_year, first, last }) => ({ label: `survey ${survey_year}`, id, first, last })),
    ...(fieldwork ? [{ label: `survey ${fieldwork.first.slice(0, 4)}`, id, ...fieldwork }] : []),
  ]);
}

/** Case records, from the first month to the last one that every series reaches. */
export function caseRecords(sources: readonly ObservingSource[]): ObservedMonths[] {
  return sources.flatMap(({ id, role, span }) =>
    span && (role === 'cases_states' || role === 'cases_lgas') ? [{ label: role, id, ...span }] : [],
  );
}

/** Months, in order, with surveys in the catalog `after` but not in `before`. */
export function newSurveyMonths(before: readonly ObservingSource[], after: readonly ObservingSource[]): Period[] {
  const fieldworkMonths = (sources: readonly ObservingSource[]) =>
    surveyRounds(sources).flatMap(({ label, first, last }) =>
      periodRange(first, last).map((period) => ({ key: `${label} ${period}`, period })),
    );
  const earlierKeys = new Set(fieldworkMonths(before).map(({ key }) => key));
  const newMonths = fieldworkMonths(after).filter(({ key }) => !earlierKeys.has(key));
  return [...new Set(newMonths.map(({ period }) => period))].sort();
}
