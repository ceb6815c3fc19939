import type { Source } from '../../catalog/sources.ts';
import type { Areas, Polygons } from '../../ingest/ingest-tables.ts';
import { codeAndName, declaredGap, EXPECTED_PEOPLE, gapRemedy, onlySource } from '../../ingest/input.ts';
import type { Raster } from '../../ingest/readers/geotiff.ts';
import { matchCentres, readNearest } from '../../ingest/readers/nearest.ts';
import { listWindows } from '../../ingest/readers/windows.ts';
import { InputLocation, readEach } from '../../lib/bad-input.ts';
import { gridCellAreaKm2 } from '../../lib/numerics/area.ts';
import type { GridWindow, RasterValues } from '../../lib/numerics/grid.ts';
import { coverOutlines } from './band.ts';
import { type Coverage, createCover } from './coverage.ts';
import type { EvenPeople, PersonsRaster } from './even-people.ts';
import { shareInside, toGridOutline } from './outline.ts';
import { sumInside } from './pass.ts';
import { blockCells, createCellPool } from './prediction-cells.ts';
import { openRain, readRain } from './rain.ts';
import { checkCovered } from './raster-checks.ts';
import { allowedUnits, openSource, rasterSources } from './raster-sources.ts';
import { addWindow, createSums, zonalStatistics } from './sums.ts';
import { markCentres } from './urban-centre.ts';
import type { WholeRasters } from './whole-rasters.ts';
import type { PredictionCells } from './zonal-tables.ts';

/**
 * An area without people is predicted as if one person lived on each km² of it, so that it has a score and rain. With
 * this weight it counts for nothing in the areas that contain it.
 */
const UNINHABITED_WEIGHT = 1e-9;

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
export interface RasterMeasures {
  lgas: LgaFigures[];
  cells: PredictionCells;
  /** Covariates in the catalog's order: values in the cells' order, null if unknown. */
  covariates: (number | null)[][];
  /** Number of raster cells with people that meet any LGA. */
  touchedCells: number;
}

/**
 * Measures LGAs on the rasters. @throws BadInput for an LGA outside the population raster, or one without people that
 * the catalog does not declare
 */
export async function measureLgas(
  { areas, polygons }: { areas: Areas; polygons: Polygons },
  sources: readonly Source[],
  rawData: string,
  { centres }: Pick<WholeRasters, 'centres'>,
  evenPeople: EvenPeople | null,
  onProgress: (share: number, what: string) => void,
): Promise<RasterMeasures> {
  const codes = areas.lgas.map((lga) => lga.lga_code);
  if (codes.some((code, i) => polygons.lgas[i]?.lga_code !== code)) throw new Error('areas and polygons differ');
  const openUnitSource = (source: Source) => openSource(source, rawData, allowedUnits(source));
  const population = evenPeople ?? (await openUnitSource(rasterSources(sources, 'population')[0]!));
  const elevationSource = rasterSources(sources, 'elevation')[0];
  const elevation = elevationSource ? await openUnitSource(elevationSource) : null;
  const layers = await Promise.all(
    rasterSources(sources, 'layer').map(async (source) => ({
      figure: source.figure!,
      raster: await openUnitSource(source),
      sums: codes.map(createSums),
    })),
  );
  const covariates = await Promise.all(rasterSources(sources, 'covariate').map(openUnitSource));
  const rainSource = rasterSources(sources, 'climate')[0];
  const rain = rainSource ? await openRain(rainSource, rawData) : null;

  try {
    const { grid } = population;
    const pool = createCellPool(grid, blockCells(grid, POOL_KM), covariates.length);
    const personSums = codes.map(createSums);
    const urbanSums = codes.map(createSums);
    const emptyLgas = new Set<number>();
    let touchedCells = 0;
    polygons.lgas.forEach(
      (lga) => void checkCovered(population, codeAndName(areas, lga.lga_code), shareInside(lga.polygons, grid)),
    );
    const measureWindow = async (window: GridWindow, coverages: [lga: number, Coverage][], persons: RasterValues) => {
      const isUrbanCell = markCentres(centres, window);
      const urbanPart = (persons: RasterValues) => persons.map((count, i) => count * isUrbanCell[i]!);
      const wholePersons = { persons, urbanPersons: urbanPart(persons) };
      const personsIn = (lgaIndex: number) => {
        if (!evenPeople || emptyLgas.has(lgaIndex)) return wholePersons;
        const personsInLga = evenPeople.personsInArea(lgaIndex, window);
        return { persons: personsInLga, urbanPersons: urbanPart(personsInLga) };
      };
      const elevations = elevation
        ? await readNearest(elevation, grid, window)
        : new Float64Array(persons.length).fill(Number.NaN);
      const layerValues: RasterValues[] = [];
      for (const { raster } of layers) layerValues.push(await readNearest(raster, grid, window));
      const covariateValues: RasterValues[] = [];
      for (const raster of covariates) covariateValues.push(await readNearest(raster, grid, window));
      const cellMatch = rain && matchCentres(grid, window, rain.grid);
      for (const [lgaIndex, coverage] of coverages) {
        const { persons, urbanPersons } = personsIn(lgaIndex);
        if (!emptyLgas.has(lgaIndex)) addWindow(personSums[lgaIndex]!, coverage, window, persons, null);
        addWindow(urbanSums[lgaIndex]!, coverage, window, urbanPersons, null);
        layers.forEach(
          ({ sums }, layerIndex) =>
            void addWindow(sums[lgaIndex]!, coverage, window, layerValues[layerIndex]!, persons),
        );
        pool.add(lgaIndex, coverage, window, persons, isUrbanCell, elevations, covariateValues);
        rain?.weights.add(lgaIndex, coverage, window, persons, cellMatch!);
      }
    };
    await forEachWindow(population, polygons, async (window, coverages) => {
      const persons = await population.readWindow(window);
      await measureWindow(window, coverages, persons);
      touchedCells += countTouched(coverages, window, persons);
      onProgress(0.2 + 0.5 * ((window.row + window.rows) / grid.rows), 'population');
    });

    const populations = personSums.map((sums) => zonalStatistics(sums, false).sum);
    const peopleSource = rasterSources(sources, 'population')[0] ?? onlySource({ sources }, 'population_census');
    if (!populations.some((people) => people > 0))
      throw new InputLocation(population.file).error(
        'no people in any area',
        'persons in its cells: are all its cells missing (nodata), or of another country?',
      );
    readEach(populations.keys(), (lgaIndex) => {
      if (populations[lgaIndex]! > 0) return;
      emptyLgas.add(lgaIndex);
      const lga_pcode = codes[lgaIndex]!;
      if (declaredGap(peopleSource, lga_pcode)?.rule === 'omit') return;
      throw new InputLocation(population.file, codeAndName(areas, lga_pcode)).error(
        'no people',
        EXPECTED_PEOPLE,
        gapRemedy({ rule: 'omit', lga_pcode }),
      );
    });
    if (emptyLgas.size > 0)
      await forEachWindow(population, polygons, async (window, coverages) => {
        const persons = Float64Array.from({ length: window.rows * window.columns }, (_, i) =>
          gridCellAreaKm2(grid, window.row + Math.floor(i / window.columns)),
        );
        await measureWindow(
          window,
          coverages.filter(([lgaIndex]) => emptyLgas.has(lgaIndex)),
          persons,
        );
      });
    const meanElevations = elevation ? await meanElevation(elevation, polygons) : codes.map(() => null);
    onProgress(0.85, 'elevation');
    const rainByLga = rain && (await readRain(rain, rawData, codes.length));
    onProgress(1, 'months');

    const lgas = codes.map(
      (lga_code, lgaIndex): LgaFigures => ({
        lga_code,
        population: populations[lgaIndex]!,
        urban_population: zonalStatistics(urbanSums[lgaIndex]!, false).sum,
        elevation_m: meanElevations[lgaIndex]!,
        layers: Object.fromEntries(
          layers.map(({ figure, raster, sums }) => {
            const mean = zonalStatistics(sums[lgaIndex]!, true).weighted_mean;
            return [figure, mean === null ? null : mean * raster.factor];
          }),
        ),
        rain: rainByLga?.[lgaIndex] ?? [],
      }),
    );
    const { cells, covariates: means } = pool.finish(codes);
    const emptyCodes = new Set([...emptyLgas].map((lgaIndex) => codes[lgaIndex]));
    const cellPopulation = cells.population.map((people, cell) =>
      emptyCodes.has(cells.lga_code[cell]) ? people * UNINHABITED_WEIGHT : people,
    );
    return { lgas, cells: { ...cells, population: cellPopulation }, covariates: means, touchedCells };
  } finally {
    await population.close();
    await elevation?.close();
    for (const { raster } of layers) await raster.close();
    for (const raster of covariates) await raster.close();
  }
}

/** Calls `visitWindow` for each window that LGAs meet, from north to south, with their coverage of it. */
async function forEachWindow(
  raster: PersonsRaster,
  polygons: Polygons,
  visitWindow: (window: GridWindow, coverages: [lga: number, Coverage][]) => Promise<void>,
): Promise<void> {
  const outlines = outlinesOn(raster, polygons);
  const coverOutline = createCover(raster.grid.columns);
  for (const window of listWindows(raster.grid, raster, outlines))
    await visitWindow(window, coverOutlines(coverOutline, outlines, window));
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
  const isTouched = new Uint8Array(persons.length);
  for (const [, { firstRow, rowStart, column, length }] of coverages) {
    for (let i = 0; i + 1 < rowStart.length; i++) {
      const offset = (firstRow + i - window.row) * window.columns - window.column;
      for (let layerIndex = rowStart[i]!; layerIndex < rowStart[i + 1]!; layerIndex++)
        isTouched.fill(1, offset + column[layerIndex]!, offset + column[layerIndex]! + length[layerIndex]!);
    }
  }
  return isTouched.reduce((count, touched, i) => count + (touched === 1 && persons[i]! > 0 ? 1 : 0), 0);
}

const outlinesOn = ({ grid }: Pick<Raster, 'grid'>, { lgas }: Polygons) =>
  lgas.map(({ polygons }) => toGridOutline(polygons, grid));
