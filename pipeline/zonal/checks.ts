/** Signs in a raster's values of untagged nodata, a wrong unit or a wrong place. */
import type { Areas, Census, ZonalRow } from '../artifacts.ts';
import { BadInput } from '../bad-input.ts';
import type { Source } from '../catalog/sources.ts';
import type { Raster } from '../ingest/readers/geotiff.ts';
import { listWindows } from '../ingest/readers/windows.ts';
import { latitudeOf, longitudeOf, type Values, type Window, wholeGrid } from '../numerics/grid.ts';

/** Share of an LGA that may lie off the population raster (cells trimmed along a coast). */
const MAX_OUTSIDE = 0.01;
/** How far a state's population may be from its census, unless the catalog says: real ones differ by up to 2.4 times. */
const CENSUS_FACTOR = 4;
/**
 * Limits of integer types and the nines that stand for missing values, as 64-bit and 32-bit floats. No measurement equals
 * one of them by chance.
 */
const FILLS: ReadonlySet<number> = new Set(
  [32767, 65535, 99999, 999999, 2147483647, 4294967295].flatMap((value) => [value, Math.fround(value)]),
);

/** Watches a raster's windows, each cell once, for signs of an undeclared nodata value. */
export interface FillWatch {
  /** @throws BadInput for a cell with a value that only stands for missing ones */
  look(values: Values, window: Window): void;
  /** @throws BadInput if one value other than 0 fills adjacent cells, or is the largest value in many cells */
  finish(): void;
}

/**
 * An untagged nodata value fills an area, or is the largest value in many cells. Measured values seldom repeat from cell
 * to cell: `source.repeats` says how often they may, and without it nothing is checked.
 */
export function watchFills(raster: Raster, source: Source): FillWatch {
  const { file, grid } = raster;
  const most = source.repeats ?? Number.POSITIVE_INFINITY;
  const touching = new Map<number, number>();
  const largest = { value: Number.NEGATIVE_INFINITY, cells: 0 };
  const placeOf = (window: Window, i: number) => {
    const row = window.row + Math.floor(i / window.columns);
    const column = window.column + (i % window.columns);
    return `row ${row}, column ${column} (${longitudeOf(grid, column).toFixed(4)}, ${latitudeOf(grid, row).toFixed(4)})`;
  };
  return {
    look(values, window) {
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
            throw new BadInput(file, placeOf(window, i), 'NaN', 'a value: the catalog says that none is missing');
          continue;
        }
        if (FILLS.has(value))
          throw new BadInput(
            file,
            placeOf(window, i),
            `${value}`,
            'a measured value (is this an undeclared nodata value?)',
          );
        if ((i % columns !== 0 && values[i - 1] === value) || values[i - columns] === value)
          touching.set(value, (touching.get(value) ?? 0) + 1);
      }
    },
    finish() {
      for (const [value, cells] of touching) {
        if (cells > most)
          throw new BadInput(
            file,
            '',
            `the value ${value} in ${cells} cells beside others that hold it`,
            `${most} at most (sources.json, repeats): a nodata left undeclared?`,
          );
      }
      if (largest.cells > most)
        throw new BadInput(
          file,
          '',
          `the largest value, ${largest.value}, in ${largest.cells} cells`,
          `${most} at most (sources.json, repeats): a nodata left undeclared?`,
        );
    },
  };
}

/** Checks a whole raster, if the catalog says how often its values repeat. */
export async function refuseFills(raster: Raster, source: Source): Promise<void> {
  if (source.repeats === undefined) return;
  const watch = watchFills(raster, source);
  for (const window of listWindows(raster.grid, raster, [wholeGrid(raster.grid)]))
    watch.look(await raster.readWindow(window), window);
  watch.finish();
}

export function checkCovered(population: Raster, lga: string, covered: number, size: number): void {
  if (covered >= size * (1 - MAX_OUTSIDE) && covered > 0) return;
  const share = ((100 * covered) / size).toFixed(1);
  throw new BadInput(population.file, lga, `${share}% of the LGA inside the raster`, 'all of it: a wrong extent');
}

/**
 * Compares each state's population in the raster with its census, over the LGAs in the census. A wrong unit (people per
 * km² or hectare) is far off, and so is a raster of something else or of another place.
 * @throws BadInput naming the state
 */
export function compareWithCensus(source: Source, areas: Areas, rows: readonly ZonalRow[], census: Census): void {
  const factor = source.census_factor ?? CENSUS_FACTOR;
  for (const { state_code, state } of areas.states) {
    const known = areas.lgas.flatMap((lga, i) => {
      const counted = lga.state_code === state_code ? census[lga.lga_code] : null;
      return counted ? [{ counted: counted.people, mapped: rows[i]!.population }] : [];
    });
    const counted = known.reduce((sum, lga) => sum + lga.counted, 0);
    const mapped = known.reduce((sum, lga) => sum + lga.mapped, 0);
    if (counted === 0 || (mapped <= counted * factor && mapped >= counted / factor)) continue;
    throw new BadInput(
      source.files[0]!.path,
      `${state_code} ${state}`,
      `${Math.round(mapped)} people`,
      `within ${factor} times its census, ${Math.round(counted)}: persons per cell? (sources.json, census_factor)`,
    );
  }
}
