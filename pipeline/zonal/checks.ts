/** What a raster's values say about nodata left untagged, about units, and about a wrong place. */
import type { Areas, Census, ZonalRow } from '../artifacts.ts';
import { BadInput } from '../bad-input.ts';
import type { Source } from '../catalog/sources.ts';
import type { Raster } from '../ingest/readers/geotiff.ts';
import { listWindows } from '../ingest/readers/windows.ts';
import { latitudeOf, longitudeOf, type Values, type Window, wholeGrid } from '../numerics/grid.ts';

/** Share of an LGA that may lie off the population raster (cells trimmed along a coast). */
const MAX_OUTSIDE = 0.01;
/** How far a state's people may be from its census, where the catalog does not say: the real ones differ 2.4 times. */
const CENSUS_FACTOR = 4;
/**
 * The ends of integer types and the nines that stand for missing values, as 64- and as 32-bit floats: no measurement is
 * one of them by chance.
 */
const FILLS: ReadonlySet<number> = new Set(
  [32767, 65535, 99999, 999999, 2147483647, 4294967295].flatMap((value) => [value, Math.fround(value)]),
);

/** Looks at a raster's windows, each cell once, for the marks of a nodata that nothing declares. */
export interface FillWatch {
  /** @throws BadInput at a cell that holds what only stands for missing values */
  look(values: Values, window: Window): void;
  /** @throws BadInput where one value, 0 aside, fills cells beside each other, or is the largest in many */
  finish(): void;
}

/**
 * A nodata value left untagged is one value over an area, or the largest value in many cells. Measured values seldom
 * repeat from cell to cell: `source.repeats` says how often they may, and without it nothing is said.
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
          throw new BadInput(file, placeOf(window, i), `${value}`, 'a measured value (a nodata left undeclared?)');
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

/** Looks at the whole of a raster of which the catalog says how often values repeat. */
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
 * A state's people in the raster against its census, over the LGAs that the census knows: another unit (people per km²
 * or hectare), a raster of something else or of another place is far off.
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
