import mapshaper from 'mapshaper';
import type { Model } from '../../catalog/model.ts';
import { DECIMALS } from '../../contract/decimals.ts';
import type { AreaGeometry } from '../../contract/schemas.ts';
import type { Areas, Polygons } from '../../ingest/ingest-tables.ts';
import { InputLocation } from '../../lib/bad-input.ts';
import { areaKm2 } from '../../lib/numerics/area.ts';
import type { Outlines } from './boundaries-tables.ts';
import { type CodedOutline, deviationLimitM, nestingFaults, outlineFaults, toPolygons } from './outline-check.ts';

type Parameters = Model['parameters']['boundaries'];

interface Simplified {
  outlines: Outlines;
  /** The share by which simplification changes each LGA's area. */
  areaChanges: { code: string; share: number }[];
  faults: string[];
}

/**
 * Simplifies outlines for maps on a shared topology, so that neighbours and states keep their common edges, and rounds
 * them; states are the union of their LGAs.
 * @returns the outlines, the areas of the full ones, and the share by which simplification changes each
 * @throws BadInput if outlines become invalid or change their area by more than `max_area_change`, with the tolerance
 * at which they do not
 */
export async function simplifyOutlines(
  areas: Areas,
  fullPolygons: Polygons,
  parameters: Parameters,
): Promise<Omit<Simplified, 'faults'> & { areas_km2: { lga_code: string; area_km2: number }[] }> {
  const areas_km2 = fullPolygons.lgas.map(({ lga_code, polygons }) => ({ lga_code, area_km2: areaKm2(polygons) }));
  const areasKm2 = Object.fromEntries(areas_km2.map(({ lga_code, area_km2 }) => [lga_code, area_km2]));
  const { outlines, areaChanges, faults } = await simplify(areas, fullPolygons, areasKm2, parameters);
  if (faults.length === 0) return { outlines, areas_km2, areaChanges };
  const faultList = `${faults.length} faults (${faults.slice(0, 5).join('; ')})`;
  const location = new InputLocation('model.json', 'parameters.boundaries, simplified outlines');
  const { max_area_change } = parameters;
  // Below a metre, positions are rounded more than they are simplified.
  for (let tolerance_m = parameters.tolerance_m / 2; tolerance_m >= 1; tolerance_m /= 2) {
    const finerResult = await simplify(areas, fullPolygons, areasKm2, { tolerance_m, max_area_change });
    if (finerResult.faults.length === 0)
      throw location.error(faultList, `valid outlines of the same areas, which a tolerance_m of ${tolerance_m} gives`);
  }
  throw location.error(
    faultList,
    'valid outlines of the same areas, which no smaller tolerance_m gives: correct the outlines there, or use a larger max_area_change',
  );
}

async function simplify(
  areas: Areas,
  fullPolygons: Polygons,
  areasKm2: Readonly<Record<string, number>>,
  { tolerance_m, max_area_change }: Parameters,
): Promise<Simplified> {
  const stateByLga = new Map(areas.lgas.map((lga) => [lga.lga_code, lga.state_code]));
  const features = fullPolygons.lgas.map(({ lga_code, polygons }) => ({
    type: 'Feature',
    properties: {
      code: lga_code,
      state: stateByLga.get(lga_code),
      limit_m: deviationLimitM(areasKm2[lga_code]!, tolerance_m),
    },
    geometry: { type: 'MultiPolygon', coordinates: polygons },
  }));
  const precision = 10 ** -DECIMALS.coordinates!;
  const simplified = await runMapshaper(
    JSON.stringify({ type: 'FeatureCollection', features }),
    // The stricter limit applies to an edge between two areas. With `init`, mapshaper need not infer from all outlines,
    // once for each area, that the coordinates are degrees.
    '-proj init=wgs84 -simplify dp variable keep-shapes interval=limit_m',
    `rfc7946 precision=${precision}`,
  );
  const dissolved = await runMapshaper(JSON.stringify(simplified), '-dissolve state', 'rfc7946');

  const lgas = areas.lgas.map(({ lga_code }) => ({ lga_code, geometry: findGeometry(simplified, 'code', lga_code) }));
  const states = areas.states.map(({ state_code }) => ({
    state_code,
    geometry: findGeometry(dissolved, 'state', state_code),
  }));
  const codedOutlines = {
    lgas: lgas.map(({ lga_code, geometry }) => codedOutline(lga_code, stateByLga.get(lga_code)!, geometry)),
    states: states.map(({ state_code, geometry }) => codedOutline(state_code, state_code, geometry)),
  };
  const areaChanges = codedOutlines.lgas.map(({ code, polygons }) => ({
    code,
    share: Math.abs(areaKm2(polygons) / areasKm2[code]! - 1),
  }));
  const faults = [
    ...[...codedOutlines.lgas, ...codedOutlines.states].flatMap(outlineFaults),
    ...nestingFaults(codedOutlines.lgas, codedOutlines.states),
    ...areaChanges
      .filter(({ share }) => share > max_area_change)
      .map(({ code, share }) => `${code}: area changed by ${(share * 100).toFixed(2)}%`),
  ];
  return { outlines: { lgas, states }, areaChanges, faults };
}

const codedOutline = (code: string, state_code: string, geometry: AreaGeometry): CodedOutline => ({
  code,
  state_code,
  polygons: toPolygons(geometry),
});

interface Collection {
  features: { properties: Record<string, string>; geometry: AreaGeometry | null }[];
}

async function runMapshaper(input: string, command: string, output: string): Promise<Collection> {
  const files = await mapshaper.applyCommands(`-i in.json ${command} -o out.json format=geojson ${output}`, {
    'in.json': input,
  });
  return JSON.parse(Buffer.from(files['out.json']!).toString());
}

/** The geometry of a code; without polygons if nothing is left of it. */
const findGeometry = ({ features }: Collection, key: string, code: string): AreaGeometry =>
  features.find(({ properties }) => properties[key] === code)?.geometry ?? { type: 'MultiPolygon', coordinates: [] };
