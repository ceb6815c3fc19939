/** Checks changed files as a build does, compares them with the last accepted ones, and accepts them. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import path from 'node:path';
import { ALIASES_FILE, aliasesCsv, namedLevel, withAliases } from '../../catalog/aliases.ts';
import { type Country, readUnchecked, schemaFaults } from '../../catalog/country.ts';
import { checkCovariates } from '../../catalog/covariate-rules.ts';
import { checkEvidence } from '../../catalog/evidence-rules.ts';
import { checkModel } from '../../catalog/model-rules.ts';
import { isTable } from '../../catalog/roles.ts';
import { checkAcrossSources, checkSource } from '../../catalog/source-rules.ts';
import type { Acceptance, Source } from '../../catalog/sources.ts';
import type { Period } from '../../contract/months.ts';
import { countryWords, tell } from '../../contract/words.ts';
import type { ReportLine } from '../../engine/stage.ts';
import { ingestAreas } from '../../ingest/areas.ts';
import type { Areas } from '../../ingest/ingest-tables.ts';
import { matchNames, type NameMatch, placesByName, readPlaced } from '../../ingest/places-by-name.ts';
import { readCells, readTable } from '../../ingest/readers/raw-table.ts';
import { writeAtomic } from '../../lib/atomic-write.ts';
import { BadInput, InputLocation } from '../../lib/bad-input.ts';
import { sha256File } from '../../lib/hash.ts';
import { keepFile, keptFile } from '../accepted-files.ts';
import { readReference } from '../check/check-country.ts';
import { readOneRaster, readOneTable } from '../check/check-source.ts';
import { collectFaults, type Fault } from '../check/fault.ts';
import { findDoubts } from '../check/find-doubts.ts';
import { columnMatching, likeliestColumn } from '../columns.ts';
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

/** @throws BadInput if a build would refuse the new files, or for months without evidence */
export async function updateSource(request: UpdateRequest): Promise<Update> {
  const { out, accept } = request;
  const [fault] = schemaFaults(request.country);
  if (fault) throw fault;
  const country = readUnchecked(request.country, request.rawData);
  const { rawData, model } = country;
  const was = sourceIn(country, request.source);
  const given = newFilePaths(was, request.files, request.period);
  refuseOverwriting(country, was, given);
  const view = rawDataView(country, was, given);
  const views = [view];
  try {
    const proposal = await withOwnPlaces({ ...withNewFiles(was, given), ...request.about }, country, view);
    const byName = namedLevel(was) !== null || namedLevel(proposal) !== null;
    const areas = byName ? await areasIn(country, view) : null;
    const read: ReadCoded = (from, source) =>
      areas ? readPlaced({ rawData: from, model, report: [] }, areas, source) : readTable(from, source);
    const check = async () => {
      const measured = await measureSource(proposal, view, model.states, read);
      const proposed = proposedCountry(country, measured.source, view, request.lastEstimated);
      return { ...measured, proposed, report: await checkProposed(proposed, measured.source) };
    };
    const table = areas && namedLevel(proposal) ? await readTable(view, proposal) : null;
    const match = () => (table ? matchNames(table, proposal, areas!, model) : []);
    const proposals = match().flatMap((one) => one.proposal ?? []);
    if (request.acceptNames && proposals.length > 0) {
      model.aliases = withAliases(model.aliases, proposals);
      await writeAtomic(path.join(country.directory, ALIASES_FILE), aliasesCsv(model.aliases));
    }
    const names = match().map((one): MatchedName => ({ ...one, rows: one.rows.length }));
    if (names.some(({ area }) => area === null)) {
      // What else would be refused if the names were accepted.
      model.aliases = withAliases(model.aliases, proposals);
      const faults = match().every(({ area }) => area) ? await collectFaults('tables and outlines', was.id, check) : [];
      return { source: was.id, files: [], edits: [], comparison: null, doubts: [], names, faults, accepted: false };
    }
    const { source: is, rows, proposed, report } = await check();

    const files = changedFiles(was, is);
    const before = await acceptedView(out, rawData, was);
    if (before) views.push(before);
    const states = country.model.states;
    const comparison =
      files.length > 0 && before
        ? await compareSources(
            { source: was, rawData: before },
            { source: is, rawData: view, rows },
            states,
            filePairs(was, is, files),
            read,
          )
        : null;
    const known = was.files.some(({ sha256 }) => sha256 !== undefined);
    const words = countryWords(country.model.territory);
    const doubts = [
      ...(files.length > 0 && known && !before
        ? ['the previously accepted files are not available for comparison']
        : []),
      ...(comparison?.doubts ?? []),
      ...(files.length > 0 ? report.map(({ what }) => tell(what, words)) : []),
    ];
    if (accept && files.length > 0) proposed.model.updated_at = accept.at;
    const edits = entryEdits(country, proposed, was, is);
    const update: Update = { source: was.id, files, edits, comparison, doubts, names, faults: [], accepted: false };
    if (!accept || (files.length === 0 && edits.length === 0)) return update;

    if (before) for (const { path: file, sha256 } of was.files) await keepFile(out, path.join(before, file), sha256!);
    for (const { path: file, sha256 } of is.files) await keepFile(out, path.join(view, file), sha256!);
    for (const { file, path: own } of given) {
      const place = path.join(rawData, own);
      if (path.resolve(file) !== path.resolve(place)) await writeAtomic(place, (copy) => copyFile(file, copy));
    }
    await writeCatalog(country, was, edits, {
      at: accept.at,
      by: accept.by,
      reason: accept.reason,
      what: describeChange(update),
      ...(doubts.length > 0 ? { doubts } : {}),
    });
    return { ...update, accepted: true };
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

/** The source with this id, or else that of the file with this name, with or without its ending. */
function sourceIn({ sources }: Country, name: string): Source {
  const byId = sources.filter((source) => source.id === name);
  const isNamed = (file: string) => [path.basename(file), path.parse(file).name].includes(name);
  const found = byId.length > 0 ? byId : sources.filter(({ files }) => files.some((file) => isNamed(file.path)));
  if (found.length === 1) return found[0]!;
  throw new BadInput({
    file: 'sources.json',
    found: found.length === 0 ? `no source ${name}` : `${found.length} sources of the file ${name}`,
    expected: `one of ${(found.length === 0 ? sources : found).map((source) => source.id).join(', ')}`,
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
async function withOwnPlaces(source: Source, country: Country, rawData: string): Promise<Source> {
  const { columns = {}, recode } = source;
  const level = columns.lga_pcode ? 'lga' : 'state';
  const code = `${level}_pcode`;
  if (!isTable(source) || !columns[code]) return source;
  const table = await readCells(rawData, source);
  if (table.header.includes(columns[code])) return source;
  const areas = await areasIn(country, rawData);
  const named =
    [columns[level], likeliestColumn(table.header, level)].find((name) => name && table.header.includes(name)) ??
    columnMatching(table, (cells) => {
      const { named: areasNamed } = placesByName(level, areas, country.model, cells);
      return (cell) => areasNamed(cell).length > 0;
    });
  if (!named) return source;
  const without = <Value>(entries: Record<string, Value>) =>
    Object.fromEntries(Object.entries(entries).filter(([name]) => name !== code));
  const places = { ...without(columns), [level]: named };
  return { ...source, columns: places, ...(recode ? { recode: without(recode) } : {}) };
}

/** @throws BadInput if one more file would take the place of another source's */
function refuseOverwriting({ sources, rawData }: Country, source: Source, given: readonly NewFile[]): void {
  for (const { file, path: own, added } of given) {
    const other = sources.find(({ id, files }) => id !== source.id && files.some(({ path: taken }) => taken === own));
    if (added && other && path.resolve(file) !== path.resolve(rawData, own))
      throw new InputLocation(file).error(
        `the name of a file of the source ${other.id}`,
        `another name, or that file itself, ${own}`,
      );
  }
}

/** A view of the raw data with the new files in place. */
function rawDataView({ sources, rawData }: Country, source: Source, given: readonly NewFile[]): string {
  const files = Object.fromEntries(
    sources.flatMap(({ files: own }) => own.map((file) => [file.path, path.join(rawData, file.path)])),
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

function proposedCountry(country: Country, is: Source, rawData: string, lastEstimated: Period | undefined): Country {
  return {
    directory: country.directory,
    rawData,
    sources: country.sources.map((source) => (source.id === is.id ? is : source)),
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

function changedFiles(was: Source, is: Source): Update['files'] {
  const then = new Map(was.files.map((file) => [file.path, file.sha256 ?? null]));
  return is.files.flatMap(({ path: file, sha256 }) => {
    const before = then.get(file) ?? null;
    if (before === sha256) return [];
    return [{ path: file, change: before === null ? 'new' : 'changed', sha256: { was: before, is: sha256! } }];
  });
}

/** The raster of a new month is compared with the same month of the latest earlier year. */
function filePairs(was: Source, is: Source, files: Update['files']): FilePair[] {
  return files.flatMap(({ path: file, sha256 }) => {
    if (sha256.was !== null) return [{ path: file, before: file }];
    const month = is.files.find((own) => own.path === file)?.period?.slice(-2);
    const earlier = was.files.filter(({ period }) => month !== undefined && period?.endsWith(`-${month}`));
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
      (found) => found === sha256,
      () => false,
    );
    const found = same ? there : await keptFile(out, sha256);
    if (found === null) return null;
    files[file] = found;
  }
  return linkedView(files);
}

async function writeCatalog(
  country: Country,
  was: Source,
  edits: readonly Edit[],
  acceptance: Acceptance,
): Promise<void> {
  const index = country.sources.indexOf(was);
  const entry = { path: ['sources', index, 'accepted', was.accepted?.length ?? 0], value: acceptance };
  const first = was.accepted ? entry : { path: ['sources', index, 'accepted'], value: [acceptance] };
  for (const name of ['sources.json', 'model.json'] as const) {
    const own = edits.filter(({ file }) => file === name);
    if (name === 'model.json' && own.length === 0) continue;
    const file = path.join(country.directory, name);
    const text = readFileSync(file, 'utf8');
    await writeAtomic(file, editJson(text, name === 'sources.json' ? [...own, first] : own));
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
