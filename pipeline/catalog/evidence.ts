/** The months with observations according to the catalog: survey rounds and case records. */
import { type Period, periodRange } from '../contract/months.ts';
import type { Source } from './sources.ts';

type Described = Pick<Source, 'id' | 'role' | 'rounds' | 'fieldwork' | 'span'>;

interface Observed {
  /** Identifies evidence across versions: `survey 2021`, `cases_states`. */
  what: string;
  id: string;
  first: Period;
  last: Period;
}

/** Survey rounds with their months of fieldwork. */
export function surveyRounds(sources: readonly Described[]): Observed[] {
  return sources.flatMap(({ id, rounds = [], fieldwork }) => [
    ...rounds.map(({ survey_year, first, last }) => ({ what: `survey ${survey_year}`, id, first, last })),
    ...(fieldwork ? [{ what: `survey ${fieldwork.first.slice(0, 4)}`, id, ...fieldwork }] : []),
  ]);
}

/** Case records, from the first month to the last one that every series reaches. */
export function caseRecords(sources: readonly Described[]): Observed[] {
  return sources.flatMap(({ id, role, span }) =>
    span && (role === 'cases_states' || role === 'cases_lgas') ? [{ what: role, id, ...span }] : [],
  );
}

/** Months, in order, with surveys in the catalog `after` but not in `before`. */
export function newSurveyMonths(before: readonly Described[], after: readonly Described[]): Period[] {
  const fieldworkMonths = (sources: readonly Described[]) =>
    surveyRounds(sources).flatMap(({ what, first, last }) =>
      periodRange(first, last).map((period) => ({ key: `${what} ${period}`, period })),
    );
  const earlier = new Set(fieldworkMonths(before).map(({ key }) => key));
  const fresh = fieldworkMonths(after).filter(({ key }) => !earlier.has(key));
  return [...new Set(fresh.map(({ period }) => period))].sort();
}
