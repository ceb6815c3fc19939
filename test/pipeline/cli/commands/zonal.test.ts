import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runZonal, type ZonalOptions } from '../../../../pipeline/cli/commands/zonal.ts';
import { HAS_REAL_DATA, needsReal, REAL_DATA, REFERENCE } from '../../../support/real-data.ts';
import { commandsIn, HAS_GDAL, messageOf, readAll, runBeside } from '../../gdal.ts';
import { temporaryDirectory, writeRaster } from '../../rasters.ts';

const CLI = resolve(import.meta.dirname, '../../../../pipeline/cli/program.ts');

/** The western half of a 2 × 2 raster and a quarter more; and a box outside the raster. */
const POLYGONS = {
  type: 'FeatureCollection',
  features: [
    ['west, and more', [0, 3, 1.5, 5]],
    ['away', [50, 3, 51, 5]],
  ].map(([name, box]) => {
    const [west, south, east, north] = box as [number, number, number, number];
    const ring = [
      [west, south],
      [east, south],
      [east, north],
      [west, north],
      [west, south],
    ];
    return { type: 'Feature', properties: { name }, geometry: { type: 'Polygon', coordinates: [ring] } };
  }),
};
const VALUES = [
  [1, 2],
  [3, -1],
];
const WEIGHTS = [
  [10, 20],
  [30, 40],
];

function prepare(change: Partial<ZonalOptions> = {}): ZonalOptions {
  const directory = temporaryDirectory();
  const at = (name: string) => join(directory, name);
  writeFileSync(at('polygons.geojson'), JSON.stringify(POLYGONS));
  return {
    polygons: at('polygons.geojson'),
    id: 'name',
    raster: [writeRaster(at('values.tif'), VALUES, { nodata: '-1' })],
    weights: writeRaster(at('weights.tif'), WEIGHTS),
    out: at('out.csv'),
    ...change,
  };
}

const HEADER = 'id,count,sum,mean,weight_sum,weighted_sum,weighted_mean';

async function run(options: ZonalOptions) {
  await runZonal(options, () => {});
  return readFileSync(options.out, 'utf8').trimEnd().split('\n');
}

describe('table', () => {
  test('every column is as computed by hand; a polygon outside the raster has counts of 0 and no means', async () => {
    const count = 1 + 0.5 + 1;
    const sum = 1 + 0.5 * 2 + 3;
    const weightSum = 10 + 0.5 * 20 + 30;
    const weightedSum = 10 * 1 + 0.5 * 20 * 2 + 30 * 3;
    expect(await run(prepare())).toEqual([
      HEADER,
      `"west, and more",${[count, sum, sum / count, weightSum, weightedSum, weightedSum / weightSum].join(',')}`,
      'away,0,0,,0,0,',
    ]);
  });

  test('without weights their columns are empty; --nodata overrides the tag', async () => {
    const options = prepare();
    delete options.weights;
    expect((await run(options))[1]).toBe('"west, and more",2.5,5,2,,,');
    expect((await run({ ...options, nodata: 'none' }))[1]).toBe('"west, and more",3,4.5,1.5,,,');
    expect((await run({ ...options, nodata: 3 }))[1]).toBe('"west, and more",2,1.5,0.75,,,');
  });
});

describe('several rasters', () => {
  test('give a line for each polygon and raster, with the raster in a column of its own', async () => {
    const options = prepare();
    const other = writeRaster(join(options.out, '..', 'other.tif'), [
      [5, 6],
      [7, 8],
    ]);
    const [first] = options.raster;
    const lines = await run({ ...options, raster: [first!, other] });
    expect(lines[0]).toBe('id,raster,count,sum,mean,weight_sum,weighted_sum,weighted_mean');
    const alone = await run(options);
    expect(lines[1]!.replace(`,${first}`, '')).toBe(alone[1]);
    expect(lines[2]).toBe(`"west, and more",${other},3,19,${19 / 3},70,480,${480 / 70}`);
    expect(lines.map((line) => line.split(',')[0])).toEqual(['id', '"west', '"west', 'away', 'away']);
  });

  test('are refused if their grids differ', async () => {
    const options = prepare();
    const other = writeRaster(join(options.out, '..', 'other.tif'), VALUES, { west: 0.001 });
    await expect(run({ ...options, raster: [...options.raster, other] })).rejects.toThrow(
      "expected the raster's 2 × 2",
    );
  });

  test('may have grids that differ by rounding', async () => {
    const options = prepare();
    const other = writeRaster(join(options.out, '..', 'other.tif'), WEIGHTS, { west: 1e-13, north: 5 + 1e-12 });
    expect(await run({ ...options, weights: other })).toEqual(await run(options));
  });
});

describe('weights on a grid of their own', () => {
  /** Cells of half a degree: four in each of the raster's. */
  const FINE = [
    [1, 2, 3, 4],
    [5, 6, 7, 8],
    [9, 10, 11, 12],
    [13, 14, 15, 16],
  ];

  test('give each of their cells the value of the cell that contains its centre; other statistics stay', async () => {
    const options = prepare();
    const fine = writeRaster(join(options.out, '..', 'fine.tif'), FINE, { cell: 0.5 });
    const { warnings } = await runZonal({ ...options, weights: fine }, () => {});
    expect(warnings).toContainEqual(expect.stringContaining('the weights have a grid of their own'));
    const [, line] = readFileSync(options.out, 'utf8').split('\n');
    // The western three columns of the weights; the cell with −1 is missing.
    const [first, second, third] = [1 + 2 + 5 + 6, 3 + 7, 9 + 10 + 13 + 14];
    const [weight, sum] = [first! + second! + third!, first! + 2 * second! + 3 * third!];
    expect(line).toBe(`"west, and more",2.5,5,2,${[weight, sum, sum / weight].join(',')}`);
    expect(await run({ ...options, weights: fine, jobs: 2 })).toEqual(
      readFileSync(options.out, 'utf8').trimEnd().split('\n'),
    );
  });

  test('are refused if their cells are larger, with the command that averages the raster over them', async () => {
    const options = prepare();
    const directory = join(options.out, '..');
    const raster = writeRaster(join(directory, 'my raster.tif'), FINE, { cell: 0.5 });
    const refused = runZonal({ ...options, raster: [raster] }, () => {});
    const message = await messageOf(refused);
    expect(message).toContain(
      'weights.tif: found weights in 2 × 2 cells of 1 × 1° from 0, 5, expected cells no larger',
    );
    if (!HAS_GDAL) return;
    runBeside(raster, commandsIn(message)[0]!);
    const averaged = join(directory, 'my raster_averaged.tif');
    expect(await readAll(averaged)).toEqual([3.5, 5.5, 11.5, 13.5]);
    expect((await run({ ...options, raster: [averaged] }))[1]).toContain(
      `,${(10 * 3.5 + 10 * 5.5 + 30 * 11.5 + 20 * 13.5) / 70}`,
    );
  });

  test('may have a nodata value without a tag', async () => {
    const options = prepare();
    const weights = writeRaster(join(options.out, '..', 'w.tif'), [
      [10, -99999],
      [30, 40],
    ]);
    await expect(run({ ...options, weights })).rejects.toThrow('found -99999, expected 0 to');
    expect((await run({ ...options, weights, weightsNodata: -99999 }))[1]).toMatch(/,40,100,2.5$/);
  });
});

describe('what a reader of the figures should know', () => {
  const warningsOf = async (options: ZonalOptions) => (await runZonal(options, () => {})).warnings;

  test('polygons off the raster and partly off it, with how much', async () => {
    const options = prepare();
    expect(await warningsOf(options)).toEqual([`${options.raster[0]}: 1 of 2 polygons have no cell of it: away`]);
    const boxes = POLYGONS.features.map((feature, i) => ({
      type: 'Feature',
      properties: { name: `p${i}` },
      geometry: {
        type: 'Polygon',
        coordinates: [feature.geometry.coordinates[0]!.map(([x, y]) => [x! + 1 - 50 * i, y!])],
      },
    }));
    writeFileSync(options.polygons, JSON.stringify({ type: 'FeatureCollection', features: boxes }));
    // The first now spans 1° to 2.5°, of which the raster covers 1° to 2°; the second is inside.
    expect(await warningsOf(options)).toEqual([
      `${options.raster[0]}: 1 of 2 polygons are partly off it, and their sums lack that part: p0 33.3%`,
    ]);
  });

  test('on the command line it is a line of standard error', () => {
    const { polygons, raster, out } = prepare();
    const files = ['--polygons', polygons, '--raster', ...raster, '--out', out];
    const done = spawnSync(process.execPath, [CLI, 'zonal', '--id', 'name', ...files], { encoding: 'utf8' });
    expect([done.status, done.stdout.trim()]).toEqual([0, `${out}: 2 polygons`]);
    expect(done.stderr).toBe(`warning: ${raster[0]}: 1 of 2 polygons have no cell of it: away\n`);
  });
});

describe('refused', () => {
  test('an outline that overlaps itself, with its id and the command that cleans it', async () => {
    const options = prepare();
    const [first] = POLYGONS.features;
    const twice = { type: 'MultiPolygon', coordinates: [first!.geometry.coordinates, first!.geometry.coordinates] };
    const features = [{ type: 'Feature', properties: { name: 'double' }, geometry: twice }];
    writeFileSync(options.polygons, JSON.stringify({ type: 'FeatureCollection', features }));
    await expect(runZonal(options, () => {})).rejects.toThrow(
      /name double: found an outline that crosses or overlaps itself at 0, 4, expected .* mapshaper polygons\.geojson -clean/,
    );
  });

  const weights = (rows: number[][]) => writeRaster(join(temporaryDirectory(), 'weights.tif'), rows);
  test.each<[string, () => Partial<ZonalOptions>, string]>([
    [
      'values that only mark missing cells',
      () => ({ raster: [weights([[1, -9999]])], weights: undefined! }),
      'row 0, column 1 (1.5000, 4.5000): found -9999',
    ],
    [
      'weights below 0',
      () => ({
        weights: weights([
          [10, -9999],
          [30, 40],
        ]),
      }),
      'row 0, column 1 (1.5000, 4.5000): found -9999',
    ],
    ['a missing field', () => ({ id: 'code' }), 'expected a field code'],
    ['a missing raster', () => ({ raster: ['nowhere.tif'] }), 'nowhere.tif: found no such file'],
  ])('%s', async (_, change, message) => {
    await expect(runZonal(prepare(change()), () => {})).rejects.toThrow(message);
  });

  test('an error leaves an older output as it was, and nothing beside it', async () => {
    const options = prepare({ id: 'code' });
    writeFileSync(options.out, 'old');
    await expect(runZonal(options, () => {})).rejects.toThrow();
    expect(readFileSync(options.out, 'utf8')).toBe('old');
    expect(readdirSync(join(options.out, '..')).filter((name) => name.includes('part'))).toEqual([]);
  });

  test('on the command line an error is one line and exit code 2', () => {
    const options = prepare({ id: 'code' });
    const call = (...more: string[]) =>
      spawnSync(
        process.execPath,
        [CLI, 'zonal', '--polygons', options.polygons, '--raster', ...options.raster, ...more],
        {
          encoding: 'utf8',
        },
      );
    const bad = call('--id', 'code', '--out', options.out);
    expect(bad.status).toBe(2);
    expect(bad.stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(bad.stderr).toContain('expected a field code');
    expect(call('--id', 'name').status).toBe(2);
    expect(existsSync(options.out)).toBe(false);
    expect(call('--id', 'name', '--out', options.out).status).toBe(0);
    expect(existsSync(options.out)).toBe(true);
  });
});

describe('real rasters', () => {
  test.skipIf(!HAS_REAL_DATA)(
    needsReal('population and elevation of all 774 LGAs within 1e-11 of the reference'),
    () => {
      const reference = readTable(join(REFERENCE, 'zonal_by_lga.csv'));
      const directory = temporaryDirectory();
      const statistics = (raster: string, ...more: string[]) => {
        const out = join(directory, 'out.csv');
        const polygons = join(REAL_DATA, 'boundaries/nga_admbnda_adm2_osgof_20190417.shp');
        const files = ['--polygons', polygons, '--raster', join(REAL_DATA, raster), '--out', out];
        execFileSync(process.execPath, [CLI, 'zonal', '--id', 'ADM2_PCODE', ...files, ...more]);
        return readTable(out);
      };
      const people = statistics('population/nga_pop_v2_1_1km.tif');
      const metres = statistics('elevation/NGA_msk_alt.tif');
      expect(people.size).toBe(774);
      expect(reference.size).toBe(774);
      for (const [code, row] of reference) {
        expectRelative(people.get(code)!.sum!, row.population!, code);
        expectRelative(metres.get(code)!.mean!, row.elevation_m_area_mean!, code);
      }
      expect([...people.values()].reduce((sum, row) => sum + Math.round(row.sum!), 0)).toBe(216_371_857);
    },
  );
});

function expectRelative(found: number, expected: number, code: string) {
  if (!(Math.abs(found / expected - 1) <= 1e-11)) throw new Error(`${code}: found ${found}, expected ${expected}`);
}

/** Rows by their first column. */
function readTable(file: string): Map<string, Record<string, number>> {
  const [header, ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n');
  const names = header!.split(',');
  return new Map(
    lines.map((line) => {
      const cells = line.split(',');
      return [cells[0]!, Object.fromEntries(names.slice(1).map((name, i) => [name, Number(cells[i + 1])]))];
    }),
  );
}
