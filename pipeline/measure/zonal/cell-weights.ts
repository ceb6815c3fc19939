import type { GridWindow, RasterValues } from '../../lib/numerics/grid.ts';
import type { Coverage } from './coverage.ts';

/** The distribution of an area's people over a coarser grid: Σ share × persons by cell of that grid. */
export interface CellWeights {
  cells: Int32Array;
  people: Float64Array;
}

/**
 * Sums people by area and by cell of a grid with `columns` columns, so that the mean of any raster on that grid (such
 * as monthly rain) is a sparse dot product.
 */
export function createCellWeights(columns: number) {
  const areas: Map<number, number>[] = [];
  return {
    /** @param cellMatch the other grid's column and row for each of the window's, −1 if outside it (`matchCentres`) */
    add(
      area: number,
      coverage: Coverage,
      window: GridWindow,
      persons: RasterValues,
      cellMatch: { columns: Int32Array; rows: Int32Array },
    ): void {
      const { firstRow, rowStart } = coverage;
      areas[area] ??= new Map();
      const weights = areas[area];
      for (let i = 0; i + 1 < rowStart.length; i++) {
        const windowRow = firstRow + i - window.row;
        const targetRow = cellMatch.rows[windowRow]!;
        if (targetRow < 0) continue;
        for (let k = rowStart[i]!; k < rowStart[i + 1]!; k++) {
          const firstCell = coverage.column[k]! - window.column;
          for (let j = firstCell; j < firstCell + coverage.length[k]!; j++) {
            const people = coverage.share[k]! * persons[windowRow * window.columns + j]!;
            const targetColumn = cellMatch.columns[j]!;
            if (!(people > 0) || targetColumn < 0) continue;
            const cell = targetRow * columns + targetColumn;
            weights.set(cell, (weights.get(cell) ?? 0) + people);
          }
        }
      }
    },
    /** The weights of areas 0 to `count` − 1, with cells in ascending order. */
    finish(count: number): CellWeights[] {
      return Array.from({ length: count }, (_, area) => {
        const sorted = [...(areas[area] ?? [])].sort(([a], [b]) => a - b);
        return {
          cells: Int32Array.from(sorted, ([cell]) => cell),
          people: Float64Array.from(sorted, ([, people]) => people),
        };
      });
    },
  };
}

/** Σ people × value / Σ people over cells with a value (not NaN); null if there are none. */
export function weightedMean({ cells, people }: CellWeights, valueAt: (cell: number) => number): number | null {
  let sum = 0;
  let weight = 0;
  for (let k = 0; k < cells.length; k++) {
    const value = valueAt(cells[k]!);
    if (Number.isNaN(value)) continue;
    sum += people[k]! * value;
    weight += people[k]!;
  }
  return weight > 0 ? sum / weight : null;
}
