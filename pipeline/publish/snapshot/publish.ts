import { lstatSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { mkdir, open, rename, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import type { Manifest } from '../../contract/manifest.ts';
import { asideOf, isAside } from '../../engine/cache.ts';
import { sha256, sha256Json } from '../../engine/hash.ts';

/** Folders of a build's output directory. */
export const cacheOf = (out: string) => path.join(out, 'cache');
export const snapshotsOf = (out: string) => path.join(out, 'snapshots');
export const currentOf = (out: string) => path.join(out, 'current');

/** How a version comes into being. */
export interface Publication {
  version: string;
  /** Every stage's key. */
  keys: Record<string, string>;
  /** Fills the directory it is given, its manifest last. */
  write(directory: string): Promise<void>;
  /** Throws when the directory is not fit to be published, or no longer. */
  check(directory: string): Promise<void>;
}

/**
 * Publishes what `write` puts into a directory aside: checked, synced, renamed, then `current` moved. A kill at any
 * moment leaves the old snapshot or the new, whole; what it leaves aside is cleared by a later build.
 * @returns whether the version was already there; a published version is never written to, and checked before `current`
 *   moves back to it
 * @throws Error where the version is there with other content, which only tampering or chance can bring about
 */
export async function publish(out: string, publication: Publication): Promise<{ directory: string; already: boolean }> {
  const { version, keys, write, check } = publication;
  const snapshots = snapshotsOf(out);
  const directory = path.join(snapshots, version);
  await mkdir(snapshots, { recursive: true });
  await syncDirectory(out);
  const already = isPublished(out, version, keys);
  if (already) {
    if (isCurrent(out, version)) return { directory, already };
    await check(directory);
  } else {
    const aside = asideOf(path.join(snapshots, `.${version}`));
    try {
      await mkdir(aside);
      await write(aside);
      await check(aside);
      for (const folder of foldersOf(aside)) await syncDirectory(folder);
      await rename(aside, directory).catch((error) => {
        // Another build was first: the same content, or one of the two is not what its version says.
        if (!isPublished(out, version, keys)) throw error;
        if (hashOfManifest(aside) !== hashOfManifest(directory)) throw otherContent(directory, version);
      });
      await syncDirectory(snapshots);
    } finally {
      await rm(aside, { recursive: true, force: true }).catch(() => {});
    }
  }
  await pointCurrent(out, version);
  return { directory, already };
}

/**
 * Whether the version is published.
 * @throws Error where what is published under its name was made of other stages
 */
export function isPublished(out: string, version: string, keys: Record<string, string>): boolean {
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

export function isCurrent(out: string, version: string): boolean {
  try {
    return readlinkSync(currentOf(out)) === path.join('snapshots', version);
  } catch {
    return false;
  }
}

/** @throws Error where `current` is something that no build made and that it cannot put its link in place of */
export function checkCurrent(out: string): void {
  const current = currentOf(out);
  const there = lstatSync(current, { throwIfNoEntry: false });
  if (there?.isDirectory())
    throw new Error(`${current}: found a directory, expected a link to the published snapshot; put it out of the way`);
}

/** Removes what killed builds left aside. Only for who is alone in `out`. */
export function clearUnpublished(out: string): void {
  for (const folder of [out, snapshotsOf(out)]) {
    if (!isThere(folder)) continue;
    for (const name of readdirSync(folder))
      if (isAside(name)) rmSync(path.join(folder, name), { recursive: true, force: true });
  }
}

/** Moves `current` to a published version in one rename. */
async function pointCurrent(out: string, version: string): Promise<void> {
  const aside = asideOf(currentOf(out));
  try {
    await symlink(path.join('snapshots', version), aside);
    await rename(aside, currentOf(out));
  } finally {
    await rm(aside, { force: true });
  }
  await syncDirectory(out);
}

function otherContent(directory: string, version: string): Error {
  return new Error(
    `${directory}: found other content than ${version} has by its inputs and code; a published version never changes, so run \`malaria-risk verify\` on it and put it out of the way`,
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

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
