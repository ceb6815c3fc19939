import type { Source } from '../../catalog/sources.ts';
import type { Areas, Polygons } from '../../ingest/ingest-tables.ts';
import { codeAndName } from '../../ingest/input.ts';
import type { Raster } from '../../ingest/readers/geotiff.ts';
import { matchCentres, readNearest } from '../../ingest/readers/nearest.ts';
import { listWindows } from '../../ingest/readers/windows.ts';
import { BadInput } from '../../lib/bad-input.ts';
import type { GridWindow, RasterValues } from '../../lib/numerics/grid.ts';
import { coverOutlines } from './band.ts';
import { checkCovered } from './checks.ts';
import { type Coverage, createCover } from './coverage.ts';
import type { EvenPeople, PersonsRaster } from './even-people.ts';
import { drawOutline, shareInside } from './outline.ts';
import { sumInside } from './pass.ts';
import { blockCells, createCellPool } from './prediction-cells.ts';
import { openRain, readRain } from './rain.ts';
import { allowedUnits, openSource, rasterSources } from './raster-sources.ts';
import { addWindow, createSums, zonalStatistics } from './sums.ts';
import { markCentres } from './urban-centre.ts';
import type { WholeRasters } from './whole-rasters.ts';
import type { PredictionCells } from './zonal-tables.ts';

/** Side of the prediction cells, the blocks into which population cells are pooled. */
const POOL_KM = 5;

/** An LGA's figures from rasters, before gaps are filled; null if the raster has no value. */
export interface LgaFigures {
  lga_code: string;
  population: number;
  urban_population: number;
  elevation_m: number | null;
  /** By figure. */
  layers: Record<string, number | null>;
  /** By month, mm; empty if rain does not come as rasters. */
  rain: (number | null)[];
}

/** The content of the rasters inside the LGAs. */
export interface Measured {
  lgas: LgaFigures[];
  cells: PredictionCells;
  /** Covariates in the catalog's order: values in the cells' order, null if unknown. */
  covariates: (number | null)[][];
  /** Number of raster cells with people that meet any LGA. */
  touched: number;
}

/** Measures LGAs on the rasters. @throws BadInput for an LGA outside the population raster or without people */
export async function measureLgas(
  { areas, polygons }: { areas: Areas; polygons: Polygons },
  sources: readonly Source[],
  rawData: string,
  { centres }: Pick<WholeRasters, 'centres'>,
  even: EvenPeople | null,
  onProgress: (share: number, what: string) => void,
): Promise<Measured> {
  const codes = areas.lgas.map((lga) => lga.lga_code);
  if (codes.some((code, i) => polygons.lgas[i]?.lga_code !== code)) throw new Error('areas and polygons differ');
  const open = (source: Source) => openSource(source, rawData, allowedUnits(source));
  const population = even ?? (await open(rasterSources(sources, 'population')[0]!));
  const elevationSource = rasterSources(sources, 'elevation')[0];
  const elevation = elevationSource ? await open(elevationSource) : null;
  const layers = await Promise.all(
    rasterSources(sources, 'layer').map(async (source) => ({
      figure: source.figure!,
      raster: await open(source),
      sums: codes.map(createSums),
    })),
  );
  const covariates = await Promise.all(rasterSources(sources, 'covariate').map(open));
  const rainSource = rasterSources(sources, 'climate')[0];
  const rain = rainSource ? await openRain(rainSource, rawData) : null;

  try {
    const { grid } = population;
    const pool = createCellPool(grid, blockCells(grid, POOL_KM), covariates.length);
    const personSums = codes.map(createSums);
    const urbanSums = codes.map(createSums);
    let touched = 0;
    polygons.lgas.forEach(
      (lga) => void checkCovered(population, codeAndName(areas, lga.lga_code), shareInside(lga.polygons, grid)),
    );
    await eachWindow(population, polygons, async (window, coverages) => {
      const persons = await population.readWindow(window);
      const urban = markCentres(centres, window);
      const urbanPart = (persons: RasterValues) => persons.map((n, i) => n * urban[i]!);
      const all = { persons, urbanPersons: urbanPart(persons) };
      const personsIn = (lga: number) => {
        if (!even) return all;
        const inArea = even.ofArea(lga, window);
        return { persons: inArea, urbanPersons: urbanPart(inArea) };
      };
      const heights = elevation
        ? await readNearest(elevation, grid, window)
        : new Float64Array(persons.length).fill(Number.NaN);
      const figures: RasterValues[] = [];
      for (const { raster } of layers) figures.push(await readNearest(raster, grid, window));
      const values: RasterValues[] = [];
      for (const raster of covariates) values.push(await readNearest(raster, grid, window));
      const match = rain && matchCentres(grid, window, rain.grid);
      for (const [lga, coverage] of coverages) {
        const { persons, urbanPersons } = personsIn(lga);
        addWindow(personSums[lga]!, coverage, window, persons, null);
        addWindow(urbanSums[lga]!, coverage, window, urbanPersons, null);
        layers.forEach(({ sums }, k) => void addWindow(sums[lga]!, coverage, window, figures[k]!, persons));
        pool.add(lga, coverage, window, persons, urban, heights, values);
        rain?.weights.add(lga, coverage, window, persons, match!);
      }
      touched += countTouched(coverages, window, persons);
      onProgress(0.2 + 0.5 * ((window.row + window.rows) / grid.rows), 'population');
    });

    const populations = personSums.map((sums) => zonalStatistics(sums, false).sum);
    populations.forEach((people, lga) => {
      if (people > 0) return;
      throw new BadInput({
        file: population.file,
        where: codeAndName(areas, codes[lga]!),
        found: 'no people',
        expected: 'people, because scores are weighted by population',
      });
    });
    const heights = elevation ? await meanElevation(elevation, polygons) : codes.map(() => null);
    onProgress(0.85, 'elevation');
    const rainByLga = rain && (await readRain(rain, rawData, codes.length));
    onProgress(1, 'months');

    const lgas = codes.map(
      (lga_code, lga): LgaFigures => ({
        lga_code,
        population: populations[lga]!,
        urban_population: zonalStatistics(urbanSums[lga]!, false).sum,
        elevation_m: heights[lga]!,
        layers: Object.fromEntries(
          layers.map(({ figure, raster, sums }) => {
            const mean = zonalStatistics(sums[lga]!, true).weighted_mean;
            return [figure, mean === null ? null : mean * raster.factor];
          }),
        ),
        rain: rainByLga?.[lga] ?? [],
      }),
    );
    return { lgas, ...pool.finish(codes), touched };
  } finally {
    await population.close();
    await elevation?.close();
    for (const { raster } of layers) await raster.close();
    for (const raster of covariates) await raster.close();
  }
}

/** Calls `work` for each window that LGAs meet, from north to south, with their coverage of it. */
async function eachWindow(
  raster: PersonsRaster,
  polygons: Polygons,
  work: (window: GridWindow, coverages: [lga: number, Coverage][]) => Promise<void>,
): Promise<void> {
  const outlines = outlinesOn(raster, polygons);
  const cover = createCover(raster.grid.columns);
  for (const window of listWindows(raster.grid, raster, outlines))
    await work(window, coverOutlines(cover, outlines, window));
}

/**
 * Means over the elevation raster's cells that have a value: Σ share × metres / Σ share; null if there are none.
 */
async function meanElevation(elevation: Raster, polygons: Polygons): Promise<(number | null)[]> {
  const [sums] = await sumInside([elevation.description], null, outlinesOn(elevation, polygons), 1, () => {});
  return sums!.map((sum) => zonalStatistics(sum, false).mean);
}

/** Number of cells of a window with people that meet any area; a cell on a border counts once. */
function countTouched(
  coverages: readonly [area: number, Coverage][],
  window: GridWindow,
  persons: RasterValues,
): number {
  const marks = new Uint8Array(persons.length);
  for (const [, { firstRow, rowStart, column, length }] of coverages) {
    for (let i = 0; i + 1 < rowStart.length; i++) {
      const offset = (firstRow + i - window.row) * window.columns - window.column;
      for (let k = rowStart[i]!; k < rowStart[i + 1]!; k++)
        marks.fill(1, offset + column[k]!, offset + column[k]! + length[k]!);
    }
  }
  return marks.reduce((count, mark, i) => count + (mark === 1 && persons[i]! > 0 ? 1 : 0), 0);
}

const outlinesOn = ({ grid }: Pick<Raster, 'grid'>, { lgas }: Polygons) =>
  lgas.map(({ polygons }) => drawOutline(polygons, grid));
