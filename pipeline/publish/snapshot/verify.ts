import { type Dirent, existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { inCountry } from '../../contract/in-country.ts';
import { ENCODINGS, type FileEntry, Manifest, strongEtag } from '../../contract/manifest.ts';
import { isEncoded, OPERATIONS, operationFiles } from '../../contract/operations.ts';
import { TABLE_NAMES, tableFile, tableFormats } from '../../contract/table-list.ts';
import type { Territory } from '../../contract/territory.ts';
import { CONTRACT_VERSION } from '../../contract/version.ts';
import { sha256 } from '../../lib/hash.ts';
import { compileSchema } from '../../lib/json-schema.ts';
import { type Database, sqlIdentifier, withDatabase } from '../../lib/tables/duckdb.ts';
import { snapshotAnswers } from './answers.ts';
import type { Contents } from './contents.ts';
import { boundaryFaults, tableFaults } from './invariants.ts';
import { manifestFaults } from './manifest-check.ts';
import { placesTable } from './places-table.ts';
import { readTables, type SnapshotTables, tableCsv } from './snapshot-tables.ts';
import { tableLicences } from './table-licences.ts';
import { createViews } from './views.ts';

/** The target of a link could change, and reading a pipe would never end. */
const NOT_A_FILE = 'not a regular file';

/** The result of a snapshot's check; without `faults` the snapshot is intact. */
export interface Verification {
  directory: string;
  model_version: string | null;
  files: number;
  /**
   * Hash of manifest.json, which contains the hashes of all other files: a snapshot changed together with its manifest
   * can be consistent, but cannot have the hash that its build printed. Null if there is no manifest.
   */
  manifest_sha256: string | null;
  /**
   * What was not checked: a snapshot of another version of the contract has other tables, and answers of another form
   * that it derives from them by other rules. Null if everything was checked.
   */
  unchecked: string | null;
  faults: string[];
}

/**
 * Checks a snapshot from its files alone, offline: missing and extra files, hashes, ETags and compressed copies, every
 * answer against its schema and the tables that it is derived from, consistency of the tables, and the manifest's
 * records of the stages.
 * @param onProgress called with the share done, 0 to 1
 */
export async function verifySnapshot(
  directory: string,
  onProgress: (share: number) => void = () => {},
): Promise<Verification> {
  const filesOnDisk = listFiles(directory);
  const readResult = filesOnDisk.get('manifest.json') === false ? NOT_A_FILE : readManifest(directory);
  if (typeof readResult === 'string')
    return {
      directory,
      model_version: null,
      files: 0,
      manifest_sha256: null,
      unchecked: null,
      faults: [`manifest.json: ${readResult}`],
    };
  const { manifest, manifest_sha256 } = readResult;
  const { model_version, contract_version } = manifest;
  const isSameContract = contract_version === CONTRACT_VERSION;
  const operations = operationsByPath(manifest, isSameContract);
  const { faults, answers } = checkFiles(directory, { manifest, filesOnDisk, operations }, onProgress);
  const listedNames = Object.keys(manifest.files);
  const unchecked = isSameContract
    ? null
    : `answers against schemas and tables: it follows contract ${contract_version}, this code ${CONTRACT_VERSION}`;
  return {
    directory,
    model_version,
    files: listedNames.length,
    manifest_sha256,
    unchecked,
    faults: [
      ...[...filesOnDisk.keys()]
        .filter((name) => name !== 'manifest.json' && !manifest.files[name])
        .map((name) => `${name}: not in the manifest`),
      ...missingAnswers(manifest, operations),
      ...faults,
      ...manifestFaults(manifest),
      ...(isSameContract ? await tableAndAnswerFaults(directory, manifest, answers) : []),
    ],
  };
}

/** The manifest and its hash, or why it cannot be used. */
function readManifest(directory: string): { manifest: Manifest; manifest_sha256: string } | string {
  let bytes: Buffer;
  let manifest: Manifest;
  try {
    bytes = readFileSync(path.join(directory, 'manifest.json'));
    manifest = JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? 'no such file; give a snapshot, such as build/current' : message;
  }
  const validate = compileSchema(Manifest);
  if (validate(manifest)) return { manifest, manifest_sha256: sha256(bytes) };
  const { instancePath, message } = validate.errors![0]!;
  return `${instancePath} ${message}`;
}

type Operation = (typeof OPERATIONS)[number];

/** The operation of each file that a snapshot with this manifest must have. */
function operationsByPath(manifest: Manifest, isSameContract: boolean): Map<string, Operation> {
  const hasWindows = tableFile('season_windows', 'parquet') in manifest.files;
  return new Map(
    OPERATIONS.flatMap((operation) =>
      // A snapshot of this contract may lack only tables without rows and, if it has no rain, the best months to act.
      operationFiles(
        operation,
        manifest.coverage,
        isSameContract && operation.response && (operation.needs !== 'windows' || hasWindows)
          ? undefined
          : manifest.files,
      ).map((file) => [file, operation] as const),
    ),
  );
}

/** Answers and compressed copies that the manifest lacks. */
function missingAnswers({ files }: Manifest, operations: ReadonlyMap<string, Operation>): string[] {
  return [...operations].flatMap(([file, operation]) => [
    ...(files[file] ? [] : [`${file}: the answer to ${operation.id} is missing`]),
    ...(isEncoded(operation) ? Object.values(ENCODINGS) : [])
      .filter((suffix) => !files[file + suffix])
      .map((suffix) => `${file + suffix}: not in the manifest`),
  ]);
}

interface SnapshotFiles {
  manifest: Manifest;
  /** The directory's files: whether each is a regular file. */
  filesOnDisk: ReadonlyMap<string, boolean>;
  operations: ReadonlyMap<string, Operation>;
}

/**
 * Checks each file that the manifest lists.
 * @returns faults, and hashes of the answers that are valid by their schema
 */
function checkFiles(
  directory: string,
  { manifest, filesOnDisk, operations }: SnapshotFiles,
  onProgress: (share: number) => void,
): { faults: string[]; answers: Map<string, string> } {
  const answers = new Map<string, string>();
  const listedNames = Object.keys(manifest.files);
  const faults = listedNames.flatMap((name, index) => {
    if (index % 500 === 0) onProgress(index / listedNames.length);
    if (!filesOnDisk.get(name)) return [`${name}: ${filesOnDisk.has(name) ? NOT_A_FILE : 'missing'}`];
    let bytes: Buffer;
    try {
      bytes = readFileSync(path.join(directory, name));
    } catch (error) {
      return [`${name}: ${(error as Error).message}`];
    }
    const hash = sha256(bytes);
    const fault = fileFault(name, bytes, manifest, operations.get(name));
    if (fault === null && operations.get(name)?.response && !plainName(name)) answers.set(name, hash);
    return [...entryFaults(bytes, hash, manifest.files[name]!), ...(fault === null ? [] : [fault])].map(
      (what) => `${name}: ${what}`,
    );
  });
  return { faults, answers };
}

/** Differences between a file's bytes and its entry in the manifest. */
function entryFaults(bytes: Buffer, hash: string, entry: FileEntry): string[] {
  return [
    ...(bytes.length === entry.bytes ? [] : [`${bytes.length} bytes, but ${entry.bytes} in the manifest`]),
    ...(hash === entry.sha256 ? [] : ["SHA-256 differs from the manifest's"]),
    ...(entry.etag === strongEtag(entry.sha256) ? [] : ['its ETag does not match its hash']),
  ];
}

/** Why a compressed copy is not that of its plain file, or an answer not valid by its schema. */
function fileFault(
  name: string,
  bytes: Buffer,
  { files, territory, contract_version }: Manifest,
  operation: Operation | undefined,
): string | null {
  const plainFile = plainName(name);
  if (plainFile) return unpacksToPlainFile(bytes, name, files[plainFile]) ? null : `does not unpack to ${plainFile}`;
  if (!operation) return name.startsWith('v1/') ? 'belongs to no operation' : null;
  // A version that an earlier contract made may lack fields that were added since: it can still be published again.
  if (!operation.response || contract_version !== CONTRACT_VERSION) return null;
  const validate = compileSchema(inCountry(operation.response, territory));
  try {
    if (validate(JSON.parse(bytes.toString('utf8')))) return null;
    const { instancePath, message } = validate.errors![0]!;
    return `${instancePath || '/'} ${message}`;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Faults of the tables, and answers that differ from what the tables give. */
function tableAndAnswerFaults(
  directory: string,
  manifest: Manifest,
  answers: ReadonlyMap<string, string>,
): Promise<string[]> {
  const read = (name: string) => JSON.parse(readFileSync(path.join(directory, name), 'utf8'));
  let faults: string[] = [];
  return withDatabase(async (db) => {
    await createViews(db, 'snapshot', directory);
    await db.run('USE snapshot');
    const { parameters, season } = read('model-card.json');
    const season_method: Contents['season_method'] = season.method;
    const highSeasonShare = season_method.high_season_share_of_peak;
    faults = await tableFaults(db, manifest, { highSeasonShare, draws: parameters.risk.draws });
    const { model_version, coverage, country: name, synthetic, territory, updated_at } = manifest;
    const sources = manifest.sources as Contents['sources'];
    const contents: Contents = {
      model_version,
      model: { name, synthetic, territory, updated_at, parameters },
      sources,
      licences: tableLicences(sources, manifest.stages),
      coverage,
      tables: await readTables(db, 'snapshot'),
      season_method,
      transmission: coverage.transmission ? read('v1/transmission/model.json') : null,
    };
    faults = [
      ...faults,
      ...boundaryFaults(contents.tables),
      ...placesFaults(contents.tables, territory),
      ...(await csvFaults(db, manifest)),
    ];
    for (const { path: name, answer } of snapshotAnswers(contents)) {
      const hash = answers.get(name);
      if (hash !== undefined && hash !== sha256(JSON.stringify(answer)))
        faults.push(`${name}: ${firstDifference(read(name), answer) ?? 'its bytes differ from what the tables give'}`);
    }
    return faults;
  }).catch((error: Error) => [...faults, error.message.split('\n')[0]!]);
}

/** Checks that `places` is what follows from the outlines and names. */
function placesFaults(tables: SnapshotTables, territory: Territory): string[] {
  const states = tables.places.flatMap(({ area, code, pcode }) =>
    area === 'state' ? [{ state_code: code, state_pcode: pcode }] : [],
  );
  const names = tables.places.flatMap(({ area, code, aliases }) =>
    (aliases?.split('; ') ?? []).map((name) => ({ area, code, name })),
  );
  const difference = firstDifference(tables.places, placesTable(tables, states, territory, names));
  return difference ? [`tables/places: ${difference}`] : [];
}

/** CSV files that are missing, or whose rows differ from the Parquet file beside them. */
async function csvFaults(db: Database, { files }: Manifest): Promise<string[]> {
  const scratchFolder = await mkdtemp(path.join(tmpdir(), 'malaria-verify-'));
  const faults: string[] = [];
  try {
    for (const name of TABLE_NAMES) {
      if (!files[tableFile(name, 'parquet')] || !tableFormats(name).includes('csv')) continue;
      const csv = files[tableFile(name, 'csv')];
      if (!csv) faults.push(`${tableFile(name, 'csv')}: not in the manifest`);
      else if (sha256(await tableCsv(db, sqlIdentifier(name), path.join(scratchFolder, 'table.csv'))) !== csv.sha256)
        faults.push(`${tableFile(name, 'csv')}: its rows differ from ${tableFile(name, 'parquet')}`);
    }
    return faults;
  } finally {
    await rm(scratchFolder, { recursive: true });
  }
}

/** The first difference of two JSON values; null if they differ only in order or layout. */
function firstDifference(actual: unknown, expected: unknown, pointer = ''): string | null {
  if (Object.is(actual, expected)) return null;
  if (!isObject(actual) || !isObject(expected) || Array.isArray(actual) !== Array.isArray(expected))
    return `${pointer || '/'} is ${JSON.stringify(actual)?.slice(0, 80)}, but the tables give ${JSON.stringify(expected)?.slice(0, 80)}`;
  for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    const difference = firstDifference(actual[key], expected[key], `${pointer}/${key}`);
    if (difference) return difference;
  }
  return null;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** `a.json` for `a.json.br`; null for a file that is not a compressed copy. */
function plainName(name: string): string | null {
  const suffix = Object.values(ENCODINGS).find((ending) => name.endsWith(ending));
  return suffix ? name.slice(0, -suffix.length) : null;
}

function unpacksToPlainFile(bytes: Buffer, name: string, plainEntry: FileEntry | undefined): boolean {
  if (!plainEntry) return false;
  try {
    const options = { maxOutputLength: Math.max(1, plainEntry.bytes) };
    const unpacked = name.endsWith(ENCODINGS.gzip) ? gunzipSync(bytes, options) : brotliDecompressSync(bytes, options);
    return sha256(unpacked) === plainEntry.sha256;
  } catch {
    return false;
  }
}

/** Everything below `directory` except folders, by its path with `/`: whether it is a regular file. */
function listFiles(directory: string): Map<string, boolean> {
  if (!existsSync(directory)) return new Map();
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  const relativeName = (entry: Dirent) => path.relative(directory, path.join(entry.parentPath, entry.name));
  return new Map(
    entries
      .filter((entry) => !entry.isDirectory())
      .map((entry) => [relativeName(entry).split(path.sep).join('/'), entry.isFile()]),
  );
}
