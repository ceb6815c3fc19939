/** The months with observations according to the catalog: survey rounds and case records. */
import type { Period } from '../contract/months.ts';
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
