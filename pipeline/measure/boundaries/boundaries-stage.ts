import type { StageRun } from '../../catalog/country-stage.ts';
import type { Polygons } from '../../ingest/ingest-tables.ts';
import { readAreas } from '../../ingest/read-areas.ts';
import type { Polygon } from '../../lib/numerics/area.ts';
import { toTable } from '../../lib/tables/table.ts';
import { AREAS_KM2 } from './boundaries-tables.ts';
import { toPolygons } from './outline-check.ts';
import { simplifyOutlines } from './simplify-outlines.ts';

/** Outlines for maps, and areas, which are computed from the full outlines. */
export const run: StageRun = async (io) => {
  const areas = readAreas(io);
  const full = io.artifact<Polygons>('ingest/polygons');
  const { outlines, areas_km2, moved } = await simplifyOutlines(areas, full, io.model.parameters.boundaries);

  const byShare = moved.toSorted((a, b) => a.share - b.share);
  const most = byShare.at(-1)!;
  const median = byShare[Math.floor(byShare.length / 2)]!.share;
  const count = (list: readonly { polygons: readonly Polygon[] }[]) =>
    list.reduce((sum, { polygons }) => sum + polygons.flat(2).length, 0);
  const simplified = outlines.lgas.map(({ geometry }) => ({ polygons: toPolygons(geometry) }));
  const what = `${count(full.lgas)} vertices simplified to ${count(simplified)}; largest change of area ${(most.share * 100).toFixed(2)}% (${most.code}), median ${(median * 100).toFixed(2)}%`;
  return {
    outlines,
    areas_km2: toTable(AREAS_KM2, areas_km2),
    report: [{ source: 'lga_boundaries', rule: 'simplified', what }],
  };
};
