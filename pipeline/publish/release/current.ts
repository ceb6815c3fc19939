import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import { rename, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { placeOf } from '../../contract/published.ts';
import { temporaryName } from '../../engine/atomic-write.ts';
import { UsageError } from '../../errors.ts';
import { openSnapshot, type Snapshot } from '../snapshot/read.ts';
import { currentOf } from './build-paths.ts';
import { syncDirectory } from './disk.ts';

/** The version that `current` leads to; null where nothing has been published. */
export function currentVersion(out: string): string | null {
  try {
    return path.basename(readlinkSync(currentOf(out)));
  } catch {
    return null;
  }
}

/** What is published; null where nothing is. */
export function currentSnapshot(out: string): Snapshot | null {
  const version = currentVersion(out);
  if (version === null) return null;
  if (!existsSync(path.join(currentOf(out), 'manifest.json')))
    throw new UsageError(
      `${currentOf(out)}: found a link to ${version}, which is not there; put it back, or remove the link to publish without comparing`,
    );
  return openSnapshot(currentOf(out));
}

/** @throws Error where `current` is something that no publication made and that it cannot put its link in place of */
export function checkCurrent(out: string): void {
  const current = currentOf(out);
  const there = lstatSync(current, { throwIfNoEntry: false });
  if (there?.isDirectory())
    throw new UsageError(
      `${current}: found a directory, expected a link to the published snapshot; put it out of the way`,
    );
}

/** Moves `current` to a version in one rename. */
export async function pointCurrent(out: string, version: string): Promise<void> {
  const aside = temporaryName(currentOf(out));
  try {
    await symlink(placeOf(version), aside);
    await rename(aside, currentOf(out));
  } finally {
    await rm(aside, { force: true });
  }
  await syncDirectory(out);
}
