/** Finds all faults of a catalog and its files at once, cheapest checks first, without building. */
import { statSync } from 'node:fs';
import path from 'node:path';
import {
  type Country,
  catalogSchemaErrors,
  MODEL_CHECKS,
  readUncheckedCatalog,
  refuseMissingFile,
  refuseOutsidePath,
  refuseUnlistedSiblings,
} from '../../catalog/country.ts';
import { acceptCommand } from '../../catalog/pins.ts';
import { checkAcrossSources, checkSource } from '../../catalog/source-rules.ts';
import type { Source } from '../../catalog/sources.ts';
import type { Period } from '../../contract/months.ts';
import type { ReportLine } from '../../engine/stage.ts';
import { ingestAreas } from '../../ingest/areas.ts';
import { doubtDeliveries } from '../../ingest/delivery-doubts.ts';
import { ingestCensus } from '../../ingest/layers.ts';
import type { Delivery } from '../../ingest/readers/delivery.ts';
import { BadInput } from '../../lib/bad-input.ts';
import { sha256File } from '../../lib/hash.ts';
import { rowByCode } from '../../lib/tables/table.ts';
import { simplifyOutlines } from '../../measure/boundaries/simplify-outlines.ts';
import { compareWithCensus } from '../../measure/zonal/raster-checks.ts';
import { measureZones, type ZonalOutput } from '../../measure/zonal/zonal-stage.ts';
import { type Reference, readOneRaster, readOneTable, type TableContent } from './check-source.ts';
import { collectFaults, type Fault, faultsFrom, stopsBuild } from './fault.ts';
import { findDoubts } from './find-doubts.ts';

/** Roles of the files that are read together for the areas. */
const AREA_ROLES = ['lga_boundaries', 'lga_codes', 'state_boundaries'];
/** Roles of the files with people, the preferred one first. */
const PEOPLE_ROLES = ['population', 'population_census'];

/**
 * A fault ends the check of its own source only. If a catalog file does not have the right form, nothing else is
 * checked.
 * @param deliveries collects what the files of tables delivered, for their account
 * @throws BadInput if there is no catalog
 */
export async function checkCountry(
  directory: string,
  rawData = directory,
  deliveries: Delivery[] = [],
): Promise<Fault[]> {
  const formFaults = catalogSchemaErrors(directory).map(
    (fault): Fault => ({ step: 'form', source: null, what: fault.message }),
  );
  if (formFaults.length > 0) return formFaults;
  return countryFaults(readUncheckedCatalog(directory, rawData), deliveries);
}

/** The faults of a catalog that has the right form and may differ from the one on disk. */
export async function countryFaults(country: Country, deliveries: Delivery[] = []): Promise<Fault[]> {
  const faults = [...unusedFiles(country), ...(await catalogFaults(country))];
  const faultlessSources = () => country.sources.filter(({ id }) => !faults.some((fault) => fault.source === id));
  for (const source of faultlessSources()) faults.push(...(await fileFaults(country, source)));
  const readable = faultlessSources();
  const contents = await contentFaults(country, readable, deliveries);
  const faulty = new Set(contents.flatMap((fault) => (stopsBuild(fault) && !fault.remedy ? fault.source : [])));
  for (const source of readable) faults.push(...(await pinFaults(country, source, faulty.has(source.id))));
  return [...faults, ...contents];
}

/** Files that the catalog leaves out although they seem to be of the country. */
const unusedFiles = ({ unused = [] }: Country): Fault[] =>
  unused.map(({ path: file, subject, reason }) => ({
    step: 'unused files',
    source: null,
    what: `${file} (${subject}): ${reason}. Draft the catalog again with the file or the answer, or remove it from \`unused\` (sources.json) if it is not needed`,
  }));

async function catalogFaults(country: Country): Promise<Fault[]> {
  const { sources, rawData } = country;
  const faults = await collectFaults('form', null, () => checkAcrossSources(sources));
  for (const rule of MODEL_CHECKS) faults.push(...(await collectFaults('form', null, () => rule(country))));
  for (const source of sources) {
    faults.push(...(await collectFaults('form', source.id, () => checkSource(source))));
    for (const file of source.files)
      faults.push(...(await collectFaults('form', source.id, () => refuseOutsidePath(file.path, rawData))));
  }
  return faults;
}

async function fileFaults({ rawData }: Country, source: Source): Promise<Fault[]> {
  const faults: Fault[] = [];
  for (const file of source.files)
    faults.push(...(await collectFaults('files', source.id, () => refuseMissingFile(file.path, rawData))));
  return faults.length > 0 ? faults : collectFaults('files', source.id, () => refuseUnlistedSiblings(source, rawData));
}

/** Files that differ from those that the catalog pins, whether or not they can be read. */
async function pinFaults(country: Country, { id, files }: Source, isFaulty: boolean): Promise<Fault[]> {
  const faults: Fault[] = [];
  const condition = isFaulty ? 'if this one is right in spite of the faults below' : 'to accept this one';
  const expected = `expected the file that was accepted; ${condition}: ${acceptCommand(country, id)}`;
  for (const { path: file, bytes, sha256 } of files) {
    const fullPath = path.join(country.rawData, file);
    const addFault = (what: string) => faults.push({ step: 'hashes', source: id, what: `${file}: found ${what}` });
    const { size } = statSync(fullPath);
    if (sha256 === undefined) addFault(`no SHA-256 in sources.json, ${expected}`);
    else if (bytes !== undefined && size !== bytes) addFault(`${size} bytes instead of ${bytes}, ${expected}`);
    else if ((await sha256File(fullPath)) !== sha256) addFault(`a SHA-256 that differs from sources.json, ${expected}`);
  }
  return faults;
}

/** Faults in the content of the sources' files, and doubts about what could be read. */
async function contentFaults(country: Country, sources: readonly Source[], deliveries: Delivery[]): Promise<Fault[]> {
  const { fault, reference } = await readReference(country, sources);
  const areaSources = sources.filter(({ role }) => AREA_ROLES.includes(role));
  const faultySource = areaSources.find(({ files }) => files.some(({ path: file }) => fault?.file.endsWith(file)));
  const tableFaults = fault ? faultsFrom('tables and outlines', (faultySource ?? areaSources[0]!).id, fault) : [];
  if (reference) {
    const { areas, polygons } = reference;
    const simplify = () => simplifyOutlines(areas, polygons, country.model.parameters.boundaries);
    tableFaults.push(...(await collectFaults('tables and outlines', areaSources[0]!.id, simplify)));
  }
  const contents: TableContent[] = [];
  const report: ReportLine[] = [];
  // Tables first, whatever the catalog's order.
  for (const source of sources.filter(({ role, format }) => format !== 'geotiff' && !AREA_ROLES.includes(role))) {
    const read = (declared: Source, findings?: ReportLine[], received?: Delivery[]) =>
      collectFaults('tables and outlines', source.id, async () => {
        contents.push(await readOneTable(country, declared, reference, findings, received));
      });
    const faults = await read(source, report, deliveries);
    tableFaults.push(...faults);
    // The people of other areas may tell why one has none.
    const gaps = faults.flatMap(({ remedy }) => (remedy?.declare === 'gap' ? { ...remedy.gap, reason: '' } : []));
    if (source.role === 'population_census' && gaps.length > 0)
      await read({ ...source, gaps: [...(source.gaps ?? []), ...gaps] });
  }
  const rasterFaults: Fault[] = [];
  const rasterSources = sources.filter(({ format }) => format === 'geotiff');
  for (const source of rasterSources)
    rasterFaults.push(...(await collectFaults('rasters', source.id, () => readOneRaster(country, source))));
  const canMeasure = reference && rasterFaults.length === 0 && sources.some(({ role }) => PEOPLE_ROLES.includes(role));
  const { measured, faults: measureFaults } = canMeasure
    ? await measureAreas(country, sources, reference)
    : { measured: null, faults: [] };
  const doubts = [
    ...(reference ? findDoubts(reference, contents, measured) : []),
    ...[...report, ...(measured?.report ?? [])].filter(({ needs_approval }) => needs_approval),
    ...futureMonthDoubts(sources, new Date().toISOString().slice(0, 7)),
    ...doubtDeliveries(deliveries),
  ];
  return [
    ...tableFaults,
    ...rasterFaults,
    ...measureFaults,
    ...doubts.map(({ source, what }): Fault => ({ step: 'doubts', source, what: `${source}: ${what}` })),
  ];
}

/** Doubts about tables with future months. A build cannot tell, since it knows no date. */
const futureMonthDoubts = (sources: readonly Source[], thisMonth: Period): Pick<ReportLine, 'source' | 'what'>[] =>
  sources.flatMap(({ id, span }) => {
    if (!span || span.last <= thisMonth) return [];
    const advice = 'Perhaps they are of another calendar, such as that of Nepal: convert them';
    return [{ source: id, what: `months until ${span.last} have not come yet. ${advice}` }];
  });

/** The figures of rasters by area, null if they cannot be computed, and what a build would refuse. */
async function measureAreas(
  country: Country,
  sources: readonly Source[],
  reference: Reference,
): Promise<{ measured: ZonalOutput | null; faults: Fault[] }> {
  const { areas, polygons, census } = reference;
  const population = PEOPLE_ROLES.flatMap((peopleRole) => sources.find(({ role }) => role === peopleRole) ?? [])[0]!;
  let measured: ZonalOutput | null = null;
  const faults = await collectFaults('rasters', population.id, async () => {
    measured = await measureZones({ areas, polygons, sources, rawData: country.rawData, census });
    if (population.role === 'population') compareWithCensus(population, areas, measured.lgas, census);
  });
  const findFaultySource = ({ what }: Fault) =>
    sources.find(({ files }) => files.some(({ path: file }) => what.includes(file)));
  return {
    measured,
    faults: faults.map((fault) => ({ ...fault, source: findFaultySource(fault)?.id ?? population.id })),
  };
}

/** The data that tables are checked against, or why the outlines cannot be read; both null if there are no outlines. */
export async function readReference(
  { rawData, model }: Country,
  sources: readonly Source[],
): Promise<{ reference: Reference | null; fault: BadInput | null }> {
  const input = { rawData, model, sources, report: [] };
  if (!sources.some(({ role }) => role === 'lga_boundaries')) return { reference: null, fault: null };
  try {
    const { areas, polygons } = await ingestAreas(input);
    // A fault in the census is reported with the census; the other tables are read without it.
    const hasCensus = sources.some(({ role }) => role === 'population_census');
    const noCensus = { census: [], people: [] };
    const { census, people } = hasCensus ? await ingestCensus(input, areas).catch(() => noCensus) : noCensus;
    return { reference: { areas, polygons, census: rowByCode(census, 'lga_code'), people }, fault: null };
  } catch (error) {
    if (error instanceof BadInput) return { reference: null, fault: error };
    throw error;
  }
}
