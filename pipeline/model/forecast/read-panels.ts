import type { StageIo } from '../../catalog/country-stage.ts';
import { areasOf } from '../../ingest/areas-of.ts';
import { casesOf } from '../../ingest/case-series.ts';
import * as ingest from '../../ingest/ingest-tables.ts';
import { byCode } from '../../lib/tables/table.ts';
import { type Panel, panelsOf } from './panel.ts';

/** The country's panels, from the artifacts of ingest; none if it has no case records. */
export const readPanels = (io: StageIo, { parameters } = io.model): Panel[] =>
  panelsOf({
    areas: areasOf(io),
    cases: casesOf(io.table(ingest.CASES)),
    census: byCode(io.table(ingest.CENSUS), 'lga_code'),
    disrupted: parameters.season.masked,
  });
