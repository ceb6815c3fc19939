import { expect, test } from 'vitest';
import { cutTiles, listWindows } from '../../../../pipeline/ingest/readers/windows.ts';
import type { Grid } from '../../../../pipeline/lib/numerics/grid.ts';

const GRID: Grid = { west: 0, north: 50, cellWidth: 1, cellHeight: 1, columns: 5000, rows: 1000 };
const outline = (firstRow: number, endRow: number, firstColumn: number, endColumn: number) => ({
  firstRow,
  endRow,
  firstColumn,
  endColumn,
});

test('bands consist of complete rows of blocks, and cover the rows and columns of the outlines', () => {
  const bands = listWindows(GRID, { blockRows: 256, northRows: 0 }, [
    outline(100, 300, 40, 90),
    outline(500, 600, 7, 8),
  ]);
  expect(bands).toEqual([
    { row: 100, rows: 156, column: 7, columns: 83 },
    { row: 256, rows: 256, column: 7, columns: 83 },
    { row: 512, rows: 88, column: 7, columns: 83 },
  ]);
});

test('small blocks are combined up to about a million cells; in a south-up file the partial block is in the north', () => {
  expect(
    listWindows(GRID, { blockRows: 1, northRows: 0 }, [outline(0, 1000, 0, 5000)]).map(({ rows }) => rows),
  ).toEqual([209, 209, 209, 209, 164]);
  const southUp = listWindows(GRID, { blockRows: 256, northRows: 1000 % 256 }, [outline(0, 1000, 0, 5000)]);
  expect(southUp.map(({ row, rows }) => [row, rows])).toEqual([
    [0, 232],
    [232, 256],
    [488, 256],
    [744, 256],
  ]);
});

test('there are no bands without outlines', () => {
  expect(listWindows(GRID, { blockRows: 256, northRows: 0 }, [])).toEqual([]);
  expect(listWindows(GRID, { blockRows: 256, northRows: 0 }, [outline(3, 3, 0, 9), outline(0, 9, 4, 4)])).toEqual([]);
});

test('tiles end between blocks and cover the band exactly once', () => {
  const band = { row: 256, rows: 256, column: 100, columns: 900 };
  expect(cutTiles(band, { blockColumns: 256 }).map(({ column, columns }) => [column, columns])).toEqual([
    [100, 156],
    [256, 256],
    [512, 256],
    [768, 232],
  ]);
  // Narrow blocks are combined; a strip is one tile.
  expect(cutTiles({ ...band, rows: 64 }, { blockColumns: 256 })).toHaveLength(1);
  expect(cutTiles(band, { blockColumns: 5000 })).toEqual([band]);
});
