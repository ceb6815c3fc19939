import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { sha256 } from './hash.ts';

/** What made a cache entry, and what it holds. Kept beside the artifacts as `stage.json`. */
export interface CacheEntry {
  stage: string;
  key: string;
  /** Content hash of every raw file, catalog entry and artifact read. */
  inputs: Record<string, string>;
  /** Hash of every file of code. */
  code: Record<string, string>;
  parameters: unknown;
  lock: string;
  /** Artifact -> SHA-256 of its file. */
  outputs: Record<string, string>;
}

const directoryOf = (cache: string, stage: string, key: string) => path.join(cache, stage, key.slice(0, 16));

/** The entry of `key`, or null where there is none or where it does not hold what it says. */
export function findEntry(cache: string, stage: string, key: string): CacheEntry | null {
  const directory = directoryOf(cache, stage, key);
  try {
    const entry: CacheEntry = JSON.parse(readFileSync(path.join(directory, 'stage.json'), 'utf8'));
    const whole =
      entry.key === key && Object.keys(entry.outputs).every((name) => existsSync(path.join(directory, `${name}.json`)));
    return whole ? entry : null;
  } catch {
    return null;
  }
}

/** The entry of the stage's latest run, whatever its key: what a plan compares with. */
export function latestEntry(cache: string, stage: string): CacheEntry | null {
  try {
    return JSON.parse(readFileSync(path.join(cache, stage, 'latest.json'), 'utf8'));
  } catch {
    return null;
  }
}

/** Notes which entry a build used last. */
export function markLatest(cache: string, entry: CacheEntry): void {
  writeWhole(path.join(cache, entry.stage, 'latest.json'), JSON.stringify(entry));
}

/**
 * Parsed content of one artifact.
 * @throws Error when the bytes are not those that were written
 */
export function readArtifact<T>(cache: string, entry: CacheEntry, name: string): T {
  const text = readFileSync(path.join(directoryOf(cache, entry.stage, entry.key), `${name}.json`), 'utf8');
  if (sha256(text) !== entry.outputs[name])
    throw new Error(
      `cache of ${entry.stage}/${name} was changed after it was written: remove ${path.join(cache, entry.stage)}`,
    );
  return JSON.parse(text);
}

/** Writes artifacts aside and puts them in place with one rename; of two builds that race, either's entry will do. */
export function writeEntry(
  cache: string,
  entry: Omit<CacheEntry, 'outputs'>,
  values: Record<string, unknown>,
): CacheEntry {
  const directory = directoryOf(cache, entry.stage, entry.key);
  const aside = `${directory}.${process.pid}.tmp`;
  rmSync(aside, { recursive: true, force: true });
  mkdirSync(aside, { recursive: true });
  const outputs: Record<string, string> = {};
  for (const [name, value] of Object.entries(values)) {
    const text = JSON.stringify(value, refuseUnfinite);
    outputs[name] = sha256(text);
    writeFileSync(path.join(aside, `${name}.json`), text);
  }
  const full: CacheEntry = { ...entry, outputs };
  writeFileSync(path.join(aside, 'stage.json'), JSON.stringify(full));
  rmSync(directory, { recursive: true, force: true });
  renameSync(aside, directory);
  return full;
}

/** JSON would turn NaN into null without a word. */
function refuseUnfinite(key: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new Error(`${key}: ${value} in an artifact`);
  return value;
}

/** Writes a file that is there whole or not at all. */
export function writeWhole(file: string, data: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  const aside = `${file}.${process.pid}.tmp`;
  writeFileSync(aside, data);
  renameSync(aside, file);
}
