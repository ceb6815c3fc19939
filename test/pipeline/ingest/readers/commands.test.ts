/** The commands that messages propose are run on files of their kind, and the results compared with the truth. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeValid } from '../../../../pipeline/ingest/readers/commands.ts';
import { describeRaster } from '../../../../pipeline/ingest/readers/geotiff-description.ts';
import { readPolygons } from '../../../../pipeline/ingest/readers/polygons.ts';
import { type ContentKind, refuseUnsupported } from '../../../../pipeline/ingest/readers/unsupported.ts';
import { toGridOutline } from '../../../../pipeline/measure/zonal/outline.ts';
import { commandsIn, HAS_GDAL, messageOf, needsGdal, readAll, runBeside } from '../../gdal.ts';
import { temporaryDirectory, writeRaster } from '../../rasters.ts';

/** Names as people give them, which a shell must not take apart. */
const NAME = "the people's file (2020)";
const gdal = (...args: string[]) => execFileSync(args[0]!, args.slice(1), { stdio: 'pipe' });
const made = (file: string, ending: string) => file.replace(/\.\w+$/, ending);
const total = (values: readonly number[]) => values.reduce((sum, n) => sum + (Number.isNaN(n) ? 0 : n), 0);

/** The command that turns a file of an unsupported format into what is wanted. */
async function commandFor(file: string, wanted: ContentKind): Promise<string> {
  return commandsIn(await messageOf((async () => refuseUnsupported(file, readFileSync(file), wanted))()))[0]!;
}

describe.skipIf(!HAS_GDAL)(needsGdal('rasters'), () => {
  /** A raster on another grid: 60 by 60 cells of 1 km in Mollweide or UTM, far from the central meridian. */
  function projected(system: string, corner: [number, number], value: (row: number, column: number) => number) {
    const directory = temporaryDirectory();
    const [plain, file] = [join(directory, 'plain.tif'), join(directory, `${NAME}.tif`)];
    const rows = Array.from({ length: 60 }, (_, row) => Array.from({ length: 60 }, (_, column) => value(row, column)));
    writeRaster(plain, rows, { cell: 0.1 });
    const [west, north] = corner.map(String) as [string, string];
    const place = ['-a_ullr', west, north, String(corner[0] + 60_000), String(corner[1] - 60_000)];
    gdal('gdal_translate', '-q', '-a_srs', system, ...place, plain, file);
    return { file, values: rows.flat() };
  }

  test.each<[string, string, [number, number]]>([
    ['Mollweide', 'ESRI:54009', [10_005_000, 2_312_000]],
    ['UTM', 'EPSG:32632', [300_000, 1_200_000]],
  ])('%s: counts are kept, and other values averaged without a rim of zeros', async (_, system, corner) => {
    const { file, values } = projected(system, corner, (row, column) => 100 + ((row * 7 + column * 13) % 50));
    const commands = commandsIn(await messageOf(describeRaster(file)));
    expect(commands.map((command) => /-r (\w+)/.exec(command)?.[1])).toEqual(['sum', 'average']);
    runBeside(file, commands[0]!);
    const result = made(file, '_4326.tif');
    expect(total(await readAll(result)) / total(values)).toBeCloseTo(1, 2);
    runBeside(file, `rm *_4326.tif && ${commands[1]}`);
    const averaged = (await readAll(result)).filter((n) => !Number.isNaN(n));
    expect(Math.min(...averaged)).toBeGreaterThanOrEqual(100);
    expect(total(averaged) / averaged.length / (total(values) / values.length)).toBeCloseTo(1, 2);
  });

  test('a system of its own that ArcGIS describes is named by its citation', async () => {
    const { file } = projected('ESRI:54009', [0, 0], () => 1);
    expect(await messageOf(describeRaster(file))).toMatch(/the coordinate system \S*Mollweide, expected EPSG:4326/);
  });

  test('the whole globe from 0 to 360 degrees is turned cell for cell', async () => {
    const cells = Array.from({ length: 36 }, (_, i) => i);
    const file = writeRaster(join(temporaryDirectory(), `${NAME}.tif`), [cells, cells], { cell: 10 });
    runBeside(file, commandsIn(await messageOf(describeRaster(file)))[0]!);
    const turned = [...cells.slice(18), ...cells.slice(0, 18)];
    expect(await readAll(made(file, '_180.tif'))).toEqual([...turned, ...turned]);
    expect((await describeRaster(made(file, '_180.tif'))).grid.west).toBe(-180);
  });

  test('one of several bands', async () => {
    const directory = temporaryDirectory();
    const [one, two] = [join(directory, 'one.tif'), join(directory, 'two.tif')];
    const file = join(directory, `${NAME}.tif`);
    writeRaster(one, [[1, 2]]);
    writeRaster(two, [[3, 4]]);
    gdal('gdalbuildvrt', '-q', '-separate', join(directory, 'both.vrt'), one, two);
    gdal('gdal_translate', '-q', join(directory, 'both.vrt'), file);
    const [command] = commandsIn(await messageOf(describeRaster(file)));
    runBeside(file, command!.replaceAll('N', '2'));
    expect(await readAll(made(file, '_2.tif'))).toEqual([3, 4]);
  });

  test('one of several images', async () => {
    const directory = temporaryDirectory();
    const file = writeRaster(join(directory, `${NAME}.tif`), [[1, 2]]);
    const other = writeRaster(join(directory, 'other.tif'), [[3, 4]]);
    gdal('gdal_translate', '-q', '-co', 'APPEND_SUBDATASET=YES', other, file);
    const message = await messageOf(describeRaster(file));
    expect(message).toContain('found 2 images');
    runBeside(file, commandsIn(message)[0]!.replaceAll('N', '2'));
    expect(await readAll(made(file, '_2.tif'))).toEqual([3, 4]);
  });

  /** Values whose second is masked by the other band. */
  function masked(...options: string[]) {
    const directory = temporaryDirectory();
    const [values, mask] = [join(directory, 'values.tif'), join(directory, 'mask.tif')];
    writeRaster(values, [[5, 6, 7]]);
    writeRaster(mask, [[255, 0, 255]]);
    const both = join(directory, 'both.vrt');
    gdal('gdalbuildvrt', '-q', '-separate', both, values, mask);
    const file = join(directory, `${NAME}.tif`);
    gdal('gdal_translate', '-q', ...options, both, file);
    return file;
  }
  test.each<[string, string[], string]>([
    ['a mask in a file beside it', ['-b', '1', '-mask', '2'], `a mask of missing cells in ${NAME}.tif.msk`],
    [
      'a mask inside it',
      ['-b', '1', '-mask', '2', '--config', 'GDAL_TIFF_INTERNAL_MASK', 'YES'],
      'an internal mask of missing cells',
    ],
    ['a band of transparency', ['-co', 'ALPHA=YES'], 'cells made transparent by band 2'],
  ])('%s becomes missing cells', async (_, options, found) => {
    const file = masked(...options);
    const message = await messageOf(describeRaster(file, { band: 1 }));
    expect(message).toContain(`found ${found}`);
    runBeside(file, commandsIn(message)[0]!);
    expect(await readAll(made(file, '_1.tif'))).toEqual([5, Number.NaN, 7]);
  });

  test('notes beside it are merged into one file', async () => {
    const file = writeRaster(join(temporaryDirectory(), `${NAME}.tif`), [[5, 6, 7]]);
    const notes = '<NoDataValue>6</NoDataValue><Offset>10</Offset><Scale>2</Scale>';
    writeFileSync(`${file}.aux.xml`, `<PAMDataset><PAMRasterBand band="1">${notes}</PAMRasterBand></PAMDataset>`);
    const message = await messageOf(describeRaster(file));
    expect(message).toContain('found the nodata value 6 in');
    runBeside(file, commandsIn(message)[0]!);
    expect(await readAll(made(file, '_merged.tif'))).toEqual([20, Number.NaN, 24]);
  });

  test('a place from a world file, and a system that its owner knows', async () => {
    const directory = temporaryDirectory();
    const plain = writeRaster(join(directory, 'plain.tif'), [[5, 6]]);
    const file = join(directory, `${NAME}.tif`);
    gdal('gdal_translate', '-q', '-co', 'PROFILE=BASELINE', '-co', 'TFW=YES', plain, file);
    const message = await messageOf(describeRaster(file));
    expect(message).toMatch(/found no (place|coordinate system)/);
    runBeside(file, commandsIn(message)[0]!);
    const { grid } = await describeRaster(made(file, '_4326.tif'));
    expect(grid).toEqual({ west: 0, north: 5, cellWidth: 1, cellHeight: 1, columns: 2, rows: 1 });
  });

  test('a month of a NetCDF file', async () => {
    const directory = temporaryDirectory();
    const plain = writeRaster(join(directory, 'plain.tif'), [
      [5, 6],
      [7, 8],
    ]);
    const file = join(directory, `${NAME}.nc`);
    gdal('gdal_translate', '-q', '-of', 'netCDF', plain, file);
    const [command] = commandsIn(await messageOf(describeRaster(file)));
    runBeside(file, command!.replace('VARIABLE', 'Band1').replaceAll('N ', '1 ').replace('_N.tif', '_1.tif'));
    expect(await readAll(made(file, '_1.tif'))).toEqual([5, 6, 7, 8]);
  });
});

const SQUARE: [number, number][] = [
  [7, 9],
  [7.5, 9],
  [7.5, 9.25],
  [7, 9.25],
  [7, 9],
];
const geojson = (...rings: [number, number][][][]) =>
  JSON.stringify({
    type: 'FeatureCollection',
    features: [{ type: 'Feature', properties: { id: 'a' }, geometry: { type: 'MultiPolygon', coordinates: rings } }],
  });

describe.skipIf(!HAS_GDAL)(needsGdal('outlines'), () => {
  const write = (name: string, content: string) => {
    const file = join(temporaryDirectory(), name);
    writeFileSync(file, content);
    return file;
  };
  async function expectSquare(file: string) {
    const [feature, ...others] = await readPolygons(file);
    expect(others).toEqual([]);
    for (const [x, y] of feature!.polygons.flat(2))
      expect(SQUARE.some(([a, b]) => Math.hypot(x - a, y - b) < 1e-7)).toBe(true);
  }

  test.each(['.shp', '.zip'])('in another coordinate system: %s', async (ending) => {
    const source = write('source.geojson', geojson([SQUARE]));
    const folder = temporaryDirectory();
    const file = join(folder, `${NAME}${ending}`);
    gdal('ogr2ogr', '-t_srs', 'EPSG:32632', join(folder, `${NAME}.shp`), source);
    if (ending === '.zip') {
      const { zipSync } = await import('fflate');
      const parts = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))] as const);
      writeFileSync(file, zipSync(Object.fromEntries(parts)));
    }
    runBeside(file, commandsIn(await messageOf(readPolygons(file)))[0]!);
    await expectSquare(made(file, '_4326.geojson'));
  });

  test('a layer of a GeoPackage, whose tables all become CSV', async () => {
    const source = write('source.geojson', geojson([SQUARE]));
    const file = join(temporaryDirectory(), `${NAME}.gpkg`);
    gdal('ogr2ogr', '-f', 'GPKG', '-nln', 'states', file, source);
    gdal('ogr2ogr', '-f', 'GPKG', '-update', '-nln', 'areas', file, source);
    runBeside(file, `${await commandFor(file, 'outlines')} areas`);
    await expectSquare(made(file, '_4326.geojson'));
    runBeside(file, await commandFor(file, 'table'));
    expect(readdirSync(made(file, '_tables')).sort()).toEqual(['areas.csv', 'states.csv']);
  });

  const box = (west: number, south: number, east: number, north: number): [number, number][] => [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
  const MAPSHAPER = `${process.execPath} ${resolve(import.meta.dirname, '../../../../node_modules/mapshaper/bin/mapshaper')}`;
  test.each<[string, [number, number][][][], number]>([
    ['two parts that overlap', [[box(0, 0, 2, 1)], [box(1, 0, 3, 1)]], 3],
    ['a part twice', [[box(0, 0, 2, 1)], [box(0, 0, 2, 1)]], 2],
    ['a part inside another', [[box(0, 0, 3, 3)], [box(1, 1, 2, 2)]], 9],
    ['a hole outside its part', [[box(0, 0, 1, 1), box(2, 0, 3, 1)]], 1],
    ['a hole twice', [[box(0, 0, 3, 3), box(1, 1, 2, 2), box(1, 1, 2, 2)]], 8],
  ])('%s: the cleaned outline has the right area', async (_, polygons, area) => {
    const file = write(`${NAME}.geojson`, geojson(...polygons));
    runBeside(file, makeValid(file).replace('mapshaper', MAPSHAPER));
    const [feature] = await readPolygons(made(file, '_valid.geojson'));
    const grid = { west: 0, north: 5, cellWidth: 1, cellHeight: 1, columns: 5, rows: 5 };
    expect(toGridOutline(feature!.polygons, grid).area).toBeCloseTo(area, 9);
  });
});

describe.skipIf(!HAS_GDAL)(needsGdal('tables'), () => {
  test('every sheet of an OpenDocument workbook', async () => {
    const directory = temporaryDirectory();
    const file = join(directory, `${NAME}.ods`);
    for (const [sheet, rows] of [
      ['2015', 'area,cases\nA,1\nB,2\n'],
      ['2016', 'area,name\nA,x\nB,y\n'],
    ] as const) {
      const csv = join(directory, `${sheet}.csv`);
      writeFileSync(csv, rows);
      gdal('ogr2ogr', '-f', 'ODS', ...(sheet === '2015' ? [] : ['-update']), file, csv);
    }
    runBeside(file, await commandFor(file, 'table'));
    const read = (sheet: string) =>
      readFileSync(join(made(file, '_tables'), `${sheet}.csv`), 'utf8')
        .replaceAll('"', '')
        .trim()
        .split('\n');
    expect(read('2015')).toEqual(['area,cases', 'A,1', 'B,2']);
    expect(read('2016')).toEqual(['area,name', 'A,x', 'B,y']);
  });
});

const HAS_R = spawnSync('Rscript', ['--version']).status === 0;
test.skipIf(!HAS_R)(`every data frame of RData${HAS_R ? '' : ' (skipped: no r-base-core here)'}`, async () => {
  const file = join(temporaryDirectory(), `${NAME}.RData`);
  const script = `one <- data.frame(a = c(1, NA), b = c("x", "y")); two <- data.frame(c = 3); save(one, two, file = ${JSON.stringify(file)})`;
  execFileSync('Rscript', ['-e', script]);
  runBeside(file, await commandFor(file, 'table'));
  const read = (name: string) =>
    readFileSync(join(file, '..', name), 'utf8')
      .trim()
      .split('\n');
  expect(read('one.csv')).toEqual(['"a","b"', '1,"x"', ',"y"']);
  expect(read('two.csv')).toEqual(['"c"', '3']);
});
