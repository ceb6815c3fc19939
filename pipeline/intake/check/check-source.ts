/** Reads one source by itself, as a build would, so that a fault in one does not hide faults in another. */
import type { Country } from '../../catalog/country.ts';
import { isRainRaster, rainFiles } from '../../catalog/rain-files.ts';
import type { Source } from '../../catalog/sources.ts';
import type { ReportLine } from '../../engine/stage.ts';
import { ingestCases } from '../../ingest/cases.ts';
import { ingestClimate } from '../../ingest/climate.ts';
import { ingestCovariates } from '../../ingest/covariate-tables.ts';
import { readFacilities } from '../../ingest/facilities.ts';
import type { Areas, Census, PeopleRow, Polygons } from '../../ingest/ingest-tables.ts';
import { type IngestInput, refuseUnknownPlaces } from '../../ingest/input.ts';
import { ingestCensus, ingestLayers } from '../../ingest/layers.ts';
import { Locator } from '../../ingest/locator.ts';
import type { Delivery } from '../../ingest/readers/delivery.ts';
import { readTable } from '../../ingest/readers/raw-table.ts';
import { listWindows } from '../../ingest/readers/windows.ts';
import { readAreaRounds, readClusters } from '../../ingest/surveys.ts';
import { BadInput } from '../../lib/bad-input.ts';
import { describeGrid, type Grid, isSameGrid, wholeGrid } from '../../lib/numerics/grid.ts';
import type { Content } from '../../measure/doubts/content.ts';
import { createFillCheck } from '../../measure/zonal/raster-checks.ts';
import { allowedUnits, openSource } from '../../measure/zonal/raster-sources.ts';

/** The data that most tables are checked against. */
export interface Reference {
  areas: Areas;
  polygons: Polygons;
  /** Empty without a census. */
  census: Census;
  /** People of all years of the census. */
  people: readonly PeopleRow[];
}

/** The part of a table's content that the checks for doubts use. */
export type TableContent = Partial<Pick<Content, 'climate' | 'surveys' | 'census' | 'layers' | 'cases'>>;

/**
 * Reads a table with the reader of its role; without reference data, only its header and rows are checked.
 * @param report receives its findings
 * @param deliveries receives what its files delivered
 * @throws BadInput at its first fault
 */
export async function readOneTable(
  country: Country,
  source: Source,
  reference: Reference | null,
  report: ReportLine[] = [],
  deliveries: Delivery[] = [],
): Promise<TableContent> {
  const { rawData, model } = country;
  if (!reference) {
    await readTable(rawData, source);
    return {};
  }
  const { areas, polygons, census, people } = reference;
  // Cases by facility are read with the list of facilities.
  const facilityLists = country.sources.filter(({ role }) => role === 'facilities' && source.role === 'cases_lgas');
  const input: IngestInput = { rawData, model, sources: [source, ...facilityLists], report, deliveries };
  const locator = new Locator(areas, polygons);
  refuseUnknownPlaces([source], areas, model.aliases);
  if (source.role === 'climate') return { climate: await ingestClimate(input, areas, polygons) };
  if (source.role === 'survey_clusters') return { surveys: (await readClusters(input, areas, locator, source)).rows };
  if (source.role === 'survey_states') return { surveys: (await readAreaRounds(input, areas, source)).rows };
  if (source.role === 'population_census') return { census: (await ingestCensus(input, areas)).census };
  if (source.role === 'layer') return { layers: await ingestLayers(input, areas) };
  if (source.role === 'cases_states' || source.role === 'cases_lgas')
    return { cases: await ingestCases(input, areas, census, locator, people) };
  if (source.role === 'facilities') await readFacilities(input, areas, locator, source);
  else await ingestCovariates(input, areas, polygons);
  return {};
}

/**
 * Reads every cell of a source's rasters; those of several months must share one grid.
 * @throws BadInput at the first fault
 */
export async function readOneRaster({ rawData }: Country, source: Source): Promise<void> {
  const rasterFiles = isRainRaster(source) ? rainFiles(source) : source.files.slice(0, 1);
  let firstGrid: Grid | undefined;
  for (const { path } of rasterFiles) {
    const raster = await openSource(source, rawData, allowedUnits(source), path);
    try {
      firstGrid ??= raster.grid;
      if (!isSameGrid(raster.grid, firstGrid))
        throw new BadInput({
          file: path,
          found: describeGrid(raster.grid),
          expected: `the first file's ${describeGrid(firstGrid)}`,
        });
      // As in a build: other sources declare no limit on how often a value may repeat.
      const fillWatch =
        source.role === 'population' || source.repeats !== undefined ? createFillCheck(raster, source) : null;
      for (const window of listWindows(raster.grid, raster, [wholeGrid(raster.grid)])) {
        const values = await raster.readWindow(window);
        fillWatch?.check(values, window);
      }
      fillWatch?.finish();
    } finally {
      await raster.close();
    }
  }
}
