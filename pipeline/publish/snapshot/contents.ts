import type { Model } from '../../catalog/model.ts';
import type { Source } from '../../catalog/sources.ts';
import type { Coverage } from '../../contract/operations.ts';
import type * as schemas from '../../contract/schemas.ts';
import type { Tables } from './tables.ts';

/** All that answers and report are made of: the tables, and what is said of a country as a whole. */
export interface Contents {
  model_version: string;
  model: Pick<Model, 'name' | 'synthetic' | 'territory' | 'updated_at' | 'parameters'>;
  sources: readonly Source[];
  coverage: Coverage;
  tables: Tables;
  season_method: schemas.SeasonMethod;
  /** null where the country has no case records. */
  transmission: schemas.TransmissionModel | null;
}
