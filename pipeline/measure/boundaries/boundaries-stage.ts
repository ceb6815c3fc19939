import mapshaper from 'mapshaper';
import type { StageRun } from '../../catalog/country-stage.ts';
import { DECIMALS } from '../../contract/decimals.ts';
import type { AreaGeometry } from '../../contract/schemas.ts';
import { areasOf } from '../../ingest/areas-of.ts';
import type { Polygons } from '../../ingest/ingest-tables.ts';
import { BadInput } from '../../lib/bad-input.ts';
import type { Polygon } from '../../lib/numerics/area.ts';
import { areaKm2 } from '../../lib/numerics/area.ts';
import { tableOf } from '../../lib/tables/table.ts';
import type { Outlines } from './boundaries-tables.ts';
import { AREAS_KM2 } from './boundaries-tables.ts';
import { nestingFaults, outlineFaults, polygonsOf, strayLimit } from './outline-check.ts';

/**
 * Outlines for maps: simplified on a shared topology, so that neighbours and states keep their common edges, and
 * rounded; states are the union of their LGAs. Areas are computed from the full outlines. All checks run in every
 * build.
 */
export const run: StageRun = async (io) => {
  const areas = areasOf(io);
  const full = io.artifact<Polygons>('ingest/polygons');
  const { tolerance_m, max_area_change } = io.model.parameters.boundaries;
  const stateOf = new Map(areas.lgas.map((lga) => [lga.lga_code, lga.state_code]));
  const areasKm2 = Object.fromEntries(full.lgas.map(({ lga_code, polygons }) => [lga_code, areaKm2(polygons)]));

  const features = full.lgas.map(({ lga_code, polygons }) => ({
    type: 'Feature',
    properties: {
      code: lga_code,
      state: stateOf.get(lga_code),
      limit_m: strayLimit(areasKm2[lga_code]!, tolerance_m),
    },
    geometry: { type: 'MultiPolygon', coordinates: polygons },
  }));
  const precision = 10 ** -DECIMALS.coordinates!;
  const simplified = await transform(
    JSON.stringify({ type: 'FeatureCollection', features }),
    // The stricter limit applies to an edge between two areas.
    '-simplify dp variable keep-shapes interval=limit_m',
    `rfc7946 precision=${precision}`,
  );
  io.progress(0.5, 'states');
  const dissolved = await transform(JSON.stringify(simplified), '-dissolve state', 'rfc7946');

  const lgas = areas.lgas.map(({ lga_code }) => ({ lga_code, geometry: geometryOf(simplified, 'code', lga_code) }));
  const states = areas.states.map(({ state_code }) => ({
    state_code,
    geometry: geometryOf(dissolved, 'state', state_code),
  }));
  const outlines: Outlines = { lgas, states };

  const coded = {
    lgas: lgas.map((lga) => ({
      code: lga.lga_code,
      state_code: stateOf.get(lga.lga_code)!,
      polygons: polygonsOf(lga.geometry),
    })),
    states: states.map((state) => ({
      code: state.state_code,
      state_code: state.state_code,
      polygons: polygonsOf(state.geometry),
    })),
  };
  const moved = coded.lgas.map(({ code, polygons }) => ({
    code,
    share: Math.abs(areaKm2(polygons) / areasKm2[code]! - 1),
  }));
  const faults = [
    ...[...coded.lgas, ...coded.states].flatMap(outlineFaults),
    ...nestingFaults(coded.lgas, coded.states),
    ...moved
      .filter(({ share }) => share > max_area_change)
      .map(({ code, share }) => `${code}: area changed by ${(share * 100).toFixed(1)}%`),
  ];
  if (faults.length > 0) throw unfit(`${faults.length} faults (${faults.slice(0, 5).join('; ')})`);

  const byShare = moved.toSorted((a, b) => a.share - b.share);
  const most = byShare.at(-1)!;
  const median = byShare[Math.floor(byShare.length / 2)]!.share;
  const count = (list: readonly { polygons: readonly Polygon[] }[]) =>
    list.reduce((sum, { polygons }) => sum + polygons.flat(2).length, 0);
  const what = `${count(full.lgas)} vertices simplified to ${count(coded.lgas)}; largest change of area ${(most.share * 100).toFixed(2)}% (${most.code}), median ${(median * 100).toFixed(2)}%`;
  const areas_km2 = areas.lgas.map(({ lga_code }) => ({ lga_code, area_km2: areasKm2[lga_code]! }));
  return {
    outlines,
    areas_km2: tableOf(AREAS_KM2, areas_km2),
    report: [{ source: 'lga_boundaries', rule: 'simplified', what }],
  };
};

/** The full outlines were checked when they were read, so these faults come from the simplification. */
const unfit = (found: string) =>
  new BadInput({
    file: 'model.json',
    where: 'parameters.boundaries, simplified outlines',
    found,
    expected: 'valid outlines of the same areas: use a smaller tolerance_m or a larger max_area_change',
  });

interface Collection {
  features: { properties: Record<string, string>; geometry: AreaGeometry | null }[];
}

async function transform(input: string, command: string, output: string): Promise<Collection> {
  const files = await mapshaper.applyCommands(`-i in.json ${command} -o out.json format=geojson ${output}`, {
    'in.json': input,
  });
  return JSON.parse(Buffer.from(files['out.json']!).toString());
}

function geometryOf(collection: Collection, key: string, code: string): AreaGeometry {
  const found = collection.features.filter(({ properties }) => properties[key] === code);
  const geometry = found[0]?.geometry;
  if (found.length !== 1 || !geometry)
    throw unfit(geometry ? `${found.length} shapes of ${code}` : `no shape left of ${code}`);
  return geometry;
}
