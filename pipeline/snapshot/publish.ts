import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, open, rename, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import type { Manifest } from '../contract/manifest.ts';
import { sha256Json } from '../engine/hash.ts';

/** Folders of a build's output directory. */
export const cacheOf = (out: string) => path.join(out, 'cache');
export const snapshotsOf = (out: string) => path.join(out, 'snapshots');
export const currentOf = (out: string) => path.join(out, 'current');

/**
 * Publishes what `write` puts into a directory aside: checked, synced, renamed, then `current` moved. A kill at any
 * moment leaves the old snapshot or the new, whole; what it leaves aside is cleared by the next build.
 * @param write fills the directory it is given, its manifest last
 * @param check throws when the directory is not fit to be published
 * @returns whether the version was already there; a published version is never written to
 * @throws Error where the version is there with other stage keys, which only tampering or chance can bring about
 */
export async function publish(
  out: string,
  version: string,
  keys: Record<string, string>,
  write: (directory: string) => Promise<void>,
  check: (directory: string) => void,
): Promise<{ directory: string; already: boolean }> {
  const snapshots = snapshotsOf(out);
  const directory = path.join(snapshots, version);
  await mkdir(snapshots, { recursive: true });
  await clearAside(snapshots);
  const already = existsSync(directory);
  if (already) {
    refuseOther(directory, version, keys);
  } else {
    const aside = path.join(snapshots, `.${version}.${process.pid}`);
    try {
      await mkdir(aside);
      await write(aside);
      check(aside);
      for (const folder of foldersOf(aside)) await syncDirectory(folder);
      await rename(aside, directory).catch((error) => {
        if (!existsSync(directory)) throw error;
        refuseOther(directory, version, keys);
      });
      await syncDirectory(snapshots);
    } finally {
      await rm(aside, { recursive: true, force: true });
    }
  }
  await pointCurrent(out, version);
  return { directory, already };
}

/** Moves `current` to a published version in one rename. */
async function pointCurrent(out: string, version: string): Promise<void> {
  const aside = `${currentOf(out)}.${process.pid}`;
  await rm(aside, { force: true });
  await symlink(path.join('snapshots', version), aside);
  await rename(aside, currentOf(out));
  await syncDirectory(out);
}

function refuseOther(directory: string, version: string, keys: Record<string, string>): void {
  const manifest: Manifest = JSON.parse(readFileSync(path.join(directory, 'manifest.json'), 'utf8'));
  const found = Object.fromEntries(manifest.stages.map(({ stage, key }) => [stage, key]));
  if (manifest.model_version === version && sha256Json(found) === sha256Json(keys)) return;
  throw new Error(
    `${directory}: found a snapshot made of other stages, expected ${version}'s own; run \`malaria-risk verify\` on it`,
  );
}

/** Removes what builds that were killed left aside; those of running builds stay. */
async function clearAside(snapshots: string): Promise<void> {
  for (const name of readdirSync(snapshots)) {
    const pid = /^\..*\.(\d+)$/.exec(name)?.[1];
    if (pid && Number(pid) !== process.pid && !isRunning(Number(pid)))
      await rm(path.join(snapshots, name), { recursive: true, force: true });
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
