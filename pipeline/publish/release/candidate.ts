import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Manifest } from '../../contract/manifest.ts';
import { isTemporary, temporaryName } from '../../engine/atomic-write.ts';
import { sha256, sha256Json } from '../../engine/hash.ts';
import { UsageError } from '../../errors.ts';
import { releasesOf, snapshotsOf } from './build-paths.ts';
import { syncDirectory } from './disk.ts';

/** How a version comes into being. */
export interface Making {
  version: string;
  /** Every stage's key. */
  keys: Record<string, string>;
  /** Fills the directory it is given, its manifest last. */
  write(directory: string): Promise<void>;
  /** Throws when the directory is not fit to be published. */
  check(directory: string): Promise<void>;
}

/**
 * Puts what `write` makes among the snapshots: checked, synced, renamed. A kill at any moment leaves it whole or not at
 * all; what it leaves aside is cleared by a later build.
 * @returns whether the version was already there; a version is never written to again
 * @throws Error where the version is there with other content, which only tampering or chance can bring about
 */
export async function makeCandidate(out: string, making: Making): Promise<{ directory: string; already: boolean }> {
  const { version, keys, write, check } = making;
  const snapshots = snapshotsOf(out);
  const directory = path.join(snapshots, version);
  if (isBuilt(out, version, keys)) return { directory, already: true };
  await mkdir(snapshots, { recursive: true });
  await syncDirectory(out);
  const aside = temporaryName(path.join(snapshots, `.${version}`));
  try {
    await mkdir(aside);
    await write(aside);
    await check(aside);
    for (const folder of foldersOf(aside)) await syncDirectory(folder);
    await rename(aside, directory).catch((error) => {
      // Another build was first: the same content, or one of the two is not what its version says.
      if (!isBuilt(out, version, keys)) throw error;
      if (hashOfManifest(aside) !== hashOfManifest(directory)) throw otherContent(directory, version);
    });
    await syncDirectory(snapshots);
  } finally {
    await rm(aside, { recursive: true, force: true }).catch(() => {});
  }
  return { directory, already: false };
}

/**
 * Whether the version is there.
 * @throws Error where what is there under its name was made of other stages
 */
export function isBuilt(out: string, version: string, keys: Record<string, string>): boolean {
  const directory = path.join(snapshotsOf(out), version);
  let manifest: Manifest;
  try {
    manifest = JSON.parse(readFileSync(path.join(directory, 'manifest.json'), 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' && !isThere(directory)) return false;
    throw otherContent(directory, version);
  }
  const found = Object.fromEntries((manifest.stages ?? []).map(({ stage, key }) => [stage, key]));
  if (manifest.model_version === version && sha256Json(found) === sha256Json(keys)) return true;
  throw otherContent(directory, version);
}

/** Removes what killed builds left aside. Only for who is alone in `out`. */
export function clearUnfinished(out: string): void {
  for (const folder of [out, snapshotsOf(out), releasesOf(out)]) {
    if (!isThere(folder)) continue;
    for (const name of readdirSync(folder, { encoding: 'utf8', recursive: folder === releasesOf(out) }))
      if (isTemporary(name)) rmSync(path.join(folder, name), { recursive: true, force: true });
  }
}

function otherContent(directory: string, version: string): Error {
  return new UsageError(
    `${directory}: found other content than ${version} has by its inputs and code; a version never changes, so run \`malaria-risk verify\` on it and put it out of the way`,
  );
}

/** SHA-256 of a snapshot's manifest. */
export const hashOfManifest = (directory: string) => sha256(readFileSync(path.join(directory, 'manifest.json')));

function isThere(directory: string): boolean {
  try {
    readdirSync(directory);
    return true;
  } catch {
    return false;
  }
}

function foldersOf(directory: string): string[] {
  const inner = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isDirectory());
  return [directory, ...inner.map((entry) => path.join(entry.parentPath, entry.name))];
}
