import path from 'node:path';
import { booleanPointInPolygon } from '@turf/boolean-point-in-polygon';
import { pointOnFeature } from '@turf/point-on-feature';
import type { Remedy } from '../catalog/remedy.ts';
import type { Role } from '../catalog/roles.ts';
import type { Source } from '../catalog/sources.ts';
import { ANY_CODE } from '../contract/territory.ts';
import { worded } from '../contract/words.ts';
import { InputLocation, readEach } from '../lib/bad-input.ts';
import { firstFew } from '../lib/first-few.ts';
import { plainName } from '../lib/name-similarity.ts';
import type { Polygon } from '../lib/numerics/area.ts';
import { areaKm2 } from '../lib/numerics/area.ts';
import { cleanOutlines, listEdges, type Sliver } from './clean-outlines.ts';
import type { Areas, Polygons } from './ingest-tables.ts';
import { EXPECTED_STATE_CODE, gapRemedy, type IngestInput, onlySource, sourcesInRole } from './input.ts';
import { isMisread } from './readers/encoding.ts';
import { dissolveBy, READABLE, readPolygons } from './readers/polygons.ts';
import { type RawRow, readTable, recodeText } from './readers/raw-table.ts';

/** Outlines that should be identical may differ by this share of an area (vertices rounded by their producer). */
const AREA_TOLERANCE = 1e-5;

/** What an error expects of areas. */
const EXPECTED_INSIDE = 'areas inside those of the upper level';

interface AreaOutline {
  code: string;
  name: string;
  /** Its other code in tables; null without one. */
  id: string | null;
  /** P-code of its state; empty until its location tells it. */
  parent: string;
  polygons: Polygon[];
}

/**
 * Reads the country's areas and outlines, cleans slivers between LGAs, and checks them: their numbers, codes and
 * shapes, that LGAs do not overlap and lie inside their states, and that the outline of each state is the union of its
 * LGAs, apart from ground that the catalog declares `uncovered`. Codes and states of LGAs come from the outlines or, by
 * name, from a table of codes; otherwise the location of an LGA tells its state. A country without outlines of its
 * states has the unions of their LGAs.
 * @throws BadInput naming the file and the area
 */
export async function ingestAreas(input: IngestInput): Promise<{ areas: Areas; polygons: Polygons }> {
  const { model } = input;
  const lgaSource = onlySource(input, 'lga_boundaries');
  const location = fileLocation(lgaSource);
  const codes = await readCodes(input);
  const drawnLgas = await readOutlines(input, lgaSource, 'lga', model.expected.lgas, codes);
  const [stateSource] = sourcesInRole(input, 'state_boundaries');
  const states = stateSource ? await readOutlines(input, stateSource, 'state', model.expected.states, null) : null;
  const largestUncoveredKm2 = Math.max(0, ...(stateSource?.gaps ?? []).map(({ area_km2 = 0 }) => area_km2));
  const { polygons, slivers } = await cleanOutlines(drawnLgas, lgaSource, input.report, largestUncoveredKm2);
  const lgas = drawnLgas.map((lga, i) => ({ ...lga, polygons: polygons[i]! }));

  const stateByPcode = new Map(model.states.map((state) => [state.state_pcode, state]));
  const outlineByPcode = new Map(states?.map((state) => [state.code, state]));
  for (const { state_pcode } of states ? model.states : []) {
    if (!outlineByPcode.has(state_pcode))
      throw fileLocation(stateSource!).error(
        `no polygon for ${state_pcode}`,
        'a polygon for each entry of `states` in model.json',
      );
  }
  const withoutState = lgas.filter((lga) => lga.parent === '');
  if (withoutState.length > 0) placeInStates(input, withoutState, states!);
  readEach(lgas, (lga) => {
    if (!stateByPcode.has(lga.parent))
      throw location.at(lga.code).error(`the parent ${lga.parent}`, EXPECTED_STATE_CODE);
    if (!states || withoutState.length > 0) return;
    if (outlineAround(lga, [outlineByPcode.get(lga.parent)!])) return;
    const km2 = areaKm2(lga.polygons);
    if (km2 <= (findUncovered(stateSource!, lga.parent)?.area_km2 ?? 0)) return;
    throw location
      .at(`${lga.code} ${lga.name}`)
      .error(
        `a location outside the outline of ${lga.parent}, its ${model.territory.state.one}`,
        `${EXPECTED_INSIDE}: if the code of its ${model.territory.state.one} is right, the two files do not nest, which a gap \`uncovered\` declares`,
        gapRemedy({ rule: 'uncovered', state_pcode: lga.parent, area_km2: Math.ceil(km2) }),
      );
  });
  const emptyState = model.states.find(({ state_pcode }) => !lgas.some(({ parent }) => parent === state_pcode));
  if (emptyState)
    throw location.error(
      `no area in ${emptyState.state_pcode} ${emptyState.state}`,
      'at least one in each of `states` in model.json',
    );
  if (states && withoutState.length === 0) compareWithStates(input, lgas, states, slivers);

  for (const { state_code, aliases = [] } of model.states)
    for (const name of aliases) input.otherNames?.add('state', state_code, name);
  // The names in the outlines before recoding.
  for (const [from, to] of Object.entries(lgaSource.recode?.lga ?? {}))
    for (const { code, name } of lgas)
      if (name === to && plainName(from) !== plainName(to)) input.otherNames?.add('lga', code, from);

  return {
    areas: {
      states: model.states
        .map(({ aliases: _, ...state }) => ({ ...state, zone: state.zone ?? null }))
        .sort((a, b) => (a.state_code < b.state_code ? -1 : 1)),
      lgas: lgas.map(({ code, name, parent }) => ({
        lga_code: code,
        lga: name,
        state_code: stateByPcode.get(parent)!.state_code,
      })),
      codeById: new Map(lgas.flatMap(({ code, id }) => (id === null ? [] : [[id, code]]))),
    },
    polygons: {
      lgas: lgas.map(({ code, polygons }) => ({ lga_code: code, polygons })),
      neighbours: findNeighbours(lgas),
    },
  };
}

/** The first of several outlines that contains a point inside an area; null if none does. */
export function outlineAround<Outline extends Pick<AreaOutline, 'polygons'>>(
  area: Pick<AreaOutline, 'polygons'>,
  outlines: readonly Outline[],
): Outline | null {
  const insidePoint = pointOnFeature({ type: 'MultiPolygon', coordinates: area.polygons });
  const isAround = ({ polygons }: Outline) =>
    booleanPointInPolygon(insidePoint, { type: 'MultiPolygon', coordinates: polygons });
  return outlines.find(isAround) ?? null;
}

/** The file of a source's outlines, for its errors. */
const fileLocation = (source: Source): InputLocation => new InputLocation(source.files[0]!.path);

/** The largest gap that is declared between an upper-level area and its parts. */
const findUncovered = ({ gaps = [] }: Source, code: string) =>
  gaps
    .filter(({ rule, state_pcode }) => rule === 'uncovered' && state_pcode === code)
    .sort((a, b) => b.area_km2! - a.area_km2!)[0];

/** Assigns each LGA to the state that contains a point inside the LGA. @throws BadInput if no state does */
function placeInStates(input: IngestInput, lgas: readonly AreaOutline[], states: readonly AreaOutline[]): void {
  const source = onlySource(input, 'lga_boundaries');
  readEach(lgas, (lga) => {
    const state = outlineAround(lga, states);
    if (!state)
      throw fileLocation(source)
        .at(`${lga.code} ${lga.name}`)
        .error('a location in no area of the upper level', EXPECTED_INSIDE);
    lga.parent = state.code;
  });
  input.report.push({
    source: source.id,
    rule: 'parents found by place',
    what: worded`${lgas.length} {lga.many} are assigned to the {state.one} that contains a point inside them: if the outlines do not nest, this can be wrong`,
  });
}

/** Codes and states of LGAs by name, from the table of codes; null if there is none. */
async function readCodes(input: IngestInput): Promise<Map<string, { code: string; parent: string }> | null> {
  const [source] = sourcesInRole(input, 'lga_codes');
  if (!source) return null;
  const table = await readTable(input.rawData, source, input.report, input.deliveries);
  table.refuseDuplicates(['lga']);
  table.refuseDuplicates(['lga_pcode']);
  const codes = new Map(
    readEach(table.rows, (row) => {
      const parent = row.hasColumn('state_pcode') ? row.text('state_pcode') : '';
      const state = input.model.states.find(({ state_pcode }) => state_pcode === parent);
      const nameInRow = row.values.state;
      if (state && nameInRow && plainName(nameInRow) !== plainName(state.state))
        input.otherNames?.add('state', state.state_code, nameInRow);
      return [row.text('lga'), { code: row.text('lga_pcode'), parent }] as const;
    }),
  );
  table.refuseTooFewRows();
  return codes;
}

async function readOutlines(
  input: IngestInput,
  source: Source,
  level: 'lga' | 'state',
  expected: number,
  codes: ReadonlyMap<string, { code: string; parent: string }> | null,
): Promise<AreaOutline[]> {
  const location = fileLocation(source);
  const columns = source.columns ?? {};
  const leftOut: string[] = [];
  const drawnFeatures = await readPolygons(path.join(input.rawData, source.files[0]!.path), leftOut);
  if (leftOut.length > 0)
    input.report.push({
      source: source.id,
      rule: 'no area of today',
      what: `left out of the outlines: ${leftOut.join(', ')}`,
    });
  const keyColumn = !codes && columns[`${level}_pcode`] ? `${level}_pcode` : level;
  const key = columns[keyColumn];
  const features =
    source.dissolve && key !== undefined
      ? await dissolveBy(key, drawnFeatures, source.recode?.[keyColumn])
      : drawnFeatures;
  const codePattern = level === 'lga' ? input.model.territory.lga.code : ANY_CODE;
  const usedNames = new Set<string>();
  const outlines = readEach(features, ({ properties, polygons }, index): AreaOutline => {
    const featureLocation = location.at(`feature ${index + 1}`);
    const text = (column: string) => {
      const field = properties[columns[column]!];
      const value = typeof field === 'number' ? String(field) : field;
      if (value === undefined) {
        const fields = Object.keys(properties).join(', ') || 'none';
        throw featureLocation.error(`the fields ${fields}`, `a field ${columns[column]}`);
      }
      if (typeof value === 'string' && value.trim() !== '' && !isMisread(value))
        return recodeText(source, column, value);
      throw featureLocation.at(columns[column]!).error(JSON.stringify(value), READABLE);
    };
    const name = text(level);
    const listedArea = codes?.get(name);
    if (codes && !listedArea) {
      const expected = 'a name exactly as in the table of codes (role lga_codes)';
      throw featureLocation.error(name, expected, spellingRemedy(name, [...codes.keys()]));
    }
    usedNames.add(name);
    const code = listedArea?.code ?? text(`${level}_pcode`);
    const parent = listedArea?.parent || (level === 'state' || columns.state_pcode ? text('state_pcode') : '');
    if (!new RegExp(codePattern).test(code) || !new RegExp(ANY_CODE).test(code))
      throw featureLocation.error(`the code ${code}`, `a code of the form ${codePattern}`);
    checkShape(location.at(code), polygons, level === 'lga' ? input.model.extent : null);
    return { code, name, id: columns.lga_id ? text('lga_id') : null, parent, polygons };
  });
  const unusedName = [...(codes?.keys() ?? [])].find((name) => !usedNames.has(name));
  if (unusedName) throw location.error(`no polygon for ${unusedName}`, 'a polygon for each row of the table of codes');
  outlines.sort((a, b) => (a.code < b.code ? -1 : 1));
  const duplicate = outlines.find((outline, i) => outline.code === outlines[i - 1]?.code);
  if (duplicate) {
    const { name } = outlines.find(({ code }) => code === duplicate.code)!;
    if (plainName(name) !== plainName(duplicate.name))
      throw location.error(
        `the code ${duplicate.code} for both ${name} and ${duplicate.name}`,
        'each code once: give one of the two its own',
      );
    const remedy: Remedy = { declare: 'dissolve' };
    throw location.error(`the code ${duplicate.code} twice`, 'each code once, or `dissolve` in the catalog', remedy);
  }
  const repeated = outlines.find(
    ({ id }, i) => id !== null && outlines.findLastIndex((other) => other.id === id) !== i,
  );
  if (repeated) throw location.error(`the id ${repeated.id} twice`, 'each id once (sources.json, lga_id)');
  if (outlines.length !== expected) {
    const absent = level === 'lga' ? await listAbsentAreas(input, outlines) : [];
    const which = absent.length > 0 ? `, none for ${firstFew(absent, 5)}` : '';
    throw location.error(
      `${outlines.length} polygons${which}`,
      `${expected} (\`expected\` in model.json, to be changed there if the areas of the country have changed)`,
    );
  }
  return outlines;
}

/** The areas, by code and name, that a table of people or cases has and the outlines do not. */
async function listAbsentAreas(input: IngestInput, outlines: readonly AreaOutline[]): Promise<string[]> {
  const roles: readonly Role[] = ['population_census', 'cases_lgas'];
  const source = roles.flatMap((role) => sourcesInRole(input, role)).find(({ columns }) => columns?.lga_pcode);
  const table = source && (await readTable(input.rawData, source).catch(() => null));
  const isAbsent = ({ values }: RawRow) => !outlines.some(({ code }) => code === values.lga_pcode);
  return [
    ...new Set(
      (table?.rows ?? []).filter(isAbsent).map(({ values }) => `${values.lga_pcode} ${values.lga ?? ''}`.trim()),
    ),
  ];
}

/** @throws BadInput for an area without a polygon or, if `extent` is given, with a vertex outside it */
function checkShape(location: InputLocation, polygons: Polygon[], extent: readonly number[] | null): void {
  if (polygons.length === 0) throw location.error('no shape', 'a polygon');
  if (!extent) return;
  const [west, south, east, north] = extent as [number, number, number, number];
  const outside = polygons.flat(2).find(([x, y]) => !(x >= west && x <= east && y >= south && y <= north));
  if (outside) {
    const extent = `longitude ${west} to ${east}, latitude ${south} to ${north} (model.json, extent)`;
    throw location.error(`a vertex at ${outside[0]}, ${outside[1]}`, extent);
  }
}

/** Recodes `name` to the only name that differs from it just in case, accents, blanks or punctuation; null if none. */
function spellingRemedy(name: string, names: readonly string[]): Remedy | null {
  const alike = names.filter((candidate) => plainName(candidate) === plainName(name));
  return alike.length === 1 ? { declare: 'recode', column: 'lga', from: name, to: alike[0]! } : null;
}

/** States must be the union of their LGAs, apart from declared ground that belongs to no LGA. */
function compareWithStates(
  input: IngestInput,
  lgas: readonly AreaOutline[],
  states: readonly AreaOutline[],
  slivers: readonly Sliver[],
): void {
  const source = onlySource(input, 'state_boundaries');
  readEach(states, (state) => {
    const stateKm2 = areaKm2(state.polygons);
    const stateLgas = lgas.filter((lga) => lga.parent === state.code);
    const uncoveredKm2 = stateKm2 - stateLgas.reduce((sum, lga) => sum + areaKm2(lga.polygons), 0);
    // The state was drawn before the slivers along its borders were cleaned.
    const movedKm2 = slivers
      .filter(({ codes }) => stateLgas.some(({ code }) => codes.includes(code)))
      .reduce((sum, { km2 }) => sum + km2, 0);
    if (Math.abs(uncoveredKm2) <= AREA_TOLERANCE * stateKm2 + movedKm2) return;
    const gap = findUncovered(source, state.code);
    const { lga } = input.model.territory;
    const size = `${Math.abs(uncoveredKm2).toFixed(2)} of its ${stateKm2.toFixed(0)} km²`;
    const difference =
      uncoveredKm2 > 0
        ? `ground in none of its ${lga.many}, ${size}`
        : `${lga.many} that it does not contain: they reach beyond it by ${size}`;
    if (!gap || Math.abs(uncoveredKm2) > (gap.area_km2 ?? 0)) {
      const expected = gap
        ? `at most ${gap.area_km2} km² as declared`
        : `the same ground as its ${lga.many}, or a gap \`uncovered\`: outlines of the upper level are made of those of the lower one`;
      const ground = { state_pcode: state.code, area_km2: Math.ceil(Math.abs(uncoveredKm2)) };
      const remedy = gapRemedy({ rule: 'uncovered', ...ground });
      throw fileLocation(source).at(`${state.code} ${state.name}`).error(difference, expected, remedy);
    }
    const what = worded`${state.code} ${state.name}: ${difference} (${gap.reason}); {state.one} outlines are made of {lga.many}`;
    input.report.push({ source: source.id, rule: 'uncovered', what });
  });
}

/** For each LGA, the codes, in ascending order, of the LGAs that share an edge with it, vertex for vertex. */
function findNeighbours(lgas: readonly AreaOutline[]): Record<string, string[]> {
  const lgaByEdge = new Map<string, string>();
  const neighboursByLga = new Map(lgas.map((lga) => [lga.code, new Set<string>()]));
  for (const { code, polygons } of lgas) {
    for (const edge of listEdges(polygons)) {
      const neighbour = lgaByEdge.get(edge);
      if (neighbour !== undefined && neighbour !== code) {
        neighboursByLga.get(code)!.add(neighbour);
        neighboursByLga.get(neighbour)!.add(code);
      }
      lgaByEdge.set(edge, code);
    }
  }
  return Object.fromEntries([...neighboursByLga].map(([code, neighbours]) => [code, [...neighbours].sort()]));
}
