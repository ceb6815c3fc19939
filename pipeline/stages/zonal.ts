import type { Areas, Climate, Polygons, PredictionCells, ReportLine, ZonalRow } from '../artifacts.ts';
import { BadInput } from '../bad-input.ts';
import type { Source } from '../catalog.ts';
import type { StageRun } from '../engine/stage.ts';
import { nameOf, refuseUnknownPlaces, sourceOf } from '../ingest/input.ts';
import { createCellWeights } from '../models/cell-weights.ts';
import { blockCells, createCellPool } from '../models/prediction-cells.ts';
import { createUrbanCentreFinder, type UrbanCentres } from '../models/urban-centre.ts';
import { addWindow, createSums, zonalStatistics } from '../models/zonal.ts';
import { type Coverage, coveredCells, createCover } from '../numerics/coverage.ts';
import { InvalidOutline } from '../numerics/coverage-columns.ts';
import { type Grid, type Values, type Window, wholeGrid } from '../numerics/grid.ts';
import { drawOutline } from '../numerics/outline.ts';
import { listWindows } from '../numerics/windows.ts';
import type { Raster } from '../readers/geotiff.ts';
import { matchCentres, readNearest } from '../readers/nearest.ts';
import { checkCovered, compareWithCensus, type FillWatch, refuseFills, watchFills } from './zonal-checks.ts';
import { rainMonths, readRain } from './zonal-rain.ts';
import { fillGaps, openSource, rasterSources } from './zonal-sources.ts';

/** Side of the blocks that population cells are pooled to for prediction. */
const POOL_KM = 5;

export interface ZonalInput {
  areas: Areas;
  polygons: Polygons;
  sources: readonly Source[];
  /** Directory of the raw files. */
  rawData: string;
  /** Share done, 0 to 1, and of what. */
  onProgress?: (share: number, what: string) => void;
}

export interface ZonalOutput {
  lgas: ZonalRow[];
  cells: PredictionCells;
  climate: Climate | null;
  report: ReportLine[];
}

export const run: StageRun = async (io) => {
  const areas = io.artifact<Areas>('ingest/areas');
  refuseUnknownPlaces(io.sources, areas);
  const output = await zonal({
    areas,
    polygons: io.artifact('ingest/polygons'),
    sources: io.sources,
    rawData: io.rawData,
    onProgress: io.progress,
  });
  compareWithCensus(sourceOf(io, 'population'), areas, output.lgas, io.artifact('ingest/census'));
  return { ...output };
};

/**
 * Figures from rasters by LGA, population cells for prediction, and rain by month where it comes as rasters.
 * @throws BadInput: a raster that cannot be used, an LGA off the population raster or without people, a figure missing
 *   for an LGA and not declared in the catalog
 */
export async function zonal(input: ZonalInput): Promise<ZonalOutput> {
  const { areas, polygons, sources, rawData } = input;
  const report: ReportLine[] = [];
  const progress = input.onProgress ?? (() => {});
  const codes = areas.lgas.map((lga) => lga.lga_code);
  if (codes.some((code, i) => polygons.lgas[i]?.lga_code !== code)) throw new Error('areas and polygons differ');

  const populationSource = sourceOf({ sources }, 'population');
  const population = await openSource(populationSource, rawData, ['persons']);
  const elevationSource = rasterSources(sources, 'elevation')[0];
  const elevation = elevationSource ? await openSource(elevationSource, rawData, ['m']) : null;
  const layers = await Promise.all(
    rasterSources(sources, 'layer').map(async (source) => {
      const units = source.figure === 'travel_minutes_to_care' ? ['minutes'] : ['share', 'percent'];
      return { source, raster: await openSource(source, rawData, units), sums: codes.map(createSums) };
    }),
  );
  const rainSource = rasterSources(sources, 'climate')[0];
  const rainGrid = rainSource ? await gridOfFirstMonth(rainSource, rawData) : null;
  const rainWeights = rainGrid ? createCellWeights(rainGrid.columns) : null;

  try {
    const { grid } = population;
    if (elevation) await refuseFills(elevation, elevationSource!);
    for (const { raster, source } of layers) await refuseFills(raster, source);
    const watch = watchFills(population, populationSource);
    const { centres, people, peopledCells } = await findUrbanCentres(population, watch, (done) =>
      progress(done * 0.2, 'towns'),
    );
    report.push({ source: 'population', rule: 'urban centres', what: `${centres.count} found` });

    const pool = createCellPool(grid, blockCells(grid, POOL_KM));
    const personSums = codes.map(createSums);
    const urbanSums = codes.map(createSums);
    const covered = codes.map(() => 0);
    let touchedCells = 0;
    const areaSizes = await eachWindow(population, areas, polygons, async (window, coverages) => {
      const persons = await population.readWindow(window);
      const urban = centres.mark(window);
      const urbanPersons = persons.map((n, i) => n * urban[i]!);
      const heights = elevation
        ? await readNearest(elevation, grid, window)
        : new Float64Array(persons.length).fill(Number.NaN);
      const figures: Values[] = [];
      for (const { raster } of layers) figures.push(await readNearest(raster, grid, window));
      const match = rainGrid ? matchCentres(grid, window, rainGrid) : null;
      for (const [lga, coverage] of coverages) {
        covered[lga]! += coveredCells(coverage);
        addWindow(personSums[lga]!, coverage, window, persons, null);
        addWindow(urbanSums[lga]!, coverage, window, urbanPersons, null);
        layers.forEach(({ sums }, k) => void addWindow(sums[lga]!, coverage, window, figures[k]!, persons));
        pool.add(lga, coverage, window, persons, urban, heights);
        if (match) rainWeights?.add(lga, coverage, window, persons, match);
      }
      touchedCells += countTouched(coverages, window, persons);
      progress(0.2 + 0.5 * ((window.row + window.rows) / grid.rows), 'population');
    });
    areaSizes.forEach((size, lga) => void checkCovered(population, nameOf(areas, codes[lga]!), covered[lga]!, size));

    const populations = personSums.map((sums) => zonalStatistics(sums, false).sum);
    populations.forEach((n, lga) => {
      if (n > 0) return;
      throw new BadInput(population.file, nameOf(areas, codes[lga]!), 'nobody', 'people: scores are weighted by them');
    });
    const outside = people - populations.reduce((a, b) => a + b, 0);
    report.push({
      source: 'population',
      rule: 'outside every LGA',
      what: `${Math.round(outside)} of ${Math.round(people)} people (lagoon, coast, borders); ${peopledCells - touchedCells} of ${peopledCells} cells with people meet no LGA`,
    });

    const fill = (source: Source, figure: string, values: (number | null)[]) =>
      fillGaps(source, figure, values, codes, polygons.neighbours, report);
    const heights = elevation
      ? fill(elevationSource!, 'elevation', await meanElevation(elevation, areas, polygons))
      : codes.map(() => null);
    progress(0.85, 'elevation');
    const figures = layers.map(({ source, raster, sums }) => {
      const means = sums.map((sum) => zonalStatistics(sum, true).weighted_mean);
      const scaled = means.map((mean) => (mean === null ? null : mean * raster.factor));
      return { name: source.figure!, values: fill(source, source.figure!, scaled) };
    });
    const climate =
      rainSource && rainGrid && rainWeights
        ? await readRain(
            rainSource,
            rawData,
            rainGrid,
            rainWeights.finish(codes.length),
            codes,
            polygons.neighbours,
            report,
          )
        : null;
    progress(1, 'rain');

    const lgas = codes.map(
      (lga_code, lga): ZonalRow => ({
        lga_code,
        population: populations[lga]!,
        urban_population: zonalStatistics(urbanSums[lga]!, false).sum,
        elevation_m: heights[lga]!,
        layers: Object.fromEntries(figures.map(({ name, values }) => [name, values[lga]!])),
      }),
    );
    return { lgas, cells: pool.finish(codes), climate, report };
  } finally {
    await population.close();
    await elevation?.close();
    for (const { raster } of layers) await raster.close();
  }
}

/**
 * Hands on each window that LGAs meet with their coverage of it, from north to south; resolves to the LGAs' sizes in
 * cells of the raster's grid.
 */
async function eachWindow(
  raster: Raster,
  areas: Areas,
  polygons: Polygons,
  work: (window: Window, coverages: [lga: number, Coverage][]) => Promise<void>,
): Promise<number[]> {
  const outlines = polygons.lgas.map((lga) => drawOutline(lga.polygons, raster.grid));
  const cover = createCover(raster.grid.columns);
  for (const window of listWindows(raster.grid, raster, outlines)) {
    const endRow = window.row + window.rows;
    const coverages: [number, Coverage][] = [];
    outlines.forEach((outline, lga) => {
      if (outline.firstRow >= endRow || outline.endRow <= window.row) return;
      try {
        coverages.push([lga, cover(outline, window.row, endRow)]);
      } catch (cause) {
        if (!(cause instanceof InvalidOutline)) throw cause;
        const name = nameOf(areas, polygons.lgas[lga]!.lga_code);
        throw new BadInput('the boundaries', name, cause.message, 'a valid polygon');
      }
    });
    await work(window, coverages);
  }
  return outlines.map((outline) => outline.area);
}

/** Urban centres, and people and cells with people of the whole raster, each cell of which `watch` sees. */
async function findUrbanCentres(
  population: Raster,
  watch: FillWatch,
  onProgress: (share: number) => void,
): Promise<{ centres: UrbanCentres; people: number; peopledCells: number }> {
  const { grid } = population;
  const finder = createUrbanCentreFinder(grid);
  let people = 0;
  let peopledCells = 0;
  for (const window of listWindows(grid, population, [wholeGrid(grid)])) {
    const persons = await population.readWindow(window);
    watch.look(persons, window);
    finder.add(window.row, persons);
    for (const n of persons) {
      if (!(n > 0)) continue;
      people += n;
      peopledCells++;
    }
    onProgress((window.row + window.rows) / grid.rows);
  }
  watch.finish();
  return { centres: finder.finish(), people, peopledCells };
}

/** Plain area mean over valid cells of the raster's own grid: Σ share × metres / Σ share; null where none is valid. */
async function meanElevation(elevation: Raster, areas: Areas, polygons: Polygons): Promise<(number | null)[]> {
  const sums = polygons.lgas.map(createSums);
  await eachWindow(elevation, areas, polygons, async (window, coverages) => {
    const metres = await elevation.readWindow(window);
    for (const [lga, coverage] of coverages) addWindow(sums[lga]!, coverage, window, metres, null);
  });
  return sums.map((sum) => zonalStatistics(sum, false).mean);
}

async function gridOfFirstMonth(source: Source, rawData: string): Promise<Grid> {
  const raster = await openSource(source, rawData, ['mm per month'], rainMonths(source)[0]!.path);
  await raster.close();
  return raster.grid;
}

/** Cells with people that any of the areas meets. */
function countTouched(coverages: [number, Coverage][], window: Window, persons: Values): number {
  const touched = new Uint8Array(persons.length);
  for (const [, { firstRow, rowStart, column, length }] of coverages) {
    for (let i = 0; i + 1 < rowStart.length; i++) {
      const offset = (firstRow + i - window.row) * window.columns - window.column;
      for (let k = rowStart[i]!; k < rowStart[i + 1]!; k++) {
        touched.fill(1, offset + column[k]!, offset + column[k]! + length[k]!);
      }
    }
  }
  return touched.reduce((count, met, i) => (met === 1 && persons[i]! > 0 ? count + 1 : count), 0);
}
