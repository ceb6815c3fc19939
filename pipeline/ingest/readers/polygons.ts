import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { feature } from 'topojson-client';
import type { Topology } from 'topojson-specification';
import { BadInput } from '../../lib/bad-input.ts';
import type { Polygon } from '../../lib/numerics/area.ts';
import { refuseUnsupported } from './unsupported.ts';

/** A feature with its polygons at full resolution, every ring closed. */
export interface PolygonFeature {
  properties: Record<string, unknown>;
  polygons: Polygon[];
}

/** A position in a file, for messages. */
interface Location {
  file: string;
  where: string;
}

interface GeoJson {
  type?: string;
  crs?: { properties?: { name?: unknown } } | null;
  features?: {
    properties?: Record<string, unknown> | null;
    geometry?: { type?: string; coordinates?: unknown } | null;
  }[];
}

/**
 * Reads polygons in longitude and latitude on WGS 84, in the file's order, from a shapefile (`.shp` with its `.dbf` and
 * `.prj`, or a zip with one shapefile), a GeoJSON FeatureCollection or TopoJSON.
 */
export async function readPolygons(file: string): Promise<PolygonFeature[]> {
  const shapefile = ['.shp', '.zip'].includes(extname(file).toLowerCase());
  const collection = shapefile ? await readShapefile(file) : await readGeoJson(file);
  if (collection.type === 'Topology') return polygonsOf(file, featuresOfTopology(file, collection as Topology));
  return polygonsOf(file, collection);
}

/** Merges features with the same value of `field`, removing inner borders; the first one's properties are kept. */
export async function dissolveBy(field: string, features: readonly PolygonFeature[]): Promise<PolygonFeature[]> {
  const groups = Map.groupBy(features, ({ properties }) => properties[field]);
  if (groups.size === features.length) return [...features];
  const { default: mapshaper } = await import('mapshaper');
  const collection = {
    type: 'FeatureCollection',
    features: [...groups.values()].flatMap((own, group) =>
      own.map(({ polygons }) => ({
        ...{ type: 'Feature', properties: { group } },
        geometry: { type: 'MultiPolygon', coordinates: polygons },
      })),
    ),
  };
  const output = await mapshaper.applyCommands('-i in.json -dissolve2 group -sort group -o out.json format=geojson', {
    'in.json': JSON.stringify(collection),
  });
  const dissolved = polygonsOf('dissolved outlines', JSON.parse(Buffer.from(output['out.json']!).toString()));
  return [...groups.values()].map(([first], i) => ({ ...first!, polygons: dissolved[i]!.polygons }));
}

/** The decoded features of TopoJSON with one layer. */
function featuresOfTopology(file: string, topology: Topology): GeoJson {
  const layers = Object.keys(topology.objects ?? {});
  if (layers.length !== 1)
    throw new BadInput(file, '', `the layers ${layers.join(', ') || 'none'}`, 'TopoJSON with one layer');
  try {
    return feature(topology, topology.objects[layers[0]!]!) as GeoJson;
  } catch (cause) {
    throw new BadInput(file, '', `content that cannot be read (${reason(cause)})`, 'TopoJSON');
  }
}

function polygonsOf(file: string, collection: GeoJson): PolygonFeature[] {
  if (collection.type !== 'FeatureCollection' || !Array.isArray(collection.features)) {
    throw new BadInput(file, '', collection.type ?? 'something other than GeoJSON', 'a FeatureCollection');
  }
  if (collection.features.length === 0) throw new BadInput(file, '', 'no features', 'polygons');
  return collection.features.map(({ properties, geometry }, index) => {
    const location: Location = { file, where: `feature ${index + 1}` };
    if (geometry?.type !== 'Polygon' && geometry?.type !== 'MultiPolygon') {
      throw new BadInput(file, location.where, geometry?.type ?? 'no geometry', 'Polygon or MultiPolygon');
    }
    const parts = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates;
    return { properties: properties ?? {}, polygons: checkParts(parts, location) };
  });
}

/**
 * The features' ids: the text in `field`.
 * @throws BadInput if a feature has no id or two features share one
 */
export function identifyFeatures(features: PolygonFeature[], field: string, file: string): string[] {
  const places = new Map<string, number>();
  return features.map(({ properties }, index) => {
    const value = properties[field];
    if (value === undefined) {
      const fields = Object.keys(properties).join(', ') || 'none';
      throw new BadInput(file, `feature ${index + 1}`, `the fields ${fields}`, `a field ${field}`);
    }
    const id = value === null ? '' : String(value).trim();
    if (id === '') throw new BadInput(file, `feature ${index + 1}`, `an empty ${field}`, 'an id');
    const before = places.get(id);
    if (before !== undefined) {
      throw new BadInput(
        file,
        `features ${before} and ${index + 1}`,
        `the same ${field} ${id}`,
        'a different one for each',
      );
    }
    places.set(id, index + 1);
    return id;
  });
}

async function readShapefile(file: string): Promise<GeoJson> {
  const parts = extname(file).toLowerCase() === '.zip' ? await partsInZip(file) : await partsBeside(file);
  const shp = parts.get('.shp')!;
  // The length in the header, in 16-bit words: mapshaper would read a truncated file without an error.
  const stated = shp.length >= 28 ? shp.readInt32BE(24) * 2 : 100;
  if (shp.length < stated) throw new BadInput(file, '', `${shp.length} bytes`, `${stated} (the file is cut short)`);
  const input: Record<string, Uint8Array> = { 'polygons.shp': shp };
  for (const [extension, part] of parts) {
    if (extension === '.shx') checkShx(file, part, shp);
    else input[`polygons${extension}`] = part;
  }
  if (!input['polygons.dbf'])
    throw new BadInput(file, '', 'no .dbf file with the attributes', 'one in the same folder');
  checkDbf(file, input['polygons.dbf'] as Buffer, shapesOf(shp).length);
  if (input['polygons.cpg']) checkCpg(file, String(input['polygons.cpg']));
  checkPrj(file, input['polygons.prj']?.toString() ?? null);
  try {
    // Imported only here because it is large and GeoJSON does not need it.
    const { default: mapshaper } = await import('mapshaper');
    const output = await mapshaper.applyCommands('-i polygons.shp -o polygons.json format=geojson', input);
    return JSON.parse(Buffer.from(output['polygons.json']!).toString()) as GeoJson;
  } catch (cause) {
    throw new BadInput(file, '', `content that cannot be read (${reason(cause)})`, 'a shapefile');
  }
}

/** The parts of a shapefile that are read; their extensions may be in upper case. */
const PARTS = ['.shp', '.shx', '.dbf', '.prj', '.cpg'];
const extensionOf = (name: string) => extname(name).toLowerCase();

async function partsBeside(file: string): Promise<Map<string, Buffer>> {
  const parts = new Map([['.shp', await read(file, 'a shapefile')]]);
  const stem = basename(file, extname(file));
  for (const name of (await readdir(dirname(file))).sort()) {
    const extension = extensionOf(name);
    if (basename(name, extname(name)) === stem && PARTS.includes(extension) && extension !== '.shp')
      parts.set(extension, await read(join(dirname(file), name), `the ${extension} of ${basename(file)}`));
  }
  return parts;
}

/** Limit on the unpacked size of a shapefile, far above that of any country. */
const MOST_BYTES = 2 ** 30;

async function partsInZip(file: string): Promise<Map<string, Buffer>> {
  const zip = await read(file, 'a zip with a shapefile');
  const { unzipSync } = await import('fflate');
  let bytes = 0;
  try {
    const found = Object.entries(
      unzipSync(zip, {
        filter: ({ name, originalSize }) => {
          // Metadata that macOS adds for each file.
          if (name.startsWith('__MACOSX/') || !PARTS.includes(extensionOf(name))) return false;
          bytes += originalSize;
          if (bytes > MOST_BYTES) throw new Error(`more than ${MOST_BYTES / 2 ** 20} MB unpacked`);
          return true;
        },
      }),
    ).map(([name, part]) => [name, Buffer.from(part)] as const);
    const shapefiles = found.filter(([name]) => extensionOf(name) === '.shp').map(([name]) => name);
    if (shapefiles.length !== 1)
      throw new BadInput(file, '', `the shapefiles ${shapefiles.join(', ') || 'none'}`, 'a zip with one shapefile');
    const stem = shapefiles[0]!.slice(0, -'.shp'.length);
    return new Map(
      found
        .filter(([name]) => name.slice(0, -extname(name).length) === stem)
        .map(([name, part]) => [extensionOf(name), part]),
    );
  } catch (cause) {
    if (cause instanceof BadInput) throw cause;
    throw new BadInput(file, '', `data that cannot be unpacked (${reason(cause)})`, 'an intact zip with a shapefile');
  }
}

/** A dBase header contains the number of records (byte 4) and the lengths of the header (8) and of a record (10). */
function checkDbf(file: string, dbf: Buffer, shapes: number): void {
  const stated = dbf.length >= 12 ? dbf.readUInt16LE(8) + dbf.readUInt32LE(4) * dbf.readUInt16LE(10) : 12;
  if (dbf.length < stated)
    throw new BadInput(file, 'its .dbf', `${dbf.length} bytes`, `${stated} (the file is cut short)`);
  const rows = dbf.readUInt32LE(4);
  if (rows !== shapes)
    throw new BadInput(file, 'its .dbf', `${rows} rows`, `${shapes}, the number of shapes in the .shp`);
}

/** An index has a header like that of the main file, with its own length, then eight bytes for each shape. */
function checkShx(file: string, shx: Buffer, shp: Buffer): void {
  const stated = shx.length >= 28 ? shx.readInt32BE(24) * 2 : 100;
  if (shx.length < stated)
    throw new BadInput(file, 'its .shx', `${shx.length} bytes`, `${stated} (the file is cut short)`);
  const indexed = (shx.length - 100) / 8;
  const shapes = shapesOf(shp);
  if (indexed !== shapes.length) {
    const expected = `${shapes.length} as in the .shp (one of the two belongs to another shapefile)`;
    throw new BadInput(file, 'its .shx', `${indexed} shapes`, expected);
  }
  shapes.forEach((at, i) => {
    const found = shx.readInt32BE(100 + 8 * i) * 2;
    if (found !== at)
      throw new BadInput(file, 'its .shx', `shape ${i + 1} at byte ${found}`, `byte ${at}, as in the .shp`);
  });
}

/** Offsets of the shapes in a `.shp`: bytes 4 to 7 of each give the length of its content in 16-bit words. */
function shapesOf(shp: Buffer): number[] {
  const shapes: number[] = [];
  for (let at = 100; at + 8 <= shp.length; at += 8 + Math.max(0, shp.readInt32BE(at + 4)) * 2) shapes.push(at);
  return shapes;
}

/** A `.cpg` names the encoding of the attributes; with an invalid name, mapshaper would guess it. */
function checkCpg(file: string, cpg: string): void {
  const name = cpg.trim();
  try {
    if (!/^((ANSI|OEM|CP) ?)?\d{3,5}$/i.test(name)) new TextDecoder(name);
  } catch {
    throw new BadInput(file, 'its .cpg', JSON.stringify(name), 'the name of an encoding, such as UTF-8');
  }
}

function checkPrj(file: string, text: string | null): void {
  if (text === null) throw new BadInput(file, '', 'no .prj file', 'one in the same folder that specifies WGS 84');
  const name = /^\s*\w+\s*\[\s*"([^"]*)"/.exec(text)?.[1] ?? text.slice(0, 40);
  const geographic = /^\s*GEOG(CS|CRS|RAPHICCRS)\s*\[/i.test(text) || /^\s*GEODCRS\s*\[/i.test(text);
  if (!geographic || !/WGS[ _]?(19)?84/i.test(text)) {
    const found = name ? `the coordinate system ${name}` : 'an empty .prj';
    throw new BadInput(file, '', found, `longitude and latitude on WGS 84 (EPSG:4326)${reproject(file)}`);
  }
}

const reproject = (file: string) => `; make one with: ogr2ogr -t_srs EPSG:4326 outlines.geojson ${basename(file)}`;

async function readGeoJson(file: string): Promise<GeoJson> {
  const text = await read(file, 'GeoJSON, TopoJSON or a shapefile');
  refuseUnsupported(file, text, 'outlines');
  let collection: GeoJson;
  try {
    collection = JSON.parse(text.toString());
  } catch (cause) {
    throw new BadInput(file, '', `text that is not valid JSON (${reason(cause)})`, 'GeoJSON');
  }
  const crs = collection?.crs?.properties?.name;
  if (crs !== undefined && !/CRS:?:?84$|EPSG:(:|[\d.]*:)?4326$/.test(String(crs))) {
    throw new BadInput(
      file,
      '',
      `the coordinate system ${crs}`,
      `WGS 84 (GeoJSON's own, or EPSG:4326)${reproject(file)}`,
    );
  }
  return collection ?? {};
}

async function read(file: string, expected: string): Promise<Buffer> {
  return readFile(file).catch((cause: unknown) => {
    throw new BadInput(
      file,
      '',
      (cause as NodeJS.ErrnoException).code === 'ENOENT' ? 'no such file' : reason(cause),
      expected,
    );
  });
}

function checkParts(parts: unknown, location: Location): Polygon[] {
  if (!Array.isArray(parts) || parts.length === 0)
    throw new BadInput(location.file, location.where, 'no rings', 'a polygon');
  return parts.map((rings: unknown) => {
    if (!Array.isArray(rings) || rings.length === 0)
      throw new BadInput(location.file, location.where, 'no rings', 'a polygon');
    return rings.map((ring: unknown) => checkRing(ring, location));
  });
}

/** The ring's positions without heights. Positions without a height are not copied, because there are many. */
function checkRing(ring: unknown, location: Location): [number, number][] {
  if (!Array.isArray(ring))
    throw new BadInput(location.file, location.where, 'a ring that is not a list', 'a list of positions');
  const points = ring.map((position: unknown): [number, number] => {
    const [longitude, latitude] = Array.isArray(position) ? position : [];
    if (!(Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90)) {
      throw new BadInput(
        location.file,
        location.where,
        `the position ${JSON.stringify(position)}`,
        'degrees on the globe',
      );
    }
    return (position as number[]).length === 2 ? (position as [number, number]) : [longitude, latitude];
  });
  const [first, last] = [points[0], points.at(-1)];
  if (points.length < 4 || first?.[0] !== last?.[0] || first?.[1] !== last?.[1]) {
    throw new BadInput(
      location.file,
      location.where,
      `a ring of ${points.length} positions`,
      'four or more, the last equal to the first',
    );
  }
  const over = points.findIndex((point, i) => i > 0 && isOverAntimeridian(points[i - 1]!, point));
  if (over !== -1) {
    const found = `an edge from longitude ${points[over - 1]![0]} to ${points[over]![0]}`;
    throw new BadInput(location.file, location.where, found, 'outlines cut at the antimeridian (RFC 7946, 3.1.9)');
  }
  return points;
}

/** Whether an edge spans more than half the globe, apart from one along a parallel from -180° to 180°. */
function isOverAntimeridian([a]: [number, number], [b]: [number, number]): boolean {
  return Math.abs(a - b) > 180 && !(Math.abs(a) === 180 && Math.abs(b) === 180);
}

function reason(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
