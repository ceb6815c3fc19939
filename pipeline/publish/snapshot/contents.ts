/** The material of answers and report: the tables, and data on the country as a whole. */
import type { Model } from '../../catalog/model.ts';
import type { Source } from '../../catalog/sources.ts';
import type { Coverage } from '../../contract/operations.ts';
import { pickAll } from '../../contract/record.ts';
import * as schemas from '../../contract/schemas.ts';
import { describeSeason } from '../../model/season/high-season.ts';
import type { SnapshotTables } from './snapshot-tables.ts';
import type { tableLicences } from './table-licences.ts';

export interface Contents {
  model_version: string;
  model: Pick<Model, 'name' | 'synthetic' | 'territory' | 'updated_at' | 'parameters' | 'alert_evaluation'>;
  sources: readonly Source[];
  licences: ReturnType<typeof tableLicences>;
  coverage: Coverage;
  tables: SnapshotTables;
  season_method: schemas.SeasonMethod;
  /** null if it could not be fitted. */
  transmission: schemas.TransmissionModel | null;
}

/** Returns a function from a code, null for the nation, to its season; without season data all months are equal. */
export function makeSeasonLookup({ tables, season_method }: Pick<Contents, 'tables' | 'season_method'>) {
  const rows = Map.groupBy(tables.season, ({ code }) => code);
  return (code: string | null): schemas.Season =>
    describeSeason(
      rows.get(code)?.map(({ seasonal_index }) => seasonal_index) ?? new Array<number>(12).fill(1),
      season_method.high_season_share_of_peak,
    );
}

/** Survey rounds of the nation and of each state. */
export function surveyTrends({ survey_trend }: SnapshotTables) {
  const rounds = Map.groupBy(survey_trend, ({ state_code }) => state_code);
  return {
    national: pickAll(rounds.get(null) ?? [], schemas.NationalSurveyTrend),
    forState: (code: string) => pickAll(rounds.get(code) ?? [], schemas.SurveyTrend),
  };
}

export function versionCitation({ model, model_version }: Pick<Contents, 'model' | 'model_version'>): string {
  const madeUp = model.synthetic ? ' of a made-up country' : '';
  return `Malaria Risk Data Service, estimates${madeUp}, version ${model_version}, ${model.updated_at.slice(0, 10)}`;
}
