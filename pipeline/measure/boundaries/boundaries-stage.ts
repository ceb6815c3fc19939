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
  const fullPolygons = io.artifact<Polygons>('ingest/polygons');
  const { outlines, areas_km2, areaChanges } = await simplifyOutlines(
    areas,
    fullPolygons,
    io.model.parameters.boundaries,
  );

  const sortedChanges = areaChanges.toSorted((a, b) => a.share - b.share);
  const largestChange = sortedChanges.at(-1)!;
  const medianShare = sortedChanges[Math.floor(sortedChanges.length / 2)]!.share;
  const countVertices = (list: readonly { polygons: readonly Polygon[] }[]) =>
    list.reduce((sum, { polygons }) => sum + polygons.flat(2).length, 0);
  const simplified = outlines.lgas.map(({ geometry }) => ({ polygons: toPolygons(geometry) }));
  const what = `${countVertices(fullPolygons.lgas)} vertices simplified to ${countVertices(simplified)}; largest change of area ${(largestChange.share * 100).toFixed(2)}% (${largestChange.code}), median ${(medianShare * 100).toFixed(2)}%`;
  return {
    outlines,
    areas_km2: toTable(AREAS_KM2, areas_km2),
    report: [{ source: 'lga_boundaries', rule: 'simplified', what }],
  };
};
