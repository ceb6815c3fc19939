import { expect, test } from 'vitest';
import type { Polygon } from '../../../../pipeline/lib/numerics/area.ts';
import type { Grid } from '../../../../pipeline/lib/numerics/grid.ts';
import { createCover } from '../../../../pipeline/measure/zonal/coverage.ts';
import { toGridOutline } from '../../../../pipeline/measure/zonal/outline.ts';
import { addWindow, createSums, zonalStatistics } from '../../../../pipeline/measure/zonal/sums.ts';

const GRID: Grid = { west: 0, north: 5, cellWidth: 1, cellHeight: 1, columns: 5, rows: 5 };
const WINDOW = { row: 0, column: 0, rows: 5, columns: 5 };
const NONE = Number.NaN;

/** Covers ¼ ½ ½ ¼ / ½ 1 1 ½ / ½ 1 1 ½ / ¼ ½ ½ ¼ of the first four rows and columns. */
const BOX: Polygon = [
  [
    [0.5, 1.5],
    [3.5, 1.5],
    [3.5, 4.5],
    [0.5, 4.5],
    [0.5, 1.5],
  ],
];

function statistics(values: number[], weights: number[] | null, polygon = BOX) {
  const sums = createSums();
  const coverage = createCover(5)(toGridOutline([polygon], GRID), 0, 5);
  addWindow(sums, coverage, WINDOW, Float64Array.from(values), weights && Float64Array.from(weights));
  return zonalStatistics(sums, weights !== null);
}

// biome-ignore format: laid out as on the map
const VALUES = [
  1, 1, 1,    1, 9,
  2, 2, NONE, 2, 9,
  3, 3, 3,    3, 9,
  4, 4, 4,    4, 9,
  9, 9, 9,    9, 9,
];
// biome-ignore format: laid out as on the map
const WEIGHTS = [
  10, 10, 10,   10, 0,
  10, 10, 10,   10, 0,
  0,  20, NONE, 0,  0,
  10, 10, 10,   10, 0,
  50, 50, 50,   50, 0,
];

test('each statistic equals that of a matrix worked by hand', () => {
  const count = 1.5 + (3 - 1) + 3 + 1.5;
  const sum = 1.5 * 1 + 2 * 2 + 3 * 3 + 1.5 * 4;
  const weight_sum = 1.5 * 10 + 2 * 10 + 1 * 20 + 1.5 * 10;
  const weighted_sum = 1.5 * 10 * 1 + 2 * 10 * 2 + 1 * 20 * 3 + 1.5 * 10 * 4;
  expect(statistics(VALUES, WEIGHTS)).toEqual({
    count,
    sum,
    mean: sum / count,
    weight_sum,
    weighted_sum,
    weighted_mean: weighted_sum / weight_sum,
  });
  expect(statistics(VALUES, null)).toEqual({
    count,
    sum,
    mean: sum / count,
    weight_sum: null,
    weighted_sum: null,
    weighted_mean: null,
  });
});

test('cells without a value are left out, not treated as 0; without any value the mean is null', () => {
  const empty = Array(25).fill(NONE);
  expect(statistics(empty, WEIGHTS)).toEqual({
    count: 0,
    sum: 0,
    mean: null,
    weight_sum: 0,
    weighted_sum: 0,
    weighted_mean: null,
  });
  expect(statistics(VALUES, Array(25).fill(0)).weighted_mean).toBeNull();
});

test('windows give exactly the sums of all rows at once', () => {
  const values = Float64Array.from({ length: 25 }, (_, i) => 1 / (i + 3));
  const outline = toGridOutline([BOX], GRID);
  const cover = createCover(5);
  const all = createSums();
  addWindow(all, cover(outline, 0, 5), WINDOW, values, values);
  const parts = createSums();
  for (const [first, end] of [
    [0, 1],
    [1, 3],
    [3, 5],
  ] as const) {
    // Windows may omit columns that the area does not meet.
    const window = { row: first, column: 0, rows: end - first, columns: 4 };
    const cells = values.filter((_, i) => i % 5 < 4 && i >= first * 5 && i < end * 5);
    addWindow(parts, cover(outline, first, end), window, cells, cells);
  }
  expect(parts).toEqual(all);
});

test('small terms are not lost among large ones', () => {
  const all: Polygon = [
    [
      [0, 0],
      [5, 0],
      [5, 5],
      [0, 5],
      [0, 0],
    ],
  ];
  const column = (n: number) => [n, 0, 0, 0, 0];
  const values = [1e16, 1, 1, 1, -1e16].flatMap(column);
  expect(statistics(values, null, all).sum).toBe(3);
});
