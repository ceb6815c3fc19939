import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { feature } from 'topojson-client';
import type { Topology } from 'topojson-specification';
import { BadInput, InputLocation } from '../../lib/bad-input.ts';
import type { Polygon } from '../../lib/numerics/area.ts';
import { reprojectOutlines } from './commands.ts';
import { isMisread, parseEncoding } from './encoding.ts';
import { parseJson } from './json.ts';
import { refuseSinglePage } from './json-table.ts';
import { refuseUnsupported } from './unsupported.ts';

/** A feature with its polygons at full resolution, every ring closed. */
export interface PolygonFeature {
  properties: Record<string, unknown>;
  polygons: Polygon[];
}

interface GeoJson {
  type?: string;
  crs?: { properties?: { name?: unknown } } | null;
  features?: {
    id?: string | number;
    properties?: Record<string, unknown> | null;
    geometry?: { type?: string; coordinates?: unknown } | null;
  }[];
}

/**
 * Reads polygons in longitude and latitude on WGS 84, in the file's order, from a shapefile (`.shp` with its `.dbf` and
 * `.prj`, or a zip with one shapefile), a GeoJSON FeatureCollection, TopoJSON, or DHIS2's organisation units of one
 * level with their geometry.
 * @param leftOut collects areas that are closed (`closedDate`), or have no outline; without it these are refused
 */
export async function readPolygons(file: string, leftOut?: string[]): Promise<PolygonFeature[]> {
  const location = new InputLocation(file);
  const isShapefile = ['.shp', '.zip'].includes(lowerExtension(file));
  const collection = isShapefile ? await readShapefile(file, location) : await readGeoJson(file, location);
  const { features, ...rest } =
    collection.type === 'Topology' ? topologyFeatures(collection as Topology, location) : collection;
  const drawn = leftOut && Array.isArray(features) ? features.filter((feature) => isDrawn(feature, leftOut)) : features;
  // If nothing is left, the first feature says why.
  return checkFeatures({ ...rest, ...(drawn?.length ? { features: drawn } : { features }) } as GeoJson, location);
}

/** Whether a feature is an area of today with an outline. */
function isDrawn({ id, properties, geometry }: NonNullable<GeoJson['features']>[number], leftOut: string[]): boolean {
  const closed = properties?.closedDate;
  if (!closed && geometry != null && geometry.type !== 'Point') return true;
  const texts = Object.values(properties ?? {}).filter((value) => typeof value === 'string');
  const label = String(properties?.name ?? texts[0] ?? id ?? 'a feature without a name');
  leftOut.push(`${label} (${closed ? `closed on ${String(closed).slice(0, 10)}` : 'no outline'})`);
  return false;
}

/**
 * Merges features with the same value of `field`, removing inner borders.
 * @param recode values that mean another one; the properties that are kept are those of a feature that has it itself
 */
export async function dissolveBy(
  field: string,
  features: readonly PolygonFeature[],
  recode: Readonly<Record<string, string>> = {},
): Promise<PolygonFeature[]> {
  const groups = Map.groupBy(features, ({ properties }) => recode[String(properties[field])] ?? properties[field]);
  if (groups.size === features.length) return [...features];
  const { default: mapshaper } = await import('mapshaper');
  const collection = {
    type: 'FeatureCollection',
    features: [...groups.values()].flatMap((members, group) =>
      members.map(({ polygons }) => ({
        type: 'Feature',
        properties: { group },
        geometry: { type: 'MultiPolygon', coordinates: polygons },
      })),
    ),
  };
  const output = await mapshaper.applyCommands('-i in.json -dissolve2 group -sort group -o out.json format=geojson', {
    'in.json': JSON.stringify(collection),
  });
  const outlines = JSON.parse(Buffer.from(output['out.json']!).toString());
  const dissolved = checkFeatures(outlines, new InputLocation('dissolved outlines'));
  return [...groups].map(([value, members], i) => {
    const original = members.find(({ properties }) => properties[field] === value) ?? members[0]!;
    return { ...original, polygons: dissolved[i]!.polygons };
  });
}

/** The decoded features of TopoJSON with one layer. */
function topologyFeatures(topology: Topology, location: InputLocation): GeoJson {
  const layers = Object.keys(topology.objects ?? {});
  if (layers.length !== 1) throw location.error(`the layers ${layers.join(', ') || 'none'}`, 'TopoJSON with one layer');
  try {
    return feature(topology, topology.objects[layers[0]!]!) as GeoJson;
  } catch (cause) {
    throw location.error(`content that cannot be read (${errorText(cause)})`, 'TopoJSON');
  }
}

function checkFeatures(collection: GeoJson, location: InputLocation): PolygonFeature[] {
  if (collection.type !== 'FeatureCollection' || !Array.isArray(collection.features))
    throw location.error(collection.type ?? 'something other than GeoJSON', 'a FeatureCollection');
  if (collection.features.length === 0) throw location.error('no features', 'polygons');
  return collection.features.map(({ id, properties, geometry }, index) => {
    const featureLocation = location.at(`feature ${index + 1}`);
    if (geometry?.type !== 'Polygon' && geometry?.type !== 'MultiPolygon')
      throw featureLocation.error(geometry?.type ?? 'no geometry', 'Polygon or MultiPolygon');
    const parts = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates;
    // GeoJSON gives a feature's id beside its properties.
    const idProperty = id === undefined ? {} : { id: String(id) };
    return { properties: { ...idProperty, ...properties }, polygons: checkParts(parts, featureLocation) };
  });
}

/** What text should be that was read in the wrong encoding. */
export const READABLE = 'text (does the .cpg file give the right encoding?)';

/**
 * The features' ids: the text in `field`.
 * @throws BadInput if a feature has no id, one that was read in the wrong encoding, or that of another feature
 */
export function identifyFeatures(features: PolygonFeature[], field: string, file: string): string[] {
  const location = new InputLocation(file);
  const positionById = new Map<string, number>();
  return features.map(({ properties }, index) => {
    const featureLocation = location.at(`feature ${index + 1}`);
    const value = properties[field];
    if (value === undefined)
      throw featureLocation.error(`the fields ${Object.keys(properties).join(', ') || 'none'}`, `a field ${field}`);
    const id = value === null ? '' : String(value).trim();
    if (id === '') throw featureLocation.error(`an empty ${field}`, 'an id');
    if (isMisread(id)) throw featureLocation.at(field).error(JSON.stringify(id), READABLE);
    const earlierPosition = positionById.get(id);
    if (earlierPosition !== undefined)
      throw location
        .at(`features ${earlierPosition} and ${index + 1}`)
        .error(`the same ${field} ${id}`, 'a different one for each');
    positionById.set(id, index + 1);
    return id;
  });
}

async function readShapefile(file: string, location: InputLocation): Promise<GeoJson> {
  const parts = lowerExtension(file) === '.zip' ? await readPartsInZip(file, location) : await readPartsBeside(file);
  const shp = parts.get('.shp')!;
  // The length in the header, in 16-bit words: mapshaper would read a truncated file without an error.
  const statedBytes = shp.length >= 28 ? shp.readInt32BE(24) * 2 : 100;
  if (shp.length < statedBytes) throw location.error(`${shp.length} bytes`, `${statedBytes} (the file is cut short)`);
  checkShapes(shp, location);
  const input: Record<string, Uint8Array> = { 'polygons.shp': shp };
  for (const [extension, part] of parts) {
    if (extension === '.shx') checkShx(part, shp, location.at('its .shx'));
    else input[`polygons${extension}`] = part;
  }
  if (!input['polygons.dbf']) throw location.error('no .dbf file with the attributes', 'one in the same folder');
  checkDbf(input['polygons.dbf'] as Buffer, shapeOffsets(shp).length, location.at('its .dbf'));
  // With a name that it does not know, mapshaper would guess the encoding.
  const cpg = input['polygons.cpg'] as Buffer | undefined;
  delete input['polygons.cpg'];
  const encoding = cpg ? ` encoding=${parseEncoding(cpg.toString('latin1'), location.at('its .cpg'))}` : '';
  checkPrj(input['polygons.prj']?.toString() ?? null, file, location);
  try {
    // Imported only here because it is large and GeoJSON does not need it.
    const { default: mapshaper } = await import('mapshaper');
    const output = await mapshaper.applyCommands(`-i polygons.shp${encoding} -o polygons.json format=geojson`, input);
    return JSON.parse(Buffer.from(output['polygons.json']!).toString()) as GeoJson;
  } catch (cause) {
    throw location.error(`content that cannot be read (${errorText(cause)})`, 'a shapefile');
  }
}

/** The parts of a shapefile that are read; their extensions may be in upper case. */
const SHAPEFILE_EXTENSIONS = ['.shp', '.shx', '.dbf', '.prj', '.cpg'];
const lowerExtension = (name: string) => extname(name).toLowerCase();

async function readPartsBeside(file: string): Promise<Map<string, Buffer>> {
  const parts = new Map([['.shp', await readBytes(file, 'a shapefile')]]);
  const stem = basename(file, extname(file));
  for (const name of (await readdir(dirname(file))).sort()) {
    const extension = lowerExtension(name);
    if (basename(name, extname(name)) === stem && SHAPEFILE_EXTENSIONS.includes(extension) && extension !== '.shp')
      parts.set(extension, await readBytes(join(dirname(file), name), `the ${extension} of ${basename(file)}`));
  }
  return parts;
}

/** Limit on the unpacked size of a shapefile, far above that of any country. */
const MOST_BYTES = 2 ** 30;

async function readPartsInZip(file: string, location: InputLocation): Promise<Map<string, Buffer>> {
  const zip = await readBytes(file, 'a zip with a shapefile');
  const { unzipSync } = await import('fflate');
  let unpackedBytes = 0;
  try {
    const entries = Object.entries(
      unzipSync(zip, {
        filter: ({ name, originalSize }) => {
          // Metadata that macOS adds for each file.
          if (name.startsWith('__MACOSX/') || !SHAPEFILE_EXTENSIONS.includes(lowerExtension(name))) return false;
          unpackedBytes += originalSize;
          if (unpackedBytes > MOST_BYTES) throw new Error(`more than ${MOST_BYTES / 2 ** 20} MB unpacked`);
          return true;
        },
      }),
    ).map(([name, part]) => [name, Buffer.from(part)] as const);
    const shapefiles = entries.filter(([name]) => lowerExtension(name) === '.shp').map(([name]) => name);
    if (shapefiles.length !== 1)
      throw location.error(`the shapefiles ${shapefiles.join(', ') || 'none'}`, 'a zip with one shapefile');
    const stem = shapefiles[0]!.slice(0, -'.shp'.length);
    return new Map(
      entries
        .filter(([name]) => name.slice(0, -extname(name).length) === stem)
        .map(([name, part]) => [lowerExtension(name), part]),
    );
  } catch (cause) {
    if (cause instanceof BadInput) throw cause;
    throw location.error(`data that cannot be unpacked (${errorText(cause)})`, 'an intact zip with a shapefile');
  }
}

/** A dBase header contains the number of records (byte 4) and the lengths of the header (8) and of a record (10). */
function checkDbf(dbf: Buffer, shapes: number, location: InputLocation): void {
  const statedBytes = dbf.length >= 12 ? dbf.readUInt16LE(8) + dbf.readUInt32LE(4) * dbf.readUInt16LE(10) : 12;
  if (dbf.length < statedBytes) throw location.error(`${dbf.length} bytes`, `${statedBytes} (the file is cut short)`);
  const rows = dbf.readUInt32LE(4);
  if (rows !== shapes) throw location.error(`${rows} rows`, `${shapes}, the number of shapes in the .shp`);
}

/** An index has a header like that of the main file, with the length of the index, then eight bytes for each shape. */
function checkShx(shx: Buffer, shp: Buffer, location: InputLocation): void {
  const statedBytes = shx.length >= 28 ? shx.readInt32BE(24) * 2 : 100;
  if (shx.length < statedBytes) throw location.error(`${shx.length} bytes`, `${statedBytes} (the file is cut short)`);
  const indexedCount = (shx.length - 100) / 8;
  const shapes = shapeOffsets(shp);
  if (indexedCount !== shapes.length) {
    const expected = `${shapes.length} as in the .shp (one of the two belongs to another shapefile)`;
    throw location.error(`${indexedCount} shapes`, expected);
  }
  shapes.forEach((offset, i) => {
    const indexedOffset = shx.readInt32BE(100 + 8 * i) * 2;
    if (indexedOffset !== offset)
      throw location.error(`shape ${i + 1} at byte ${indexedOffset}`, `byte ${offset}, as in the .shp`);
  });
}

/**
 * Types of shapes made of parts, which state the number of their parts and of their points; of those of points alone.
 */
const TYPES_WITH_PARTS = [3, 5, 13, 15, 23, 25, 31];
const TYPES_OF_POINTS = [8, 18, 28];

/**
 * A shape's parts (4 bytes each) and points (16 bytes each) must fit into its record, and the parts be in order:
 * mapshaper would allocate them, or never end.
 */
function checkShapes(shp: Buffer, location: InputLocation): void {
  shapeOffsets(shp).forEach((offset, i) => {
    const shapeLocation = location.at(`shape ${i + 1}`);
    const length = shp.readInt32BE(offset + 4) * 2;
    const contentStart = offset + 8;
    if (length < 4 || contentStart + length > shp.length)
      throw shapeLocation.error(`a record of ${length} bytes`, `at most the ${shp.length - contentStart} that follow`);
    const type = shp.readInt32LE(contentStart);
    const countOffsets = TYPES_WITH_PARTS.includes(type) ? [36, 40] : TYPES_OF_POINTS.includes(type) ? [36] : [];
    const headerBytes = 4 + (countOffsets.at(-1) ?? 0);
    if (length < headerBytes) throw shapeLocation.error(`a record of ${length} bytes`, 'a complete shape');
    const points = countOffsets.length > 0 ? shp.readUInt32LE(contentStart + countOffsets.at(-1)!) : 0;
    const parts = countOffsets.length > 1 ? shp.readUInt32LE(contentStart + 36) : 0;
    if (headerBytes + 16 * points + 4 * parts > length)
      throw shapeLocation.error(`${points} points in ${parts} parts`, `as many as its ${length} bytes can contain`);
    const starts = Array.from({ length: parts }, (_, part) => shp.readUInt32LE(contentStart + headerBytes + 4 * part));
    if (starts.some((start, part) => start > (starts[part + 1] ?? points)))
      throw shapeLocation.error(`parts that begin at points ${starts.join(', ')} of ${points}`, 'one after the other');
  });
}

/** Offsets of the shapes in a `.shp`: bytes 4 to 7 of each give the length of its content in 16-bit words. */
function shapeOffsets(shp: Buffer): number[] {
  const offsets: number[] = [];
  for (let offset = 100; offset + 8 <= shp.length; offset += 8 + Math.max(0, shp.readInt32BE(offset + 4)) * 2)
    offsets.push(offset);
  return offsets;
}

function checkPrj(text: string | null, file: string, location: InputLocation): void {
  if (text === null) throw location.error('no .prj file', 'one in the same folder that specifies WGS 84');
  const name = /^\s*\w+\s*\[\s*"([^"]*)"/.exec(text)?.[1] ?? text.slice(0, 40);
  const isGeographic = /^\s*GEOG(CS|CRS|RAPHICCRS)\s*\[/i.test(text) || /^\s*GEODCRS\s*\[/i.test(text);
  if (!isGeographic || !/WGS[ _]?(19)?84/i.test(text)) {
    const found = name ? `the coordinate system ${name}` : 'an empty .prj';
    throw location.error(
      found,
      `longitude and latitude on WGS 84 (EPSG:4326); make one with: ${reprojectOutlines(file)}`,
    );
  }
}

async function readGeoJson(file: string, location: InputLocation): Promise<GeoJson> {
  const bytes = await readBytes(file, 'GeoJSON, TopoJSON or a shapefile');
  refuseUnsupported(file, bytes, 'outlines');
  const collection = parseJson(bytes, location, 'GeoJSON') as GeoJson | null;
  const crs = collection?.crs?.properties?.name;
  if (crs !== undefined && !/CRS:?:?84$|EPSG:(:|[\d.]*:)?4326$/.test(String(crs))) {
    const expected = `WGS 84 (GeoJSON's own, or EPSG:4326); make one with: ${reprojectOutlines(file)}`;
    throw location.error(`the coordinate system ${crs}`, expected);
  }
  return toFeatureCollection(collection ?? {}, location);
}

/** DHIS2's organisation units, as JSON or GeoJSON, as features; anything else as it is. */
function toFeatureCollection(content: GeoJson & { organisationUnits?: unknown }, location: InputLocation): GeoJson {
  refuseSinglePage(content, location);
  const units = Array.isArray(content.organisationUnits) ? (content.organisationUnits as OrganisationUnit[]) : null;
  const collection: GeoJson = units ? { type: 'FeatureCollection', features: units.map(toFeature) } : content;
  const features = Array.isArray(collection.features) ? collection.features : [];
  const hasUnits = units !== null || features.some(({ properties }) => properties?.parentGraph !== undefined);
  const levels = new Set(features.map(({ properties }) => properties?.level));
  if (hasUnits && levels.size > 1)
    throw location.error(
      `organisation units of the levels ${[...levels].sort().join(', ')}`,
      'a file for each level, such as …&filter=level:eq:3',
    );
  return collection;
}

type OrganisationUnit = Record<string, unknown> & Pick<NonNullable<GeoJson['features']>[number], 'geometry'>;

/** Its parent's fields become `parent.id` and so on, as in a table. */
function toFeature({ geometry, parent, ...fields }: OrganisationUnit): NonNullable<GeoJson['features']>[number] {
  const parentFields = Object.entries(parent ?? {}).map(([name, value]) => [`parent.${name}`, value]);
  return { properties: { ...fields, ...Object.fromEntries(parentFields) }, geometry: geometry ?? null };
}

async function readBytes(file: string, expected: string): Promise<Buffer> {
  return readFile(file).catch((cause: NodeJS.ErrnoException) => {
    throw new InputLocation(file).error(cause.code === 'ENOENT' ? 'no such file' : errorText(cause), expected);
  });
}

function checkParts(parts: unknown, location: InputLocation): Polygon[] {
  const nonEmptyList = (value: unknown): unknown[] => {
    if (Array.isArray(value) && value.length > 0) return value;
    throw location.error('no rings', 'a polygon');
  };
  return nonEmptyList(parts).map((rings) => nonEmptyList(rings).map((ring) => checkRing(ring, location)));
}

const DEGREES =
  'degrees on the globe; if these are metres of another coordinate system: ogr2ogr -s_srs EPSG:CODE -t_srs EPSG:4326, with its code';

/** The ring's positions without heights. Positions without a height are not copied, because there are many. */
function checkRing(ring: unknown, location: InputLocation): [number, number][] {
  if (!Array.isArray(ring)) throw location.error('a ring that is not a list', 'a list of positions');
  const points = ring.map((position: unknown): [number, number] => {
    const [longitude, latitude] = Array.isArray(position) ? position : [];
    if (!(Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90))
      throw location.error(`the position ${JSON.stringify(position)}`, DEGREES);
    return (position as number[]).length === 2 ? (position as [number, number]) : [longitude, latitude];
  });
  const [first, last] = [points[0], points.at(-1)];
  if (points.length < 4 || first?.[0] !== last?.[0] || first?.[1] !== last?.[1])
    throw location.error(`a ring of ${points.length} positions`, 'four or more, the last equal to the first');
  const antimeridianEdge = points.findIndex((point, i) => i > 0 && crossesAntimeridian(points[i - 1]!, point));
  if (antimeridianEdge !== -1) {
    const found = `an edge from longitude ${points[antimeridianEdge - 1]![0]} to ${points[antimeridianEdge]![0]}`;
    throw location.error(found, 'outlines cut at the antimeridian (RFC 7946, 3.1.9)');
  }
  return points;
}

/** Whether an edge spans more than half the globe, apart from one along a parallel from -180° to 180°. */
function crossesAntimeridian([a]: [number, number], [b]: [number, number]): boolean {
  return Math.abs(a - b) > 180 && !(Math.abs(a) === 180 && Math.abs(b) === 180);
}

function errorText(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
