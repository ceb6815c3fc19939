/** Checks changed files as a build does, compares them with the last accepted ones, and accepts them. */
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { ALIASES_FILE, aliasesCsv, levelJoinedByName, mergeAliases } from '../../catalog/aliases.ts';
import { type Country, catalogSchemaErrors, readUncheckedCatalog } from '../../catalog/country.ts';
import { checkCovariates } from '../../catalog/covariate-rules.ts';
import { checkEvidence, newEvidence } from '../../catalog/evidence-rules.ts';
import type { Model } from '../../catalog/model.ts';
import { checkModel } from '../../catalog/model-rules.ts';
import { isRainRaster } from '../../catalog/rain-files.ts';
import { isTable, roleDefinition } from '../../catalog/roles.ts';
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
import { BadInput } from '../../lib/bad-input.ts';
import { firstFew } from '../../lib/first-few.ts';
import { sha256File } from '../../lib/hash.ts';
import { quoteForShell } from '../../lib/shell.ts';
import { findStoredCopy, storeFile } from '../accepted-files.ts';
import { readReference } from '../check/check-country.ts';
import { readOneRaster, readOneTable } from '../check/check-source.ts';
import { collectFaults, type Fault } from '../check/fault.ts';
import { findDoubts } from '../check/find-doubts.ts';
import { bestMatchingColumn, likeliestColumn } from '../columns.ts';
import type { ComparedRow, RowComparison } from '../compare/compare-rows.ts';
import { compareSources, type FilePair, type SourceComparison } from '../compare/compare-sources.ts';
import { describeFigure } from '../compare/doubts.ts';
import type { ReadWithCodes } from '../compare/read-rows.ts';
import { catalogEdits, type Edit } from './edits.ts';
import {
  copyIntoRawData,
  createLinkFolder,
  hasCoverageYear,
  linkProposedFiles,
  matchAddedFile,
  matchNewFiles,
  refuseOverwriting,
  withNewFiles,
} from './file-paths.ts';
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
  /** Adds the files beside those of the source (`addFiles`). */
  add?: boolean | undefined;
  period?: Period | undefined;
  /** New descriptive fields of the entry. */
  description: Partial<Pick<Source, 'release' | 'citation' | 'licence' | 'title'>>;
  /** The year that the figures of its first file are of. */
  year?: number | undefined;
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
  /** What the new files do not change by themselves: months that are estimated, and what the API prints of them. */
  notes: string[];
  /** The names of areas in a table without codes. Nothing is compared while one of them matches no area. */
  names: MatchedName[];
  /** What else is wrong with a table whose names have no areas yet. */
  faults: Fault[];
  accepted: boolean;
}

/** A name with the number of its rows. */
export type MatchedName = Omit<NameMatch, 'rows'> & { rows: number };

/** The catalog entry with the new files, and how its table is read. */
interface Proposal {
  entry: Source;
  /** The raw data with the new files in place. */
  rawData: string;
  /** The table and the areas with which its names are matched; null if it has codes. */
  nameTable: { table: RawTable; areas: Areas } | null;
  readWithCodes: ReadWithCodes;
}

/**
 * Adds files like those of a source: monthly ones to its entry, any other as an entry of its own.
 * @throws BadInput if a build would refuse a file
 */
export async function addFiles(request: UpdateRequest): Promise<Update[]> {
  const similar = findSource(readUncheckedCatalog(request.country, request.rawData), request.source);
  const updates: Update[] = [];
  for (const files of isMonthly(similar) ? [request.files] : request.files.map((file) => [file]))
    updates.push(await updateSource({ ...request, files, add: true }));
  return updates;
}

/** With more changed figures a file is another one, not a corrected one. */
const MAX_CORRECTIONS = 500;

/** @throws BadInput if a build would refuse the new files, or for months without evidence */
export async function updateSource(request: UpdateRequest): Promise<Update> {
  const { out, accept } = request;
  const [schemaFault] = catalogSchemaErrors(request.country);
  if (schemaFault) throw schemaFault;
  const country = readUncheckedCatalog(request.country, request.rawData);
  const similar = findSource(country, request.source);
  const accepted = request.add && !isMonthly(similar) ? emptyEntry(similar, request.files[0]!) : similar;
  if (accepted !== similar) country.sources.push(accepted);
  const newFiles = request.add
    ? request.files.map((file) => matchAddedFile(similar, file, request.period))
    : matchNewFiles(accepted, request.files, request.period);
  refuseOverwriting(country, accepted, newFiles);
  const proposedRawData = linkProposedFiles(country, accepted, newFiles);
  const temporaryFolders = [proposedRawData];
  try {
    const entry = await mapPlaceNames(
      { ...withYear(withNewFiles(accepted, newFiles), request.year), ...request.description },
      country,
      proposedRawData,
    );
    const proposal = await readProposal(country, accepted, entry, proposedRawData);
    const { names, faults } = await matchPlaces(country, proposal, request);
    const update = { source: accepted.id, comparison: null, doubts: [], notes: [], names, faults, accepted: false };
    if (names.some(({ area }) => area === null)) return { ...update, files: [], edits: [] };

    const { updated, rows, proposed, report } = await measureAndCheck(country, proposal, request.lastEstimated);
    const files = changedFiles(accepted, updated);
    const acceptedRawData = await linkAcceptedFiles(out, country.rawData, accepted);
    if (acceptedRawData) temporaryFolders.push(acceptedRawData);
    const comparison =
      files.length > 0 && acceptedRawData && accepted.files.length > 0
        ? await compareSources(
            { source: accepted, rawData: acceptedRawData },
            { source: updated, rawData: proposedRawData, rows },
            country.model.states,
            filePairs(accepted, updated, files),
            proposal.readWithCodes,
          )
        : null;
    const isPinned = accepted.files.some(({ sha256 }) => sha256 !== undefined);
    const words = countryWords(country.model.territory);
    const changeDoubts = [
      ...(isPinned && !acceptedRawData ? ['the previously accepted files are not available for comparison'] : []),
      ...(comparison?.doubts ?? []),
      ...unchangedYear(request, accepted, updated, country.model),
      ...(comparison?.rows ? correctionsTakenBack(accepted, comparison.rows) : []),
    ];
    const doubts = [...changeDoubts, ...report.map(({ what }) => wordingInCountry(what, words))];
    if (accept && files.length > 0) proposed.model.updated_at = accept.at;
    const edits = catalogEdits(country, proposed, accepted, updated);
    const notes = [
      ...newEvidence(proposed.model, country.sources, proposed.sources),
      ...unchangedDescription(request, accepted, updated),
    ];
    const checked: Update = { ...update, files, edits, comparison, ...(files.length > 0 ? { doubts, notes } : {}) };
    if (!accept || (files.length === 0 && edits.length === 0)) return checked;

    const figures = comparison?.rows?.figures ?? [];
    const divided = comparison?.outlines?.divided.map(({ code, parts }) => ({ code, parts })) ?? [];
    if (acceptedRawData) await storeFiles(out, accepted, acceptedRawData);
    await storeFiles(out, updated, proposedRawData);
    await copyIntoRawData(newFiles, country.rawData);
    await writeCatalog(country, accepted, edits, {
      at: accept.at,
      by: accept.by,
      reason: accept.reason,
      what: describeChange(checked),
      ...(figures.length > 0 && figures.length <= MAX_CORRECTIONS ? { corrected: figures } : {}),
      ...(divided.length > 0 ? { divided } : {}),
      // Those about the content are findings of the build.
      ...(files.length > 0 && changeDoubts.length > 0 ? { doubts: changeDoubts } : {}),
    });
    return { ...checked, accepted: true };
  } catch (error) {
    // Show paths of the catalog, not those of the temporary folder.
    for (const fault of error instanceof BadInput ? [error, ...error.further] : []) {
      fault.message = fault.message.replaceAll(`${proposedRawData}${path.sep}`, '');
      fault.file = fault.file.replaceAll(`${proposedRawData}${path.sep}`, '');
    }
    throw error;
  } finally {
    for (const directory of temporaryFolders) rmSync(directory, { recursive: true, force: true });
  }
}

/** Reads the areas if the proposed table, or the accepted one that it is compared with, has names instead of codes. */
async function readProposal(country: Country, accepted: Source, entry: Source, rawData: string): Promise<Proposal> {
  const { model } = country;
  const hasNames = [accepted, entry].some((source) => levelJoinedByName(source) !== null);
  const areas = hasNames ? await readAreas(country, rawData) : null;
  const nameTable = areas && levelJoinedByName(entry) ? { table: await readTable(rawData, entry), areas } : null;
  const readWithCodes: ReadWithCodes = (folder, source) =>
    areas ? readTableWithCodes({ rawData: folder, model, report: [] }, areas, source) : readTable(folder, source);
  return { entry, rawData, nameTable, readWithCodes };
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
  const { entry, nameTable } = proposal;
  if (!nameTable) return { names: [], faults: [] };
  const { model } = country;
  const matchTableNames = () => matchNames(nameTable.table, entry, nameTable.areas, model);
  const aliases = matchTableNames().flatMap((name) => name.proposal ?? []);
  if (acceptNames && aliases.length > 0) {
    model.aliases = mergeAliases(model.aliases, aliases);
    await writeAtomic(path.join(country.directory, ALIASES_FILE), aliasesCsv(model.aliases));
  }
  const names = matchTableNames().map((name): MatchedName => ({ ...name, rows: name.rows.length }));
  if (names.every(({ area }) => area)) return { names, faults: [] };
  model.aliases = mergeAliases(model.aliases, aliases);
  if (!matchTableNames().every(({ area }) => area)) return { names, faults: [] };
  const check = () => measureAndCheck(country, proposal, lastEstimated);
  return { names, faults: await collectFaults('tables and outlines', entry.id, check) };
}

/** Measures the proposed entry, and checks it as a build does. @throws BadInput if a build would refuse it */
async function measureAndCheck(
  country: Country,
  { entry, rawData, readWithCodes }: Proposal,
  lastEstimated: Period | undefined,
): Promise<{ updated: Source; rows: ComparedRow[] | null; proposed: Country; report: ReportLine[] }> {
  const { source: updated, rows } = await measureSource(entry, rawData, country.model.states, readWithCodes);
  const proposed = countryWithSource(country, updated, rawData, lastEstimated);
  return { updated, rows, proposed, report: await checkAsBuild(proposed, updated) };
}

/** Stores copies of an entry's files. */
async function storeFiles(out: string, { files }: Source, rawData: string): Promise<void> {
  for (const { path: file, sha256 } of files) await storeFile(out, path.join(rawData, file), sha256!);
}

/** The source with this id, or else the one with a file of this name, with or without extension. */
function findSource({ sources }: Country, name: string): Source {
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

const isMonthly = (source: Source) =>
  isRainRaster(source) || (isTable(source) && (roleDefinition(source.role).key ?? []).includes('period'));

/** What an entry says of its own files alone. */
const FIELDS_OF_FILES: readonly string[] = ['accepted', 'gaps', 'leave_out', 'controls', 'notes'];

/** An entry like that of another source, as yet without files, named after its file. */
function emptyEntry(similar: Source, file: string): Source {
  const sharedFields = Object.entries(similar).filter(([name]) => !FIELDS_OF_FILES.includes(name));
  const entry = Object.fromEntries(sharedFields) as Source;
  const id = path
    .parse(file)
    .name.toLowerCase()
    .replace(/[^a-z0-9]+/g, '_');
  return Object.assign(entry, { id, files: [] }, similar.rounds && { rounds: [] });
}

/** The country's areas, which a table does not change. */
async function readAreas({ sources, model }: Country, rawData: string): Promise<Areas> {
  return (await ingestAreas({ rawData, sources, model, report: [] })).areas;
}

/**
 * Maps the column of names if a table has names of areas instead of the codes that the last one had: the column that
 * the entry maps already, else one with a usual name, else the one with most of the names.
 */
async function mapPlaceNames(source: Source, country: Country, rawData: string): Promise<Source> {
  const { columns = {}, recode } = source;
  const level = columns.lga_pcode ? 'lga' : 'state';
  const codeColumn = `${level}_pcode`;
  if (!isTable(source) || !columns[codeColumn]) return source;
  const table = await readTextTable(rawData, source);
  if (table.header.includes(columns[codeColumn])) return source;
  const areas = await readAreas(country, rawData);
  const nameColumn =
    [columns[level], likeliestColumn(table.header, level)].find((name) => name && table.header.includes(name)) ??
    bestMatchingColumn(table, (cells) => {
      const { placesNamed: findAreas } = indexPlacesByName(level, areas, country.model, cells);
      return (cell) => findAreas(cell).length > 0;
    });
  if (!nameColumn) return source;
  const withoutCode = <Value>(entries: Record<string, Value>) =>
    Object.fromEntries(Object.entries(entries).filter(([name]) => name !== codeColumn));
  const nameColumns = { ...withoutCode(columns), [level]: nameColumn };
  return { ...source, columns: nameColumns, ...(recode ? { recode: withoutCode(recode) } : {}) };
}

function withYear(source: Source, year: number | undefined): Source {
  if (year === undefined) return source;
  return { ...source, files: source.files.map((file, index) => (index === 0 ? { ...file, year } : file)) };
}

function countryWithSource(
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
async function checkAsBuild(country: Country, source: Source): Promise<ReportLine[]> {
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

/** The files whose bytes differ from those at the same place of the accepted entry, and those without such. */
function changedFiles(accepted: Source, updated: Source): Update['files'] {
  return updated.files.flatMap(({ path: file, sha256 }, index) => {
    const acceptedHash = accepted.files[index]?.sha256 ?? null;
    if (acceptedHash === sha256) return [];
    return [
      { path: file, change: acceptedHash === null ? 'new' : 'changed', sha256: { was: acceptedHash, is: sha256! } },
    ];
  });
}

/** The raster of a new month is compared with the same month of the latest earlier year. */
function filePairs(accepted: Source, updated: Source, files: Update['files']): FilePair[] {
  return files.flatMap(({ path: file }) => {
    const index = updated.files.findIndex((listed) => listed.path === file);
    const replaced = accepted.files[index];
    if (replaced) return [{ path: file, before: replaced.path }];
    const month = updated.files[index]!.period?.slice(-2);
    const earlier = accepted.files.filter(({ period }) => month !== undefined && period?.endsWith(`-${month}`));
    const latest = earlier.sort((a, b) => (a.period! < b.period! ? -1 : 1)).at(-1);
    return latest ? [{ path: file, before: latest.path }] : [];
  });
}

/** The fields by which the API describes a source, if none was given for new files. */
function unchangedDescription({ source, description }: UpdateRequest, accepted: Source, updated: Source): string[] {
  const { title, release } = updated;
  const isChanged = title !== accepted.title || release !== accepted.release;
  if (isChanged || Object.keys(description).length > 0) return [];
  const options = `--title ${quoteForShell(title)} --release ${quoteForShell(release)}`;
  return [`what the API says of ${source}: ${options}; give those that differ for the new file`];
}

/** A doubt if net or treatment figures change and the year that the API prints of them was not given. */
function unchangedYear(request: UpdateRequest, accepted: Source, updated: Source, model: Model): string[] {
  const [formerYear, year] = [accepted, updated].map(({ files }) => files[0]?.year);
  if (!hasCoverageYear(accepted) || request.year !== undefined || year !== formerYear) return [];
  return [
    `the API calls these the figures of ${year ?? model.parameters.context.coverage_year} (coverage_year): give the year of the new file, --year`,
  ];
}

/** A doubt if figures that had been corrected are again as they were before. */
function correctionsTakenBack({ accepted = [] }: Source, { figures }: RowComparison): string[] {
  return accepted.flatMap(({ at, by, reason, corrected = [] }) => {
    const formerFigures = new Map(corrected.map(({ key, column, was }) => [`${key} ${column}`, was]));
    const takenBack = figures.filter(({ key, column, is }) => formerFigures.get(`${key} ${column}`) === is);
    if (takenBack.length === 0) return [];
    return [
      `${takenBack.length} figures that were corrected on ${at.slice(0, 10)} by ${by} (${reason}) are as before: ` +
        `${firstFew(takenBack.map(describeFigure), 3, '; ')}; ask whoever delivers the file for the corrected one`,
    ];
  });
}

/** @returns a temporary folder with links to the accepted files; null if one of them is no longer available */
async function linkAcceptedFiles(out: string, rawData: string, source: Source): Promise<string | null> {
  const files: Record<string, string> = {};
  for (const { path: file, sha256 } of source.files) {
    if (sha256 === undefined) return null;
    const currentPath = path.join(rawData, file);
    const isUnchanged = await sha256File(currentPath).then(
      (hash) => hash === sha256,
      () => false,
    );
    const acceptedPath = isUnchanged ? currentPath : await findStoredCopy(out, sha256);
    if (acceptedPath === null) return null;
    files[file] = acceptedPath;
  }
  return createLinkFolder(files);
}

async function writeCatalog(
  country: Country,
  accepted: Source,
  edits: readonly Edit[],
  acceptance: Acceptance,
): Promise<void> {
  const index = country.sources.indexOf(accepted);
  const acceptanceEdit = {
    path: ['sources', index, 'accepted'],
    value: [...(accepted.accepted ?? []), acceptance],
  };
  for (const name of ['sources.json', 'model.json'] as const) {
    const fileEdits = edits.filter(({ file }) => file === name);
    if (name === 'model.json' && fileEdits.length === 0) continue;
    const file = path.join(country.directory, name);
    const text = readFileSync(file, 'utf8');
    await writeAtomic(file, editJson(text, name === 'sources.json' ? [...fileEdits, acceptanceEdit] : fileEdits));
  }
}

/** The changes in one line. */
export function describeChange({ files, comparison, edits }: Update): string {
  const { rows } = comparison?.rows ?? {};
  const rowCounts = rows ? [`${rows.added} rows added, ${rows.removed} removed, ${rows.changed} changed`] : [];
  const figures = comparison?.rows?.figures.map(describeFigure) ?? [];
  const filesText =
    files.length > 3 ? `${files.length} files` : files.map(({ path: file, change }) => `${file} ${change}`).join(', ');
  return [
    ...(files.length > 0 ? [filesText] : edits.map(({ field }) => field)),
    ...rowCounts,
    ...(figures.length > 0 ? [firstFew(figures, 3)] : []),
  ].join('; ');
}
