import { closeSync, existsSync, lchownSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { lineOf, TryAgain, UsageError } from '../../pipeline/lib/errors.ts';
import { type FoundSchema, missingScripts, schemaOf } from './database.ts';
import { newSecret } from './tag-secrets.ts';

/** SQLite's error code when another connection holds the lock. */
const SQLITE_BUSY = 5;
/** Error codes that concern the file and not the statement: busy, read-only, I/O, damaged, full, cannot open, no database. */
const FILE_ERRORS = [SQLITE_BUSY, 8, 10, 11, 13, 14, 26];

/** `error`, as a one-line message for people if the file cannot be used at present. */
export function unavailable(error: unknown): unknown {
  const { errcode = 0 } = error as { errcode?: number };
  if (!FILE_ERRORS.includes(errcode & 0xff)) return error;
  return new TryAgain(`store: SQLite cannot be used: ${lineOf(error)}`, { cause: error });
}

/** Whether `error` means that another connection holds the lock. */
export const isBusyError = (error: unknown) => ((error as { errcode?: number }).errcode! & 0xff) === SQLITE_BUSY;

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
export function openSqliteFile(
  file: string,
  prepare: (db: DatabaseSync) => void,
  busyMs: number,
  readOnly = false,
): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    mkdirSync(dirname(file), { recursive: true });
    if (!existsSync(file)) {
      closeSync(openSync(file, 'a', 0o600));
      giveToOwner(file);
    }
    db = new DatabaseSync(file, { timeout: busyMs, readOnly });
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

/** @throws UsageError if `db`, the database in `file`, is damaged. */
export function checkIntact(db: DatabaseSync, file: string): void {
  const [first] = db.prepare('PRAGMA quick_check(1)').all();
  if (first?.quick_check === 'ok') return;
  const fault = String(first?.quick_check).replaceAll('\n', ' ');
  throw new UsageError(
    `${file} is damaged (${fault}); restore the last backup: malaria-proxy restore FILE --store sqlite:FILE`,
  );
}

/** Finds out where the schema of the database in `file` stands, without writing to it. */
export function schemaIn(db: DatabaseSync): FoundSchema {
  const tables = db.prepare('SELECT name FROM sqlite_schema').all();
  const isOurs = tables.some(({ name }) => name === 'store');
  return {
    version: isOurs ? Number(db.prepare('SELECT version FROM store').get()!.version) : null,
    isEmpty: tables.length === 0,
  };
}

/**
 * Creates the tables of the store in `file`, or migrates them to the newest schema.
 * @throws UsageError if the file belongs to something else, or to a newer version of this program.
 */
export function migrate(db: DatabaseSync, file: string, scripts: readonly string[] = schemaOf('sqlite')): void {
  if (missingScripts(file, schemaIn(db), scripts).length === 0) return;
  db.exec('PRAGMA journal_mode = WAL');
  transact(db, () => {
    // Another process may have done so meanwhile.
    const found = schemaIn(db);
    for (const script of missingScripts(file, found, scripts)) db.exec(script);
    if (found.isEmpty) {
      db.exec('INSERT INTO store VALUES (0)');
      db.prepare('INSERT INTO tag_secrets VALUES (?, 0, NULL)').run(newSecret());
    }
    db.prepare('UPDATE store SET version = ?').run(scripts.length);
  });
}
