/** Compares two releases of a raster: their grids, values and spatial patterns. */

import type { Source } from '../../catalog/sources.ts';
import { openRaster, type Raster } from '../../ingest/readers/geotiff.ts';
import { listWindows } from '../../ingest/readers/windows.ts';
import { columnLongitude, describeGrid, isSameGrid, rowLatitude, wholeGrid } from '../../lib/numerics/grid.ts';
import { quantile } from '../../lib/numerics/quantiles.ts';
import { rankCorrelation } from '../../lib/numerics/rank-correlation.ts';
import type { Distribution } from './compare-rows.ts';
import { describeRatio } from './doubts.ts';

export interface RasterSummary {
  grid: string;
  values: Distribution;
  sum: number;
  /** Cells above 0. */
  positive: number;
}

export interface RasterComparison {
  was: RasterSummary;
  is: RasterSummary;
  same_grid: boolean;
  /** Spearman's, between means over blocks of a quarter of a degree. */
  rank_correlation: number | null;
  /** Pearson's, cell by cell; null if the grids differ. */
  cell_correlation: number | null;
  /** Cells with a value in both that is not 0 in both, and those whose value has changed; null if the grids differ. */
  cells: { both: number; changed: number } | null;
}

/** Side of the blocks on which two grids are compared, degrees. */
const BLOCK_DEGREES = 0.25;
/** Approximate number of evenly spaced cells from which quartiles are estimated. */
const SAMPLE_CELLS = 200_000;

export async function compareRasters(
  [formerFile, newFile]: readonly [file: string, file: string],
  nodata: Source['nodata'],
): Promise<RasterComparison> {
  const before = await summarise(formerFile, nodata);
  const after = await summarise(newFile, nodata);
  const blockMeans = [...before.blocks].flatMap(([key, { n, sum }]) => {
    const counterpart = after.blocks.get(key);
    return counterpart ? [[sum / n, counterpart.sum / counterpart.n] as const] : [];
  });
  const same_grid = isSameGrid(before.grid, after.grid);
  const { correlation, cells } = same_grid
    ? await compareCells(formerFile, newFile, nodata)
    : { correlation: null, cells: null };
  return {
    was: before.summary,
    is: after.summary,
    same_grid,
    cell_correlation: correlation,
    cells,
    rank_correlation: rankCorrelation(
      blockMeans.map(([a]) => a),
      blockMeans.map(([, b]) => b),
    ),
  };
}

interface Block {
  n: number;
  sum: number;
}

async function summarise(file: string, nodata: Source['nodata']) {
  const raster: Raster = await openRaster(file, { nodata });
  const { grid } = raster;
  const blocks = new Map<string, Block>();
  const sample: number[] = [];
  const sampleStep = Math.max(1, Math.floor((grid.rows * grid.columns) / SAMPLE_CELLS));
  const totals = {
    n: 0,
    missing: 0,
    positive: 0,
    sum: 0,
    min: Number.POSITIVE_INFINITY,
    max: Number.NEGATIVE_INFINITY,
  };
  let seen = 0;
  try {
    for (const window of listWindows(grid, raster, [wholeGrid(grid)])) {
      const values = await raster.readWindow(window);
      for (let i = 0; i < values.length; i++) {
        const value = values[i]!;
        if (Number.isNaN(value)) {
          totals.missing += 1;
          continue;
        }
        totals.n += 1;
        totals.sum += value;
        if (value > 0) totals.positive += 1;
        totals.min = Math.min(totals.min, value);
        totals.max = Math.max(totals.max, value);
        if (seen++ % sampleStep === 0) sample.push(value);
        const y = rowLatitude(grid, window.row + Math.floor(i / window.columns));
        const x = columnLongitude(grid, window.column + (i % window.columns));
        const key = `${Math.floor(y / BLOCK_DEGREES)} ${Math.floor(x / BLOCK_DEGREES)}`;
        const block = blocks.get(key);
        if (block) {
          block.n += 1;
          block.sum += value;
        } else blocks.set(key, { n: 1, sum: value });
      }
    }
  } finally {
    await raster.close();
  }
  const { n, missing, positive, sum, min, max } = totals;
  const sortedSample = Float64Array.from(sample).sort();
  const unlessEmpty = (value: number) => (n > 0 ? value : null);
  const quantileAt = (share: number) => (n > 0 ? quantile(sortedSample, share) : null);
  const values: Distribution = {
    n,
    missing,
    min: unlessEmpty(min),
    q1: quantileAt(0.25),
    median: quantileAt(0.5),
    q3: quantileAt(0.75),
    max: unlessEmpty(max),
    mean: unlessEmpty(sum / n),
  };
  return { grid, blocks, summary: { grid: describeGrid(grid), values, sum, positive } };
}

/**
 * Compares two rasters on one grid over the cells with a value in both, x in the former and y in the new one.
 * @returns Pearson's correlation of x and y, null if either is constant
 */
async function compareCells(formerFile: string, newFile: string, nodata: Source['nodata']) {
  const formerRaster = await openRaster(formerFile, { nodata });
  const newRaster = await openRaster(newFile, { nodata });
  let [n, filled, changed] = [0, 0, 0];
  let [sumX, sumY, sumXX, sumYY, sumXY] = [0, 0, 0, 0, 0];
  try {
    for (const window of listWindows(formerRaster.grid, formerRaster, [wholeGrid(formerRaster.grid)])) {
      const [formerValues, newValues] = [await formerRaster.readWindow(window), await newRaster.readWindow(window)];
      for (const [i, x] of formerValues.entries()) {
        const y = newValues[i]!;
        if (Number.isNaN(x) || Number.isNaN(y)) continue;
        n += 1;
        if (x !== 0 || y !== 0) filled += 1;
        if (x !== y) changed += 1;
        sumX += x;
        sumY += y;
        sumXX += x * x;
        sumYY += y * y;
        sumXY += x * y;
      }
    }
  } finally {
    await formerRaster.close();
    await newRaster.close();
  }
  const variances = (n * sumXX - sumX * sumX) * (n * sumYY - sumY * sumY);
  const correlation = variances > 0 ? (n * sumXY - sumX * sumY) / Math.sqrt(variances) : null;
  return { correlation, cells: { both: filled, changed } };
}

/**
 * Factors by which the sum of persons, the mean of a layer, and the mean of the same month of another year may differ.
 */
const SIZE_FACTOR = { persons: 1.1, layer: 1.5, other_year: 3 };
/** A lower correlation means that the spatial pattern has changed; rain differs somewhat from year to year. */
const LEAST_RANK_CORRELATION = { same: 0.95, other_year: 0.5 };
/** A lower correlation means that cells have moved by small distances. */
const LEAST_CELL_CORRELATION = 0.95;
/** Share of the cells of a raster that may be corrected; most cells of a new estimate change. */
const MOST_CORRECTED = 0.001;
/** Share of the cells with a value by which their number may change. */
const MOST_CELLS_CHANGE = 0.01;

/** @param otherYear whether the raster was compared with the same month of another year */
export function rasterDoubts(source: Source, comparison: RasterComparison, otherYear = false): string[] {
  const { was, is, same_grid, rank_correlation, cell_correlation, cells } = comparison;
  const doubts: string[] = [];
  if (!same_grid) doubts.push(`a different grid: ${is.grid}, previously ${was.grid}`);
  const persons = source.unit === 'persons';
  const [formerSize, newSize] = persons ? [was.sum, is.sum] : [was.values.mean ?? 0, is.values.mean ?? 0];
  const factor = SIZE_FACTOR[otherYear ? 'other_year' : persons ? 'persons' : 'layer'];
  const ratio = formerSize === newSize ? 1 : newSize / formerSize;
  if (!(ratio <= factor && ratio >= 1 / factor))
    doubts.push(`${persons ? 'the sum' : 'the mean'} of its cells has changed (${describeRatio(ratio)})`);
  if (same_grid && Math.abs(is.values.n - was.values.n) > MOST_CELLS_CHANGE * was.values.n)
    doubts.push(`${is.values.n} cells have a value, previously ${was.values.n}`);
  if (rank_correlation !== null && rank_correlation < LEAST_RANK_CORRELATION[otherYear ? 'other_year' : 'same'])
    doubts.push(`its spatial pattern has changed (rank correlation ${rank_correlation.toFixed(2)})`);
  else if (!otherYear && cell_correlation !== null && cell_correlation < LEAST_CELL_CORRELATION)
    doubts.push(`its cells have moved (correlation ${cell_correlation.toFixed(2)})`);
  if (!otherYear && cells && cells.changed > MOST_CORRECTED * cells.both && cells.changed <= cells.both / 2)
    doubts.push(`${cells.changed} of ${cells.both} cells have changed, all others are as before`);
  if (persons && same_grid && Math.abs(is.positive - was.positive) > MOST_CELLS_CHANGE * was.positive)
    doubts.push(`${is.positive} cells have people, previously ${was.positive}`);
  return doubts;
}
