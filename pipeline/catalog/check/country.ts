/** All faults of a catalog and its files at once, cheapest first, without building. */
import { statSync } from 'node:fs';
import path from 'node:path';
import { BadInput } from '../../bad-input.ts';
import { checkSource, checkTogether } from '../../engine/check-sources.ts';
import {
  type Country,
  RULES,
  readUnchecked,
  refuseMissing,
  refuseOutside,
  refuseUnlisted,
  schemaFaults,
} from '../../engine/country.ts';
import { sha256File } from '../../engine/hash.ts';
import { acceptCommand } from '../../engine/pins.ts';
import { ingestAreas } from '../../ingest/areas.ts';
import { ingestCensus } from '../../ingest/layers.ts';
import type { Source } from '../sources.ts';
import { type Fault, faultsIn, faultsOf } from './fault.ts';
import { type Places, readOneRaster, readOneTable } from './source.ts';

/** What the outlines and codes of areas are read from, together. */
const OF_AREAS = ['lga_boundaries', 'lga_codes', 'state_boundaries'];

/**
 * What is wrong with a country. A fault ends the look at its own source alone; where the form of a catalog file is
 * wrong, nothing more can be said.
 * @throws BadInput where there is no catalog to look at
 */
export async function checkCountry(directory: string, rawData = directory): Promise<Fault[]> {
  const forms = schemaFaults(directory).map((fault): Fault => ({ step: 'form', source: null, what: fault.message }));
  if (forms.length > 0) return forms;
  return countryFaults(readUnchecked(directory, rawData));
}

/** The same of a catalog whose forms are right, which need not be what lies on the disk. */
export async function countryFaults(country: Country): Promise<Fault[]> {
  const faults = await catalogFaults(country);
  const sound = () => country.sources.filter(({ id }) => !faults.some((fault) => fault.source === id));
  for (const source of sound()) faults.push(...(await fileFaults(country, source)));
  const readable = sound();
  for (const source of readable) faults.push(...(await pinFaults(country, source)));
  return [...faults, ...(await contentFaults(country, readable))];
}

async function catalogFaults(country: Country): Promise<Fault[]> {
  const { sources, rawData } = country;
  const found = await faultsOf('form', null, () => checkTogether(sources));
  for (const rule of RULES) found.push(...(await faultsOf('form', null, () => rule(country))));
  for (const source of sources) {
    found.push(...(await faultsOf('form', source.id, () => checkSource(source))));
    for (const file of source.files)
      found.push(...(await faultsOf('form', source.id, () => refuseOutside(file.path, rawData))));
  }
  return found;
}

async function fileFaults({ rawData }: Country, source: Source): Promise<Fault[]> {
  const found: Fault[] = [];
  for (const file of source.files)
    found.push(...(await faultsOf('files', source.id, () => refuseMissing(file.path, rawData))));
  return found.length > 0 ? found : faultsOf('files', source.id, () => refuseUnlisted(source, rawData));
}

/** Files that are not those that the catalog pins; whether they can be read is another matter. */
async function pinFaults(country: Country, { id, files }: Source): Promise<Fault[]> {
  const found: Fault[] = [];
  const expected = `expected the file that was accepted; to accept this one: ${acceptCommand(country, id)}`;
  for (const { path: file, bytes, sha256 } of files) {
    const full = path.join(country.rawData, file);
    const complain = (what: string) => found.push({ step: 'hashes', source: id, what: `${file}: found ${what}` });
    const { size } = statSync(full);
    if (sha256 === undefined) complain(`no SHA-256 in sources.json, ${expected}`);
    else if (bytes !== undefined && size !== bytes) complain(`${size} bytes for ${bytes}, ${expected}`);
    else if ((await sha256File(full)) !== sha256) complain(`another SHA-256 than in sources.json, ${expected}`);
  }
  return found;
}

/** Faults of what the sources' files hold. */
async function contentFaults(country: Country, sources: readonly Source[]): Promise<Fault[]> {
  const { fault: outlines, places } = await readPlaces(country, sources);
  const ofAreas = sources.filter(({ role }) => OF_AREAS.includes(role));
  const blamed = ofAreas.find(({ files }) => files.some((file) => outlines?.file.endsWith(file.path))) ?? ofAreas[0];
  const faults = outlines ? faultsIn('tables and outlines', blamed!.id, outlines) : [];
  for (const source of sources) {
    const step = source.format === 'geotiff' ? 'rasters' : 'tables and outlines';
    if (OF_AREAS.includes(source.role)) continue;
    const found = await faultsOf(step, source.id, () =>
      source.format === 'geotiff' ? readOneRaster(country, source) : readOneTable(country, source, places),
    );
    faults.push(...found);
  }
  // Tables first, whatever the catalog's order.
  return [...faults.filter(({ step }) => step !== 'rasters'), ...faults.filter(({ step }) => step === 'rasters')];
}

/** What tables are read against, or why the outlines cannot be read; neither where they are not there. */
export async function readPlaces(
  { rawData, model }: Country,
  sources: readonly Source[],
): Promise<{ places: Places | null; fault: BadInput | null }> {
  const input = { rawData, model, sources, report: [] };
  if (!sources.some(({ role }) => role === 'lga_boundaries')) return { places: null, fault: null };
  try {
    const { areas, polygons } = await ingestAreas(input);
    // A fault of the census is told with the census; others are read without it.
    const counted = sources.some(({ role }) => role === 'population_census');
    const census = counted ? await ingestCensus(input, areas).catch(() => ({})) : {};
    return { places: { areas, polygons, census }, fault: null };
  } catch (error) {
    if (error instanceof BadInput) return { places: null, fault: error };
    throw error;
  }
}
