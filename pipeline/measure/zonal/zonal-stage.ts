import type { StageIo, StageRun } from '../../catalog/country-stage.ts';
import { figureValues } from '../../catalog/figures.ts';
import type { Source } from '../../catalog/sources.ts';
import { hasUncoveredGround } from '../../catalog/uncovered-ground.ts';
import { worded } from '../../contract/words.ts';
import type { ReportLine } from '../../engine/stage.ts';
import type { Areas, Census, ClimateRow, PeopleRow, Polygons } from '../../ingest/ingest-tables.ts';
import * as ingest from '../../ingest/ingest-tables.ts';
import { CLIMATE } from '../../ingest/ingest-tables.ts';
import { codeAndName, refuseUnknownPlaces } from '../../ingest/input.ts';
import { censusOfRaster } from '../../ingest/people-by-year.ts';
import { readAreas } from '../../ingest/read-areas.ts';
import { firstFew } from '../../lib/first-few.ts';
import { rowByCode, type TableRow, toRows, toTable } from '../../lib/tables/table.ts';
import { fillCells } from './covariate-rasters.ts';
import { spreadEvenly } from './even-people.ts';
import { measureLgas } from './measure.ts';
import { toGridOutline } from './outline.ts';
import { sumInside } from './pass.ts';
import { rainRows } from './rain.ts';
import { compareWithCensus } from './raster-checks.ts';
import { allowedUnits, fillGaps, openSource, rasterSources } from './raster-sources.ts';
import { zonalStatistics } from './sums.ts';
import { readWholeRasters } from './whole-rasters.ts';
import type { PredictionCell, ZonalRow } from './zonal-tables.ts';
import { CELLS, COVARIATES, LGAS, PEOPLE } from './zonal-tables.ts';

/** A finding names this many seams. */
const MOST_SEAMS = 3;

export interface ZonalInput {
  areas: Areas;
  polygons: Polygons;
  sources: readonly Source[];
  /** Directory of the raw files. */
  rawData: string;
  /** Used if there is no population raster. */
  census?: Census;
}

type CovariateRow = TableRow<typeof COVARIATES>;

export interface ZonalOutput {
  lgas: ZonalRow[];
  cells: PredictionCell[];
  /** Empty if rain does not come as rasters. */
  climate: ClimateRow[];
  covariates: CovariateRow[];
  report: ReportLine[];
}

export const run: StageRun = async (io) => {
  const areas = readAreas(io);
  const { sources, rawData, progress } = io;
  refuseUnknownPlaces(sources, areas);
  const census = rowByCode(io.table(ingest.CENSUS), 'lga_code');
  const input = { areas, polygons: io.artifact<Polygons>('ingest/polygons'), sources, rawData, census };
  const { lgas, cells, climate, covariates, report } = await measureZones(input, progress);
  const people = await peopleOfRasters(input);
  const sameYear = censusOfRaster(io.table(ingest.CENSUS), io.table(ingest.PEOPLE), people, sources);
  for (const source of rasterSources(sources, 'population'))
    compareWithCensus(source, areas, lgas, rowByCode(sameYear, 'lga_code'));
  return {
    lgas: toTable(LGAS, lgas),
    people: toTable(PEOPLE, people),
    cells: toTable(CELLS, cells),
    climate: toTable(CLIMATE, climate),
    covariates: toTable(COVARIATES, covariates),
    report,
  };
};

/** People by LGA of each population raster of which the catalog gives the year. */
async function peopleOfRasters({ areas, polygons, sources, rawData }: ZonalInput): Promise<PeopleRow[]> {
  const source = rasterSources(sources, 'population')[0];
  const counts: PeopleRow[] = [];
  for (const { path, year } of source?.files ?? []) {
    if (year === undefined) continue;
    const raster = await openSource(source!, rawData, allowedUnits(source!), path);
    const outlines = polygons.lgas.map((lga) => toGridOutline(lga.polygons, raster.grid));
    const [sums] = await sumInside([raster.description], null, outlines, 1, () => {});
    await raster.close();
    const people = sums!.map((sum) => zonalStatistics(sum, false).sum);
    counts.push(...areas.lgas.map(({ lga_code }, i) => ({ lga_code, year, people: people[i]! })));
  }
  return counts;
}

/**
 * Computes figures from rasters by LGA, prediction cells and, if rain comes as rasters, rain by month. Gaps that the
 * catalog declares are filled.
 * @throws BadInput for an unusable raster, an LGA outside the population raster or without people, and a missing figure
 *   that the catalog does not declare
 */
export async function measureZones(
  input: ZonalInput,
  onProgress: StageIo['progress'] = () => {},
): Promise<ZonalOutput> {
  const { areas, polygons, sources, rawData, census = {} } = input;
  const { neighbours } = polygons;
  const evenPeople =
    rasterSources(sources, 'population').length === 0
      ? spreadEvenly(areas, polygons, census, 'the population table')
      : null;
  const {
    centres,
    people: peopleInRaster,
    populatedCells,
    seams,
  } = await readWholeRasters(sources, rawData, evenPeople, onProgress);
  const rasterMeasures = await measureLgas(input, sources, rawData, { centres }, evenPeople, onProgress);
  const { lgas: measured, touchedCells } = rasterMeasures;
  const codes = areas.lgas.map((lga) => lga.lga_code);
  const peopleInLgas = measured.reduce((sum, { population }) => sum + population, 0);
  const hasLagoon = sources.some(hasUncoveredGround);
  const evenPeopleText = worded`no population raster: the people of each {lga.one} in the census are spread evenly over it`;
  const report: ReportLine[] = [
    evenPeople
      ? { source: 'population', rule: 'spread evenly', what: evenPeopleText }
      : {
          source: 'population',
          rule: 'uncovered',
          what: worded`${Math.round(peopleInRaster - peopleInLgas)} of ${Math.round(peopleInRaster)} people are in no {lga.one} (${hasLagoon ? 'lagoon, ' : ''}coast, borders); ${populatedCells - touchedCells} of ${populatedCells} cells with people do not meet any {lga.one}`,
        },
  ];
  const uninhabited = measured
    .filter(({ population }) => population === 0)
    .map((lga) => codeAndName(areas, lga.lga_code));
  if (uninhabited.length > 0)
    report.push({
      source: 'population',
      rule: 'omit',
      what: worded`{lga.many} without people: ${uninhabited.join(', ')}; their scores are those of their ground, as if one person lived on each km², and count for nothing in those of the {state.one}`,
    });
  if (centres.count > 0)
    report.unshift({ source: 'population', rule: 'urban centres', what: `${centres.count} found` });
  if (seams.length > 0)
    report.push({
      source: 'population',
      rule: 'hard to believe',
      what: `people change along straight lines: ${firstFew(seams, MOST_SEAMS, '; ')}. Perhaps tiles overlap and were added, or are of different units: join the tiles again`,
      needs_approval: true,
    });
  const fill = (source: Source, figure: string, values: (number | null)[]) =>
    fillGaps(source, figure, values, codes, neighbours, report);
  const elevation = rasterSources(sources, 'elevation')[0];
  const elevations = measured.map((lga) => lga.elevation_m);
  const filledElevations = elevation ? fill(elevation, 'elevation', elevations) : elevations;
  const layers: Record<string, (number | null)[]> = {};
  for (const source of rasterSources(sources, 'layer')) {
    const figure = source.figure!;
    const values = measured.map((lga) => lga.layers[figure]!);
    layers[figure] = fill(source, figure, values);
  }
  const rainSource = rasterSources(sources, 'climate')[0];
  const lgas = measured.map(
    ({ lga_code, population, urban_population }, i): ZonalRow => ({
      lga_code,
      population,
      urban_population,
      elevation_m: filledElevations[i]!,
      ...figureValues((figure) => layers[figure]?.[i] ?? null),
    }),
  );
  const cells = toRows<PredictionCell>(rasterMeasures.cells);
  const covariates = rasterSources(sources, 'covariate').flatMap((source, k) => {
    return fillCells(source, cells, rasterMeasures.covariates[k]!, report).map((value, cell) => ({
      covariate: source.id,
      cell,
      value,
    }));
  });
  return {
    lgas,
    cells,
    covariates,
    climate: rainSource ? rainRows(rainSource, codes, (lga) => measured[lga]!.rain, fill) : [],
    report,
  };
}
