import path from 'node:path';
import { booleanPointInPolygon, kinks, pointOnFeature } from '@turf/turf';
import mapshaper from 'mapshaper';
import type { Areas, Polygon, Polygons } from '../artifacts.ts';
import { BadInput } from '../bad-input.ts';
import { areaKm2 } from '../numerics/area.ts';
import { type IngestInput, sourceOf } from './input.ts';
import { readPolygons } from './readers/polygons.ts';

/** Outlines that are said to be the same may differ by this share of an area (vertices rounded by their producer). */
const SAME_AREA = 1e-5;
/** Overlaps and holes below this are rounding of shared vertices, km². */
const SLIVER_KM2 = 0.01;

interface Outline {
  code: string;
  name: string;
  parent: string;
  polygons: Polygon[];
}

/**
 * The country's areas and outlines: counts, codes, validity, no overlaps, LGAs inside their states, and the states'
 * own outlines the same as their LGAs' together but for ground that the catalog declares `uncovered`.
 * @throws BadInput naming the file and the area
 */
export async function ingestAreas(input: IngestInput): Promise<{ areas: Areas; polygons: Polygons }> {
  const { model } = input;
  const lgaSource = sourceOf(input, 'lga_boundaries');
  const stateSource = sourceOf(input, 'state_boundaries');
  const lgas = await readOutlines(input, lgaSource.files[0]!.path, lgaSource.columns ?? {}, 'lga', model.expected.lgas);
  const states = await readOutlines(
    input,
    stateSource.files[0]!.path,
    stateSource.columns ?? {},
    'state',
    model.expected.states,
  );

  const byPcode = new Map(model.states.map((state) => [state.state_pcode, state]));
  const stateOutlines = new Map(states.map((state) => [state.code, state]));
  for (const { state_pcode } of model.states) {
    if (!stateOutlines.has(state_pcode))
      throw new BadInput(
        stateSource.files[0]!.path,
        '',
        `no polygon ${state_pcode}`,
        'one for each state of model.json',
      );
  }
  const file = lgaSource.files[0]!.path;
  for (const lga of lgas) {
    if (!byPcode.has(lga.parent))
      throw new BadInput(file, lga.code, `state ${lga.parent}`, 'the p-code of a state of model.json');
    if (!lga.code.startsWith(lga.parent))
      throw new BadInput(file, lga.code, `state ${lga.parent}`, 'the state that its own code begins with');
    const inner = pointOnFeature({ type: 'MultiPolygon', coordinates: lga.polygons });
    const state = { type: 'MultiPolygon' as const, coordinates: stateOutlines.get(lga.parent)!.polygons };
    if (!booleanPointInPolygon(inner, state))
      throw new BadInput(
        file,
        `${lga.code} ${lga.name}`,
        `outside the outline of ${lga.parent}`,
        'LGAs inside their states',
      );
  }
  await refuseOverlaps(file, lgas);
  compareWithStates(input, lgas, states);

  return {
    areas: {
      states: [...model.states].sort((a, b) => (a.state_code < b.state_code ? -1 : 1)),
      lgas: lgas.map(({ code, name, parent }) => ({
        lga_code: code,
        lga: name,
        state_code: byPcode.get(parent)!.state_code,
      })),
    },
    polygons: {
      lgas: lgas.map(({ code, polygons }) => ({ lga_code: code, polygons })),
      neighbours: neighboursOf(lgas),
    },
  };
}

async function readOutlines(
  input: IngestInput,
  file: string,
  columns: Record<string, string>,
  level: 'lga' | 'state',
  expected: number,
): Promise<Outline[]> {
  const features = await readPolygons(path.join(input.rawData, file));
  const needed = level === 'lga' ? ['lga_pcode', 'lga', 'state_pcode'] : ['state_pcode', 'state'];
  const [west, south, east, north] = input.model.extent as [number, number, number, number];
  const outlines = features.map(({ properties, polygons }, index): Outline => {
    const text = (column: string) => {
      const value = properties[columns[column]!];
      if (value === undefined) {
        const fields = Object.keys(properties).join(', ') || 'none';
        throw new BadInput(file, `feature ${index + 1}`, `the fields ${fields}`, `a field ${columns[column]}`);
      }
      // A replacement or control character: text read in another encoding than it was written in.
      if (typeof value === 'string' && value.trim() !== '' && !/[\ufffd\p{Cc}]/u.test(value)) return value;
      throw new BadInput(
        file,
        `feature ${index + 1}, ${columns[column]}`,
        JSON.stringify(value),
        'text (is its encoding, the .cpg, another?)',
      );
    };
    for (const column of needed) text(column);
    const code = text(`${level}_pcode`);
    if (polygons.length === 0) throw new BadInput(file, code, 'no shape', 'a polygon');
    for (const [x, y] of polygons.flat(2)) {
      if (!(x >= west && x <= east && y >= south && y <= north))
        throw new BadInput(
          file,
          code,
          `a vertex at ${x}, ${y}`,
          `longitude ${west} to ${east}, latitude ${south} to ${north} (model.json, extent)`,
        );
    }
    const crossing = kinks({ type: 'MultiPolygon', coordinates: polygons }).features[0]?.geometry.coordinates;
    if (crossing)
      throw new BadInput(file, code, `an outline that crosses itself at ${crossing.join(', ')}`, 'a valid polygon');
    return { code, name: text(level), parent: text('state_pcode'), polygons };
  });
  outlines.sort((a, b) => (a.code < b.code ? -1 : 1));
  const twice = outlines.find((outline, i) => outline.code === outlines[i - 1]?.code);
  if (twice) throw new BadInput(file, '', `the code ${twice.code} twice`, 'each code once');
  if (outlines.length !== expected)
    throw new BadInput(file, '', `${outlines.length} polygons`, `${expected} (model.json, expected)`);
  return outlines;
}

async function refuseOverlaps(file: string, lgas: readonly Outline[]): Promise<void> {
  const collection = {
    type: 'FeatureCollection',
    features: lgas.map(({ code, polygons }) => ({
      type: 'Feature',
      properties: { code },
      geometry: { type: 'MultiPolygon', coordinates: polygons },
    })),
  };
  const commands =
    '-i lgas.json -mosaic calc="codes = collect(code), n = count()" -filter "n > 1" -o overlaps.json format=geojson';
  const output = await mapshaper.applyCommands(commands, { 'lgas.json': JSON.stringify(collection) });
  const { features } = JSON.parse(Buffer.from(output['overlaps.json'] ?? []).toString() || '{}');
  for (const { properties, geometry } of features ?? []) {
    const km2 = areaKm2(geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates);
    if (km2 > SLIVER_KM2)
      throw new BadInput(
        file,
        properties.codes.join(' and '),
        `an overlap of ${km2.toFixed(2)} km²`,
        'polygons that do not overlap',
      );
  }
}

/** States must be the union of their LGAs but for declared ground that belongs to none. */
function compareWithStates(input: IngestInput, lgas: readonly Outline[], states: readonly Outline[]): void {
  const source = sourceOf(input, 'state_boundaries');
  const file = source.files[0]!.path;
  for (const state of states) {
    const own = areaKm2(state.polygons);
    const parts = lgas.filter((lga) => lga.parent === state.code);
    const uncovered = own - parts.reduce((sum, lga) => sum + areaKm2(lga.polygons), 0);
    if (Math.abs(uncovered) <= SAME_AREA * own) continue;
    const gap = source.gaps?.find((g) => g.rule === 'uncovered' && g.state_pcode === state.code);
    if (!gap || uncovered < 0 || uncovered > (gap.area_km2 ?? 0)) {
      const found = `${uncovered.toFixed(2)} km² of ${own.toFixed(0)} in none of its LGAs`;
      throw new BadInput(
        file,
        `${state.code} ${state.name}`,
        found,
        gap ? `at most ${gap.area_km2} as declared` : 'the same ground as its LGAs',
      );
    }
    const what = `${state.code} ${state.name}: ${uncovered.toFixed(1)} km² belong to no LGA (${gap.reason}); state outlines are made of LGAs and leave it out`;
    input.report.push({ source: source.id, rule: 'uncovered', what });
  }
}

/** LGAs that share an edge, vertex for vertex: lists in ascending order of code. */
function neighboursOf(lgas: readonly Outline[]): Record<string, string[]> {
  const owner = new Map<string, string>();
  const pairs = new Map(lgas.map((lga) => [lga.code, new Set<string>()]));
  for (const { code, polygons } of lgas) {
    for (const ring of polygons.flat()) {
      for (let i = 1; i < ring.length; i++) {
        const [a, b] = [String(ring[i - 1]), String(ring[i])];
        const edge = a < b ? `${a} ${b}` : `${b} ${a}`;
        const other = owner.get(edge);
        if (other !== undefined && other !== code) {
          pairs.get(code)!.add(other);
          pairs.get(other)!.add(code);
        }
        owner.set(edge, code);
      }
    }
  }
  return Object.fromEntries([...pairs].map(([code, set]) => [code, [...set].sort()]));
}
