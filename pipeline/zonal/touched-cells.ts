import type { Values, Window } from '../numerics/grid.ts';
import type { Coverage } from './coverage.ts';

/**
 * Cells with people that areas meet: for each row of the population raster, first column and end (excluded) of each run,
 * from west to east. These are runs and not a count, because a cell on a border is met from both sides.
 */
export type TouchedCells = Record<string, number[]>;

/** Adds the cells of a window that any of the areas meets. */
export function addTouched(
  touched: TouchedCells,
  coverages: readonly [area: number, Coverage][],
  window: Window,
  persons: Values,
): void {
  const met = new Uint8Array(persons.length);
  for (const [, { firstRow, rowStart, column, length }] of coverages) {
    for (let i = 0; i + 1 < rowStart.length; i++) {
      const offset = (firstRow + i - window.row) * window.columns - window.column;
      for (let k = rowStart[i]!; k < rowStart[i + 1]!; k++) {
        met.fill(1, offset + column[k]!, offset + column[k]! + length[k]!);
      }
    }
  }
  for (let row = 0; row < window.rows; row++) {
    const runs: number[] = [];
    for (let i = 0; i < window.columns; i++) {
      const at = row * window.columns + i;
      if (met[at] === 0 || !(persons[at]! > 0)) continue;
      const column = window.column + i;
      if (runs.at(-1) === column) runs[runs.length - 1] = column + 1;
      else runs.push(column, column + 1);
    }
    if (runs.length > 0) touched[window.row + row] = runs;
  }
}

/** How many cells all of these meet, each counted once. */
export function countTouched(parts: readonly TouchedCells[]): number {
  let count = 0;
  for (const row of new Set(parts.flatMap((part) => Object.keys(part)))) {
    const runs = parts.flatMap((part) => {
      const flat = part[row] ?? [];
      return Array.from({ length: flat.length / 2 }, (_, k) => ({ start: flat[2 * k]!, end: flat[2 * k + 1]! }));
    });
    runs.sort((a, b) => a.start - b.start);
    let done = 0;
    for (const { start, end } of runs) {
      count += Math.max(0, end - Math.max(start, done));
      done = Math.max(done, end);
    }
  }
  return count;
}
