/** Rasters that each apply to a month or a year, such as rain: population-weighted means by LGA and time. */

import { datedFiles, isDated } from '../../catalog/dated-files.ts';
import type { Source } from '../../catalog/sources.ts';
import { BadInput } from '../../lib/bad-input.ts';
import { describeGrid, type Grid, sameGrid, type Window } from '../../lib/numerics/grid.ts';
import { type CellWeights, weightedMean } from './cell-weights.ts';
import { allowedUnits, openSource, rasterSources } from './raster-sources.ts';

/** The sources whose rasters each apply to a month or year: rain, and covariates that change. */
export const datedSources = (sources: readonly Source[]): Source[] => [
  ...rasterSources(sources, 'climate'),
  ...rasterSources(sources, 'covariate').filter(isDated),
];

/** The grid of a source's first raster, which all its rasters must share. */
export async function gridOfDated(source: Source, rawData: string): Promise<Grid> {
  const raster = await openSource(source, rawData, allowedUnits(source), datedFiles(source)[0]!.path);
  await raster.close();
  return raster.grid;
}

/**
 * Population-weighted means by LGA and time in the source's unit: Σ share × persons × value / Σ share × persons over
 * population cells whose centre is in a cell with a value; null if there are none.
 * @param weights one for each LGA, on `grid`
 */
export async function readDated(
  source: Source,
  rawData: string,
  grid: Grid,
  weights: CellWeights[],
): Promise<(number | null)[][]> {
  const window = coveringWindow(weights, grid);
  const series = weights.map((): (number | null)[] => []);
  for (const { path } of datedFiles(source)) {
    const raster = await openSource(source, rawData, allowedUnits(source), path);
    try {
      if (!sameGrid(raster.grid, grid)) {
        throw new BadInput({
          file: raster.file,
          found: describeGrid(raster.grid),
          expected: `the first file's ${describeGrid(grid)}`,
        });
      }
      const values = await raster.readWindow(window);
      const valueAt = (cell: number) => {
        const column = cell % grid.columns;
        return values[((cell - column) / grid.columns - window.row) * window.columns + column - window.column]!;
      };
      weights.forEach((weight, i) => void series[i]!.push(weightedMean(weight, valueAt)));
    } finally {
      await raster.close();
    }
  }
  return series;
}

/** The inhabited part of the grid. */
function coveringWindow(weights: CellWeights[], grid: Grid): Window {
  let [top, bottom, west, east] = [grid.rows, 0, grid.columns, 0];
  for (const { cells } of weights) {
    for (const cell of cells) {
      const column = cell % grid.columns;
      const row = (cell - column) / grid.columns;
      top = Math.min(top, row);
      bottom = Math.max(bottom, row + 1);
      west = Math.min(west, column);
      east = Math.max(east, column + 1);
    }
  }
  return { row: top, column: west, rows: Math.max(0, bottom - top), columns: Math.max(0, east - west) };
}
