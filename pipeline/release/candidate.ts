import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Manifest } from '../contract/manifest.ts';
import { copiesFolder } from '../intake/accepted-files.ts';
import { isTemporary, temporaryName } from '../lib/atomic-write.ts';
import { UsageError } from '../lib/errors.ts';
import { sha256, sha256Json } from '../lib/hash.ts';
import { quoteForShell } from '../lib/shell.ts';
import { releasesFolder, snapshotsFolder } from './build-paths.ts';
import { syncDirectory } from './disk.ts';

/** How to make a version's directory. */
export interface CandidateRecipe {
  version: string;
  /** The stages' keys. */
  keys: Record<string, string>;
  /** Writes the version into the directory, its manifest last. */
  write(directory: string): Promise<void>;
  /** Throws if the directory must not be published. */
  check(directory: string): Promise<void>;
}

/**
 * Adds the version that `write` makes to the snapshots: it is written to a temporary directory, checked, synced and
 * renamed. Even if the build is killed, it is complete or absent; a later build clears the temporary directory.
 * @returns whether the version already existed; a version is never written to again
 * @throws UsageError if the version exists with other content, which only tampering or chance can cause
 */
export async function makeCandidate(
  out: string,
  recipe: CandidateRecipe,
): Promise<{ directory: string; already: boolean }> {
  const { version, keys, write, check } = recipe;
  const snapshots = snapshotsFolder(out);
  const directory = path.join(snapshots, version);
  if (isBuilt(out, version, keys)) return { directory, already: true };
  await mkdir(snapshots, { recursive: true });
  await syncDirectory(out);
  const temporary = temporaryName(path.join(snapshots, `.${version}`));
  try {
    await mkdir(temporary);
    await write(temporary);
    await check(temporary);
    for (const folder of listFolders(temporary)) await syncDirectory(folder);
    await rename(temporary, directory).catch((error) => {
      // Another build was first: it must have made the same content.
      if (!isBuilt(out, version, keys)) throw error;
      if (hashOfManifest(temporary) !== hashOfManifest(directory)) throw differentContent(directory, version);
    });
    await syncDirectory(snapshots);
  } finally {
    await rm(temporary, { recursive: true, force: true }).catch(() => {});
  }
  return { directory, already: false };
}

/**
 * Whether the version exists.
 * @throws UsageError if the directory of its name was made by other stages
 */
export function isBuilt(out: string, version: string, keys: Record<string, string>): boolean {
  const directory = path.join(snapshotsFolder(out), version);
  let manifest: Manifest;
  try {
    manifest = JSON.parse(readFileSync(path.join(directory, 'manifest.json'), 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' && !directoryExists(directory)) return false;
    throw differentContent(directory, version);
  }
  const builtKeys = Object.fromEntries((manifest.stages ?? []).map(({ stage, key }) => [stage, key]));
  if (manifest.model_version === version && sha256Json(builtKeys) === sha256Json(keys)) return true;
  throw differentContent(directory, version);
}

/** Removes temporary files of killed builds. Call it only while no other process writes to `out`. */
export function clearUnfinished(out: string): void {
  for (const folder of [out, copiesFolder(out), snapshotsFolder(out), releasesFolder(out)]) {
    if (!directoryExists(folder)) continue;
    for (const name of readdirSync(folder, { encoding: 'utf8', recursive: folder === releasesFolder(out) }))
      if (isTemporary(name)) rmSync(path.join(folder, name), { recursive: true, force: true });
  }
}

function differentContent(directory: string, version: string): Error {
  return new UsageError(
    `${directory}: found content other than the inputs and code of ${version} give, expected the same, ` +
      `since a version never changes; check it with \`malaria-risk verify ${quoteForShell(directory)}\` and move it away`,
  );
}

/** SHA-256 of a snapshot's manifest. */
export const hashOfManifest = (directory: string) => sha256(readFileSync(path.join(directory, 'manifest.json')));

function directoryExists(directory: string): boolean {
  try {
    readdirSync(directory);
    return true;
  } catch {
    return false;
  }
}

function listFolders(directory: string): string[] {
  const subfolders = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  return [directory, ...subfolders.map((entry) => path.join(entry.parentPath, entry.name))];
}
