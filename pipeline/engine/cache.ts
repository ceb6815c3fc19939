import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isTemporary, temporaryName, writeAtomic } from '../lib/atomic-write.ts';
import { TryAgain } from '../lib/errors.ts';
import { sha256, sha256Json } from '../lib/hash.ts';
import { isTable, rowCount, type Table } from '../lib/tables/table.ts';
import type { CacheKey } from './cache-key.ts';

/** What a cache entry was made from and what it contains; stored next to the artifacts as `stage.json`. */
export interface CacheEntry extends CacheKey {
  /** Artifact -> SHA-256 of its file. */
  outputs: Record<string, string>;
  /** Number of rows of each table. */
  counts: Record<string, number>;
  /** How long the stage took; the next run estimates the time left from it. */
  seconds: number;
}

const KEY_LENGTH = 16;
export const entryFolder = (cache: string, stage: string, key: string) =>
  path.join(cache, stage, key.slice(0, KEY_LENGTH));
/** The file of an artifact: Parquet for a table, JSON for any other. */
const artifactFile = (directory: string, name: string) => {
  const parquetFile = path.join(directory, `${name}.parquet`);
  return existsSync(parquetFile) ? parquetFile : path.join(directory, `${name}.json`);
};
const latestFile = (cache: string, stage: string, country: string) => path.join(cache, stage, `latest-${country}.json`);

/** An entry together with its hash, which reveals damage. */
const withOwnHash = (entry: CacheEntry) => JSON.stringify({ entry, sha256: sha256Json(entry) });

/** The sealed entry in a file; null if it is missing or damaged. */
function readVerified(file: string): CacheEntry | null {
  try {
    const { entry, sha256: hash } = JSON.parse(readFileSync(file, 'utf8'));
    return sha256Json(entry) === hash ? entry : null;
  } catch {
    return null;
  }
}

/** The entry under `key`; null if there is none, or if its files are no longer the bytes that were written. */
export function findEntry(cache: string, stage: string, key: string): CacheEntry | null {
  const directory = entryFolder(cache, stage, key);
  const entry = readVerified(path.join(directory, 'stage.json'));
  if (entry?.key !== key) return null;
  try {
    const isIntact = Object.entries(entry.outputs).every(
      ([name, hash]) => sha256(readFileSync(artifactFile(directory, name))) === hash,
    );
    return isIntact ? entry : null;
  } catch {
    return null;
  }
}

/** The entry that the country's latest build used, whatever its key; a plan compares with it. */
export function latestEntry(cache: string, stage: string, country: string): CacheEntry | null {
  return readVerified(latestFile(cache, stage, country));
}

/** Records which entry the latest build used. */
export async function recordLatest(cache: string, entry: CacheEntry, country: string): Promise<void> {
  if (latestEntry(cache, entry.stage, country)?.key === entry.key) return;
  await writeAtomic(latestFile(cache, entry.stage, country), withOwnHash(entry));
}

/** @throws TryAgain if the file's bytes are no longer those that were written */
function readUnchanged(file: string, hash: string | undefined): Buffer {
  const bytes = readFileSync(file);
  if (sha256(bytes) === hash) return bytes;
  throw new TryAgain(
    `${file}: found different bytes than this build wrote, expected no change while it runs; run the build again`,
  );
}

/** Parsed content of an artifact that is not a table. */
export function readArtifact<T>(cache: string, entry: CacheEntry, name: string): T {
  const file = artifactFile(entryFolder(cache, entry.stage, entry.key), name);
  return JSON.parse(readUnchanged(file, entry.outputs[name]).toString('utf8'));
}

/** Columns of the artifacts (`stage/name`) that are tables. */
export async function readTables(
  cache: string,
  entries: Record<string, CacheEntry>,
  names: readonly string[],
): Promise<Record<string, Table['columns']>> {
  const files: Record<string, string> = {};
  for (const name of names) {
    const [stage, artifact] = name.split('/') as [string, string];
    const entry = entries[stage]!;
    const file = artifactFile(entryFolder(cache, stage, entry.key), artifact);
    if (!file.endsWith('.parquet')) continue;
    readUnchanged(file, entry.outputs[artifact]);
    files[name] = file;
  }
  // Loaded only for tables: a build with nothing to do is over before DuckDB would have loaded.
  return Object.keys(files).length > 0 ? (await import('../lib/tables/parquet.ts')).readColumns(files) : {};
}

/**
 * Writes artifacts to a temporary directory and moves them into place with one rename. If two builds race, the first
 * one's entry stays.
 * @throws Error if the entry exists with different results: the stage then depends on more than its inputs
 */
export async function writeEntry(
  cache: string,
  cacheKey: CacheKey,
  values: Record<string, unknown>,
  seconds: number,
): Promise<CacheEntry> {
  const directory = entryFolder(cache, cacheKey.stage, cacheKey.key);
  const temporary = temporaryName(directory);
  try {
    mkdirSync(temporary, { recursive: true });
    await writeTables(temporary, values);
    for (const [name, value] of Object.entries(values))
      if (!isTable(value)) writeFileSync(artifactFile(temporary, name), JSON.stringify(value, refuseNonFinite));
    const hashes = Object.keys(values).map((name) => [name, sha256(readFileSync(artifactFile(temporary, name)))]);
    const outputs: Record<string, string> = Object.fromEntries(hashes);
    const counts = Object.fromEntries(tablesAmong(values).map(([name, table]) => [name, rowCount(table)]));
    const entry: CacheEntry = { ...cacheKey, outputs, counts, seconds };
    writeFileSync(path.join(temporary, 'stage.json'), withOwnHash(entry));
    if (existsSync(directory)) {
      const existing = findEntry(cache, cacheKey.stage, cacheKey.key);
      if (!existing) renameSync(directory, temporaryName(directory));
    }
    try {
      renameSync(temporary, directory);
    } catch (error) {
      const existing = findEntry(cache, cacheKey.stage, cacheKey.key);
      if (!existing) throw error;
      if (sha256Json(existing.outputs) !== sha256Json(outputs))
        throw new Error(
          `${cacheKey.stage}: found results that differ from those in ${directory}, expected the same from the same inputs`,
        );
      return existing;
    }
    return entry;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

const tablesAmong = (values: Record<string, unknown>) =>
  Object.entries(values).flatMap(([name, value]) => (isTable(value) ? [[name, value] as const] : []));

async function writeTables(directory: string, values: Record<string, unknown>): Promise<void> {
  const tables = tablesAmong(values);
  if (tables.length === 0) return;
  const [{ withConnection }, { writeTable }] = await Promise.all([
    import('../lib/tables/duckdb.ts'),
    import('../lib/tables/parquet.ts'),
  ]);
  await withConnection(async (db) => {
    for (const [name, table] of tables) await writeTable(db, path.join(directory, `${name}.parquet`), table);
  });
}

/** JSON would silently turn NaN into null. */
function refuseNonFinite(key: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new Error(`${key}: ${value} in an artifact`);
  return value;
}

/** Removes what killed builds left incomplete. Call it only while no other process uses the cache. */
export function removeTemporaries(cache: string): void {
  for (const stageFolder of stageFolders(cache))
    for (const name of readdirSync(stageFolder))
      if (isTemporary(name)) rmSync(path.join(stageFolder, name), { recursive: true, force: true });
}

/**
 * Removes every entry that no country's latest build used. Call it only while no other process uses the cache.
 * @returns the number of entries removed, their bytes, and the number kept
 */
export function pruneEntries(cache: string): { entries: number; bytes: number; kept: number } {
  const result = { entries: 0, bytes: 0, kept: 0 };
  removeTemporaries(cache);
  const usedKeys = new Set<string>();
  for (const stageFolder of stageFolders(cache)) {
    for (const name of readdirSync(stageFolder).filter((file) => /^latest-.*\.json$/.test(file))) {
      const entry = readVerified(path.join(stageFolder, name));
      if (entry)
        for (const hash of [entry.key, ...Object.values(entry.inputs)]) usedKeys.add(hash.slice(0, KEY_LENGTH));
    }
  }
  for (const stageFolder of stageFolders(cache)) {
    for (const keyName of readdirSync(stageFolder).filter((entry) => /^[0-9a-f]{16}$/.test(entry))) {
      if (usedKeys.has(keyName)) {
        result.kept += 1;
        continue;
      }
      const folder = path.join(stageFolder, keyName);
      result.entries += 1;
      result.bytes += folderBytes(folder);
      rmSync(folder, { recursive: true });
    }
  }
  return result;
}

function stageFolders(cache: string): string[] {
  if (!existsSync(cache)) return [];
  return readdirSync(cache, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => path.join(cache, name));
}

function folderBytes(folder: string): number {
  const stat = statSync(folder);
  if (stat.isFile()) return stat.size;
  return readdirSync(folder).reduce((sum, name) => sum + statSync(path.join(folder, name)).size, 0);
}
