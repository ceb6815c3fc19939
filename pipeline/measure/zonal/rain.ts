/** Rain from rasters, one for each month: population-weighted means by LGA. */
import { rainFiles } from '../../catalog/rain-files.ts';
import type { Source } from '../../catalog/sources.ts';
import type { ClimateRow } from '../../ingest/ingest-tables.ts';
import { BadInput } from '../../lib/bad-input.ts';
import { describeGrid, type Grid, type GridWindow, isSameGrid } from '../../lib/numerics/grid.ts';
import { type CellWeights, createCellWeights, weightedMean } from './cell-weights.ts';
import { allowedUnits, openSource } from './raster-sources.ts';

/** The rasters of rain, and the people of each LGA by cell of their grid. */
interface RainRasters {
  source: Source;
  /** That of the first raster, which all must share. */
  grid: Grid;
  weights: ReturnType<typeof createCellWeights>;
}

export async function openRain(source: Source, rawData: string): Promise<RainRasters> {
  const raster = await openSource(source, rawData, allowedUnits(source), rainFiles(source)[0]!.path);
  await raster.close();
  return { source, grid: raster.grid, weights: createCellWeights(raster.grid.columns) };
}

/**
 * Population-weighted means of LGAs 0 to `lgaCount` − 1 by month: Σ share × persons × value / Σ share × persons over
 * population cells whose centre is in a cell with a value; null if there are none.
 */
export async function readRain(
  { source, grid, weights }: RainRasters,
  rawData: string,
  lgaCount: number,
): Promise<(number | null)[][]> {
  const cellWeights = weights.finish(lgaCount);
  const window = coveringWindow(cellWeights, grid);
  const series = cellWeights.map((): (number | null)[] => []);
  for (const { path } of rainFiles(source)) {
    const raster = await openSource(source, rawData, allowedUnits(source), path);
    try {
      if (!isSameGrid(raster.grid, grid)) {
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
      cellWeights.forEach((lgaWeights, lgaIndex) => void series[lgaIndex]!.push(weightedMean(lgaWeights, valueAt)));
    } finally {
      await raster.close();
    }
  }
  return series;
}

/** Rain by LGA and month, with gaps filled. @param lgaRain the months' rain of `codes[lga]` */
export function rainRows(
  source: Source,
  codes: readonly string[],
  lgaRain: (lgaIndex: number) => readonly (number | null)[],
  fillGapsIn: (source: Source, figure: string, values: (number | null)[]) => (number | null)[],
): ClimateRow[] {
  const months = rainFiles(source);
  const filled = months.map(({ period }, monthIndex) =>
    fillGapsIn(
      source,
      `rain in ${period}`,
      codes.map((_, lgaIndex) => lgaRain(lgaIndex)[monthIndex]!),
    ),
  );
  return codes.flatMap((lga_code, lgaIndex) =>
    months.map(({ period }, monthIndex) => {
      const rain_mm = filled[monthIndex]![lgaIndex]!;
      if (rain_mm === null)
        throw new BadInput({
          file: 'sources.json',
          where: `source ${source.id}`,
          found: `no rain for ${lga_code}`,
          expected: 'the rule `neighbours`, because rain cannot be null',
        });
      return { lga_code, period, rain_mm, temperature_c: null };
    }),
  );
}

/** The inhabited part of the grid. */
function coveringWindow(weights: CellWeights[], grid: Grid): GridWindow {
  let [firstRow, endRow, firstColumn, endColumn] = [grid.rows, 0, grid.columns, 0];
  for (const { cells } of weights) {
    for (const cell of cells) {
      const column = cell % grid.columns;
      const row = (cell - column) / grid.columns;
      firstRow = Math.min(firstRow, row);
      endRow = Math.max(endRow, row + 1);
      firstColumn = Math.min(firstColumn, column);
      endColumn = Math.max(endColumn, column + 1);
    }
  }
  return {
    row: firstRow,
    column: firstColumn,
    rows: Math.max(0, endRow - firstRow),
    columns: Math.max(0, endColumn - firstColumn),
  };
}
