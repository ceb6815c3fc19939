/** Checks changed files as a build does, compares them with the last accepted ones, and accepts them. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import path from 'node:path';
import { ALIASES_FILE, aliasesCsv, levelJoinedByName, mergeAliases } from '../../catalog/aliases.ts';
import { type Country, catalogSchemaErrors, readUncheckedCatalog } from '../../catalog/country.ts';
import { checkCovariates } from '../../catalog/covariate-rules.ts';
import { checkEvidence } from '../../catalog/evidence-rules.ts';
import { checkModel } from '../../catalog/model-rules.ts';
import { isTable } from '../../catalog/roles.ts';
import { checkAcrossSources, checkSource } from '../../catalog/source-rules.ts';
import type { Acceptance, Source } from '../../catalog/sources.ts';
import type { Period } from '../../contract/months.ts';
import { countryWords, wordingInCountry } from '../../contract/words.ts';
import type { ReportLine } from '../../engine/stage.ts';
import { ingestAreas } from '../../ingest/areas.ts';
import type { Areas } from '../../ingest/ingest-tables.ts';
import { indexPlacesByName, matchNames, type NameMatch, readTableWithCodes } from '../../ingest/places-by-name.ts';
import { type RawTable, readTable, readTextTable } from '../../ingest/readers/raw-table.ts';
import { writeAtomic } from '../../lib/atomic-write.ts';
import { BadInput, InputLocation } from '../../lib/bad-input.ts';
import { sha256File } from '../../lib/hash.ts';
import { keepFile, keptFile } from '../accepted-files.ts';
import { readReference } from '../check/check-country.ts';
import { readOneRaster, readOneTable } from '../check/check-source.ts';
import { collectFaults, type Fault } from '../check/fault.ts';
import { findDoubts } from '../check/find-doubts.ts';
import { columnMatching, likeliestColumn } from '../columns.ts';
import type { ComparedRow } from '../compare/compare-rows.ts';
import { compareSources, type FilePair, type SourceComparison } from '../compare/compare-sources.ts';
import type { ReadCoded } from '../compare/read-rows.ts';
import { type Edit, entryEdits } from './edits.ts';
import { linkedView, type NewFile, newFilePaths } from './file-paths.ts';
import { editJson } from './json-edits.ts';
import { measureSource } from './measure-source.ts';

export interface UpdateRequest {
  country: string;
  rawData?: string | undefined;
  /** Build directory, which keeps copies of accepted files. */
  out: string;
  source: string;
  /** Files to copy into the raw data; if empty, the files already there are checked. */
  files: readonly string[];
  period?: Period | undefined;
  /** New descriptive fields of the entry. */
  about: Partial<Pick<Source, 'release' | 'citation' | 'licence' | 'title'>>;
  lastEstimated?: Period | undefined;
  /** Writes doubtful names to `aliases.csv`, as proposed. */
  acceptNames?: boolean | undefined;
  /** Accepts the update for this reason; without it nothing is changed. */
  accept?: { reason: string; by: string; at: string } | undefined;
}

export interface Update {
  source: string;
  files: { path: string; change: 'new' | 'changed'; sha256: { was: string | null; is: string } }[];
  /** The changes to the two files of the catalog, proposed or made. */
  edits: Edit[];
  /** Null if no file has changed, or the previously accepted files are not available. */
  comparison: SourceComparison | null;
  doubts: string[];
  /** The names that a table goes by. Nothing is compared while one of them has no area. */
  names: MatchedName[];
  /** What else is wrong with a table whose names have no areas yet. */
  faults: Fault[];
  accepted: boolean;
}

/** A name with the number of its rows. */
export type MatchedName = Omit<NameMatch, 'rows'> & { rows: number };

/** The entry as it would be with the new files, and how its table is read. */
interface Proposal {
  entry: Source;
  /** The raw data with the new files in place. */
  view: string;
  /** The table, and the areas that its names are matched with; null if it goes by codes. */
  named: { table: RawTable; areas: Areas } | null;
  read: ReadCoded;
}

/** @throws BadInput if a build would refuse the new files, or for months without evidence */
export async function updateSource(request: UpdateRequest): Promise<Update> {
  const { out, accept } = request;
  const [fault] = catalogSchemaErrors(request.country);
  if (fault) throw fault;
  const country = readUncheckedCatalog(request.country, request.rawData);
  const accepted = sourceIn(country, request.source);
  const given = newFilePaths(accepted, request.files, request.period);
  refuseOverwriting(country, accepted, given);
  const view = rawDataView(country, accepted, given);
  const views = [view];
  try {
    const entry = await withPlaceNames({ ...withNewFiles(accepted, given), ...request.about }, country, view);
    const proposal = await readProposal(country, accepted, entry, view);
    const { names, faults } = await matchPlaces(country, proposal, request);
    const update = { source: accepted.id, comparison: null, doubts: [], names, faults, accepted: false };
    if (names.some(({ area }) => area === null)) return { ...update, files: [], edits: [] };

    const { updated, rows, proposed, report } = await checkProposal(country, proposal, request.lastEstimated);
    const files = changedFiles(accepted, updated);
    const before = await acceptedView(out, country.rawData, accepted);
    if (before) views.push(before);
    const comparison =
      files.length > 0 && before
        ? await compareSources(
            { source: accepted, rawData: before },
            { source: updated, rawData: view, rows },
            country.model.states,
            filePairs(accepted, updated, files),
            proposal.read,
          )
        : null;
    const isPinned = accepted.files.some(({ sha256 }) => sha256 !== undefined);
    const words = countryWords(country.model.territory);
    const doubts = [
      ...(isPinned && !before ? ['the previously accepted files are not available for comparison'] : []),
      ...(comparison?.doubts ?? []),
      ...report.map(({ what }) => wordingInCountry(what, words)),
    ];
    if (accept && files.length > 0) proposed.model.updated_at = accept.at;
    const edits = entryEdits(country, proposed, accepted, updated);
    const checked: Update = { ...update, files, edits, comparison, doubts: files.length > 0 ? doubts : [] };
    if (!accept || (files.length === 0 && edits.length === 0)) return checked;

    if (before) await keepFiles(out, accepted, before);
    await keepFiles(out, updated, view);
    await copyIntoRawData(given, country.rawData);
    await writeCatalog(country, accepted, edits, {
      at: accept.at,
      by: accept.by,
      reason: accept.reason,
      what: describeChange(checked),
      ...(checked.doubts.length > 0 ? { doubts: checked.doubts } : {}),
    });
    return { ...checked, accepted: true };
  } catch (error) {
    // Show the catalog's paths, not those of the temporary view.
    for (const fault of error instanceof BadInput ? [error, ...error.further] : []) {
      fault.message = fault.message.replaceAll(`${view}${path.sep}`, '');
      fault.file = fault.file.replaceAll(`${view}${path.sep}`, '');
    }
    throw error;
  } finally {
    for (const directory of views) rmSync(directory, { recursive: true, force: true });
  }
}

/** Reads what the names of the proposed table are matched with. The accepted one may go by names where it does not. */
async function readProposal(country: Country, accepted: Source, entry: Source, view: string): Promise<Proposal> {
  const { model } = country;
  const goByNames = [accepted, entry].some((source) => levelJoinedByName(source) !== null);
  const areas = goByNames ? await areasIn(country, view) : null;
  const named = areas && levelJoinedByName(entry) ? { table: await readTable(view, entry), areas } : null;
  const read: ReadCoded = (rawData, source) =>
    areas ? readTableWithCodes({ rawData, model, report: [] }, areas, source) : readTable(rawData, source);
  return { entry, view, named, read };
}

/**
 * The names of the proposed table with their areas. On request, proposed areas are accepted and written to
 * `aliases.csv`.
 * @returns also, if some names have no area, what else would be refused if all proposed areas were accepted
 */
async function matchPlaces(
  country: Country,
  proposal: Proposal,
  { acceptNames, lastEstimated }: UpdateRequest,
): Promise<Pick<Update, 'names' | 'faults'>> {
  const { entry, named } = proposal;
  if (!named) return { names: [], faults: [] };
  const { model } = country;
  const match = () => matchNames(named.table, entry, named.areas, model);
  const aliases = match().flatMap((name) => name.proposal ?? []);
  if (acceptNames && aliases.length > 0) {
    model.aliases = mergeAliases(model.aliases, aliases);
    await writeAtomic(path.join(country.directory, ALIASES_FILE), aliasesCsv(model.aliases));
  }
  const names = match().map((name): MatchedName => ({ ...name, rows: name.rows.length }));
  if (names.every(({ area }) => area)) return { names, faults: [] };
  model.aliases = mergeAliases(model.aliases, aliases);
  if (!match().every(({ area }) => area)) return { names, faults: [] };
  const check = () => checkProposal(country, proposal, lastEstimated);
  return { names, faults: await collectFaults('tables and outlines', entry.id, check) };
}

/** Measures the proposed entry, and checks it as a build does. @throws BadInput if a build would refuse it */
async function checkProposal(
  country: Country,
  { entry, view, read }: Proposal,
  lastEstimated: Period | undefined,
): Promise<{ updated: Source; rows: ComparedRow[] | null; proposed: Country; report: ReportLine[] }> {
  const { source: updated, rows } = await measureSource(entry, view, country.model.states, read);
  const proposed = proposedCountry(country, updated, view, lastEstimated);
  return { updated, rows, proposed, report: await checkProposed(proposed, updated) };
}

/** Keeps copies of an entry's files, whose hashes it has. */
async function keepFiles(out: string, { files }: Source, rawData: string): Promise<void> {
  for (const { path: file, sha256 } of files) await keepFile(out, path.join(rawData, file), sha256!);
}

async function copyIntoRawData(given: readonly NewFile[], rawData: string): Promise<void> {
  for (const { file, path: target } of given) {
    const place = path.join(rawData, target);
    if (path.resolve(file) !== path.resolve(place)) await writeAtomic(place, (copy) => copyFile(file, copy));
  }
}

/** The source with this id, or else that of the file with this name, with or without its ending. */
function sourceIn({ sources }: Country, name: string): Source {
  const byId = sources.filter((source) => source.id === name);
  const isNamed = (file: string) => [path.basename(file), path.parse(file).name].includes(name);
  const matches = byId.length > 0 ? byId : sources.filter(({ files }) => files.some((file) => isNamed(file.path)));
  if (matches.length === 1) return matches[0]!;
  throw new BadInput({
    file: 'sources.json',
    found: matches.length === 0 ? `no source ${name}` : `${matches.length} sources of the file ${name}`,
    expected: `one of ${(matches.length === 0 ? sources : matches).map((source) => source.id).join(', ')}`,
  });
}

/** The country's areas, which a table does not change. */
async function areasIn({ sources, model }: Country, rawData: string): Promise<Areas> {
  return (await ingestAreas({ rawData, sources, model, report: [] })).areas;
}

/**
 * The entry of a table that has the names of its areas where the last one had their codes: in the column that the entry
 * maps already, else one of a usual name, else the one with most of the names.
 */
async function withPlaceNames(source: Source, country: Country, rawData: string): Promise<Source> {
  const { columns = {}, recode } = source;
  const level = columns.lga_pcode ? 'lga' : 'state';
  const code = `${level}_pcode`;
  if (!isTable(source) || !columns[code]) return source;
  const table = await readTextTable(rawData, source);
  if (table.header.includes(columns[code])) return source;
  const areas = await areasIn(country, rawData);
  const named =
    [columns[level], likeliestColumn(table.header, level)].find((name) => name && table.header.includes(name)) ??
    columnMatching(table, (cells) => {
      const { placesNamed } = indexPlacesByName(level, areas, country.model, cells);
      return (cell) => placesNamed(cell).length > 0;
    });
  if (!named) return source;
  const without = <Value>(entries: Record<string, Value>) =>
    Object.fromEntries(Object.entries(entries).filter(([name]) => name !== code));
  const places = { ...without(columns), [level]: named };
  return { ...source, columns: places, ...(recode ? { recode: without(recode) } : {}) };
}

/** @throws BadInput if one more file would take the place of another source's */
function refuseOverwriting({ sources, rawData }: Country, source: Source, given: readonly NewFile[]): void {
  for (const { file, path: target, added } of given) {
    const owner = sources.find(
      ({ id, files }) => id !== source.id && files.some(({ path: taken }) => taken === target),
    );
    if (added && owner && path.resolve(file) !== path.resolve(rawData, target))
      throw new InputLocation(file).error(
        `the name of a file of the source ${owner.id}`,
        `another name, or that file itself, ${target}`,
      );
  }
}

/** A view of the raw data with the new files in place. */
function rawDataView({ sources, rawData }: Country, source: Source, given: readonly NewFile[]): string {
  const files = Object.fromEntries(
    sources.flatMap(({ files: listed }) => listed.map((file) => [file.path, path.join(rawData, file.path)])),
  );
  for (const { path: place, file } of given) files[place] = file;
  for (const { path: file } of source.files)
    if (!existsSync(files[file]!))
      throw new BadInput({
        file,
        found: 'no such file',
        expected: 'the file in the raw data (--raw-data) or as an argument after the source',
      });
  return linkedView(files);
}

function withNewFiles(source: Source, given: readonly NewFile[]): Source {
  const added = given.flatMap(({ path: file, added: entry }) => (entry ? [{ path: file, ...entry }] : []));
  return added.length === 0 ? source : { ...source, files: [...source.files, ...added] };
}

function proposedCountry(
  country: Country,
  updated: Source,
  rawData: string,
  lastEstimated: Period | undefined,
): Country {
  return {
    directory: country.directory,
    rawData,
    sources: country.sources.map((source) => (source.id === updated.id ? updated : source)),
    model: { ...country.model, ...(lastEstimated ? { last_estimated: lastEstimated } : {}) },
  };
}

/**
 * Doubts about the content of a table by itself.
 * @throws BadInput if a build would refuse the source
 */
async function checkProposed(country: Country, source: Source): Promise<ReportLine[]> {
  checkAcrossSources(country.sources);
  checkSource(source);
  checkModel(country.model);
  checkEvidence(country.model, country.sources);
  checkCovariates(country.model, country.sources);
  if (source.format === 'geotiff') {
    await readOneRaster(country, source);
    return [];
  }
  const { fault, reference } = await readReference(country, country.sources);
  if (fault) throw fault;
  if (!reference || !isTable(source)) return [];
  return findDoubts(reference, [await readOneTable(country, source, reference)], null);
}

function changedFiles(accepted: Source, updated: Source): Update['files'] {
  const then = new Map(accepted.files.map((file) => [file.path, file.sha256 ?? null]));
  return updated.files.flatMap(({ path: file, sha256 }) => {
    const before = then.get(file) ?? null;
    if (before === sha256) return [];
    return [{ path: file, change: before === null ? 'new' : 'changed', sha256: { was: before, is: sha256! } }];
  });
}

/** The raster of a new month is compared with the same month of the latest earlier year. */
function filePairs(accepted: Source, updated: Source, files: Update['files']): FilePair[] {
  return files.flatMap(({ path: file, sha256 }) => {
    if (sha256.was !== null) return [{ path: file, before: file }];
    const month = updated.files.find((listed) => listed.path === file)?.period?.slice(-2);
    const earlier = accepted.files.filter(({ period }) => month !== undefined && period?.endsWith(`-${month}`));
    const latest = earlier.sort((a, b) => (a.period! < b.period! ? -1 : 1)).at(-1);
    return latest ? [{ path: file, before: latest.path }] : [];
  });
}

/** A view of the files that the entry pins; null if one of them is no longer available. */
async function acceptedView(out: string, rawData: string, source: Source): Promise<string | null> {
  const files: Record<string, string> = {};
  for (const { path: file, sha256 } of source.files) {
    if (sha256 === undefined) return null;
    const there = path.join(rawData, file);
    const same = await sha256File(there).then(
      (hash) => hash === sha256,
      () => false,
    );
    const kept = same ? there : await keptFile(out, sha256);
    if (kept === null) return null;
    files[file] = kept;
  }
  return linkedView(files);
}

async function writeCatalog(
  country: Country,
  accepted: Source,
  edits: readonly Edit[],
  acceptance: Acceptance,
): Promise<void> {
  const index = country.sources.indexOf(accepted);
  const entry = { path: ['sources', index, 'accepted', accepted.accepted?.length ?? 0], value: acceptance };
  const first = accepted.accepted ? entry : { path: ['sources', index, 'accepted'], value: [acceptance] };
  for (const name of ['sources.json', 'model.json'] as const) {
    const fileEdits = edits.filter(({ file }) => file === name);
    if (name === 'model.json' && fileEdits.length === 0) continue;
    const file = path.join(country.directory, name);
    const text = readFileSync(file, 'utf8');
    await writeAtomic(file, editJson(text, name === 'sources.json' ? [...fileEdits, first] : fileEdits));
  }
}

/** The changes in one line. */
function describeChange({ files, comparison, edits }: Update): string {
  const { rows } = comparison?.rows ?? {};
  const counts = rows ? [`${rows.added} rows added, ${rows.removed} removed, ${rows.changed} changed`] : [];
  const named =
    files.length > 3 ? `${files.length} files` : files.map(({ path: file, change }) => `${file} ${change}`).join(', ');
  return [...(files.length > 0 ? [named] : edits.map(({ field }) => field)), ...counts].join('; ');
}
