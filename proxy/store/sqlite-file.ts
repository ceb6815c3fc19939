import { closeSync, existsSync, lchownSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { lineOf, TryAgain, UsageError } from '../../pipeline/lib/errors.ts';

/** SQLite's error code when another connection holds the lock. */
export const SQLITE_BUSY = 5;
/** Error codes for a damaged file and for a file that is not a database. */
const DAMAGED = [11, 26];
/** Error codes that concern the file and not the statement: also busy, read-only, I/O error, full, cannot open. */
const FILE_ERRORS = [...DAMAGED, SQLITE_BUSY, 8, 10, 13, 14];

/** `error`, as a one-line message for people if the file cannot be used at present. */
export function unavailable(error: unknown): unknown {
  const { errcode = 0 } = error as { errcode?: number };
  if (!FILE_ERRORS.includes(errcode & 0xff)) return error;
  return new TryAgain(`store: SQLite cannot be used: ${lineOf(error)}`, { cause: error });
}

/** If this process runs as root, gives `file`, which it has created, to the folder's owner, as whom the server runs. */
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
 * Returns a function that reports whether `file` has been replaced by another file since this call. A missing file does
 * not count as replaced.
 */
export function watchReplacement(file: string): () => boolean {
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

/** Whether `error` means that the file is damaged or is not a database. */
export const isDamageError = (error: unknown) => DAMAGED.includes((error as { errcode?: number }).errcode! & 0xff);

/** Whether `file` is not an intact database. */
export function isDamaged(file: string): boolean {
  const db = new DatabaseSync(file);
  try {
    return db.prepare('PRAGMA quick_check(1)').get()?.quick_check !== 'ok';
  } catch (error) {
    if (isDamageError(error)) return true;
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
        `${file} has schema ${found} of a newer malaria-proxy; this version supports ${versions.length}`,
      );
    }
    for (const script of versions.slice(found)) db.exec(script);
    db.exec(`PRAGMA user_version = ${versions.length}`);
  });
}
