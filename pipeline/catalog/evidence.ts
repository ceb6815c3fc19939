/** The months with observations according to the catalog: survey rounds and case records. */
import type { Period } from '../contract/months.ts';
import { USUAL_MINIMUM } from '../contract/products.ts';
import type { Model } from './model.ts';
import { deliveredFiles } from './roles.ts';
import type { Source } from './sources.ts';

type ObservingSource = Pick<Source, 'id' | 'role' | 'rounds' | 'fieldwork' | 'span'>;

/**
 * Clusters, or areas' results without clusters; areas that they are in, of the lower level if it is known; children.
 */
export interface SurveyEvidence {
  clusters: number;
  areas: number;
  children: number;
}

/** Whether surveys of so many rows may give scores to so many areas; their children are counted by a build. */
export const mayGiveScores = (rows: number, areas: number, minimum: Omit<SurveyEvidence, 'children'> = USUAL_MINIMUM) =>
  rows >= minimum.clusters && areas >= minimum.areas;

/** The sources, without surveys if there are too few rows of them, or too few areas, for scores. */
export function usefulSources<S extends Pick<Source, 'role' | 'files'>>(
  { parameters, expected }: Pick<Model, 'parameters'> & Partial<Pick<Model, 'expected'>>,
  sources: readonly S[],
): S[] {
  const isSurvey = ({ role }: S) => role === 'survey_clusters' || role === 'survey_states';
  const files = sources.filter(isSurvey).flatMap(deliveredFiles);
  const rowCount = files.reduce((sum, { rows = Number.POSITIVE_INFINITY }) => sum + rows, 0);
  const hasScores = mayGiveScores(rowCount, expected?.lgas ?? Number.POSITIVE_INFINITY, parameters.evidence.scores);
  return sources.filter((source) => hasScores || !isSurvey(source));
}

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
