import { figureValues } from '../../catalog/figures.ts';
import type { ReportLine } from '../../engine/stage.ts';
import type { LayerRow } from '../../ingest/ingest-tables.ts';
import { listDoubts } from '../../measure/doubts/checks.ts';
import type { ZonalOutput } from '../../measure/zonal/zonal-stage.ts';
import type { Reference, TableContent } from './check-source.ts';

/**
 * Doubts about content, as the stage `doubts` of a build reports them.
 * @param contents the content of the tables that could be read
 * @param measured the rasters' figures by area; null if they are unknown
 */
export const findDoubts = (
  { areas, polygons }: Pick<Reference, 'areas' | 'polygons'>,
  contents: readonly TableContent[],
  measured: Pick<ZonalOutput, 'lgas' | 'climate'> | null,
): ReportLine[] =>
  listDoubts({
    areas,
    neighbours: polygons.neighbours,
    climate: [...contents.flatMap(({ climate = [] }) => climate), ...(measured?.climate ?? [])],
    gridded: (measured?.climate ?? []).length > 0,
    surveys: contents.flatMap(({ surveys = [] }) => surveys),
    cases: contents.flatMap(({ cases = [] }) => cases),
    census: contents.flatMap(({ census = [] }) => census),
    layers: mergeLayers(contents.flatMap(({ layers = [] }) => layers)),
    people: new Map((measured?.lgas ?? []).map(({ lga_code, population }) => [lga_code, population])),
  });

/** Merges rows of an LGA: each source was read by itself, so its rows have one figure only. */
const mergeLayers = (rows: readonly LayerRow[]): LayerRow[] =>
  [...Map.groupBy(rows, ({ lga_code }) => lga_code)].map(([lga_code, lgaRows]) => ({
    lga_code,
    ...figureValues((figure) => lgaRows.find((row) => row[figure] !== null)?.[figure] ?? null),
  }));
