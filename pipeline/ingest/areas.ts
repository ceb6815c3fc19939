import path from 'node:path';
import { booleanPointInPolygon, pointOnFeature } from '@turf/turf';
import mapshaper from 'mapshaper';
import type { Remedy } from '../catalog/remedy.ts';
import type { Source } from '../catalog/sources.ts';
import { ANY_CODE } from '../contract/territory.ts';
import { BadInput, readEach } from '../lib/bad-input.ts';
import type { Polygon } from '../lib/numerics/area.ts';
import { areaKm2 } from '../lib/numerics/area.ts';
import { selfCrossing } from '../lib/numerics/self-crossing.ts';
import type { Areas, Polygons } from './ingest-tables.ts';
import { type IngestInput, sourceOf, sourcesOf } from './input.ts';
import { plain } from './names.ts';
import { dissolveBy, readPolygons } from './readers/polygons.ts';
import { readTable, recoded, refuseDuplicates, refuseShort, textOf } from './readers/raw-table.ts';

/** Outlines that should be identical may differ by this share of an area (vertices rounded by their producer). */
const SAME_AREA = 1e-5;
/** Smaller overlaps and holes are due to rounding of shared vertices, km². */
const SLIVER_KM2 = 0.01;
/** Largest share of an area for which an overlap may be declared a drawing error. */
const SMALL_OVERLAP = 0.01;

interface Outline {
  code: string;
  name: string;
  /** P-code of its state; empty until it is found by location. */
  parent: string;
  polygons: Polygon[];
}

/**
 * Reads the country's areas and outlines, and checks counts, codes and validity, that LGAs do not overlap and are
 * inside their states, and that the outline of each state is the union of its LGAs, apart from ground that the catalog
 * declares `uncovered`. Codes and states of LGAs come from the outlines or, by name, from a table of codes; otherwise
 * states are found by location. Without outlines of the states, these are the union of their LGAs.
 * @throws BadInput naming the file and the area
 */
export async function ingestAreas(input: IngestInput): Promise<{ areas: Areas; polygons: Polygons }> {
  const { model } = input;
  const lgaSource = sourceOf(input, 'lga_boundaries');
  const file = lgaSource.files[0]!.path;
  const codes = await readCodes(input);
  const lgas = await readOutlines(input, lgaSource, 'lga', model.expected.lgas, codes);
  const [stateSource] = sourcesOf(input, 'state_boundaries');
  const states = stateSource ? await readOutlines(input, stateSource, 'state', model.expected.states, null) : null;

  const byPcode = new Map(model.states.map((state) => [state.state_pcode, state]));
  const stateOutlines = new Map(states?.map((state) => [state.code, state]));
  for (const { state_pcode } of states ? model.states : []) {
    if (!stateOutlines.has(state_pcode))
      throw new BadInput(
        stateSource!.files[0]!.path,
        '',
        `no polygon for ${state_pcode}`,
        'a polygon for each state of model.json',
      );
  }
  const byPlace = lgas.filter((lga) => lga.parent === '');
  if (byPlace.length > 0) placeInStates(input, file, byPlace, states!);
  readEach(lgas, (lga) => {
    if (!byPcode.has(lga.parent))
      throw new BadInput(file, lga.code, `state ${lga.parent}`, 'the p-code of a state of model.json');
    if (!states || byPlace.length > 0) return;
    const state = { type: 'MultiPolygon' as const, coordinates: stateOutlines.get(lga.parent)!.polygons };
    if (!booleanPointInPolygon(innerPoint(lga), state))
      throw new BadInput(
        file,
        `${lga.code} ${lga.name}`,
        `a location outside the outline of ${lga.parent}`,
        'LGAs inside their states',
      );
  });
  const empty = model.states.find(({ state_pcode }) => !lgas.some(({ parent }) => parent === state_pcode));
  if (empty)
    throw new BadInput(file, '', `no LGA in ${empty.state_pcode} ${empty.state}`, 'at least one in each state');
  const overlaps = await refuseOverlaps(input, lgaSource, lgas);
  if (states && byPlace.length === 0) compareWithStates(input, lgas, states, overlaps);

  for (const { state_code, aliases = [] } of model.states)
    for (const name of aliases) input.otherNames?.add('state', state_code, name);
  // The names in the outlines before recoding.
  for (const [from, to] of Object.entries(lgaSource.recode?.lga ?? {}))
    for (const { code, name } of lgas)
      if (name === to && plain(from) !== plain(to)) input.otherNames?.add('lga', code, from);

  return {
    areas: {
      states: model.states
        .map(({ aliases: _, ...state }) => ({ ...state, zone: state.zone ?? null }))
        .sort((a, b) => (a.state_code < b.state_code ? -1 : 1)),
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

const innerPoint = ({ polygons }: Outline) => pointOnFeature({ type: 'MultiPolygon', coordinates: polygons });

/** Assigns each LGA to the state that contains a point inside the LGA. @throws BadInput if no state does */
function placeInStates(input: IngestInput, file: string, lgas: readonly Outline[], states: readonly Outline[]): void {
  readEach(lgas, (lga) => {
    const inner = innerPoint(lga);
    const state = states.find(({ polygons }) =>
      booleanPointInPolygon(inner, { type: 'MultiPolygon', coordinates: polygons }),
    );
    if (!state)
      throw new BadInput(file, `${lga.code} ${lga.name}`, 'a location in no state', 'LGAs inside their states');
    lga.parent = state.code;
  });
  input.report.push({
    source: sourceOf(input, 'lga_boundaries').id,
    rule: 'states found by place',
    what: `${lgas.length} LGAs are assigned to the state that contains a point inside them: if the outlines do not nest, this can be wrong`,
  });
}

/** Codes and states of LGAs by name, from the table of codes; null if there is none. */
async function readCodes(input: IngestInput): Promise<Map<string, { code: string; parent: string }> | null> {
  const [source] = sourcesOf(input, 'lga_codes');
  if (!source) return null;
  const table = await readTable(input.rawData, source);
  refuseDuplicates(table, ['lga']);
  refuseDuplicates(table, ['lga_pcode']);
  const codes = new Map(
    readEach(table.rows, (row) => {
      const parent = table.columns.has('state_pcode') ? textOf(table, row, 'state_pcode') : '';
      const state = input.model.states.find(({ state_pcode }) => state_pcode === parent);
      const named = row.values.state;
      if (state && named && plain(named) !== plain(state.state))
        input.otherNames?.add('state', state.state_code, named);
      return [textOf(table, row, 'lga'), { code: textOf(table, row, 'lga_pcode'), parent }] as const;
    }),
  );
  refuseShort(table);
  return codes;
}

async function readOutlines(
  input: IngestInput,
  source: Source,
  level: 'lga' | 'state',
  expected: number,
  codes: ReadonlyMap<string, { code: string; parent: string }> | null,
): Promise<Outline[]> {
  const file = source.files[0]!.path;
  const columns = source.columns ?? {};
  const read = await readPolygons(path.join(input.rawData, file));
  const key = columns[codes ? level : `${level}_pcode`] ?? columns[level];
  const features = source.dissolve && key !== undefined ? await dissolveBy(key, read) : read;
  const form = level === 'lga' ? input.model.territory.lga.code : ANY_CODE;
  const used = new Set<string>();
  const [west, south, east, north] = input.model.extent as [number, number, number, number];
  const outlines = readEach(features, ({ properties, polygons }, index): Outline => {
    const text = (column: string) => {
      const value = properties[columns[column]!];
      if (value === undefined) {
        const fields = Object.keys(properties).join(', ') || 'none';
        throw new BadInput(file, `feature ${index + 1}`, `the fields ${fields}`, `a field ${columns[column]}`);
      }
      // Replacement and control characters occur if text is read in the wrong encoding.
      if (typeof value === 'string' && value.trim() !== '' && !/[\ufffd\p{Cc}]/u.test(value))
        return recoded(source, column, value);
      throw new BadInput(
        file,
        `feature ${index + 1}, ${columns[column]}`,
        JSON.stringify(value),
        'text (does the .cpg file give the right encoding?)',
      );
    };
    const name = text(level);
    const listed = codes?.get(name);
    if (codes && !listed)
      throw new BadInput(
        file,
        `feature ${index + 1}`,
        name,
        'a name exactly as in the table of codes (role lga_codes)',
        spellingRemedy(name, [...codes.keys()]),
      );
    used.add(name);
    const code = listed?.code ?? text(`${level}_pcode`);
    const parent = listed?.parent || (level === 'state' || columns.state_pcode ? text('state_pcode') : '');
    if (!new RegExp(form).test(code) || !new RegExp(ANY_CODE).test(code))
      throw new BadInput(file, `feature ${index + 1}`, `the code ${code}`, `a code of the form ${form}`);
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
    const crossing = selfCrossing(polygons);
    if (crossing)
      throw new BadInput(
        file,
        code,
        `an outline that crosses itself at ${crossing.join(', ')}`,
        'a valid polygon; make one with: ogr2ogr -makevalid VALID.geojson FILE',
      );
    return { code, name, parent, polygons };
  });
  const unused = [...(codes?.keys() ?? [])].find((name) => !used.has(name));
  if (unused) throw new BadInput(file, '', `no polygon for ${unused}`, 'a polygon for each row of the table of codes');
  outlines.sort((a, b) => (a.code < b.code ? -1 : 1));
  const twice = outlines.find((outline, i) => outline.code === outlines[i - 1]?.code);
  if (twice)
    throw new BadInput(file, '', `the code ${twice.code} twice`, 'each code once, or `dissolve` in the catalog', {
      declare: 'dissolve',
    });
  if (outlines.length !== expected)
    throw new BadInput(file, '', `${outlines.length} polygons`, `${expected} (model.json, expected)`);
  return outlines;
}

/** Recodes `name` to the only name that differs from it just in case, accents, blanks or punctuation; null if none. */
function spellingRemedy(name: string, names: readonly string[]): Remedy | null {
  const alike = names.filter((other) => plain(other) === plain(name));
  return alike.length === 1 ? { declare: 'recode', column: 'lga', from: name, to: alike[0]! } : null;
}

interface Overlap {
  codes: string[];
  km2: number;
}

/** Ground in two LGAs is a fault, unless it is a sliver or the catalog declares an overlap of that size. */
async function refuseOverlaps(input: IngestInput, source: Source, lgas: readonly Outline[]): Promise<Overlap[]> {
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
  const { features } = JSON.parse(Buffer.from(output['overlaps.json'] ?? []).toString() || '{"features":[]}');
  const overlaps: Overlap[] = [];
  for (const { properties, geometry } of features ?? []) {
    const km2 = areaKm2(geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates);
    if (km2 > SLIVER_KM2) overlaps.push({ codes: properties.codes, km2 });
  }
  if (overlaps.length === 0) return [];
  const gap = source.gaps?.find(({ rule }) => rule === 'overlap');
  const areas = new Map(lgas.map(({ code, polygons }) => [code, areaKm2(polygons)]));
  const small = overlaps.every(({ codes, km2 }) => codes.every((code) => km2 <= SMALL_OVERLAP * areas.get(code)!));
  const most = Math.max(...overlaps.map(({ km2 }) => km2));
  readEach(overlaps, ({ codes, km2 }) => {
    if (km2 > (gap?.area_km2 ?? 0))
      throw new BadInput(
        source.files[0]!.path,
        codes.join(' and '),
        `an overlap of ${km2.toFixed(2)} km²`,
        gap
          ? `at most ${gap.area_km2} as declared`
          : 'polygons that do not overlap; make them with: mapshaper FILE -clean -o CLEAN.geojson',
        small ? { declare: 'gap', gap: { rule: 'overlap', area_km2: Math.ceil(100 * most) / 100 } } : null,
      );
  });
  input.report.push({
    ...{ source: source.id, rule: 'overlap' },
    what: `${overlaps.length} overlaps, the largest ${most.toFixed(2)} km², belong to two outlines and count in both (${gap!.reason})`,
  });
  return overlaps;
}

/** States must be the union of their LGAs, apart from declared ground that belongs to no LGA. */
function compareWithStates(
  input: IngestInput,
  lgas: readonly Outline[],
  states: readonly Outline[],
  overlaps: readonly Overlap[],
): void {
  const source = sourceOf(input, 'state_boundaries');
  const file = source.files[0]!.path;
  readEach(states, (state) => {
    const own = areaKm2(state.polygons);
    const parts = lgas.filter((lga) => lga.parent === state.code);
    const uncovered = own - parts.reduce((sum, lga) => sum + areaKm2(lga.polygons), 0);
    const twice = overlaps
      .filter(({ codes }) => parts.some(({ code }) => codes.includes(code)))
      .reduce((sum, { codes, km2 }) => sum + (codes.length - 1) * km2, 0);
    if (Math.abs(uncovered) <= SAME_AREA * own + twice) return;
    const gap = source.gaps?.find((g) => g.rule === 'uncovered' && g.state_pcode === state.code);
    if (!gap || uncovered < 0 || uncovered > (gap.area_km2 ?? 0)) {
      const found = `${uncovered.toFixed(2)} km² of ${own.toFixed(0)} in none of its LGAs`;
      throw new BadInput(
        file,
        `${state.code} ${state.name}`,
        found,
        gap ? `at most ${gap.area_km2} as declared` : 'the same ground as its LGAs',
        uncovered < 0
          ? null
          : { declare: 'gap', gap: { rule: 'uncovered', state_pcode: state.code, area_km2: Math.ceil(uncovered) } },
      );
    }
    const what = `${state.code} ${state.name}: ${uncovered.toFixed(1)} km² belong to no LGA (${gap.reason}); state outlines are made of LGAs and do not include it`;
    input.report.push({ source: source.id, rule: 'uncovered', what });
  });
}

/** For each LGA, the codes, in ascending order, of the LGAs that share an edge with it, vertex for vertex. */
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
