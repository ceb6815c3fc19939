/** Tests of the formats in raw-data/README.md: those that are read, and the messages for those that are refused. */
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { zipSync } from 'fflate';
import mapshaper from 'mapshaper';
import { describe, expect, test } from 'vitest';
import { describeRaster } from '../../../pipeline/ingest/readers/geotiff-description.ts';
import { readPolygons } from '../../../pipeline/ingest/readers/polygons.ts';
import { readTable } from '../../../pipeline/ingest/readers/raw-table.ts';
import { checkCountry } from '../../../pipeline/intake/check/check-country.ts';
import { repairCountry } from '../../../pipeline/intake/repair/repair.ts';
import { monthInName } from '../../../pipeline/intake/update/file-paths.ts';
import { temporary } from '../../support/command-line.ts';
import { sourceIn, type TinyCountry, writeTiny } from '../../support/tiny-country.ts';

const SQUARE = '{"type":"Polygon","coordinates":[[[3,4],[4,4],[4,5],[3,5],[3,4]]]}';
const GEOJSON = `{"type":"FeatureCollection","crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:OGC:1.3:CRS84"}},"features":[{"type":"Feature","properties":{"shapeName":"Ambo","shapeISO":"","shapeID":"7B","shapeGroup":"MDG","shapeType":"ADM2"},"geometry":${SQUARE}}]}`;
const WGS84 =
  'GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137,298.257223563]],PRIMEM["Greenwich",0],UNIT["Degree",0.0174532925199433]]';

const written = (name: string, content: string | Uint8Array) => {
  const file = join(temporary(), name);
  writeFileSync(file, content);
  return file;
};
async function shapefile(more: Record<string, Uint8Array> = {}) {
  const output = await mapshaper.applyCommands('-i a.json -o a.shp', { 'a.json': GEOJSON });
  return { ...output, 'a.prj': Buffer.from(WGS84), ...more };
}
const zipped = (parts: Record<string, Uint8Array | string>) =>
  zipSync(Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, Buffer.from(part)])));

describe('outlines', () => {
  test.each<[string, () => Promise<string>]>([
    ['GeoJSON as published by geoBoundaries', async () => written('a.geojson', GEOJSON)],
    [
      'TopoJSON',
      async () => {
        const made = await mapshaper.applyCommands('-i a.json -o a.topojson format=topojson', { 'a.json': GEOJSON });
        return written('a.topojson', made['a.topojson']!);
      },
    ],
    [
      'a zipped shapefile in a folder, with files added by macOS',
      async () => {
        const parts = Object.entries(await shapefile()).map(([name, part]) => [`areas/${name.toUpperCase()}`, part]);
        return written('a.zip', zipped({ ...Object.fromEntries(parts), '__MACOSX/areas/._A.SHP': 'x' }));
      },
    ],
  ])('%s', async (_, write) => {
    const [feature, ...others] = await readPolygons(await write());
    expect([feature!.properties.shapeName, feature!.polygons.flat(2).length, others]).toEqual(['Ambo', 5, []]);
  });

  test('an outline of 200,000 vertices is read in seconds', async () => {
    const ring = Array.from({ length: 200_000 }, (_, i) => {
      const at = (i * 2 * Math.PI) / 200_000;
      return [3 + Math.cos(at), 4 + Math.sin(at)];
    });
    const [feature] = await readPolygons(
      written('a.geojson', GEOJSON.replace(/\[\[\[.*\]\]\]/, JSON.stringify([[...ring, ring[0]]]))),
    );
    expect(feature!.polygons.flat(2)).toHaveLength(200_001);
  }, 10_000);

  test.each<[string, (parts: Record<string, Uint8Array>) => Uint8Array, RegExp]>([
    [
      'no shapefile',
      () => zipped({ 'a.csv': 'x' }),
      /found the shapefiles none, expected a zip with one shapefile; if it has other files, unpack it/,
    ],
    [
      'two shapefiles',
      (parts) => zipped({ ...parts, 'b.shp': parts['a.shp']! }),
      /found the shapefiles a\.shp, b\.shp/,
    ],
    [
      'truncated data',
      (parts) => zipped(parts).subarray(0, -30),
      /cannot be unpacked .* expected an intact zip with a shapefile/,
    ],
    ['no coordinate system', ({ 'a.prj': _, ...parts }) => zipped(parts), /found no \.prj file/],
    [
      'another coordinate system',
      (parts) => zipped({ ...parts, 'a.prj': `PROJCS["UTM_38S",${WGS84}]` }),
      /UTM_38S, expected .*make one with: ogr2ogr -t_srs EPSG:4326 a_4326\.geojson \/vsizip\/a\.zip$/,
    ],
    [
      'a truncated part',
      (parts) => zipped({ ...parts, 'a.dbf': parts['a.dbf']!.slice(0, -40) }),
      /its \.dbf: found .*\(the file is cut short/,
    ],
  ])('a zip with %s is refused', async (_, pack, message) => {
    await expect(readPolygons(written('a.zip', pack(await shapefile())))).rejects.toThrow(message);
  });

  test('a zip with an excessive unpacked size is refused before it is unpacked', async () => {
    const bomb = Buffer.from(zipped({ 'a.shp': 'x', 'a.dbf': 'x' }));
    // The size of the first file in the zip's central directory.
    bomb.writeUInt32LE(2 ** 31, bomb.indexOf('PK\x01\x02', 0, 'latin1') + 24);
    await expect(readPolygons(written('a.zip', bomb))).rejects.toThrow(/more than 1024 MB unpacked/);
  });
});

describe('tables', () => {
  const columns = { place: 'ou', period: 'pe', confirmed: 'value' };
  const read = async (name: string, content: string | Uint8Array, format: 'csv' | 'json') => {
    const file = written(name, content);
    const { rows } = await readTable(join(file, '..'), { files: [{ path: basename(file) }], columns, format });
    return rows.map(({ line, values }) => [line, ...Object.values(values)]);
  };
  const ROWS = [
    [2, 'ImspTQPwCqd', '2024-01', '12'],
    [3, 'O6uvpzGd5pu', '2024-01', null],
  ];

  test.each<[string, string, string | Uint8Array, 'csv' | 'json']>([
    ['CSV', 'a.csv', 'ou,pe,value\nImspTQPwCqd,202401,12\nO6uvpzGd5pu,202401,\n', 'csv'],
    ['gzipped CSV', 'a.csv.gz', gzipSync('ou,pe,value\nImspTQPwCqd,202401,12\nO6uvpzGd5pu,202401,\n'), 'csv'],
    [
      "DHIS2's analytics as JSON",
      'analytics.json',
      JSON.stringify({
        headers: [{ name: 'ou', column: 'Organisation unit' }, { name: 'pe' }, { name: 'value', valueType: 'NUMBER' }],
        metaData: { items: {} },
        rows: [
          ['ImspTQPwCqd', '202401', '12'],
          ['O6uvpzGd5pu', '202401', ''],
        ],
        width: 3,
      }),
      'json',
    ],
    [
      'a list of records',
      'a.json',
      JSON.stringify([
        { ou: 'ImspTQPwCqd', pe: 202401, value: 12 },
        { ou: 'O6uvpzGd5pu', pe: '202401', value: null, comment: ['x'] },
      ]),
      'json',
    ],
  ])('%s', async (_, name, content, format) => {
    expect(await read(name, content, format)).toEqual(ROWS);
  });

  test("DHIS2's organisation units: parents by `parent.id`", async () => {
    const content = JSON.stringify({
      organisationUnits: [{ id: 'O6uvpzGd5pu', code: 'OU_264', name: 'Bo', level: 2, parent: { id: 'ImspTQPwCqd' } }],
    });
    const file = written('units.json', content);
    const { rows } = await readTable(join(file, '..'), {
      files: [{ path: 'units.json' }],
      format: 'json',
      columns: { lga: 'name', lga_pcode: 'id', state_pcode: 'parent.id' },
    });
    expect(rows[0]!.values).toEqual({ lga: 'Bo', lga_pcode: 'O6uvpzGd5pu', state_pcode: 'ImspTQPwCqd' });
  });

  test.each<[string, string]>([
    ['{"headers": [{"name": "ou"}], "rows": [["a", "b"]]}', 'row 2: found 2 cells, expected 1 as in `headers`'],
    ['{"a": [{"x": 1}], "b": [{"y": 1}]}', 'found JSON of another form'],
    ['[1, 2]', 'found JSON of another form'],
    ['[]', 'found JSON of another form'],
    ['{"headers"', 'found text that is not valid JSON'],
  ])('%s is refused', async (content, message) => {
    await expect(read('a.json', content, 'json')).rejects.toThrow(message);
  });

  /** The tiny country's cases as exported by DHIS2, with its own ids and names. */
  const asDhis2 = (names: readonly string[]) => (country: TinyCountry) => {
    const rows = String(country.files['cases.csv']).trim().split('\n').slice(1);
    country.files['cases.csv'] = `ou,ouname,pe,value\n${rows
      .map((row) => row.split(','))
      .flatMap(([, month, cases]) => names.map((name, i) => `unit${i},${name},${month!.replace('-', '')},${cases}\n`))
      .join('')}`;
    const source = sourceIn(country, 'cases');
    source.columns = { state_pcode: 'ou', state: 'ouname', period: 'pe', confirmed: 'value' };
  };

  test("`catalog repair` recodes DHIS2's ids by the names in the same rows", async () => {
    const { directory } = writeTiny(asDhis2(['ABIA ']));
    const { repairs, left } = await repairCountry(directory, directory, {
      at: '2026-01-02T03:04:05.000Z',
      by: 'Ada',
      reason: 'as DHIS2 names them',
    });
    expect([repairs.map(({ declares }) => declares), left]).toEqual([
      ['recode state_pcode: "unit0" means "NG001"'],
      [],
    ]);
    expect(await checkCountry(directory)).toEqual([]);
    const { directory: misspelled } = writeTiny(asDhis2(['Abbia']));
    expect((await repairCountry(misspelled)).repairs).toMatchObject([
      { declares: 'recode state_pcode: "unit0" means "NG001"', fault: expect.stringContaining('likeness 0.86') },
    ]);
    const { directory: unknown } = writeTiny(asDhis2(['Zomba']));
    // They may be of another country, but they may be the only rows: they are not left out.
    const { repairs: none, left: unknownPlaces } = await repairCountry(unknown);
    expect(none).toEqual([]);
    expect(unknownPlaces[0]!.what).toMatch(
      /found unit0 .*such as NG001 Abia: most places of this table are of no area/,
    );
  });
});

describe('rasters', () => {
  test.each<[string, string, number]>([
    ['a GeoTIFF with a nodata tag', '-99999', -99999],
    ['a GeoTIFF from WorldPop', '-3.4028234663852886e+38', -3.4028234663852886e38],
  ])('%s', async (_, tag, nodata) => {
    const { writeGeotiff } = await import('../../../pipeline/synthetic/geotiff-writer.ts');
    const grid = { west: 3, north: 5, step: 0.5, columns: 2, rows: 2 };
    const file = written('people.tif', writeGeotiff(Float32Array.of(1, 2, nodata, 4), grid, tag));
    const { openSource, allowedUnits } = await import('../../../pipeline/measure/zonal/raster-sources.ts');
    const source = { ...sourceIn(writeTiny(), 'population'), nodata: undefined, range: [0, 100] } as never;
    const raster = await openSource(source, join(file, '..'), allowedUnits(source), basename(file));
    const values = await raster.readWindow({ row: 0, column: 0, rows: 2, columns: 2 });
    await raster.close();
    expect([...values]).toEqual([1, 2, Number.NaN, 4]);
  });

  test('another raster format is refused with the command that makes a GeoTIFF', async () => {
    await expect(describeRaster(written('rain.nc', 'CDF\x01\0\0\0\0'))).rejects.toThrow(/gdal_translate .*rain\.nc/);
  });

  test.each([
    ['chirps-v2.0.2024.01.tif', '2024-01'],
    ['rain_2023-12.tif', '2023-12'],
    ['wc2.1_2.5m_prec_202307.tif', '2023-07'],
    ['mdg_pd_2017_1km.tif', null],
    ['rain_2023-13.tif', null],
  ])('the month in the name %s is %s', (name, month) => {
    expect(monthInName(name)).toBe(month);
  });
});
