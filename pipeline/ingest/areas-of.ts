import type { Areas, Surveys } from '../artifacts.ts';
import type { StageIo } from '../engine/stage.ts';

/** The country's areas as a stage reads them. */
export const areasOf = ({ table }: Pick<StageIo, 'table'>): Areas => ({
  states: table('ingest/states'),
  lgas: table('ingest/lgas'),
});

/** The country's surveys, by cluster and by state. */
export const surveysOf = ({ table }: Pick<StageIo, 'table'>): Surveys => ({
  clusters: table('ingest/clusters'),
  state_rounds: table('ingest/state_rounds'),
});
