/** Checks of rasters for untagged nodata values, a wrong unit or a wrong location. */
import type { Source } from '../../catalog/sources.ts';
import type { Areas, Census } from '../../ingest/ingest-tables.ts';
import type { Raster } from '../../ingest/readers/geotiff.ts';
import { listWindows } from '../../ingest/readers/windows.ts';
import { InputLocation } from '../../lib/bad-input.ts';
import {
  columnLongitude,
  type Grid,
  type GridWindow,
  type RasterValues,
  rowLatitude,
  wholeGrid,
} from '../../lib/numerics/grid.ts';
import type { ZonalRow } from './zonal-tables.ts';

/** Share of an LGA that may be outside the population raster (cells trimmed along a coast). */
const MAX_OUTSIDE_SHARE = 0.01;
/** Neighbouring cells differ by more than this factor, in one direction, in at most half of a line of the grid. */
const SEAM_FACTOR = 1.5;
/** In shorter lines, the edge of a few towns may be most of a line. */
const LEAST_SEAM_CELLS = 200;
/**
 * As a standard deviation of chance; without a seam, lines with more than half have at most 4.1 in four real rasters.
 */
const LEAST_SEAM_DEVIATION = 5;
/** The factor by which a state's population may differ from its census: real ones differ by a factor of up to 2.4. */
const CENSUS_FACTOR = 4;

/** Checks a raster, window by window, for signs of an undeclared nodata value. */
export interface FillCheck {
  /** Checks a window; each cell must be passed once. @throws BadInput for a missing cell, if none may be */
  check(values: RasterValues, window: GridWindow): void;
  /** @throws BadInput if one value other than 0 fills adjacent cells, or is the largest value in many cells */
  finish(): void;
}

/**
 * An untagged nodata value fills an area, or is the largest value in many cells, whereas measured values rarely repeat
 * from cell to cell. `source.repeats` specifies how often they may; without it repetitions are not checked.
 */
export function createFillCheck(raster: Pick<Raster, 'file' | 'grid'>, source: Source): FillCheck {
  const { grid } = raster;
  const location = new InputLocation(raster.file);
  const mostRepeats = source.repeats ?? Number.POSITIVE_INFINITY;
  const repeatsByValue = new Map<number, number>();
  const largest = { value: Number.NEGATIVE_INFINITY, cells: 0 };
  const formatPlace = (window: GridWindow, i: number) => {
    const row = window.row + Math.floor(i / window.columns);
    const column = window.column + (i % window.columns);
    return `row ${row}, column ${column} (${columnLongitude(grid, column).toFixed(4)}, ${rowLatitude(grid, row).toFixed(4)})`;
  };
  return {
    check(values, window) {
      const { columns } = window;
      for (let i = 0; i < values.length; i++) {
        const value = values[i]!;
        if (value === 0) continue;
        if (value > largest.value) {
          largest.value = value;
          largest.cells = 1;
        } else if (value === largest.value) largest.cells++;
        else if (Number.isNaN(value)) {
          if (source.nodata === 'none')
            throw location
              .at(formatPlace(window, i))
              .error('NaN', 'a value, because the catalog declares that none is missing');
          continue;
        }
        if ((i % columns !== 0 && values[i - 1] === value) || values[i - columns] === value)
          repeatsByValue.set(value, (repeatsByValue.get(value) ?? 0) + 1);
      }
    },
    finish() {
      const expected = `at most ${mostRepeats} (sources.json, repeats); is this an undeclared nodata value?`;
      for (const [value, cells] of repeatsByValue)
        if (cells > mostRepeats)
          throw location.error(`the value ${value} in ${cells} cells next to others with the same value`, expected);
      if (largest.cells > mostRepeats)
        throw location.error(`the largest value, ${largest.value}, in ${largest.cells} cells`, expected);
    },
  };
}

/** Steps across a line between two rows, or columns, of a grid. */
const noSteps = () => ({ cells: 0, rises: 0, falls: 0 });
type Steps = ReturnType<typeof noSteps>;

/**
 * Finds straight lines at which people change together, as where tiles overlap and were added. Windows of complete rows
 * must be added from north to south; then call `finish`.
 */
export function createSeamFinder(grid: Grid) {
  const { columns } = grid;
  const stepsByColumn = Array.from({ length: columns }, noSteps);
  const stepsByRow: Steps[] = [];
  let rowAbove: RasterValues = new Float64Array(columns);
  const addStep = (steps: Steps, before: number, after: number) => {
    if (!(before > 0 && after > 0)) return;
    steps.cells++;
    if (after > SEAM_FACTOR * before) steps.rises++;
    if (before > SEAM_FACTOR * after) steps.falls++;
  };
  const isSeam = ({ cells, rises, falls }: Steps) =>
    cells >= LEAST_SEAM_CELLS &&
    Math.max(rises, falls) > cells / 2 &&
    Math.abs(rises - falls) > LEAST_SEAM_DEVIATION * Math.sqrt(rises + falls);
  const describeSeams = (lines: readonly Steps[], coordinate: (line: number) => number, name: string) =>
    lines.flatMap((steps, line) => {
      const share = Math.round((100 * Math.max(steps.rises, steps.falls)) / steps.cells);
      return isSeam(steps) ? [`${name} ${coordinate(line - 0.5).toFixed(3)} in ${share}% of ${steps.cells} cells`] : [];
    });
  return {
    add(persons: RasterValues): void {
      for (let start = 0; start < persons.length; start += columns) {
        const row = persons.subarray(start, start + columns);
        const rowSteps = noSteps();
        for (let column = 0; column < columns; column++) {
          addStep(rowSteps, rowAbove[column]!, row[column]!);
          if (column > 0) addStep(stepsByColumn[column]!, row[column - 1]!, row[column]!);
        }
        stepsByRow.push(rowSteps);
        rowAbove = row;
      }
    },
    /** Each seam with where it is. */
    finish: (): string[] => [
      ...describeSeams(stepsByRow, (row) => rowLatitude(grid, row), 'at latitude'),
      ...describeSeams(stepsByColumn, (column) => columnLongitude(grid, column), 'at longitude'),
    ],
  };
}

/** Checks an entire raster if the catalog specifies how often its values may repeat. */
export async function refuseFills(raster: Raster, source: Source): Promise<void> {
  if (source.repeats === undefined) return;
  const fillCheck = createFillCheck(raster, source);
  for (const window of listWindows(raster.grid, raster, [wholeGrid(raster.grid)]))
    fillCheck.check(await raster.readWindow(window), window);
  fillCheck.finish();
}

/**
 * Refuses an LGA of which more than `MAX_OUTSIDE_SHARE` is outside the population raster.
 * @param shareInside the share of its area inside the raster
 */
export function checkCovered(population: Pick<Raster, 'file'>, lga: string, shareInside: number): void {
  if (shareInside >= 1 - MAX_OUTSIDE_SHARE) return;
  throw new InputLocation(population.file, lga).error(
    `${(100 * shareInside).toFixed(1)}% of the area inside the raster`,
    'all of it (is the extent wrong?)',
  );
}

/**
 * Compares each state's population in the raster with its census, over the LGAs in the census. This detects a wrong
 * unit (people per km² or hectare), and a raster of something else or of another place.
 * @throws BadInput naming the state
 */
export function compareWithCensus(source: Source, areas: Areas, rows: readonly ZonalRow[], census: Census): void {
  for (const { state_code, state } of areas.states) {
    const lgas = areas.lgas.flatMap((lga, i) => {
      const row = lga.state_code === state_code ? census[lga.lga_code] : null;
      return row ? [{ censusPeople: row.people, rasterPeople: rows[i]!.population }] : [];
    });
    const censusPeople = lgas.reduce((sum, lga) => sum + lga.censusPeople, 0);
    const rasterPeople = lgas.reduce((sum, lga) => sum + lga.rasterPeople, 0);
    if (
      censusPeople === 0 ||
      (rasterPeople <= censusPeople * CENSUS_FACTOR && rasterPeople >= censusPeople / CENSUS_FACTOR)
    )
      continue;
    throw new InputLocation(source.files[0]!.path, `${state_code} ${state}`).error(
      `${Math.round(rasterPeople)} people`,
      `its census, ${Math.round(censusPeople)}, within a factor of ${CENSUS_FACTOR}; is the unit persons per cell?`,
    );
  }
}
