import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { TryAgain } from '../../errors.ts';
import { releasesOf } from './build-paths.ts';

/** How long to wait for another publication, which copies files at most. */
const WAIT_MS = 60_000;

/**
 * Does `work` while nobody else publishes from `out` or removes its versions. The lock is SQLite's on an empty
 * database, which the system gives back when a process ends, however it ends.
 * @throws TryAgain where somebody else does
 */
export async function publishAlone<T>(out: string, work: () => Promise<T>, wait = WAIT_MS): Promise<T> {
  const folder = releasesOf(out);
  mkdirSync(folder, { recursive: true });
  const lock = new DatabaseSync(path.join(folder, 'lock.sqlite'), { timeout: wait });
  try {
    try {
      lock.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      if (!/locked|busy/.test((error as Error).message)) throw error;
      throw new TryAgain(`${out}: somebody else is publishing there; try again when that is done`);
    }
    return await work();
  } finally {
    lock.close();
  }
}
