import { closeSync, existsSync, lchownSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { lineOf, UnavailableError, UsageError } from './errors.ts';

/** SQLite's error code when another connection holds the lock. */
export const SQLITE_BUSY = 5;
/** Codes of a damaged file, and of one that is no database. */
const DAMAGED = [11, 26];
/** Codes that concern the file and not the statement: also busy, read-only, I/O, full, not to be opened. */
const OF_THE_FILE = [...DAMAGED, SQLITE_BUSY, 8, 10, 13, 14];

/** `error`, as one line for people if the file cannot be used at present. */
export function unavailable(error: unknown): unknown {
  const { errcode = 0 } = error as { errcode?: number };
  if (!OF_THE_FILE.includes(errcode & 0xff)) return error;
  return new UnavailableError(`store: SQLite cannot be used: ${lineOf(error)}`, { cause: error });
}

/** Root gives `file`, which it has made, to the owner of the folder, as whom the server runs. */
export function giveToOwner(file: string): void {
  const { uid, gid } = statSync(dirname(file));
  if (process.getuid?.() === 0) lchownSync(file, uid, gid);
}

/**
 * Opens the SQLite database at `file`, creating it and its folder if missing, readable by its owner alone (SQLite gives
 * the -wal and -shm files the same mode).
 * @throws UsageError if the file cannot be opened or is not a database.
 */
export function openSqliteFile(file: string, prepare: (db: DatabaseSync) => void, busyMs: number): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    mkdirSync(dirname(file), { recursive: true });
    if (!existsSync(file)) {
      closeSync(openSync(file, 'a', 0o600));
      giveToOwner(file);
    }
    db = new DatabaseSync(file, { timeout: busyMs });
    prepare(db);
    return db;
  } catch (error) {
    db?.close();
    if (error instanceof UsageError) throw error;
    throw new UsageError(`cannot use ${file} as an SQLite database: ${lineOf(error)}`, { cause: error });
  }
}

/**
 * Returns a function that tells whether `file` has been replaced by another since this call. A missing file does not
 * count as replaced.
 */
export function watchPlace(file: string): () => boolean {
  const identity = () => {
    const found = statSync(file, { throwIfNoEntry: false });
    return found && `${found.dev}:${found.ino}`;
  };
  const first = identity();
  return () => ![first, undefined].includes(identity());
}

/** Runs `work` in a transaction that takes the write lock at once. */
export function transact<T>(db: DatabaseSync, work: () => T): T {
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

/** Whether `error` says that the file is damaged, or no database. */
export const isOfDamage = (error: unknown) => DAMAGED.includes((error as { errcode?: number }).errcode! & 0xff);

/** Whether the file there is no intact database. */
export function isDamaged(file: string): boolean {
  const db = new DatabaseSync(file);
  try {
    return db.prepare('PRAGMA quick_check(1)').get()?.quick_check !== 'ok';
  } catch (error) {
    if (isOfDamage(error)) return true;
    throw unavailable(error);
  } finally {
    db.close();
  }
}

/** @throws UsageError if `db`, the database in `file`, is damaged. */
export function checkIntact(db: DatabaseSync, file: string): void {
  const [first] = db.prepare('PRAGMA quick_check(1)').all();
  if (first?.quick_check === 'ok') return;
  const fault = String(first?.quick_check).replaceAll('\n', ' ');
  throw new UsageError(
    `${file} is damaged (${fault}); restore the last backup: malaria-proxy restore FILE --store sqlite:FILE`,
  );
}

/**
 * Migrates `db` to the newest schema. Each of `versions` is a script that raises `user_version` by one.
 * @throws UsageError if the database was made by a newer version of this program.
 */
export function migrate(db: DatabaseSync, file: string, versions: readonly string[]): void {
  const version = () => Number(db.prepare('PRAGMA user_version').get()!.user_version);
  if (version() === versions.length) return;
  transact(db, () => {
    const found = version();
    if (found > versions.length) {
      throw new UsageError(
        `${file} has schema ${found}, from a newer malaria-proxy; this one knows ${versions.length}`,
      );
    }
    for (const script of versions.slice(found)) db.exec(script);
    db.exec(`PRAGMA user_version = ${versions.length}`);
  });
}
