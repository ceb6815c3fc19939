import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { CacheKey } from './cache-key.ts';
import { sha256, sha256Json } from './hash.ts';

/** What made a cache entry, and what it holds. Kept beside the artifacts as `stage.json`. */
export interface CacheEntry extends CacheKey {
  /** Artifact -> SHA-256 of its file. */
  outputs: Record<string, string>;
  /** How many rows or areas the artifacts hold. */
  counts: Record<string, number>;
  /** How long the stage took, for the next run's guess of the time left. */
  seconds: number;
}

const KEY_LENGTH = 16;
export const entryDirectory = (cache: string, stage: string, key: string) =>
  path.join(cache, stage, key.slice(0, KEY_LENGTH));
const latestOf = (cache: string, stage: string, country: string) => path.join(cache, stage, `latest-${country}.json`);

/** Names of what is being written or taken away, unlike any other build's. */
let asides = 0;
export const asideOf = (target: string) => `${target}.${process.pid}-${Date.now().toString(36)}-${++asides}.tmp`;
/** Whether a name is one of those: `out` may be anybody's directory, with files of theirs that end in .tmp. */
export const isAside = (name: string) => /\.\d+-[0-9a-z]+-\d+\.tmp$/.test(name);

/** An entry with its own hash, so that a damaged one is known from a sound one. */
const seal = (entry: CacheEntry) => JSON.stringify({ entry, sha256: sha256Json(entry) });

/** The sealed entry of a file; null where there is none or a damaged one. */
function readSealed(file: string): CacheEntry | null {
  try {
    const { entry, sha256: hash } = JSON.parse(readFileSync(file, 'utf8'));
    return sha256Json(entry) === hash ? entry : null;
  } catch {
    return null;
  }
}

/** The entry of `key`, or null where there is none or where its files are not, byte for byte, those that were written. */
export function findEntry(cache: string, stage: string, key: string): CacheEntry | null {
  const directory = entryDirectory(cache, stage, key);
  const entry = readSealed(path.join(directory, 'stage.json'));
  if (entry?.key !== key) return null;
  try {
    const whole = Object.entries(entry.outputs).every(
      ([name, hash]) => sha256(readFileSync(path.join(directory, `${name}.json`))) === hash,
    );
    return whole ? entry : null;
  } catch {
    return null;
  }
}

/** The entry that the country's latest build used, whatever its key: what a plan compares with. */
export function latestEntry(cache: string, stage: string, country: string): CacheEntry | null {
  return readSealed(latestOf(cache, stage, country));
}

/** Notes which entry a build used last. */
export function markLatest(cache: string, entry: CacheEntry, country: string): void {
  if (latestEntry(cache, entry.stage, country)?.key === entry.key) return;
  writeWhole(latestOf(cache, entry.stage, country), seal(entry));
}

/** Writes a file that is there whole or not at all. */
export function writeWhole(file: string, data: string | Uint8Array): void {
  mkdirSync(path.dirname(file), { recursive: true });
  const aside = asideOf(file);
  try {
    writeFileSync(aside, data);
    renameSync(aside, file);
  } finally {
    rmSync(aside, { force: true });
  }
}

/**
 * Parsed content of one artifact.
 * @throws Error when the bytes are not those that were written
 */
export function readArtifact<T>(cache: string, entry: CacheEntry, name: string): T {
  const file = path.join(entryDirectory(cache, entry.stage, entry.key), `${name}.json`);
  const text = readFileSync(file, 'utf8');
  if (sha256(text) !== entry.outputs[name])
    throw new Error(`${file}: found other bytes than were written during this build, expected nobody to change them`);
  return JSON.parse(text);
}

/**
 * Writes artifacts aside and puts them in place with one rename. Of two builds that race, the first one's entry stays.
 * @throws Error when the entry is there with other results: the stage is not a function of what it reads
 */
export function writeEntry(
  cache: string,
  cacheKey: CacheKey,
  values: Record<string, unknown>,
  seconds: number,
): CacheEntry {
  const directory = entryDirectory(cache, cacheKey.stage, cacheKey.key);
  const aside = asideOf(directory);
  try {
    mkdirSync(aside, { recursive: true });
    const outputs: Record<string, string> = {};
    for (const [name, value] of Object.entries(values)) {
      const text = JSON.stringify(value, refuseUnfinite);
      outputs[name] = sha256(text);
      writeFileSync(path.join(aside, `${name}.json`), text);
    }
    const entry: CacheEntry = { ...cacheKey, outputs, counts: countsOf(values), seconds };
    writeFileSync(path.join(aside, 'stage.json'), seal(entry));
    if (existsSync(directory)) {
      const other = findEntry(cache, cacheKey.stage, cacheKey.key);
      if (!other) renameSync(directory, asideOf(directory));
    }
    try {
      renameSync(aside, directory);
    } catch (error) {
      const other = findEntry(cache, cacheKey.stage, cacheKey.key);
      if (!other) throw error;
      if (sha256Json(other.outputs) !== sha256Json(outputs))
        throw new Error(
          `${cacheKey.stage}: found other results than ${directory} holds, expected the same from the same`,
        );
      return other;
    }
    return entry;
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

/** JSON would turn NaN into null without a word. */
export function refuseUnfinite(key: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new Error(`${key}: ${value} in an artifact`);
  return value;
}

/** Entries of each artifact, or of each list and table inside it: `surveys.clusters` -> 1310. */
function countsOf(values: Record<string, unknown>): Record<string, number> {
  const counts: Record<string, number> = {};
  const count = (name: string, value: unknown, depth: number) => {
    if (Array.isArray(value)) counts[name] = value.length;
    else if (value !== null && typeof value === 'object') {
      const fields = Object.entries(value);
      const isTable = depth > 0 || fields.length > 12;
      if (isTable) counts[name] = fields.length;
      else for (const [field, inner] of fields) count(`${name}.${field}`, inner, depth + 1);
    }
  };
  for (const [name, value] of Object.entries(values)) count(name, value, 0);
  return counts;
}

/** Removes what killed builds left half written. Only for who is alone in the cache. */
export function clearAsides(cache: string): void {
  for (const folder of foldersOf(cache))
    for (const name of readdirSync(folder))
      if (isAside(name)) rmSync(path.join(folder, name), { recursive: true, force: true });
}

/**
 * Removes every entry that no country's latest build used, and steps of stages done apart. Only for who is alone in the cache.
 * @returns entries removed and their bytes
 */
export function pruneEntries(cache: string): { entries: number; bytes: number; kept: number } {
  const result = { entries: 0, bytes: 0, kept: 0 };
  clearAsides(cache);
  const used = new Set<string>();
  for (const stage of foldersOf(cache)) {
    for (const name of readdirSync(stage).filter((file) => /^latest-.*\.json$/.test(file))) {
      const entry = readSealed(path.join(stage, name));
      if (entry) for (const hash of [entry.key, ...Object.values(entry.inputs)]) used.add(hash.slice(0, KEY_LENGTH));
    }
  }
  for (const stage of foldersOf(cache)) {
    for (const name of readdirSync(stage).filter((entry) => /^[0-9a-f]{16}(?:\.steps)?$/.test(entry))) {
      if (used.has(name)) {
        result.kept += 1;
        continue;
      }
      const entry = path.join(stage, name);
      result.entries += 1;
      result.bytes += sizeOf(entry);
      rmSync(entry, { recursive: true });
    }
  }
  return result;
}

function foldersOf(cache: string): string[] {
  if (!existsSync(cache)) return [];
  return readdirSync(cache, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => path.join(cache, name));
}

function sizeOf(entry: string): number {
  const { size, isFile } = ((stat) => ({ size: stat.size, isFile: stat.isFile() }))(statSync(entry));
  return isFile ? size : readdirSync(entry).reduce((sum, name) => sum + statSync(path.join(entry, name)).size, 0);
}
