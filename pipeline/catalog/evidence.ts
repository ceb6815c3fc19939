/** The months with observations according to the catalog: survey rounds and case records. */
import { type Period, periodRange } from '../contract/months.ts';
import type { Source } from './sources.ts';

type ObservingSource = Pick<Source, 'id' | 'role' | 'rounds' | 'fieldwork' | 'span'>;

interface ObservedMonths {
  /** Identifies evidence across versions: `survey 2021`, `cases_states`. */
  what: string;
  id: string;
  first: Period;
  last: Period;
}

/** Survey rounds with their months of fieldwork. */
export function surveyRounds(sources: readonly ObservingSource[]): ObservedMonths[] {
  return sources.flatMap(({ id, rounds = [], fieldwork }) => [
    ...rounds.map(({ survey_year, first, last }) => ({ what: `survey ${survey_year}`, id, first, last })),
    ...(fieldwork ? [{ what: `survey ${fieldwork.first.slice(0, 4)}`, id, ...fieldwork }] : []),
  ]);
}

/** Case records, from the first month to the last one that every series reaches. */
export function caseRecords(sources: readonly ObservingSource[]): ObservedMonths[] {
  return sources.flatMap(({ id, role, span }) =>
    span && (role === 'cases_states' || role === 'cases_lgas') ? [{ what: role, id, ...span }] : [],
  );
}

/** Months, in order, with surveys in the catalog `after` but not in `before`. */
export function newSurveyMonths(before: readonly ObservingSource[], after: readonly ObservingSource[]): Period[] {
  const fieldworkMonths = (sources: readonly ObservingSource[]) =>
    surveyRounds(sources).flatMap(({ what, first, last }) =>
      periodRange(first, last).map((period) => ({ key: `${what} ${period}`, period })),
    );
  const earlierKeys = new Set(fieldworkMonths(before).map(({ key }) => key));
  const newMonths = fieldworkMonths(after).filter(({ key }) => !earlierKeys.has(key));
  return [...new Set(newMonths.map(({ period }) => period))].sort();
}
