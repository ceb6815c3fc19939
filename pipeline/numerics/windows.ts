import type { Outline } from './coverage.ts';
import type { Grid, Window } from './grid.ts';

/** Cells that a window holds at most, unless one row of the file's blocks holds more: 4 MB of Float32. */
const WINDOW_CELLS = 1 << 20;

/**
 * Windows of whole block rows from north to south that cover what the outlines can meet. They follow from grid, blocks
 * and outlines alone, never from the machine, so that results by window are the same everywhere.
 */
export function listWindows(
  grid: Grid,
  blockRows: number,
  outlines: Pick<Outline, 'firstRow' | 'endRow' | 'firstColumn' | 'endColumn'>[],
): Window[] {
  const met = outlines.filter((o) => o.firstRow < o.endRow && o.firstColumn < o.endColumn);
  if (met.length === 0) return [];
  const extreme = (pick: (o: (typeof met)[number]) => number, choose: (a: number, b: number) => number) =>
    met.map(pick).reduce((a, b) => choose(a, b));
  const column = extreme((o) => o.firstColumn, Math.min);
  const columns = extreme((o) => o.endColumn, Math.max) - column;
  const end = extreme((o) => o.endRow, Math.max);
  const step = blockRows * Math.max(1, Math.floor(WINDOW_CELLS / grid.columns / blockRows));
  const windows: Window[] = [];
  let row = extreme((o) => o.firstRow, Math.min);
  while (row < end) {
    const next = Math.min(end, (Math.floor(row / step) + 1) * step);
    windows.push({ row, column, rows: next - row, columns });
    row = next;
  }
  return windows;
}
