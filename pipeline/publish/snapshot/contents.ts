import type { Model } from '../../catalog/model.ts';
import type { Source } from '../../catalog/sources.ts';
import type { Coverage } from '../../contract/operations.ts';
import type * as schemas from '../../contract/schemas.ts';
import type { SnapshotTables } from './snapshot-tables.ts';

/** The material of answers and report: the tables, and data on the country as a whole. */
export interface Contents {
  model_version: string;
  model: Pick<Model, 'name' | 'synthetic' | 'territory' | 'updated_at' | 'parameters'>;
  sources: readonly Source[];
  coverage: Coverage;
  tables: SnapshotTables;
  season_method: schemas.SeasonMethod;
  /** null if the country has no case records. */
  transmission: schemas.TransmissionModel | null;
}
