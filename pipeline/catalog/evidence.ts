/** Which months a country has observations of, as its catalog says: survey rounds and months of case records. */
import { type Period, periodRange } from '../contract/months.ts';
import type { Source } from './sources.ts';

type Described = Pick<Source, 'id' | 'role' | 'rounds' | 'fieldwork' | 'span'>;

interface Observed {
  /** `survey 2021`, `cases_states`: what makes a month's evidence the same in two versions. */
  what: string;
  id: string;
  first: Period;
  last: Period;
}

/** Survey rounds, with their months of fieldwork. */
export function surveyRounds(sources: readonly Described[]): Observed[] {
  return sources.flatMap(({ id, rounds = [], fieldwork }) => [
    ...rounds.map(({ survey_year, first, last }) => ({ what: `survey ${survey_year}`, id, first, last })),
    ...(fieldwork ? [{ what: `survey ${fieldwork.first.slice(0, 4)}`, id, ...fieldwork }] : []),
  ]);
}

/** Case records, from their first month to the last that every series reaches. */
export function caseRecords(sources: readonly Described[]): Observed[] {
  return sources.flatMap(({ id, role, span }) =>
    span && (role === 'cases_states' || role === 'cases_lgas') ? [{ what: role, id, ...span }] : [],
  );
}

/** Months that the catalog `after` has surveys of that `before` had not, in order. */
export function newSurveyMonths(before: readonly Described[], after: readonly Described[]): Period[] {
  const monthsOf = (sources: readonly Described[]) =>
    surveyRounds(sources).flatMap(({ what, first, last }) =>
      periodRange(first, last).map((period) => ({ key: `${what} ${period}`, period })),
    );
  const known = new Set(monthsOf(before).map(({ key }) => key));
  const fresh = monthsOf(after).filter(({ key }) => !known.has(key));
  return [...new Set(fresh.map(({ period }) => period))].sort();
}
