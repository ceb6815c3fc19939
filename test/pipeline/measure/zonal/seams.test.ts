import { expect, test } from 'vitest';
import { randomStream } from '../../../../pipeline/lib/numerics/random.ts';
import { createSeamFinder } from '../../../../pipeline/measure/zonal/raster-checks.ts';

const GRID = { west: 30, north: 10, cellWidth: 0.01, cellHeight: 0.01, columns: 600, rows: 480 };

/** People who differ from cell to cell as much as in a real raster, with a factor by row and column. */
function seamsOf(factor: (row: number, column: number) => number): string[] {
  const { uniform } = randomStream(1, 'people');
  const finder = createSeamFinder(GRID);
  for (let row = 0; row < GRID.rows; row += 40)
    finder.add(
      Float64Array.from({ length: 40 * GRID.columns }, (_, i) => {
        const [y, x] = [row + Math.floor(i / GRID.columns), i % GRID.columns];
        return uniform() < 0.3 ? 0 : factor(y, x) * 20 * Math.exp(uniform() + uniform() - 1);
      }),
    );
  return finder.finish();
}

test('people have no seam in noise, at a town or along a gradient', () => {
  expect(seamsOf(() => 1)).toEqual([]);
  expect(seamsOf((row, column) => (row > 50 && row < 60 && column < 30 ? 40 : 1))).toEqual([]);
  expect(seamsOf((row, column) => Math.exp((row + column) / 30))).toEqual([]);
});

test('an overlap of tiles that were added has a seam on each side', () => {
  expect(seamsOf((row) => (row >= 50 && row < 75 ? 2 : 1))).toEqual([
    expect.stringMatching(/^at latitude 9\.500 in \d+% of \d+ cells$/),
    expect.stringMatching(/^at latitude 9\.250 in /),
  ]);
  expect(seamsOf((_, column) => (column >= 150 ? 2 : 1))).toEqual([expect.stringMatching(/^at longitude 31\.500 in /)]);
});
