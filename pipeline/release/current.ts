import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import { rename, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { snapshotPath } from '../contract/published.ts';
import { temporaryName } from '../lib/atomic-write.ts';
import { UsageError } from '../lib/errors.ts';
import { openSnapshot, type Snapshot } from '../publish/snapshot/open-snapshot.ts';
import { currentLink } from './build-paths.ts';
import { syncDirectory } from './disk.ts';

/** The version that `current` points to; null if nothing has been published. */
export function currentVersion(out: string): string | null {
  try {
    return path.basename(readlinkSync(currentLink(out)));
  } catch {
    return null;
  }
}

/** The published snapshot; null if there is none. */
export function currentSnapshot(out: string): Snapshot | null {
  const version = currentVersion(out);
  if (version === null) return null;
  if (!existsSync(path.join(currentLink(out), 'manifest.json')))
    throw new UsageError(
      `${currentLink(out)}: found a link to ${version}, which does not exist; restore it, or remove the link to publish without a comparison`,
    );
  return openSnapshot(currentLink(out));
}

/** @throws UsageError if `current` is a directory, which a publication cannot replace by its link */
export function refuseCurrentDirectory(out: string): void {
  const current = currentLink(out);
  const existing = lstatSync(current, { throwIfNoEntry: false });
  if (existing?.isDirectory())
    throw new UsageError(`${current}: found a directory, expected a link to the published snapshot; move it away`);
}

/** Points `current` to a version in one rename. */
export async function pointCurrent(out: string, version: string): Promise<void> {
  const temporary = temporaryName(currentLink(out));
  try {
    await symlink(snapshotPath(version), temporary);
    await rename(temporary, currentLink(out));
  } finally {
    await rm(temporary, { force: true });
  }
  await syncDirectory(out);
}
