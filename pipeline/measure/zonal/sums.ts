import type { GridWindow, RasterValues } from '../../lib/numerics/grid.ts';
import type { Coverage } from './coverage.ts';

/**
 * Statistics of one area. s is a cell's share inside the area, v its value, w its weight. A cell is included if v is
 * known and, for the last three, w is known too. Missing cells (NaN) are left out, not treated as 0.
 */
export interface ZonalStatistics {
  /** Σ s: cells with a value, in cells. */
  count: number;
  /** Σ s v; 0 if no cell has a value. */
  sum: number;
  /** Σ s v / Σ s; null if no cell has a value. */
  mean: number | null;
  /** Σ s w; null without weights. */
  weight_sum: number | null;
  /** Σ s w v; null without weights. */
  weighted_sum: number | null;
  /** Σ s w v / Σ s w; null if Σ s w is 0, or without weights. */
  weighted_mean: number | null;
}

/**
 * Running sums of one area. Rows must be passed to `addRows` in ascending order, so that the order of summation is
 * fixed.
 */
export interface ZonalSums {
  count: Sum;
  sum: Sum;
  weightSum: Sum;
  weightedSum: Sum;
}

/** Sums of a row: Σ s, Σ s v, Σ s w, Σ s w v, in this order. */
export const SUMS_PER_ROW = 4;

/** A compensated sum: the total, and what rounding took from it. */
interface Sum {
  total: number;
  roundingLoss: number;
}

export function createSums(): ZonalSums {
  const emptySum = () => ({ total: 0, roundingLoss: 0 });
  return { count: emptySum(), sum: emptySum(), weightSum: emptySum(), weightedSum: emptySum() };
}

/**
 * Adds an area's part of a window, whose columns must include all cells in `coverage`. Each row is summed separately
 * and then added to the total, so the result does not depend on how rows are grouped into windows.
 */
export function addWindow(
  sums: ZonalSums,
  coverage: Coverage,
  window: GridWindow,
  values: RasterValues,
  weights: RasterValues | null,
): void {
  const rows = new Float64Array(SUMS_PER_ROW * (coverage.rowStart.length - 1));
  sumRows(rows, coverage, coverage.rowStart.slice(), window, values, weights);
  addRows(sums, rows);
}

/** Adds the sums of rows, which must come in order from north to south. */
export function addRows(sums: ZonalSums, rows: Float64Array): void {
  for (let rowStartIndex = 0; rowStartIndex < rows.length; rowStartIndex += SUMS_PER_ROW) {
    addTerm(sums.count, rows[rowStartIndex]!);
    addTerm(sums.sum, rows[rowStartIndex + 1]!);
    addTerm(sums.weightSum, rows[rowStartIndex + 2]!);
    addTerm(sums.weightedSum, rows[rowStartIndex + 3]!);
  }
}

/**
 * Adds an area's part of a tile to `rows`, the sums of its rows: `SUMS_PER_ROW` numbers for each row of the coverage. A
 * tile has all those rows, but not all columns; tiles must be passed from west to east.
 * @param nextSpans for each row, the first span that may extend beyond the tiles processed; initially a copy of
 *   `rowStart`
 */
export function sumRows(
  rows: Float64Array,
  coverage: Coverage,
  nextSpans: Int32Array,
  tile: GridWindow,
  values: RasterValues,
  weights: RasterValues | null,
): void {
  const { firstRow, rowStart, column, length, share } = coverage;
  const endColumn = tile.column + tile.columns;
  for (let i = 0; i + 1 < rowStart.length; i++) {
    const spanLimit = rowStart[i + 1]!;
    let k = nextSpans[i]!;
    if (k === spanLimit || column[k]! >= endColumn) continue;
    const offset = (firstRow + i - tile.row) * tile.columns - tile.column;
    let count = 0;
    let sum = 0;
    let weightSum = 0;
    let weightedSum = 0;
    for (; k < spanLimit && column[k]! < endColumn; k++) {
      const s = share[k]!;
      const spanEnd = column[k]! + length[k]!;
      const start = offset + Math.max(column[k]!, tile.column);
      const end = offset + Math.min(spanEnd, endColumn);
      let cells = 0;
      let spanValueSum = 0;
      let spanWeightSum = 0;
      let spanWeightedSum = 0;
      for (let cell = start; cell < end; cell++) {
        const v = values[cell]!;
        if (Number.isNaN(v)) continue;
        cells++;
        spanValueSum += v;
        if (weights === null) continue;
        const w = weights[cell]!;
        if (Number.isNaN(w)) continue;
        spanWeightSum += w;
        spanWeightedSum += w * v;
      }
      count += s * cells;
      sum += s * spanValueSum;
      weightSum += s * spanWeightSum;
      weightedSum += s * spanWeightedSum;
      if (spanEnd > endColumn) break;
    }
    nextSpans[i] = k;
    const rowStartIndex = SUMS_PER_ROW * i;
    rows[rowStartIndex]! += count;
    rows[rowStartIndex + 1]! += sum;
    rows[rowStartIndex + 2]! += weightSum;
    rows[rowStartIndex + 3]! += weightedSum;
  }
}

/** Computes the statistics from the sums. */
export function zonalStatistics(sums: ZonalSums, hasWeights: boolean): ZonalStatistics {
  const [count, sum, weightSum, weightedSum] = [sums.count, sums.sum, sums.weightSum, sums.weightedSum].map(sumTotal);
  return {
    count: count!,
    sum: sum!,
    mean: count === 0 ? null : sum! / count!,
    weight_sum: hasWeights ? weightSum! : null,
    weighted_sum: hasWeights ? weightedSum! : null,
    weighted_mean: hasWeights && weightSum !== 0 ? weightedSum! / weightSum! : null,
  };
}

/** Adds a term, keeping the part lost to rounding (Neumaier 1974, improved Kahan-Babuška summation). */
function addTerm(sum: Sum, term: number): void {
  const total = sum.total + term;
  sum.roundingLoss += Math.abs(sum.total) >= Math.abs(term) ? sum.total - total + term : term - total + sum.total;
  sum.total = total;
}

function sumTotal(sum: Sum): number {
  return sum.total + sum.roundingLoss;
}
