import type { Source } from '../../catalog/sources.ts';
import { listWindows } from '../../ingest/readers/windows.ts';
import { wholeGrid } from '../../lib/numerics/grid.ts';
import { refuseFills, watchFills } from './checks.ts';
import type { PersonsRaster } from './even-people.ts';
import { allowedUnits, openSource, rasterSources } from './raster-sources.ts';
import { createUrbanCentreFinder, type UrbanCentres } from './urban-centre.ts';

/** Results that need complete rasters: a town may span two states, and people may live outside all states. */
export interface WholeRasters {
  centres: UrbanCentres;
  /** Total over the population raster. */
  people: number;
  /** Number of cells with people. */
  peopledCells: number;
}

/**
 * Reads each raster completely.
 * @param even the people of a country without a population raster
 * @throws BadInput for undeclared nodata values
 */
export async function readWhole(
  sources: readonly Source[],
  rawData: string,
  even: PersonsRaster | null,
  onProgress: (share: number, what: string) => void,
): Promise<WholeRasters> {
  const refuseFillValues = async (source: Source, path?: string) => {
    const raster = await openSource(source, rawData, allowedUnits(source), path);
    try {
      await refuseFills(raster, source);
    } finally {
      await raster.close();
    }
  };
  for (const role of ['elevation', 'layer', 'covariate'] as const)
    for (const source of rasterSources(sources, role)) await refuseFillValues(source);
  for (const source of rasterSources(sources, 'climate'))
    if (source.repeats !== undefined) for (const { path } of source.files) await refuseFillValues(source, path);

  const source = rasterSources(sources, 'population')[0];
  const population = even ?? (await openSource(source!, rawData, allowedUnits(source!)));
  try {
    const { grid } = population;
    const watch = source && watchFills(population, source);
    const finder = createUrbanCentreFinder(grid);
    let people = 0;
    let peopledCells = 0;
    for (const window of listWindows(grid, population, [wholeGrid(grid)])) {
      const persons = await population.readWindow(window);
      watch?.check(persons, window);
      finder.add(window.row, persons);
      for (const count of persons) {
        if (!(count > 0)) continue;
        people += count;
        peopledCells++;
      }
      onProgress((0.2 * (window.row + window.rows)) / grid.rows, 'towns');
    }
    watch?.finish();
    return { centres: finder.finish(), people, peopledCells };
  } finally {
    await population.close();
  }
}
