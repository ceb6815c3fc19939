import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { describeRaster } from '../../../../pipeline/ingest/readers/geotiff-description.ts';
import type { Polygon } from '../../../../pipeline/lib/numerics/area.ts';
import { toGridOutline } from '../../../../pipeline/measure/zonal/outline.ts';
import { sumInside } from '../../../../pipeline/measure/zonal/pass.ts';
import { zonalStatistics } from '../../../../pipeline/measure/zonal/sums.ts';
import { writeGeotiff } from '../../../../pipeline/synthetic/geotiff-writer.ts';
import { temporaryDirectory } from '../../rasters.ts';
import { encodeTiff, type TiffOptions } from '../../tiff-encoder.ts';

const [ROWS, COLUMNS] = [70, 90];
const cells = (f: (row: number, column: number) => number) =>
  Array.from({ length: ROWS }, (_, r) => Array.from({ length: COLUMNS }, (_, c) => f(r, c)));
const VALUES = cells((r, c) => Math.fround(Math.sin(r * 0.7) + c / 9));
const OTHERS = cells((r, c) => (r * 31 + c * 17) % 200);
const WEIGHTS = cells((r, c) => ((r * c) % 7) + (r === 5 ? 0 : 1));

/** Tilted quadrilaterals that tile most of the raster (45° × 35° from 10, 5) and extend beyond it. */
const POLYGONS: Polygon[][] = Array.from({ length: 30 }, (_, k) => {
  const at = (i: number, j: number): [number, number] => [
    9 + 8 * i + 1.3 * Math.sin(j),
    6 - 7.5 * j - 1.1 * Math.cos(2 * i),
  ];
  const [i, j] = [k % 6, Math.floor(k / 6)];
  return [[[at(i, j), at(i, j + 1), at(i + 1, j + 1), at(i + 1, j), at(i, j)]]];
});

const TILES: TiffOptions = {
  type: 'float32',
  compression: 'deflate',
  predictor: 3,
  littleEndian: true,
  big: false,
  block: { columns: 16, rows: 16 },
  bands: 1,
  planar: false,
  southUp: false,
};

async function describeAs(rows: number[][], options: Partial<TiffOptions> = {}, valid?: [number, number]) {
  const file = join(temporaryDirectory(), 'a.tif');
  writeFileSync(file, encodeTiff([rows], { ...TILES, ...options }));
  return describeRaster(file, { valid });
}

type Rasters = Awaited<ReturnType<typeof describeAs>>;

async function statistics(layers: Rasters[], weights: Rasters | null, polygons = POLYGONS, jobs = 1) {
  const outlines = polygons.map((polygon) => toGridOutline(polygon, layers[0]!.grid));
  const sums = await sumInside(layers, weights, outlines, jobs, () => {});
  return sums.map((layer) => layer.map((sum) => zonalStatistics(sum, weights !== null)));
}

/** The largest relative difference between two lists of statistics. */
function difference(a: object[], b: object[]): number {
  const figures = (list: object[]) => list.flatMap((row) => Object.values(row) as (number | null)[]);
  const other = figures(b);
  return Math.max(
    ...figures(a).map((x, i) => (x === other[i] ? 0 : Math.abs(x! - other[i]!) / Math.max(1, Math.abs(x!)))),
  );
}

describe('several layers in one pass', () => {
  test('passes over parts of the areas give exactly the results of one pass over all', async () => {
    const [layers, weights] = [[await describeAs(VALUES), await describeAs(OTHERS)], await describeAs(WEIGHTS)];
    const all = await statistics(layers, weights);
    const parts = [0, 1, 2, 3].map((part) => [...POLYGONS.keys()].filter((k) => (k * 7) % 4 === part));
    const merged = all.map((layer) => layer.map(() => ({}) as (typeof layer)[number]));
    for (const part of parts) {
      const own = await statistics(
        layers,
        weights,
        part.map((k) => POLYGONS[k]!),
        2,
      );
      for (const [i, layer] of own.entries()) for (const [j, row] of layer.entries()) merged[i]![part[j]!] = row;
    }
    expect(merged).toEqual(all);
    expect(all[0]!.some((row) => Object.values(row).some((x) => typeof x === 'number' && x % 1 !== 0))).toBe(true);
  });

  test('give exactly the results of separate passes', async () => {
    const layers = [await describeAs(VALUES), await describeAs(OTHERS)];
    const weights = await describeAs(WEIGHTS);
    const together = await statistics(layers, weights);
    expect(together[0]).toEqual((await statistics([layers[0]!], weights))[0]);
    expect(together[1]).toEqual((await statistics([layers[1]!], weights))[0]);
    expect(together[0]).not.toEqual(together[1]);
  });
});

describe('results do not depend on the blocks of the files', () => {
  const forms: [string, Partial<TiffOptions>][] = [
    ['small tiles', {}],
    ['tiles of incompatible sizes', { block: { columns: 48, rows: 32 } }],
    ['strips of one row', { block: { rows: 1 } }],
    ['one strip', { block: { rows: ROWS } }],
    ['strips from the south', { block: { rows: 16 }, southUp: true }],
    ['uncompressed rows', { compression: 'none', predictor: 1, block: { rows: ROWS } }],
  ];
  test.each(forms)('%s', async (_, form) => {
    const plain = await statistics(
      [await describeAs(VALUES, { block: { rows: ROWS } })],
      await describeAs(WEIGHTS, { block: { rows: ROWS } }),
    );
    for (const weights of [await describeAs(WEIGHTS), await describeAs(WEIGHTS, form)]) {
      const found = await statistics([await describeAs(VALUES, form)], weights);
      expect(difference(found[0]!, plain[0]!)).toBeLessThan(1e-13);
    }
  });

  test('an area that covers the raster has all its cells', async () => {
    const [all] = await statistics([await describeAs(VALUES)], null, [
      [
        [
          [
            [10, 5],
            [55, 5],
            [55, -30],
            [10, -30],
            [10, 5],
          ],
        ],
      ],
    ]);
    expect(all![0]!.count).toBe(ROWS * COLUMNS);
    expect(all![0]!.sum).toBeCloseTo(
      VALUES.flat().reduce((a, b) => a + b),
      8,
    );
  });

  test('areas outside the raster have no cells', async () => {
    const away: Polygon[] = [
      [
        [
          [100, 5],
          [101, 5],
          [101, 4],
          [100, 4],
          [100, 5],
        ],
      ],
    ];
    const [row] = (await statistics([await describeAs(VALUES)], null, [away]))[0]!;
    expect(row).toMatchObject({ count: 0, sum: 0, mean: null });
  });
});

describe('threads', () => {
  // Large enough for threads to be used: 2.2 million cells in each of two rasters.
  const side = { columns: 2000, rows: 1100 };
  const grid = { west: 10, north: 5, step: 0.01, ...side };
  const large = async () => {
    const file = join(temporaryDirectory(), 'large.tif');
    const values = Float32Array.from({ length: side.columns * side.rows }, (_, i) => (i % 1013) / 7);
    writeFileSync(file, writeGeotiff(values, grid));
    return file;
  };
  const areas = Array.from({ length: 40 }, (_, k): Polygon[] => {
    const [x, y] = [10 + (k % 8) * 2.4, 4.9 - Math.floor(k / 8) * 2.1];
    return [
      [
        [
          [x, y],
          [x + 2.3, y - 0.337],
          [x + 1.9, y - 2],
          [x + 0.123, y - 1.7],
          [x, y],
        ],
      ],
    ];
  });

  test('one, two or three threads give identical results', async () => {
    const file = await large();
    const [layer, weights] = [await describeRaster(file), await describeRaster(file, { valid: [0, 1000] })];
    const one = await statistics([layer], weights, areas, 1);
    expect(await statistics([layer], weights, areas, 2)).toEqual(one);
    expect(await statistics([layer], weights, areas, 3)).toEqual(one);
    expect(one[0]![0]!.count).toBeGreaterThan(10_000);
  });

  test('the northernmost fault is reported, whichever thread finds it', async () => {
    const file = await large();
    const [layer, weights] = [await describeRaster(file), await describeRaster(file, { valid: [0, 100] })];
    const found = /large\.tif, row 9, column 0 .*found 111\.2\d*, expected 0 to 100/;
    for (const jobs of [1, 2]) await expect(statistics([layer], weights, areas, jobs)).rejects.toThrow(found);
    await expect(statistics([layer], weights, areas, 2)).rejects.toMatchObject({ name: 'BadInput' });
  });
});
