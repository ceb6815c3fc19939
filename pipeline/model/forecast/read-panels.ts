import type { StageIo } from '../../catalog/country-stage.ts';
import { groupCases } from '../../ingest/case-series.ts';
import * as ingest from '../../ingest/ingest-tables.ts';
import { readAreas } from '../../ingest/read-areas.ts';
import { rowByCode } from '../../lib/tables/table.ts';
import { buildPanels, type Panel } from './panel.ts';

/** The country's panels, from the artifacts of ingest; none if it has no case records. */
export const readPanels = (io: StageIo, { parameters } = io.model): Panel[] =>
  buildPanels({
    areas: readAreas(io),
    cases: groupCases(io.table(ingest.CASES)),
    census: rowByCode(io.table(ingest.CENSUS), 'lga_code'),
    disrupted: parameters.season.masked,
  });
