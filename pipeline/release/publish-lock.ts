import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { lockError } from '../engine/lock.ts';
import { makeDirectory } from '../lib/make-directory.ts';
import { releasesFolder } from './build-paths.ts';
import { preserveOwner } from './owner.ts';

/** How long to wait for another publication, which copies files and takes no longer than that. */
const WAIT_MS = 60_000;

/**
 * Runs `work` while no other process publishes from `out` or removes its versions. It holds SQLite's lock on an empty
 * database, which the system releases when the process ends, however it ends.
 * @throws TryAgain if another process holds the lock for too long
 */
export async function publishAlone<T>(out: string, work: () => Promise<T>, waitMs = WAIT_MS): Promise<T> {
  const folder = releasesFolder(out);
  makeDirectory(folder);
  return preserveOwner(out, async () => {
    const lockFile = path.join(folder, 'lock.sqlite');
    const lock = new DatabaseSync(lockFile, { timeout: waitMs });
    try {
      try {
        lock.exec('BEGIN EXCLUSIVE');
      } catch (error) {
        const busy = `${out}: another publication is running there; try again when it is done`;
        throw lockError(lockFile, error as Error, busy);
      }
      return await work();
    } finally {
      lock.close();
    }
  });
}
