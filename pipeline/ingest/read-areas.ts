import type { StageIo } from '../catalog/country-stage.ts';
import type { Areas, Surveys } from './ingest-tables.ts';
import * as ingest from './ingest-tables.ts';

/** The country's areas as a stage reads them. */
export const readAreas = ({ table }: Pick<StageIo, 'table'>): Areas => ({
  states: table(ingest.STATES),
  lgas: table(ingest.LGAS),
});

/** The country's surveys, by cluster and by state. */
export const readSurveys = ({ table }: Pick<StageIo, 'table'>): Surveys => ({
  clusters: table(ingest.CLUSTERS),
  area_rounds: table(ingest.AREA_ROUNDS),
});
