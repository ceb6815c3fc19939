/** Backup and restore for a single proxy with SQLite: store and limits in one file. */
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { lineOf, UsageError } from '../../pipeline/lib/errors.ts';
import { checkIntact, giveToOwner, isDamaged, isDamageError, openSqliteFile } from './sqlite-file.ts';
import { limitsFileOf, lockLimits, openLimits } from './sqlite-limiter.ts';

const BUSY_MS = 5000;
/** Suffixes of the files of a database. */
const SUFFIXES = ['', '-wal', '-shm', '-journal'];

/**
 * Copies the store in `file` and its limits to `target`, readable by its owner alone. Servers may be running; each of
 * the two copies is consistent. The limits are copied second, so that they count everything that a copied key was
 * granted.
 * @throws UsageError if there is no store, `target` exists, or a file is damaged or cannot be written.
 */
export function backUp(file: string, target: string): void {
  if (!existsSync(file)) throw new UsageError(`no store at ${file}`);
  if (existsSync(target)) throw new UsageError(`${target} already exists; name a new file`);
  const temporary = `${target}.unfinished`;
  const temporaryLimits = `${temporary}-limits`;
  try {
    copyDatabase(file, temporary);
    const limits = limitsFileOf(file);
    const copy = openSqliteFile(temporary, () => {}, BUSY_MS);
    copy.exec('CREATE TABLE limits_backup (file BLOB NOT NULL)');
    if (existsSync(limits)) {
      copyDatabase(limits, temporaryLimits);
      copy.prepare('INSERT INTO limits_backup VALUES (?)').run(readFileSync(temporaryLimits));
    }
    copy.close();
    renameSync(temporary, target);
  } finally {
    for (const left of [temporary, temporaryLimits]) rmSync(left, { force: true });
  }
}

/** Copies the database in `file` to `target`, which only its owner may read. */
function copyDatabase(file: string, target: string): void {
  rmSync(target, { force: true });
  closeSync(openSync(target, 'wx', 0o600));
  const db = openSqliteFile(file, (opened) => checkIntact(opened, file), BUSY_MS);
  try {
    db.prepare('VACUUM INTO ?').run(target);
  } finally {
    db.close();
  }
}

/**
 * Replaces the store in `file`, which is renamed, with the one in the backup `source`. An existing limits file that is
 * intact is newer than the backup: it is kept, with the higher of the two counts for each month; otherwise the backup's
 * limits replace it. If killed at any moment, this leaves the old or the new store, and limits that are no older than
 * it, and can be repeated.
 * @returns the new name of the old store; null if there was none
 * @throws UsageError if `source` is not an intact backup, or a server or another command is using the store.
 */
export function restore(source: string, file: string): string | null {
  if (!existsSync(source)) throw new UsageError(`no backup at ${source}`);
  mkdirSync(dirname(file), { recursive: true });
  const target = existsSync(file) ? realpathSync(file) : file;
  const limits = limitsFileOf(target);
  const lock = lockLimits(limits);
  const [temporary, temporaryLimits] = [`${target}.restoring`, `${limits}.restoring`];
  const clear = () => {
    for (const suffix of SUFFIXES)
      for (const left of [temporary, temporaryLimits]) rmSync(left + suffix, { force: true });
  };
  let exclusive: DatabaseSync | null = null;
  try {
    clear();
    const hasLimits = unpack(source, temporary, temporaryLimits);
    const isReplaced = existsSync(target);
    exclusive = isReplaced ? lockExclusively(target) : null;
    const kept = `${target}.before-${new Date().toISOString()}`;
    if (!existsSync(limits) || isDamaged(limits)) replace(limits, temporaryLimits, `${kept}-limits`);
    else if (hasLimits) raiseMonths(limits, temporaryLimits);
    replace(target, temporary, kept);
    return isReplaced ? kept : null;
  } finally {
    exclusive?.close();
    clear();
    lock.close();
  }
}

/** Writes the store and the limits in `source` to separate files. @returns whether `source` contains limits */
function unpack(source: string, store: string, limits: string): boolean {
  copyFileSync(source, store);
  chmodSync(store, 0o600);
  giveToOwner(store);
  const copy = openSqliteFile(store, (opened) => checkIntact(opened, source), BUSY_MS);
  try {
    const isBackup = copy.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'limits_backup'").get();
    if (!isBackup) throw new UsageError(`${source} was not made by \`malaria-proxy backup\``);
    const saved = copy.prepare('SELECT file FROM limits_backup').get()?.file as Uint8Array | undefined;
    // If there are none, the file is empty, which means limits of which nothing has been used.
    writeFileSync(limits, saved ?? '', { mode: 0o600, flush: true });
    giveToOwner(limits);
    copy.exec('DROP TABLE limits_backup; VACUUM');
    return saved !== undefined;
  } finally {
    copy.close();
  }
}

/**
 * Locks the store in `file`, and moves all of it into that one file, so that nobody writes to it while it is replaced.
 * @returns null if it is too damaged for that
 * @throws UsageError if another process has it open.
 */
function lockExclusively(file: string): DatabaseSync | null {
  const db = new DatabaseSync(file, { timeout: BUSY_MS });
  try {
    // Copies the write-ahead log into the file and removes it, which fails if anyone else has the file open.
    db.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE');
    return db;
  } catch (error) {
    db.close();
    if (isDamageError(error)) return null;
    throw new UsageError(`${file} is in use or cannot be written: ${lineOf(error)}`, { cause: error });
  }
}

/** Replaces the database in `target`, which is kept as `kept`, with the file `next` in one step. */
function replace(target: string, next: string, kept: string): void {
  for (const suffix of SUFFIXES) if (existsSync(target + suffix)) linkSync(target + suffix, kept + suffix);
  // A damaged database may have left a write-ahead log or journal, which does not belong to the new one.
  for (const suffix of SUFFIXES.slice(1)) rmSync(target + suffix, { force: true });
  renameSync(next, target);
}

/** Raises the months counted in `limits` to those in the file `saved`. */
function raiseMonths(limits: string, saved: string): void {
  const db = openLimits(limits);
  try {
    db.prepare('ATTACH ? AS saved').run(saved);
    db.exec(`INSERT INTO months SELECT owner_id, month, taken FROM saved.months WHERE true
      ON CONFLICT DO UPDATE SET taken = max(taken, excluded.taken)`);
  } finally {
    db.close();
  }
}
