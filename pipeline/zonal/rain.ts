import type { ClimateRow } from '../artifacts.ts';
import { BadInput } from '../bad-input.ts';
import type { Source } from '../catalog/sources.ts';
import { type Period, periodRange } from '../contract/months.ts';
import { describeGrid, type Grid, sameGrid, type Window } from '../numerics/grid.ts';
import { type CellWeights, weightedMean } from './cell-weights.ts';
import { openSource, unitsOf } from './sources.ts';

/** A rain source's files by month, first to last. @throws BadInput if a month is missing or has two files */
export function rainMonths(source: Source): { path: string; period: Period }[] {
  const complaint = complaintOf(source);
  const files = source.files.map(({ path, period }) => {
    if (period === undefined) throw complaint(`${path} without a period`, 'its month');
    return { path, period };
  });
  files.sort((a, b) => (a.period < b.period ? -1 : 1));
  const expected = periodRange(files[0]!.period, files.at(-1)!.period);
  for (const [i, period] of expected.entries()) {
    const found = files[i]!.period;
    if (found > period) throw complaint(`no file for ${period}`, 'every month');
    if (found < period) throw complaint(`two files for ${found}`, 'one a month');
  }
  if (files.length > expected.length) {
    throw complaint(`two files for ${files.at(-1)!.period}`, 'one a month');
  }
  return files;
}

/** The grid of the first month, which every month must have. */
export async function gridOfRain(source: Source, rawData: string): Promise<Grid> {
  const raster = await openSource(source, rawData, unitsOf(source), rainMonths(source)[0]!.path);
  await raster.close();
  return raster.grid;
}

/**
 * Rain by LGA and month, each the mean over its people: Σ share × persons × rain / Σ share × persons over population
 * cells whose centre meets a valid rain cell; null where none does. `weights`, one an LGA, are on `grid`.
 */
export async function readRain(
  source: Source,
  rawData: string,
  grid: Grid,
  weights: CellWeights[],
): Promise<(number | null)[][]> {
  const window = windowOf(weights, grid);
  const rain = weights.map((): (number | null)[] => []);
  for (const { path } of rainMonths(source)) {
    const raster = await openSource(source, rawData, unitsOf(source), path);
    try {
      if (!sameGrid(raster.grid, grid)) {
        throw new BadInput(raster.file, '', describeGrid(raster.grid), `the first month's ${describeGrid(grid)}`);
      }
      const values = await raster.readWindow(window);
      const valueAt = (cell: number) => {
        const column = cell % grid.columns;
        return values[((cell - column) / grid.columns - window.row) * window.columns + column - window.column]!;
      };
      weights.forEach((weight, i) => void rain[i]!.push(weightedMean(weight, valueAt)));
    } finally {
      await raster.close();
    }
  }
  return rain;
}

/** Rain of every LGA with its gaps filled; `rainOf(i)` is that of `codes[i]`, month by month. @throws BadInput */
export function climateOf(
  source: Source,
  codes: readonly string[],
  rainOf: (lga: number) => readonly (number | null)[],
  fill: (source: Source, figure: string, values: (number | null)[]) => (number | null)[],
): ClimateRow[] {
  const months = rainMonths(source);
  const filled = months.map(({ period }, month) =>
    fill(
      source,
      `rain in ${period}`,
      codes.map((_, lga) => rainOf(lga)[month]!),
    ),
  );
  return codes.flatMap((lga_code, lga) =>
    months.map(({ period }, month) => {
      const rain_mm = filled[month]![lga]!;
      if (rain_mm === null)
        throw complaintOf(source)(`no rain for ${lga_code}`, 'the rule `neighbours`: rain cannot be null');
      return { lga_code, period, rain_mm, temperature_c: null };
    }),
  );
}

/** The inhabited part of the rain's grid. */
function windowOf(weights: CellWeights[], grid: Grid): Window {
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

function complaintOf(source: Source) {
  return (found: string, expected: string) => new BadInput('sources.json', `source ${source.id}`, found, expected);
}
