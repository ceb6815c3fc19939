import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** How long to wait for a prune or for another build's clearing up, both short. */
const WAIT_MS = 60_000;

/**
 * The right to use a build's output directory: any number of builds together, or one that removes things, alone. The
 * lock is SQLite's on an empty database, which the system gives back when a process ends, however it ends.
 */
function openLock(out: string, wait: number): DatabaseSync {
  mkdirSync(path.join(out, 'cache'), { recursive: true });
  return new DatabaseSync(lockOf(out), { timeout: wait });
}

const lockOf = (out: string) => path.join(out, 'cache', 'lock.sqlite');

/** SQLite's errors do not say which file. */
function named(out: string, { message }: Error): Error {
  return new Error(
    `${lockOf(out)}: ${message}, expected SQLite's empty file; no data lies in it: remove it when no build runs`,
  );
}

/**
 * Does `work` if nobody else uses `out`, and keeps everybody out meanwhile.
 * @returns whether it was done
 */
export function whenAlone(out: string, work: () => void): boolean {
  const lock = openLock(out, 0);
  try {
    try {
      lock.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      if (/locked|busy/.test((error as Error).message)) return false;
      throw named(out, error as Error);
    }
    work();
    return true;
  } finally {
    lock.close();
  }
}

/** Uses `out` together with other builds until `leave` is called; nothing is removed meanwhile. */
export function enter(out: string): { leave(): void } {
  const lock = openLock(out, WAIT_MS);
  try {
    lock.exec('BEGIN');
    lock.prepare('SELECT count(*) FROM sqlite_schema').get();
  } catch (error) {
    lock.close();
    throw named(out, error as Error);
  }
  return { leave: () => lock.close() };
}
