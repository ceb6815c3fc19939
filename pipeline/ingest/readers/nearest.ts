import {
  columnAt,
  columnLongitude,
  type Grid,
  type GridWindow,
  type RasterValues,
  rowAt,
  rowLatitude,
} from '../../lib/numerics/grid.ts';
import type { Raster } from './geotiff.ts';

/** For each column and row of `window` on `grid`: the column and row of `target` that contains its centre, or −1. */
export function matchCentres(grid: Grid, window: GridWindow, target: Grid): { columns: Int32Array; rows: Int32Array } {
  const indexOrNone = (index: number, end: number) => (index >= 0 && index < end ? index : -1);
  return {
    columns: Int32Array.from({ length: window.columns }, (_, i) =>
      indexOrNone(columnAt(target, columnLongitude(grid, window.column + i)), target.columns),
    ),
    rows: Int32Array.from({ length: window.rows }, (_, i) =>
      indexOrNone(rowAt(target, rowLatitude(grid, window.row + i)), target.rows),
    ),
  };
}

/**
 * The raster's values at the cell centres of a window of another grid: the value of the raster's cell that contains the
 * centre, NaN if that is missing or outside the raster. Reads no more of the raster than the window covers.
 */
export async function readNearest(raster: Raster, grid: Grid, window: GridWindow): Promise<RasterValues> {
  const { columns, rows } = matchCentres(grid, window, raster.grid);
  const values = new Float64Array(window.rows * window.columns).fill(Number.NaN);
  const matchedColumns = columns.filter((column) => column >= 0);
  const matchedRows = rows.filter((row) => row >= 0);
  if (matchedColumns.length === 0 || matchedRows.length === 0) return values;
  // Centres run eastwards and southwards, so the first and last matches bound the rest.
  const covered: GridWindow = {
    column: matchedColumns[0]!,
    row: matchedRows[0]!,
    columns: matchedColumns.at(-1)! - matchedColumns[0]! + 1,
    rows: matchedRows.at(-1)! - matchedRows[0]! + 1,
  };
  const rasterValues = await raster.readWindow(covered);
  for (let i = 0; i < window.rows; i++) {
    if (rows[i]! < 0) continue;
    const offset = (rows[i]! - covered.row) * covered.columns - covered.column;
    for (let j = 0; j < window.columns; j++) {
      if (columns[j]! >= 0) values[i * window.columns + j] = rasterValues[offset + columns[j]!]!;
    }
  }
  return values;
}
