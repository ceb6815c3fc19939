import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { TryAgain, UsageError } from '../lib/errors.ts';
import { makeDirectory } from '../lib/make-directory.ts';

/** How long to wait for a prune or for another build to clean up; both are short. */
const WAIT_MS = 60_000;

/**
 * Locks a build's output directory, shared for any number of builds or exclusive for one that removes things. It is
 * SQLite's lock on an empty database, which the system releases when a process ends, however it ends.
 */
function openLock(outDirectory: string, timeoutMs: number): DatabaseSync {
  makeDirectory(path.join(outDirectory, 'cache'));
  return new DatabaseSync(lockFile(outDirectory), { timeout: timeoutMs });
}

const lockFile = (outDirectory: string) => path.join(outDirectory, 'cache', 'lock.sqlite');

/** SQLite's errors do not name the file. @param busy what to say if another process holds the lock */
export function lockError(file: string, { message }: Error, busy: string): Error {
  if (/locked|busy/.test(message)) return new TryAgain(busy);
  return new UsageError(
    `${file}: ${message}, expected an empty SQLite database; it holds no data, so remove it when no build or publication is running`,
  );
}

/**
 * Runs `action` if no other process is using the directory, and locks others out until it is done.
 * @returns whether the action ran
 */
export function runIfUnused(outDirectory: string, action: () => void): boolean {
  const lock = openLock(outDirectory, 0);
  try {
    try {
      lock.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      if (/locked|busy/.test((error as Error).message)) return false;
      throw lockError(lockFile(outDirectory), error as Error, '');
    }
    action();
    return true;
  } finally {
    lock.close();
  }
}

/** Shares the directory with other builds until the lock is released; until then nothing is removed. */
export function lockShared(outDirectory: string): { release(): void } {
  const lock = openLock(outDirectory, WAIT_MS);
  try {
    lock.exec('BEGIN');
    lock.prepare('SELECT count(*) FROM sqlite_schema').get();
  } catch (error) {
    lock.close();
    throw lockError(
      lockFile(outDirectory),
      error as Error,
      `${outDirectory}: files are being removed there; try again`,
    );
  }
  return { release: () => lock.close() };
}
