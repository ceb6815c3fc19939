import { length } from '@turf/length';
import { pointOnFeature } from '@turf/point-on-feature';
import mapshaper from 'mapshaper';
import type { Remedy } from '../catalog/remedy.ts';
import type { Source } from '../catalog/sources.ts';
import { worded } from '../contract/words.ts';
import type { ReportLine } from '../engine/stage.ts';
import { InputLocation, readEach } from '../lib/bad-input.ts';
import { firstFew } from '../lib/first-few.ts';
import { areaKm2, type Polygon } from '../lib/numerics/area.ts';
import { findSelfCrossing } from '../lib/numerics/self-crossing.ts';
import { makeValid } from './readers/commands.ts';

interface LgaOutline {
  code: string;
  polygons: Polygon[];
}

/** Ground that the outlines of several LGAs contain, or none. */
export interface Sliver {
  kind: 'overlap' | 'gap';
  /** Codes of the LGAs that contain it or, for a gap, that border it; in ascending order. */
  codes: string[];
  km2: number;
  /** Mean width in metres: twice the area divided by the perimeter. */
  widthM: number;
  /** Longitude and latitude of a point on it. */
  point: readonly number[];
  /** Whether it is small enough to be cleaned. */
  isSmall: boolean;
}

/** The largest sliver that is cleaned unless the catalog sets `sliver_km2`: a square of 316 m. */
const DEFAULT_SLIVER_KM2 = 0.1;
/** A larger gap that is narrower than this is a drawing error rather than a lake, m. */
const NARROW_GAP_M = 100;
/** An LGA lies within another one that contains this share of its ground. */
const ENCLAVE_SHARE = 0.99;
/** Largest share of an area for which an overlap may be declared a drawing error. */
const SMALL_OVERLAP_SHARE = 0.01;

/**
 * Makes outlines of LGAs share their borders, vertex for vertex, by mapshaper's `-clean`: overlaps of at most
 * `sliver_km2` go to the smaller area, gaps of at most that size to a neighbour, and an outline's loops of that size
 * are removed. An LGA that lies within another one is cut out of it. Outlines that already share their borders keep
 * their positions. `report` gets whatever moves ground, with its size and place.
 * @param uncoveredKm2 the largest gap that the catalog declares to belong to no LGA, km²
 * @returns the polygons in the order of `lgas`, and the slivers that were cleaned
 * @throws BadInput naming the areas, size, width and place of larger overlaps and narrow gaps
 */
export async function cleanOutlines(
  lgas: readonly LgaOutline[],
  source: Source,
  report: ReportLine[],
  uncoveredKm2: number,
): Promise<{ polygons: Polygon[][]; slivers: Sliver[] }> {
  const limitKm2 = source.sliver_km2 ?? DEFAULT_SLIVER_KM2;
  const location = new InputLocation(source.files[0]!.path);
  const mosaic = await measureMosaic(lgas, limitKm2);
  const loops = findLoops(lgas, mosaic.ground, limitKm2, location);
  const { small = [], enclave = [], lake = [] } = classifySlivers(mosaic, limitKm2, uncoveredKm2, location);
  const addFinding = (rule: string, what: ReportLine['what'], extra: Partial<ReportLine> = {}) =>
    report.push({ source: source.id, rule, what, ...extra });
  if (lake.length > 0)
    addFinding(
      'uncovered',
      worded`${describeCount(lake, 'gap')} between {lga.many}, ${totalKm2(lake)} km² in all, in no {lga.one}; ${describeLargest(lake)}`,
    );
  const isClean = ({ code, polygons }: LgaOutline) => hasSameEdges(polygons, mosaic.ground.get(code)!.polygons);
  if (small.length + enclave.length === 0 && lgas.every(isClean))
    return { polygons: lgas.map(({ polygons }) => polygons), slivers: [] };
  const polygons = await cleanTopology(lgas, mosaic.slivers, limitKm2, location);
  if (small.length > 0) {
    const { overlap = [], gap = [] } = Object.groupBy(small, ({ kind }) => kind);
    const kinds = [describeCount(overlap, 'overlap'), describeCount(gap, 'gap')]
      .filter((text) => text !== '')
      .join(' and ');
    addFinding(
      'slivers cleaned',
      worded`${kinds} between {lga.many}, ${totalKm2(small)} km² in all, none larger than ${limitKm2} km² (sliver_km2): overlaps belong to the smaller {lga.one}, gaps to a neighbour; ${describeLargest(small)}`,
    );
  }
  if (loops.length > 0)
    addFinding('slivers cleaned', worded`loops where outlines cross themselves are removed: ${loops.join('; ')}`);
  if (enclave.length > 0)
    addFinding(
      'cut out',
      worded`{lga.many} inside the outline of another one are cut out of it: ${enclave.map((sliver) => `${listCodes(sliver)} share ${describeSliver(sliver)}`).join('; ')}`,
      { needs_approval: true },
    );
  return { polygons, slivers: small };
}

/** Places and sizes of the loops of outlines that cross themselves. @throws BadInput for those that are too large */
const findLoops = (
  lgas: readonly LgaOutline[],
  ground: Mosaic['ground'],
  limitKm2: number,
  location: InputLocation,
): string[] =>
  readEach(lgas, ({ code, polygons }) => {
    const km2 = repeatedKm2(polygons, ground.get(code)!);
    const crossing = findSelfCrossing(polygons);
    const groundKm2 = ground.get(code)!.km2;
    // Of an outline whose loops cancel each other out, mapshaper makes no tile.
    if (crossing && (km2 > limitKm2 || groundKm2 === 0))
      throw location
        .at(code)
        .error(
          `an outline that crosses or overlaps itself at ${crossing.join(', ')}, by ${km2.toFixed(3)} km²`,
          `a valid polygon, or an error of at most ${limitKm2} km² (sliver_km2 in sources.json); make a valid one with: ${makeValid(location.file)}`,
          km2 > limitKm2 && km2 <= SMALL_OVERLAP_SHARE * groundKm2 ? sliverRemedy(km2) : null,
        );
    return crossing ? [`${code} at ${formatPoint(crossing)} (${km2.toFixed(3)} km²)`] : [];
  }).flat();

/**
 * What becomes of each sliver: small ones go to an LGA, enclaves are cut out of the LGA around them, lakes stay.
 * @throws BadInput for all others, unless they are declared
 */
function classifySlivers({ slivers, ground }: Mosaic, limitKm2: number, uncoveredKm2: number, location: InputLocation) {
  const enclosingPairs = findEnclosures(slivers, ground);
  const isEnclave = ({ codes }: Sliver) =>
    codes.every((a, i) =>
      codes.slice(i + 1).every((b) => enclosingPairs.has(`${a} ${b}`) !== enclosingPairs.has(`${b} ${a}`)),
    );
  const classified = Object.groupBy(slivers, (sliver) => {
    if (sliver.isSmall) return 'small';
    if (sliver.kind === 'overlap') return isEnclave(sliver) ? 'enclave' : 'fault';
    if (sliver.km2 <= uncoveredKm2) return 'declared';
    return sliver.widthM < NARROW_GAP_M ? 'fault' : 'lake';
  });
  const { fault: faultySlivers = [] } = classified;
  const declarable = faultySlivers.filter(
    ({ kind, codes, km2 }) =>
      kind === 'gap' || codes.every((code) => km2 <= SMALL_OVERLAP_SHARE * ground.get(code)!.km2),
  );
  const remedy = sliverRemedy(Math.max(...declarable.map(({ km2 }) => km2)));
  readEach(faultySlivers, (fault) => {
    throw location
      .at(listCodes(fault))
      .error(
        `${fault.kind === 'gap' ? 'a gap' : 'an overlap'} of ${describeSliver(fault)}`,
        `outlines that share their border, or an error of at most ${limitKm2} km² (sliver_km2 in sources.json)`,
        declarable.includes(fault) ? remedy : null,
      );
  });
  return classified;
}

/** The outlines after mapshaper's `-clean`; one that keeps its edges stays as it was drawn. */
async function cleanTopology(
  lgas: readonly LgaOutline[],
  slivers: readonly Sliver[],
  limitKm2: number,
  location: InputLocation,
): Promise<Polygon[][]> {
  const cleaned = await runMapshaper(
    lgas,
    `-clean allow-empty overlap-rule=min-area gap-fill-area=${limitKm2}km2 sliver-control=0`,
  );
  return readEach(lgas, ({ code, polygons }, i) => {
    const outline = featurePolygons(cleaned[i]!);
    if (outline.length > 0) return hasSameEdges(polygons, outline) ? polygons : outline;
    const overlapping = slivers
      .flatMap(({ codes }) => (codes.includes(code) ? codes : []))
      .filter((neighbour) => neighbour !== code);
    throw location
      .at(code)
      .error(`no ground outside ${[...new Set(overlapping)].join(', ') || 'its lines'}`, 'an area of its own');
  });
}

const describeCount = ({ length: count }: readonly Sliver[], kind: Sliver['kind']) =>
  count === 0 ? '' : `${count} ${count === 1 ? kind : `${kind}s`}`;

/** A little more than the largest, because mapshaper measures areas on a sphere. */
const sliverRemedy = (km2: number): Remedy => ({ declare: 'sliver_km2', km2: Math.ceil(101 * km2) / 100 });

/** What an LGA's outline contains. */
interface Ground {
  /** Its tiles; each overlap is a tile. */
  polygons: Polygon[];
  km2: number;
  /** In square degrees. */
  planarArea: number;
}

/** The overlaps and gaps of outlines, and the ground that each of them contains. */
interface Mosaic {
  slivers: Sliver[];
  ground: Map<string, Ground>;
}

/** Cuts all outlines into tiles by mapshaper's `-mosaic`. */
async function measureMosaic(lgas: readonly LgaOutline[], limitKm2: number): Promise<Mosaic> {
  const tiles = await runMapshaper(
    lgas,
    '-mosaic calc="codes = collect(code)" -each "m2 = this.area, planar = this.planarArea"',
  );
  const ground = new Map<string, Ground>(lgas.map(({ code }) => [code, { polygons: [], km2: 0, planarArea: 0 }]));
  const slivers: Sliver[] = [];
  const gaps = new Map<Sliver, Polygon[]>();
  for (const { properties, geometry } of tiles) {
    const polygons = featurePolygons({ geometry });
    const km2 = areaKm2(polygons);
    const codes = ((properties.codes ?? []) as string[]).toSorted();
    for (const code of codes) {
      const lgaGround = ground.get(code)!;
      lgaGround.polygons.push(...polygons);
      lgaGround.km2 += km2;
      lgaGround.planarArea += properties.planar as number;
    }
    if (codes.length === 1) continue;
    const lines = { type: 'MultiLineString' as const, coordinates: polygons.flat() };
    const perimeterM = length({ type: 'Feature', properties: {}, geometry: lines }, { units: 'meters' });
    const kind = codes.length === 0 ? 'gap' : 'overlap';
    const sliver: Sliver = {
      kind,
      codes,
      km2,
      widthM: (2e6 * km2) / perimeterM,
      point: pointOnFeature({ type: 'MultiPolygon', coordinates: polygons }).geometry.coordinates,
      // mapshaper fills gaps by the area that it measures itself.
      isSmall: kind === 'gap' ? (properties.m2 as number) < limitKm2 * 1e6 : km2 <= limitKm2,
    };
    slivers.push(sliver);
    if (kind === 'gap') gaps.set(sliver, polygons);
  }
  addGapNeighbours(gaps, ground);
  return { slivers, ground };
}

/** Names the LGAs along each gap: those of whose tiles two or more vertices are on its rim. */
function addGapNeighbours(gaps: ReadonlyMap<Sliver, readonly Polygon[]>, ground: ReadonlyMap<string, Ground>): void {
  const rims = new Map<string, Sliver[]>();
  for (const [gap, polygons] of gaps)
    for (const vertex of new Set(polygons.flat(2).map(String))) rims.set(vertex, [...(rims.get(vertex) ?? []), gap]);
  if (rims.size === 0) return;
  for (const [code, { polygons }] of ground) {
    const touched = new Set(polygons.flat(2).map(String)).intersection(rims);
    const vertices = Map.groupBy(
      [...touched].flatMap((vertex) => rims.get(vertex)!),
      (gap) => gap,
    );
    for (const [gap, { length }] of vertices) if (length > 1) gap.codes.push(code);
  }
}

/** `A B` for each pair of LGAs of which A contains B. */
function findEnclosures(slivers: readonly Sliver[], ground: ReadonlyMap<string, Ground>): Set<string> {
  const sharedKm2 = new Map<string, number>();
  for (const { kind, codes, km2 } of slivers)
    if (kind === 'overlap')
      for (const a of codes) for (const b of codes) sharedKm2.set(`${a} ${b}`, (sharedKm2.get(`${a} ${b}`) ?? 0) + km2);
  return new Set(
    [...sharedKm2].flatMap(([pair, km2]) =>
      km2 >= ENCLAVE_SHARE * ground.get(pair.split(' ')[1]!)!.km2 ? [pair] : [],
    ),
  );
}

/**
 * Ground that the rings of an outline enclose more than once, km². It is compared in square degrees, to which a vertex
 * in the middle of a long edge makes no difference.
 */
function repeatedKm2(polygons: readonly Polygon[], { km2, planarArea }: Ground): number {
  const ringArea = (ring: Polygon[number]) =>
    Math.abs(ring.slice(1).reduce((sum, [x, y], i) => sum + (ring[i]![0] - x) * (ring[i]![1] + y), 0)) / 2;
  const drawnArea = polygons.reduce(
    (sum, [exterior, ...holes]) => sum + ringArea(exterior!) - holes.reduce((total, hole) => total + ringArea(hole), 0),
    0,
  );
  return planarArea === 0 ? 0 : (Math.abs(drawnArea - planarArea) / planarArea) * km2;
}

/** Whether two outlines consist of the same edges, in whatever order. */
function hasSameEdges(a: readonly Polygon[], b: readonly Polygon[]): boolean {
  const [edgesA, edgesB] = [new Set(listEdges(a)), new Set(listEdges(b))];
  return edgesA.size === edgesB.size && [...edgesA].every((edge) => edgesB.has(edge));
}

/** The edges of all rings as texts, which are the same whichever way an edge runs. */
export const listEdges = (polygons: readonly Polygon[]): string[] =>
  polygons.flat().flatMap((ring) =>
    ring.slice(1).map((vertex, i) => {
      const [a, b] = [String(ring[i]), String(vertex)];
      return a < b ? `${a} ${b}` : `${b} ${a}`;
    }),
  );

const totalKm2 = (slivers: readonly Sliver[]) => slivers.reduce((sum, { km2 }) => sum + km2, 0).toFixed(3);
function describeLargest(slivers: readonly Sliver[]): string {
  const largest = slivers.reduce((largestSoFar, sliver) => (sliver.km2 > largestSoFar.km2 ? sliver : largestSoFar));
  return `the largest, of ${describeSliver(largest)}, lies between ${listCodes(largest)}`;
}

/** Codes of at most four areas. */
const listCodes = ({ codes }: Sliver) => firstFew(codes, 4, ' and ');

const describeSliver = ({ km2, widthM, point }: Sliver) =>
  `${km2.toFixed(3)} km², ${widthM.toFixed(0)} m wide, at ${formatPoint(point)}`;

const formatPoint = (point: readonly number[]) => point.map((degrees) => degrees.toFixed(4)).join(', ');

interface Feature {
  properties: Record<string, unknown>;
  geometry: { type: string; coordinates: unknown } | null;
}

const featurePolygons = ({ geometry }: Pick<Feature, 'geometry'>): Polygon[] =>
  (geometry === null ? [] : geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates) as Polygon[];

async function runMapshaper(lgas: readonly LgaOutline[], commands: string): Promise<Feature[]> {
  const features = lgas.map(({ code, polygons }) => ({
    type: 'Feature',
    properties: { code },
    geometry: { type: 'MultiPolygon', coordinates: polygons },
  }));
  const output = await mapshaper.applyCommands(`-i lgas.json ${commands} -o out.json format=geojson`, {
    'lgas.json': JSON.stringify({ type: 'FeatureCollection', features }),
  });
  return JSON.parse(Buffer.from(output['out.json'] ?? []).toString() || '{}').features ?? [];
}
