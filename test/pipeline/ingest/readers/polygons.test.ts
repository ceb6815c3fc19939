import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import mapshaper from 'mapshaper';
import { describe, expect, test } from 'vitest';
import { readDbf } from '../../../../pipeline/ingest/readers/dbf.ts';
import { identifyFeatures, readPolygons } from '../../../../pipeline/ingest/readers/polygons.ts';
import { temporaryDirectory } from '../../rasters.ts';

const WGS84 =
  'GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]]';
const SQUARE = [
  [0.1, 0],
  [1, 0],
  [1, 1 / 3],
  [0.1, 1 / 3],
  [0.1, 0],
];
const feature = (id: unknown, coordinates: unknown = [SQUARE], type = 'Polygon') => ({
  type: 'Feature',
  properties: { id },
  geometry: { type, coordinates },
});

function writeGeoJson(content: unknown): string {
  const file = join(temporaryDirectory(), 'a.geojson');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

const collection = (...features: unknown[]) => ({ type: 'FeatureCollection', features });

test('a byte-order mark has no meaning, and ids beyond 2^53 keep their digits', async () => {
  const text = JSON.stringify(collection(feature('ID')));
  const file = writeGeoJson(`\uFEFF${text.replace('"ID"', '12345678901234567890')}`);
  expect((await readPolygons(file))[0]!.properties).toEqual({ id: '12345678901234567890' });
  expect((await readPolygons(writeGeoJson(text.replace('"ID"', '9007199254740991'))))[0]!.properties.id).toBe(
    2 ** 53 - 1,
  );
});

test('an edge that crosses the antimeridian is refused; one from -180° to 180° along a parallel is not', async () => {
  const box = (west: number, east: number) => [
    [
      [west, 0],
      [east, 0],
      [east, 1],
      [west, 1],
      [west, 0],
    ],
  ];
  const file = writeGeoJson(collection(feature(1), feature(2, box(179, -179))));
  await expect(readPolygons(file)).rejects.toThrow(
    `${file}, feature 2: found an edge from longitude 179 to -179, expected outlines cut at the antimeridian`,
  );
  await expect(readPolygons(writeGeoJson(collection(feature(1, box(-180, 180)))))).resolves.toHaveLength(1);
  await expect(readPolygons(writeGeoJson(collection(feature(1, box(-90, 90)))))).resolves.toHaveLength(1);
});

/** Writes a shapefile of two squares, the second with a hole; `cut` truncates one of its files. */
async function writeShapefile(options: { prj?: string | null; cut?: '.shp' | '.dbf' | '.shx' } = {}): Promise<string> {
  const hole = SQUARE.map(([x, y]) => [0.5 + (x! - 0.5) / 2, 0.1 + (y! - 0.1) / 2]).reverse();
  const output = await mapshaper.applyCommands('-i a.json -o a.shp', {
    'a.json': collection(
      feature('KN'),
      feature('Ọ̀yọ́', [SQUARE.map(([x, y]) => [x! + 2, y!]), hole.map(([x, y]) => [x! + 2, y!])]),
    ),
  });
  const directory = temporaryDirectory();
  for (const extension of ['.shp', '.dbf', '.shx', '.cpg'] as const) {
    const bytes = output[`a${extension}`];
    if (!bytes) continue;
    const end = options.cut === extension ? -40 : undefined;
    writeFileSync(join(directory, `a${extension}`), Buffer.from(bytes).subarray(0, end));
  }
  const prj = options.prj === undefined ? WGS84 : options.prj;
  if (prj !== null) writeFileSync(join(directory, 'a.PRJ'), prj);
  return join(directory, 'a.shp');
}

describe('GeoJSON', () => {
  test('polygons and multipolygons with their properties; coordinates are unchanged, heights are dropped', async () => {
    const high = SQUARE.map(([x, y]) => [x, y, 300]);
    const file = writeGeoJson(collection(feature(7), feature('b', [[high], [SQUARE]], 'MultiPolygon')));
    expect(await readPolygons(file)).toEqual([
      { properties: { id: 7 }, polygons: [[SQUARE]] },
      { properties: { id: 'b' }, polygons: [[SQUARE], [SQUARE]] },
    ]);
  });

  test.each<[string, unknown, string]>([
    ['invalid JSON', '{', 'expected GeoJSON'],
    ['another type', { type: 'Feature' }, 'found Feature, expected a FeatureCollection'],
    ['TopoJSON without a layer', { type: 'Topology' }, 'found the layers none, expected TopoJSON with one layer'],
    ['an empty collection', collection(), 'no features'],
    ['points', collection(feature(1, [0, 0], 'Point')), 'feature 1: found Point'],
    ['no geometry', collection(feature(1), { type: 'Feature', properties: {}, geometry: null }), 'feature 2'],
    ['an open ring', collection(feature(1, [SQUARE.slice(0, -1)])), 'a ring of 4 positions'],
    ['metres', collection(feature(1, [SQUARE.map(([x, y]) => [x! * 5e5, y])])), 'degrees on the globe'],
    ['text instead of a number', collection(feature(1, [[['x', 0], ...SQUARE]])), 'degrees on the globe'],
    [
      'another coordinate system',
      { ...collection(feature(1)), crs: { type: 'name', properties: { name: 'urn:ogc:def:crs:EPSG::32632' } } },
      'EPSG::32632',
    ],
  ])('%s is refused', async (_, content, message) => {
    await expect(readPolygons(writeGeoJson(content))).rejects.toThrow(message);
  });

  test('the usual names of WGS 84 are accepted', async () => {
    for (const name of ['urn:ogc:def:crs:OGC:1.3:CRS84', 'EPSG:4326', 'urn:ogc:def:crs:EPSG::4326']) {
      const crs = { type: 'name', properties: { name } };
      expect(await readPolygons(writeGeoJson({ ...collection(feature(1)), crs }))).toHaveLength(1);
    }
  });
});

/** Replaces the ids in the attributes by `id` and their number. */
function rewriteIds(file: string, id: Buffer): void {
  const table = file.replace(/shp$/, 'dbf');
  const dbf = readFileSync(table);
  const [header, record] = [dbf.readUInt16LE(8), dbf.readUInt16LE(10)];
  for (let i = 0; i < dbf.readUInt32LE(4); i++) {
    const at = header + i * record;
    dbf.fill(' ', at + 1, at + record);
    Buffer.concat([id, Buffer.from(String(i + 1))]).copy(dbf, at + 1);
  }
  writeFileSync(table, dbf);
}

describe('shapefile', () => {
  test('full-resolution coordinates, holes and non-ASCII letters', async () => {
    const [first, second] = await readPolygons(await writeShapefile());
    expect(first!.properties).toEqual({ id: 'KN' });
    expect(new Set(first!.polygons[0]![0]!.map(String))).toEqual(new Set(SQUARE.map(String)));
    expect(second!.properties).toEqual({ id: 'Ọ̀yọ́' });
    expect(second!.polygons[0]).toHaveLength(2);
  });

  test('truncated parts are refused', async () => {
    await expect(readPolygons(await writeShapefile({ cut: '.shp' }))).rejects.toThrow('cut short');
    await expect(readPolygons(await writeShapefile({ cut: '.dbf' }))).rejects.toThrow('.dbf');
    await expect(readPolygons(await writeShapefile({ cut: '.shx' }))).rejects.toThrow('its .shx: found 76 bytes');
  });

  test('parts that do not belong together are refused', async () => {
    const file = await writeShapefile();
    const [shx, dbf] = ['shx', 'dbf'].map((ending) => file.replace(/shp$/, ending)) as [string, string];
    const index = readFileSync(shx);
    const fewer = Buffer.from(index.subarray(0, -8));
    fewer.writeInt32BE(fewer.length / 2, 24);
    writeFileSync(shx, fewer);
    await expect(readPolygons(file)).rejects.toThrow('its .shx: found 1 shapes, expected 2 as in the .shp');
    const moved = Buffer.from(index);
    moved.writeInt32BE(7, 108);
    writeFileSync(shx, moved);
    await expect(readPolygons(file)).rejects.toThrow('its .shx: found shape 2 at byte 14, expected');
    writeFileSync(shx, index);
    writeFileSync(file.replace(/shp$/, 'cpg'), 'UTF');
    await expect(readPolygons(file)).rejects.toThrow('its .cpg: found "UTF", expected the name of an encoding');
    writeFileSync(file.replace(/shp$/, 'cpg'), 'UTF-8');
    const table = readFileSync(dbf);
    table.writeUInt32LE(1, 4);
    writeFileSync(dbf, table);
    await expect(readPolygons(file)).rejects.toThrow('its .dbf: found 1 rows, expected 2, the number of shapes');
  });

  test.each([
    ...['UTF-8', 'UTF8', 'UTF 8', 'utf-8\r\n', '\ufeffUTF-8', '65001', 'CP65001'].map(
      (name) => [name, 'utf-8'] as const,
    ),
    ...[
      'ISO 88591',
      '88591',
      'ISO-8859-1',
      '8859_1',
      'ISO8859-1',
      'ANSI 1252',
      '1252',
      'CP1252',
      'windows-1252',
      '28591',
    ].map((name) => [name, 'latin1'] as const),
  ])('its .cpg may name the encoding %j', async (name, encoding) => {
    const file = await writeShapefile();
    rewriteIds(file, Buffer.from('Boké', encoding));
    writeFileSync(file.replace(/shp$/, 'cpg'), name);
    expect(identifyFeatures(await readPolygons(file), 'id', file)).toEqual(['Boké1', 'Boké2']);
    const { rows } = await readDbf(file.replace(/shp$/, 'dbf'), 'a.dbf');
    expect(rows.map(({ cells }) => cells[0]!.trim())).toEqual(['Boké1', 'Boké2']);
  });

  test('a dBase table with records too small for its fields is refused, whatever number of them it claims', async () => {
    const file = (await writeShapefile()).replace(/shp$/, 'dbf');
    const bytes = readFileSync(file);
    bytes.writeUInt32LE(0xffffffff, 4);
    bytes.writeUInt16LE(0, 10);
    writeFileSync(file, bytes);
    await expect(readDbf(file, 'a.dbf')).rejects.toThrow(/^a\.dbf, header: found records of 0 bytes, expected \d+, as/);
  });

  test('ids read in another encoding than they have are refused', async () => {
    for (const [name, encoding] of [
      ['UTF-8', 'latin1'],
      ['ANSI 1252', 'utf-8'],
    ] as const) {
      const file = await writeShapefile();
      rewriteIds(file, Buffer.from('Boké', encoding));
      writeFileSync(file.replace(/shp$/, 'cpg'), name);
      const features = await readPolygons(file);
      expect(() => identifyFeatures(features, 'id', file)).toThrow(
        /feature 1, id: .*does the \.cpg file give the right/,
      );
    }
    expect(identifyFeatures([{ properties: { id: 'São Tomé, CÂMARA Nº 1' }, polygons: [] }], 'id', 'a')).toHaveLength(
      1,
    );
  });

  test('a shape with more points than its record can contain is refused before it is read', async () => {
    const file = await writeShapefile();
    const shp = readFileSync(file);
    shp.writeInt32LE(2 ** 31 - 1, 100 + 8 + 40);
    writeFileSync(file, shp);
    await expect(readPolygons(file)).rejects.toThrow(
      /shape 1: found 2147483647 points in 1 parts, expected as many as/,
    );
    const long = readFileSync(file);
    long.writeInt32BE(2 ** 30, 104);
    writeFileSync(file, long);
    await expect(readPolygons(file)).rejects.toThrow('shape 1: found a record of 2147483648 bytes');
  });

  test('the coordinate system must be given and be WGS 84', async () => {
    await expect(readPolygons(await writeShapefile({ prj: null }))).rejects.toThrow('no .prj');
    const minna = WGS84.replaceAll(/WGS_1984/g, 'Minna');
    await expect(readPolygons(await writeShapefile({ prj: minna }))).rejects.toThrow('GCS_Minna');
    const utm = `PROJCS["WGS_1984_UTM_Zone_32N",${WGS84}]`;
    await expect(readPolygons(await writeShapefile({ prj: utm }))).rejects.toThrow('UTM_Zone_32N');
  });

  test('a missing file is refused', async () => {
    const file = join(temporaryDirectory(), 'a.shp');
    await expect(readPolygons(file)).rejects.toThrow(`${file}: found no such file`);
  });
});

describe('ids', () => {
  const features = (...ids: unknown[]) => ids.map((id) => ({ properties: { id }, polygons: [] }));
  test('are read as text; missing, empty and duplicate ids are refused', () => {
    expect(identifyFeatures(features('b', 3), 'id', 'f')).toEqual(['b', '3']);
    expect(() => identifyFeatures(features('b'), 'code', 'f')).toThrow('the fields id, expected a field code');
    expect(() => identifyFeatures(features('b', null), 'id', 'f')).toThrow('f, feature 2: found an empty id');
    expect(() => identifyFeatures(features('b', 3, '3'), 'id', 'f')).toThrow(
      'f, features 2 and 3: found the same id 3',
    );
  });
});

test('a part of a shapefile in place of its .shp is told', async () => {
  await expect(readPolygons('areas.dbf')).rejects.toThrow('areas.dbf: found a part of a shapefile, expected its .shp');
});
