import { closeSync, existsSync, lchownSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { errorLine, TryAgain, UsageError } from '../../pipeline/lib/errors.ts';
import { makeDirectory } from '../../pipeline/lib/make-directory.ts';
import { missingScripts, type SchemaState, schemaHash, schemaScripts } from './database.ts';
import { mintTagSecret } from './tag-secrets.ts';

/** SQLite's error codes that concern the file and not the statement. */
const BUSY = 5;
const [DAMAGED, NO_DATABASE] = [11, 26];
const [READ_ONLY, INPUT_OUTPUT, FULL, CANNOT_OPEN] = [8, 10, 13, 14];

const sqliteCode = (error: unknown) => ((error as { errcode?: number }).errcode ?? 0) & 0xff;

/** `error`, as a one-line message for people if the file cannot be used at present. */
export function asTryAgain(error: unknown): unknown {
  const isFileError = [BUSY, DAMAGED, NO_DATABASE, READ_ONLY, INPUT_OUTPUT, FULL, CANNOT_OPEN].includes(
    sqliteCode(error),
  );
  return isFileError ? new TryAgain(`store: SQLite cannot be used: ${errorLine(error)}`, { cause: error }) : error;
}

/** Whether `error` means that the file contains no intact database. */
export const isDamageError = (error: unknown) => [DAMAGED, NO_DATABASE].includes(sqliteCode(error));

/** Whether `error` means that another connection holds the lock. */
export const isBusyError = (error: unknown) => sqliteCode(error) === BUSY;

/** If this process runs as root, gives `file`, which it has created, to the folder's owner, as whom the server runs. */
export function giveToFolderOwner(file: string): void {
  const { uid, gid } = statSync(dirname(file));
  if (process.getuid?.() === 0) lchownSync(file, uid, gid);
}

/**
 * Creates an empty file and its folder, if it is missing, readable by its owner alone (SQLite gives the -wal and -shm
 * files the same mode).
 */
export function createDatabaseFile(file: string): void {
  makeDirectory(dirname(file));
  if (existsSync(file)) return;
  closeSync(openSync(file, 'a', 0o600));
  giveToFolderOwner(file);
}

/**
 * Opens the SQLite database in `file`.
 * @param readOnly writes nothing, not even a file beside it
 * @throws UsageError if it is damaged or not a database, TryAgain if it cannot be used at present.
 */
export function openSqliteFile(
  file: string,
  prepare: (db: DatabaseSync) => void,
  busyTimeoutMs: number,
  readOnly = false,
): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    const url = pathToFileURL(file);
    // Without a log the file is complete, and SQLite need not make one to read it.
    if (readOnly && !existsSync(`${file}-wal`)) url.searchParams.set('immutable', '1');
    db = new DatabaseSync(url, { timeout: busyTimeoutMs, readOnly });
    prepare(db);
    return db;
  } catch (error) {
    db?.close();
    if (!isDamageError(error)) throw asTryAgain(error);
    throw new UsageError(`cannot use ${file} as an SQLite database: ${errorLine(error)}`, { cause: error });
  }
}

/** Returns a function that reports whether `file` has been removed, or replaced by another file, since this call. */
export function replacementCheck(file: string): () => boolean {
  const identity = () => {
    const stats = statSync(file, { throwIfNoEntry: false });
    return stats && `${stats.dev}:${stats.ino}`;
  };
  const identityAtStart = identity();
  return () => identity() !== identityAtStart;
}

/** What is damaged in `db`; null if nothing is. */
export function findDamage(db: DatabaseSync): string | null {
  try {
    const result = db.prepare('PRAGMA quick_check(1)').get()?.quick_check;
    return result === 'ok' ? null : String(result).replaceAll('\n', ' ');
  } catch (error) {
    if (isDamageError(error)) return errorLine(error);
    throw error;
  }
}

/** @throws UsageError with `advice` if `db`, the database in `file`, is damaged. */
export function checkIntact(db: DatabaseSync, file: string, advice = RESTORE_ADVICE): void {
  const damage = findDamage(db);
  if (damage !== null) throw new UsageError(`${file} is damaged (${damage}); ${advice}`);
}
const RESTORE_ADVICE = 'restore the last backup: malaria-proxy restore FILE --store sqlite:FILE';

/** Finds out where the schema of the database in `file` stands, without writing to it. */
export function readSchemaState(db: DatabaseSync): SchemaState {
  const tables = db.prepare('SELECT name, sql FROM sqlite_schema').all();
  const hasTable = (table: string, column = '') =>
    tables.some(({ name, sql }) => name === table && String(sql).includes(column));
  if (!hasTable('store', 'schema_hash') || !hasTable('tag_secrets'))
    return { version: null, schema_hash: '', isEmpty: tables.length === 0 };
  const { version, schema_hash } = db.prepare('SELECT version, schema_hash FROM store').get()!;
  return { version: Number(version), schema_hash: String(schema_hash), isEmpty: false };
}

/**
 * Migrates the store in `file` to the newest schema, which in an empty file is all of it. If this fails, close `db`.
 * @throws UsageError if the file belongs to something else, or to a newer version of this program.
 */
export function migrate(db: DatabaseSync, file: string, scripts: readonly string[] = schemaScripts('sqlite')): void {
  if (missingScripts(file, readSchemaState(db), scripts, true).length === 0) return;
  db.exec('PRAGMA journal_mode = WAL');
  db.exec('BEGIN IMMEDIATE');
  // Another process may have done so meanwhile.
  const schema = readSchemaState(db);
  for (const script of missingScripts(file, schema, scripts, true)) db.exec(script);
  if (schema.isEmpty) {
    db.exec("INSERT INTO store VALUES (0, '')");
    db.prepare('INSERT INTO tag_secrets VALUES (?, 0, NULL)').run(mintTagSecret());
  }
  db.prepare('UPDATE store SET version = ?, schema_hash = ?').run(scripts.length, schemaHash(scripts));
  db.exec('COMMIT');
}
