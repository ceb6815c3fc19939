/** Rain from rasters, one for each month: population-weighted means by LGA. */
import { rainFiles } from '../../catalog/rain-files.ts';
import type { Source } from '../../catalog/sources.ts';
import type { ClimateRow } from '../../ingest/ingest-tables.ts';
import { BadInput } from '../../lib/bad-input.ts';
import { describeGrid, type Grid, type GridWindow, isSameGrid } from '../../lib/numerics/grid.ts';
import { type CellWeights, createCellWeights, weightedMean } from './cell-weights.ts';
import { allowedUnits, openSource } from './raster-sources.ts';

/** The rasters of rain, and the people of each LGA by cell of their grid. */
interface Rain {
  source: Source;
  /** That of the first raster, which all must share. */
  grid: Grid;
  weights: ReturnType<typeof createCellWeights>;
}

export async function openRain(source: Source, rawData: string): Promise<Rain> {
  const raster = await openSource(source, rawData, allowedUnits(source), rainFiles(source)[0]!.path);
  await raster.close();
  return { source, grid: raster.grid, weights: createCellWeights(raster.grid.columns) };
}

/**
 * Population-weighted means of LGAs 0 to `lgas` − 1 by month: Σ share × persons × value / Σ share × persons over
 * population cells whose centre is in a cell with a value; null if there are none.
 */
export async function readRain(
  { source, grid, weights }: Rain,
  rawData: string,
  lgas: number,
): Promise<(number | null)[][]> {
  const cellWeights = weights.finish(lgas);
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
      cellWeights.forEach((weight, i) => void series[i]!.push(weightedMean(weight, valueAt)));
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
  lgaRain: (lga: number) => readonly (number | null)[],
  fill: (source: Source, figure: string, values: (number | null)[]) => (number | null)[],
): ClimateRow[] {
  const months = rainFiles(source);
  const filled = months.map(({ period }, month) =>
    fill(
      source,
      `rain in ${period}`,
      codes.map((_, lga) => lgaRain(lga)[month]!),
    ),
  );
  return codes.flatMap((lga_code, lga) =>
    months.map(({ period }, month) => {
      const rain_mm = filled[month]![lga]!;
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
