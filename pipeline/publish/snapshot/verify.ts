import { type Dirent, existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { ENCODINGS, etagOf, type FileEntry, Manifest } from '../../contract/manifest.ts';
import { isEncoded, OPERATIONS, operationFiles } from '../../contract/operations.ts';
import { formatsOf, TABLE_NAMES, tableFile } from '../../contract/tables.ts';
import { inCountry, type Territory } from '../../contract/territory.ts';
import { CONTRACT_VERSION } from '../../contract/version.ts';
import { type Database, identifier, withDatabase } from '../../duckdb.ts';
import { sha256 } from '../../engine/hash.ts';
import { validatorOf } from '../../json-schema.ts';
import { placesOf } from './adjacency.ts';
import type { Contents } from './contents.ts';
import { documents } from './documents.ts';
import { outlinesFaults, tableFaults } from './invariants.ts';
import { recordFaults } from './records.ts';
import { csvOf, readTables, type Tables } from './tables.ts';
import { createViews } from './views.ts';

/** A link shows what lies elsewhere and may change there; a pipe would be waited for without end. */
const NO_FILE = 'a link or another thing than a file';

/** What a check of a snapshot found; `faults` empty: the snapshot is what it says. */
export interface Verdict {
  directory: string;
  model_version: string | null;
  files: number;
  /**
   * Of manifest.json, which holds the hashes of all the rest: a snapshot changed with its manifest can hold together,
   * but not have the hash that its build printed. Null where there is no manifest.
   */
  manifest_sha256: string | null;
  /**
   * What could not be checked: a snapshot that keeps to another version of the contract has other tables and makes its
   * answers of them by other rules, so the two are not held against each other. Null where everything was.
   */
  unchecked: string | null;
  faults: string[];
}

/**
 * Rechecks a snapshot from its files alone, offline: every file there and none too many, hashes, tags and compressed
 * siblings, every answer against its schema and the tables that it is a projection of, what must hold across tables, and
 * the manifest's account of the stages.
 * @param onProgress share done, 0 to 1
 */
export async function verifySnapshot(
  directory: string,
  onProgress: (share: number) => void = () => {},
): Promise<Verdict> {
  const faults: string[] = [];
  const unusable = (what: string): Verdict => ({
    ...{ directory, model_version: null, files: 0, manifest_sha256: null, unchecked: null },
    faults: [`manifest.json: ${what}`],
  });
  const found = listFiles(directory);
  if (found.get('manifest.json') === false) return unusable(NO_FILE);
  let manifest: Manifest;
  let manifest_sha256: string;
  try {
    const bytes = readFileSync(path.join(directory, 'manifest.json'));
    manifest_sha256 = sha256(bytes);
    manifest = JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    return unusable((error as Error).message);
  }
  const validManifest = validatorOf(Manifest);
  if (!validManifest(manifest)) {
    const first = validManifest.errors![0]!;
    return unusable(`${first.instancePath} ${first.message}`);
  }

  const { model_version, contract_version = 'before 1.1' } = manifest;
  const { territory } = manifest;
  const ours = contract_version === CONTRACT_VERSION && territory !== undefined;
  const listed = Object.keys(manifest.files);
  for (const name of found.keys())
    if (name !== 'manifest.json' && !manifest.files[name]) faults.push(`${name}: not in the manifest`);
  const hasSeason = tableFile('season', 'parquet') in manifest.files;
  /** Hashes of the answers that are there and of the form of their operation. */
  const answers = new Map<string, string>();
  const operationOf = new Map(
    OPERATIONS.flatMap((operation) =>
      // A snapshot of this contract may lack tables alone, those without rows; and without a season what is made of it.
      operationFiles(
        operation,
        manifest.coverage,
        ours && operation.response && (operation.id !== 'seasons-lgas' || hasSeason) ? undefined : manifest.files,
      ).map((file) => [file, operation] as const),
    ),
  );
  for (const [file, operation] of operationOf) {
    if (!manifest.files[file]) faults.push(`${file}: no answer to ${operation.id}`);
    for (const suffix of isEncoded(operation) ? Object.values(ENCODINGS) : [])
      if (!manifest.files[file + suffix]) faults.push(`${file + suffix}: not in the manifest`);
  }

  listed.forEach((name, index) => {
    if (index % 500 === 0) onProgress(index / listed.length);
    const entry = manifest.files[name]!;
    if (!found.get(name)) {
      faults.push(`${name}: ${found.has(name) ? NO_FILE : 'missing'}`);
      return;
    }
    let bytes: Buffer;
    try {
      bytes = readFileSync(path.join(directory, name));
    } catch (error) {
      faults.push(`${name}: ${(error as Error).message}`);
      return;
    }
    const hash = sha256(bytes);
    if (bytes.length !== entry.bytes) faults.push(`${name}: ${bytes.length} bytes, the manifest says ${entry.bytes}`);
    if (hash !== entry.sha256) faults.push(`${name}: SHA-256 differs from the manifest's`);
    if (entry.etag !== etagOf(entry.sha256)) faults.push(`${name}: its tag is not that of its hash`);
    const plain = plainNameOf(name);
    if (plain) {
      if (!sameAsPlain(bytes, name, manifest.files[plain])) faults.push(`${name}: stale, does not unpack to ${plain}`);
      return;
    }
    const operation = operationOf.get(name);
    if (!operation) {
      if (name.startsWith('v1/')) faults.push(`${name}: answers no operation`);
      return;
    }
    if (!operation.response) return;
    const validate = validatorOf(territory ? inCountry(operation.response, territory) : operation.response);
    try {
      const value = JSON.parse(bytes.toString('utf8'));
      if (validate(value)) answers.set(name, hash);
      else faults.push(`${name}: ${validate.errors![0]!.instancePath || '/'} ${validate.errors![0]!.message}`);
    } catch (error) {
      faults.push(`${name}: ${(error as Error).message}`);
    }
  });
  faults.push(...recordFaults(manifest));
  const unchecked = ours
    ? null
    : territory === undefined
      ? 'its answers against its tables: its manifest does not tell the words of its country'
      : `its answers against its tables: it keeps to contract ${contract_version}, this code to ${CONTRACT_VERSION}`;
  if (ours) faults.push(...(await contentFaults(directory, { ...manifest, territory }, answers)));
  return { directory, model_version, files: listed.length, manifest_sha256, unchecked, faults };
}

/** What is wrong with the tables, and answers that are not what the tables make them. */
function contentFaults(
  directory: string,
  manifest: Manifest & { territory: Territory },
  answers: ReadonlyMap<string, string>,
): Promise<string[]> {
  const read = (name: string) => JSON.parse(readFileSync(path.join(directory, name), 'utf8'));
  const faults: string[] = [];
  return withDatabase(async (db) => {
    await createViews(db, 'snapshot', directory);
    await db.run('USE snapshot');
    const { parameters, season } = read('model-card.json');
    const season_method: Contents['season_method'] = season.method;
    const highShare = season_method.high_season_share_of_peak;
    faults.push(...(await tableFaults(db, manifest, { highShare, draws: parameters.risk.draws })));
    const { model_version, coverage, country: name, synthetic, territory, updated_at } = manifest;
    const contents: Contents = {
      model_version,
      model: { name, synthetic, territory, updated_at, parameters },
      sources: manifest.sources as Contents['sources'],
      coverage,
      tables: await readTables(db, 'snapshot'),
      season_method,
      transmission: coverage.transmission ? read('v1/transmission/model.json') : null,
    };
    faults.push(...outlinesFaults(contents.tables), ...placesFaults(contents.tables, territory));
    faults.push(...(await csvFaults(db, manifest)));
    for (const { path: name, value } of documents(contents)) {
      const found = answers.get(name);
      if (found !== undefined && found !== sha256(JSON.stringify(value)))
        faults.push(`${name}: ${firstDifference(read(name), value) ?? 'other bytes than the tables make'}`);
    }
    return faults;
  }).catch((error: Error) => [...faults, error.message.split('\n')[0]!]);
}

/** Whether `places` says what the outlines and names beside it make. */
function placesFaults(tables: Tables, territory: Territory): string[] {
  const states = tables.places.flatMap(({ area, code, pcode }) =>
    area === 'state' ? [{ state_code: code, state_pcode: pcode }] : [],
  );
  const names = tables.places.flatMap(({ area, code, aliases }) =>
    (aliases?.split('; ') ?? []).map((name) => ({ area, code, name })),
  );
  const difference = firstDifference(tables.places, placesOf(tables, states, territory, names));
  return difference ? [`tables/places: ${difference}`] : [];
}

/** CSV files that are lacking, or do not say what the Parquet file beside them says. */
async function csvFaults(db: Database, { files }: Manifest): Promise<string[]> {
  const scratch = await mkdtemp(path.join(tmpdir(), 'malaria-verify-'));
  const faults: string[] = [];
  try {
    for (const name of TABLE_NAMES) {
      if (!files[tableFile(name, 'parquet')] || !formatsOf(name).includes('csv')) continue;
      const found = files[tableFile(name, 'csv')];
      if (!found) faults.push(`${tableFile(name, 'csv')}: not in the manifest`);
      else if (sha256(await csvOf(db, identifier(name), path.join(scratch, 'table.csv'))) !== found.sha256)
        faults.push(`${tableFile(name, 'csv')}: other rows than ${tableFile(name, 'parquet')}`);
    }
    return faults;
  } finally {
    await rm(scratch, { recursive: true });
  }
}

/** Where two JSON values differ first; null where they differ in order or layout alone. */
function firstDifference(found: unknown, expected: unknown, at = ''): string | null {
  if (Object.is(found, expected)) return null;
  if (!isObject(found) || !isObject(expected) || Array.isArray(found) !== Array.isArray(expected))
    return `${at || '/'} is ${JSON.stringify(found)?.slice(0, 80)}, the tables make it ${JSON.stringify(expected)?.slice(0, 80)}`;
  for (const key of new Set([...Object.keys(expected), ...Object.keys(found)])) {
    const difference = firstDifference(found[key], expected[key], `${at}/${key}`);
    if (difference) return difference;
  }
  return null;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** `a.json` for `a.json.br`; null for a file that is no compressed sibling. */
function plainNameOf(name: string): string | null {
  const suffix = Object.values(ENCODINGS).find((ending) => name.endsWith(ending));
  return suffix ? name.slice(0, -suffix.length) : null;
}

function sameAsPlain(bytes: Buffer, name: string, plain: FileEntry | undefined): boolean {
  if (!plain) return false;
  try {
    const options = { maxOutputLength: Math.max(1, plain.bytes) };
    const unpacked = name.endsWith(ENCODINGS.gzip) ? gunzipSync(bytes, options) : brotliDecompressSync(bytes, options);
    return sha256(unpacked) === plain.sha256;
  } catch {
    return false;
  }
}

/** What lies below `directory` but folders, by name with `/` between folders: whether it is a file with bytes of its own. */
function listFiles(directory: string): Map<string, boolean> {
  if (!existsSync(directory)) return new Map();
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  const nameOf = (entry: Dirent) => path.relative(directory, path.join(entry.parentPath, entry.name));
  return new Map(
    entries
      .filter((entry) => !entry.isDirectory())
      .map((entry) => [nameOf(entry).split(path.sep).join('/'), entry.isFile()]),
  );
}
