import type { StageIo } from '../../engine/stage.ts';
import { areasOf } from '../../ingest/areas-of.ts';
import { casesOf } from '../../ingest/case-series.ts';
import { byCode } from '../../lib/tables/table.ts';
import { type Panel, panelsOf } from './panel.ts';

/** The country's panels, from the artifacts of ingest; none if it has no case records. */
export const readPanels = (io: StageIo, { parameters } = io.model): Panel[] =>
  panelsOf({
    areas: areasOf(io),
    cases: casesOf(io.table('ingest/cases')),
    census: byCode(io.table('ingest/census'), 'lga_code'),
    disrupted: parameters.season.masked,
  });
