import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Model } from '../catalog/model.ts';
import type { Sources } from '../catalog/sources.ts';
import { UsageError } from '../lib/errors.ts';
import { sha256 } from '../lib/hash.ts';
import { makeDirectory } from '../lib/make-directory.ts';
import { describeModel, describeSources, releaseName, type WrittenFile } from './catalog.ts';
import type { TruthFamily } from './families.ts';
import { type CountryFile, listFiles } from './files.ts';
import { makeCountry } from './make-country.ts';
import { type CountrySize, NIGERIAN_SIZE } from './size.ts';
import { listTruth } from './truth.ts';

export interface SyntheticCountryOptions {
  seed: number;
  /** `matern` unless given. */
  family?: TruthFamily;
  size?: CountrySize;
  /** Directory to write, `raw-data/synthetic` unless given. */
  out?: string;
  onProgress?: (part: string) => void;
}
export interface WrittenCountry {
  out: string;
  release: string;
  files: number;
  bytes: number;
}

export const DEFAULT_OUT = 'raw-data/synthetic';

/**
 * Writes a made-up country in the formats of the real one, with its catalog and truth. The bytes depend only on `seed`,
 * family and size. The country is written to a temporary directory and renamed, so that a killed run leaves either
 * the old or the new one.
 * @throws UsageError if `seed` is not a whole number of at least 0, or if `out` contains anything but a made-up country
 */
export async function writeSyntheticCountry(options: SyntheticCountryOptions): Promise<WrittenCountry> {
  const { seed, family = 'matern', size = NIGERIAN_SIZE, onProgress = () => {} } = options;
  const out = resolve(options.out ?? DEFAULT_OUT);
  if (!Number.isSafeInteger(seed) || seed < 0)
    throw new UsageError(`seed ${seed}, expected a whole number of 0 or more`);
  refuseOtherDirectory(out);
  removeLeftovers(out);

  const country = makeCountry(seed, family, onProgress, size);
  onProgress('files');
  const temporary = `${out}.writing-${process.pid}`;
  try {
    const files: WrittenFile[] = [];
    for await (const file of listFiles(country)) files.push(writeFile(temporary, file));
    const truthFiles = [...listTruth(country)].map((file) => writeFile(temporary, file));
    const catalogContents = {
      'model.json': describeModel(seed, family, size),
      'sources.json': describeSources({ ...country, family }, files),
    };
    const catalogFiles = Object.entries(catalogContents).map(([path, content]) =>
      writeFile(temporary, { path, content: `${JSON.stringify(content, null, 2)}\n` }),
    );
    replaceDirectory(out, temporary);
    const allFiles = [...files, ...truthFiles, ...catalogFiles];
    const bytes = allFiles.reduce((sum, file) => sum + file.bytes, 0);
    return { out, release: releaseName(seed, family, size), files: allFiles.length, bytes };
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** Whether `out` contains this version of the made-up country of `seed` and family, with every listed file intact. */
export function hasSyntheticCountry(
  seed: number,
  family: TruthFamily,
  out: string,
  size: CountrySize = NIGERIAN_SIZE,
): boolean {
  try {
    const model: Model = JSON.parse(readFileSync(join(out, 'model.json'), 'utf8'));
    const { sources }: Sources = JSON.parse(readFileSync(join(out, 'sources.json'), 'utf8'));
    if (!model.synthetic || model.release !== releaseName(seed, family, size) || !existsSync(join(out, 'truth')))
      return false;
    return sources.every((source) =>
      source.files.every((file) => sha256(readFileSync(join(out, file.path))) === file.sha256),
    );
  } catch {
    return false;
  }
}

function writeFile(directory: string, { path, content, period }: CountryFile): WrittenFile {
  const bytes = Buffer.from(content);
  makeDirectory(dirname(join(directory, path)));
  writeFileSync(join(directory, path), bytes);
  const rows = path.endsWith('.csv') ? { rows: bytes.toString().split('\n').length - 2 } : {};
  return { path, ...(period ? { period } : {}), ...rows, bytes: bytes.length, sha256: sha256(bytes) };
}

/** Refuses to overwrite a directory that is not a made-up country. */
function refuseOtherDirectory(out: string): void {
  if (!existsSync(out)) return;
  if (statSync(out).isDirectory()) {
    if (readdirSync(out).length === 0) return;
    const model = join(out, 'model.json');
    if (existsSync(model) && isSynthetic(model)) return;
  }
  throw new UsageError(
    `${out} is not a made-up country and is not overwritten; expected one, an empty directory or no directory`,
  );
}

function isSynthetic(path: string): boolean {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).synthetic === true;
  } catch {
    return false;
  }
}

/** Removes what killed runs left beside `out`, but nothing of a run that is still in progress. */
function removeLeftovers(out: string): void {
  if (!existsSync(dirname(out))) return;
  for (const name of readdirSync(dirname(out))) {
    const match = /^(.+)\.(writing|old)-(\d+)$/.exec(name);
    if (match?.[1] === basename(out) && !isRunning(Number(match[3]))) {
      rmSync(join(dirname(out), name), { recursive: true, force: true });
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function replaceDirectory(out: string, replacement: string): void {
  const old = `${out}.old-${process.pid}`;
  if (existsSync(out)) renameSync(out, old);
  renameSync(replacement, out);
  rmSync(old, { recursive: true, force: true });
}
