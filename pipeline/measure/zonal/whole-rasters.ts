import type { Source } from '../../catalog/sources.ts';
import { listWindows } from '../../ingest/readers/windows.ts';
import { wholeGrid } from '../../lib/numerics/grid.ts';
import type { PersonsRaster } from './even-people.ts';
import { createFillCheck, createSeamFinder, refuseFills } from './raster-checks.ts';
import { allowedUnits, openSource, rasterSources } from './raster-sources.ts';
import { createUrbanCentreFinder, type UrbanCentres } from './urban-centre.ts';

/** Results that need complete rasters: a town may span two states, and people may live outside all states. */
export interface WholeRasters {
  centres: UrbanCentres;
  /** Total over the population raster. */
  people: number;
  /** Number of cells with people. */
  populatedCells: number;
  /** Straight lines at which people change together. */
  seams: string[];
}

/**
 * Reads each raster completely.
 * @param evenPeople the people of a country without a population raster
 * @throws BadInput for undeclared nodata values
 */
export async function readWholeRasters(
  sources: readonly Source[],
  rawData: string,
  evenPeople: PersonsRaster | null,
  onProgress: (share: number, what: string) => void,
): Promise<WholeRasters> {
  const refuseFillsInFile = async (source: Source, path?: string) => {
    const raster = await openSource(source, rawData, allowedUnits(source), path);
    try {
      await refuseFills(raster, source);
    } finally {
      await raster.close();
    }
  };
  for (const role of ['elevation', 'layer', 'covariate'] as const)
    for (const source of rasterSources(sources, role)) await refuseFillsInFile(source);
  for (const source of rasterSources(sources, 'climate'))
    if (source.repeats !== undefined) for (const { path } of source.files) await refuseFillsInFile(source, path);

  const source = rasterSources(sources, 'population')[0];
  const population = evenPeople ?? (await openSource(source!, rawData, allowedUnits(source!)));
  try {
    const { grid } = population;
    const fillCheck = source && createFillCheck(population, source);
    const centreFinder = createUrbanCentreFinder(grid);
    const seamFinder = createSeamFinder(grid);
    let people = 0;
    let populatedCells = 0;
    for (const window of listWindows(grid, population, [wholeGrid(grid)])) {
      const persons = await population.readWindow(window);
      fillCheck?.check(persons, window);
      centreFinder.add(window.row, persons);
      seamFinder.add(persons);
      for (const count of persons) {
        if (!(count > 0)) continue;
        people += count;
        populatedCells++;
      }
      onProgress((0.2 * (window.row + window.rows)) / grid.rows, 'towns');
    }
    fillCheck?.finish();
    return { centres: centreFinder.finish(), people, populatedCells, seams: evenPeople ? [] : seamFinder.finish() };
  } finally {
    await population.close();
  }
}
