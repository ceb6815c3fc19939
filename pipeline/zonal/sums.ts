import type { Values, Window } from '../numerics/grid.ts';
import type { Coverage } from './coverage.ts';

/**
 * Statistics of one area. s is a cell's share inside the area, v its value, w its weight. A cell counts if v is known, and
 * in the last three if w is known too. Missing cells (NaN) are left out, never taken for 0.
 */
export interface ZonalStatistics {
  /** Σ s: cells with a value, in cells. */
  count: number;
  /** Σ s v; 0 where no cell has a value. */
  sum: number;
  /** Σ s v / Σ s; null where no cell has a value. */
  mean: number | null;
  /** Σ s w; null without weights. */
  weight_sum: number | null;
  /** Σ s w v; null without weights. */
  weighted_sum: number | null;
  /** Σ s w v / Σ s w; null where Σ s w is 0 or without weights. */
  weighted_mean: number | null;
}

/** Running sums of one area. Pass rows to `addRows` in ascending order, so that the order of sums is fixed. */
export interface ZonalSums {
  count: Sum;
  sum: Sum;
  weightSum: Sum;
  weightedSum: Sum;
}

/** Sums of a row: Σ s, Σ s v, Σ s w, Σ s w v, in this order. */
export const SUMS_PER_ROW = 4;

/** A compensated sum: `total` with what rounding has dropped from it. */
interface Sum {
  total: number;
  dropped: number;
}

export function createSums(): ZonalSums {
  const zero = () => ({ total: 0, dropped: 0 });
  return { count: zero(), sum: zero(), weightSum: zero(), weightedSum: zero() };
}

/**
 * Adds what an area covers of a window: `coverage` holds the area's shares in the window's rows, `values` (and
 * `weights`, or null) the window's cells, all within the window's columns. Each row is added up by itself and then to
 * the total, so the result does not depend on how rows were grouped into windows.
 */
export function addWindow(
  sums: ZonalSums,
  coverage: Coverage,
  window: Window,
  values: Values,
  weights: Values | null,
): void {
  const rows = new Float64Array(SUMS_PER_ROW * (coverage.rowStart.length - 1));
  sumRows(rows, coverage, coverage.rowStart.slice(), window, values, weights);
  addRows(sums, rows);
}

/** Adds the sums of rows, in order from north to south. */
export function addRows(sums: ZonalSums, rows: Float64Array): void {
  for (let at = 0; at < rows.length; at += SUMS_PER_ROW) {
    add(sums.count, rows[at]!);
    add(sums.sum, rows[at + 1]!);
    add(sums.weightSum, rows[at + 2]!);
    add(sums.weightedSum, rows[at + 3]!);
  }
}

/**
 * Adds what an area covers of a tile to the sums of its rows, `SUMS_PER_ROW` figures for each of the coverage's rows.
 * A tile is a window of all those rows but not of all columns; tiles come from west to east, and `next` keeps, for each
 * row, the first span that may reach beyond the tiles done: a copy of the coverage's `rowStart` to begin with.
 */
export function sumRows(
  rows: Float64Array,
  coverage: Coverage,
  next: Int32Array,
  tile: Window,
  values: Values,
  weights: Values | null,
): void {
  const { firstRow, rowStart, column, length, share } = coverage;
  const endColumn = tile.column + tile.columns;
  for (let i = 0; i + 1 < rowStart.length; i++) {
    const endSpan = rowStart[i + 1]!;
    let k = next[i]!;
    if (k === endSpan || column[k]! >= endColumn) continue;
    const offset = (firstRow + i - tile.row) * tile.columns - tile.column;
    let count = 0;
    let sum = 0;
    let weightSum = 0;
    let weightedSum = 0;
    for (; k < endSpan && column[k]! < endColumn; k++) {
      const s = share[k]!;
      const spanEnd = column[k]! + length[k]!;
      const start = offset + Math.max(column[k]!, tile.column);
      const end = offset + Math.min(spanEnd, endColumn);
      let cells = 0;
      let valueRun = 0;
      let weightRun = 0;
      let weightedRun = 0;
      for (let cell = start; cell < end; cell++) {
        const v = values[cell]!;
        if (Number.isNaN(v)) continue;
        cells++;
        valueRun += v;
        if (weights === null) continue;
        const w = weights[cell]!;
        if (Number.isNaN(w)) continue;
        weightRun += w;
        weightedRun += w * v;
      }
      count += s * cells;
      sum += s * valueRun;
      weightSum += s * weightRun;
      weightedSum += s * weightedRun;
      if (spanEnd > endColumn) break;
    }
    next[i] = k;
    const at = SUMS_PER_ROW * i;
    rows[at]! += count;
    rows[at + 1]! += sum;
    rows[at + 2]! += weightSum;
    rows[at + 3]! += weightedSum;
  }
}

/** The statistics that the sums amount to. */
export function zonalStatistics(sums: ZonalSums, weighted: boolean): ZonalStatistics {
  const [count, sum, weightSum, weightedSum] = [sums.count, sums.sum, sums.weightSum, sums.weightedSum].map(totalOf);
  return {
    count: count!,
    sum: sum!,
    mean: count === 0 ? null : sum! / count!,
    weight_sum: weighted ? weightSum! : null,
    weighted_sum: weighted ? weightedSum! : null,
    weighted_mean: weighted && weightSum !== 0 ? weightedSum! / weightSum! : null,
  };
}

/** Adds a term, keeping the part that does not fit (Neumaier 1974, improved Kahan-Babuška summation). */
function add(sum: Sum, term: number): void {
  const total = sum.total + term;
  sum.dropped += Math.abs(sum.total) >= Math.abs(term) ? sum.total - total + term : term - total + sum.total;
  sum.total = total;
}

function totalOf(sum: Sum): number {
  return sum.total + sum.dropped;
}
