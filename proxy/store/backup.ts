/** Backup and restore of a store in SQLite. */
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { errorLine, TryAgain, UsageError } from '../../pipeline/lib/errors.ts';
import { makeDirectory } from '../../pipeline/lib/make-directory.ts';
import { missingScripts, noStoreError, schemaScripts } from './database.ts';
import {
  asTryAgain,
  checkIntact,
  findDamage,
  giveToFolderOwner,
  isBusyError,
  isDamageError,
  openSqliteFile,
  readSchemaState,
} from './sqlite-file.ts';

const BUSY_TIMEOUT_MS = 5000;
/** Suffixes of the files of a database. */
const SUFFIXES = ['', '-wal', '-shm', '-journal'];

/**
 * Copies the store in `file`, as it is at one moment, to `target`, readable by its owner alone. Servers may be running.
 * @throws UsageError if there is no store, `target` exists, or a file is damaged or cannot be written.
 */
export function backUp(file: string, target: string): void {
  if (!existsSync(file)) throw noStoreError(file);
  if (existsSync(target)) throw new UsageError(`${target} already exists; name a new file`);
  const folder = dirname(resolve(target));
  if (!statSync(folder, { throwIfNoEntry: false })) throw new UsageError(`no folder ${folder}; make it first`);
  const temporary = `${target}.unfinished`;
  try {
    rmSync(temporary, { force: true });
    closeSync(openSync(temporary, 'wx', 0o600));
    const db = openSqliteFile(file, (opened) => checkStore(opened, file), BUSY_TIMEOUT_MS);
    try {
      db.prepare('VACUUM INTO ?').run(temporary);
    } finally {
      db.close();
    }
    renameDurably(temporary, target);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** @throws UsageError if `db`, the database in `file`, is damaged or no store of this version. */
function checkStore(db: DatabaseSync, file: string, advice?: string): void {
  checkIntact(db, file, advice);
  const missing = missingScripts(file, readSchemaState(db), schemaScripts('sqlite'), false);
  if (missing.length > 0) throw new UsageError(`${file} has the schema of an older malaria-proxy`);
}

/** Renames a file; when this returns, its contents and new name are on disk. */
function renameDurably(oldPath: string, newPath: string): void {
  syncToDisk(oldPath);
  renameSync(oldPath, newPath);
  syncToDisk(dirname(newPath));
}

function syncToDisk(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Replaces the store in `file`, which is renamed, with the one in `backupFile`. Rights that were withdrawn since the
 * backup stay withdrawn, and requests granted since then stay counted (CARRY_OVER_SQL). If this is killed, the old or
 * the new store is there, and it can be repeated.
 *
 * @param forget continues without carrying anything over if the store in `file` is missing, damaged, no store or a
 *   newer program's
 * @returns the new name of the old store, null if there was none, and whether anything was carried over from it
 * @throws UsageError if `backupFile` is not an intact backup of this service, or a server or another command is using
 *   the store; TryAgain if a file cannot be read or written at present.
 */
export function restore(backupFile: string, file: string, forget = false): Restored {
  if (!existsSync(backupFile)) throw new UsageError(`no backup at ${backupFile}`);
  for (const log of [`${backupFile}-wal`, `${backupFile}-journal`]) {
    if (!statSync(log, { throwIfNoEntry: false })?.size) continue;
    throw new UsageError(`part of ${backupFile} is in ${log}: restore a file that malaria-proxy backup has made`);
  }
  makeDirectory(dirname(file));
  const target = existsSync(file) ? realpathSync(file) : file;
  const temporary = `${target}.restoring`;
  const removeTemporary = () => {
    for (const suffix of SUFFIXES) rmSync(temporary + suffix, { force: true });
  };
  let oldStore: DatabaseSync | null = null;
  try {
    removeTemporary();
    copyFileSync(backupFile, temporary);
    chmodSync(temporary, 0o600);
    giveToFolderOwner(temporary);
    const check = (opened: DatabaseSync) => checkStore(opened, backupFile, 'use an earlier backup');
    openSqliteFile(temporary, check, BUSY_TIMEOUT_MS).close();

    const exists = existsSync(target);
    oldStore = exists ? lockExclusively(target, temporary) : null;
    const whyUnreadable = exists ? explainUnreadable(oldStore, target) : `there is no store at ${target}`;
    if (whyUnreadable !== null && !forget) {
      throw new UsageError(
        `the store to be replaced cannot be read: ${whyUnreadable}. With --forget it is replaced all the same: ` +
          'then keys revoked, accounts suspended, people removed and roles taken away since the backup are as before, ' +
          'and requests granted since are not counted',
      );
    }
    if (whyUnreadable === null) carryOver(oldStore!, backupFile, target);
    const previousFile = `${target}.before-${new Date().toISOString()}`;
    swapIn(target, temporary, previousFile);
    return { previousStore: exists ? previousFile : null, isCarriedOver: whyUnreadable === null };
  } catch (error) {
    const isTemporary = asTryAgain(error) instanceof TryAgain || (error as NodeJS.ErrnoException).syscall !== undefined;
    if (!isTemporary) throw error;
    const line = `nothing is restored, and the store is as before; try again: ${errorLine(error)}`;
    throw new TryAgain(line, { cause: error });
  } finally {
    oldStore?.close();
    removeTemporary();
  }
}

interface Restored {
  previousStore: string | null;
  isCarriedOver: boolean;
}

/**
 * Opens the store in `file`, which nobody else may use until it is closed, and moves all of it into that one file. The
 * restored store is attached as `restored`. Null if the file is damaged or no database.
 * @throws UsageError if somebody else is using it.
 */
function lockExclusively(file: string, restored: string): DatabaseSync | null {
  const db = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    db.prepare('ATTACH ? AS restored').run(restored);
    // Copies the write-ahead log into the file and removes it, which fails if anyone else has the file open.
    const mode = db.prepare('PRAGMA main.journal_mode = DELETE').get()?.journal_mode;
    if (mode !== 'delete') throw new UsageError(`${file} is in use: another process has it open`);
    // The lock outlives the transaction.
    db.exec('PRAGMA main.locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT');
    return db;
  } catch (error) {
    db.close();
    if (isDamageError(error)) return null;
    throw isBusyError(error) ? new UsageError(`${file} is in use: ${errorLine(error)}`, { cause: error }) : error;
  }
}

/** Why nothing can be carried over from `db`, the database in `file`; null if it can. */
function explainUnreadable(db: DatabaseSync | null, file: string): string | null {
  const damage = db === null ? 'no SQLite database' : findDamage(db);
  if (damage !== null) return `${file} is damaged (${damage})`;
  const { version } = readSchemaState(db!);
  if (version === null) return `${file} is no store`;
  return version > schemaScripts('sqlite').length ? `${file} has schema ${version} of a newer malaria-proxy` : null;
}

/**
 * @throws UsageError if `db`, the store in `file`, is of another version, or `backupFile` was not made from it. A store
 *   never loses a key, an account or a person, so one that lacks any of the backup's was itself restored from an
 *   earlier backup, and what was taken away in between is known only to the store before.
 */
function carryOver(db: DatabaseSync, backupFile: string, file: string): void {
  checkStore(db, file);
  if (db.prepare('SELECT 1 FROM main.tag_secrets JOIN restored.tag_secrets USING (secret)').get() === undefined) {
    throw new UsageError(
      `${backupFile} is a backup of another service than ${file}; to have it there all the same, move that store away and use --forget`,
    );
  }
  if (db.prepare(ROWS_ONLY_IN_BACKUP).get() !== undefined) {
    throw new UsageError(
      `${backupFile} was made later than ${file}, which an earlier backup had replaced: move the store from before ` +
        `that back to ${file} (its name ends in .before- and the time), and restore again`,
    );
  }
  db.exec(`BEGIN EXCLUSIVE; ${CARRY_OVER_SQL}; COMMIT`);
}

/** Selects rows of the backup that the store to be replaced never had. */
const ROWS_ONLY_IN_BACKUP = ['keys', 'accounts', 'people']
  .map((table) => `SELECT 1 FROM restored.${table} WHERE id NOT IN (SELECT id FROM main.${table})`)
  .join(' UNION ALL ');

/**
 * Copies into the restored store what must not be lost from the one that it replaces, so that nobody has more rights
 * than before: revocations, earlier expiries, suspensions, removals of accounts and people, the lesser of two roles,
 * used links, the ends of tag secrets, attempts, and the higher of both counts of each minute and month. Passwords,
 * second factors and recovery codes are those of the store that is replaced. Of the rows added since the backup only
 * the audit log is copied. Everybody has to sign in again.
 */
const CARRY_OVER_SQL = `
  UPDATE restored.keys SET
    revoked_at = coalesce(keys.revoked_at, replaced.revoked_at),
    expires_at = min(coalesce(keys.expires_at, replaced.expires_at), coalesce(replaced.expires_at, keys.expires_at))
    FROM main.keys AS replaced WHERE replaced.id = keys.id;
  UPDATE restored.accounts SET
    suspended_at = coalesce(accounts.suspended_at, replaced.suspended_at),
    removed_at = coalesce(accounts.removed_at, replaced.removed_at)
    FROM main.accounts AS replaced WHERE replaced.id = accounts.id;
  UPDATE restored.people SET
    role = CASE replaced.role WHEN 'member' THEN 'member' ELSE people.role END, removed_at = replaced.removed_at,
    password_hash = replaced.password_hash, factor_secret = replaced.factor_secret,
    factor_step = max(people.factor_step, replaced.factor_step)
    FROM main.people AS replaced WHERE replaced.id = people.id AND people.removed_at IS NULL;
  DELETE FROM restored.sessions;
  DELETE FROM restored.browsers WHERE person_id IN (SELECT id FROM restored.people WHERE removed_at IS NOT NULL);
  DELETE FROM restored.recovery_codes;
  INSERT INTO restored.recovery_codes SELECT * FROM main.recovery_codes
    WHERE person_id IN (SELECT id FROM restored.people WHERE removed_at IS NULL);
  UPDATE restored.links SET used_at = replaced.used_at
    FROM main.links AS replaced WHERE replaced.id = links.id AND links.used_at IS NULL;
  INSERT OR REPLACE INTO restored.tag_secrets SELECT * FROM main.tag_secrets;
  INSERT OR REPLACE INTO restored.attempts SELECT * FROM main.attempts;
  INSERT INTO restored.seconds SELECT * FROM main.seconds WHERE key_id IN (SELECT id FROM restored.keys)
    ON CONFLICT DO UPDATE SET
      granted = CASE WHEN excluded.second = second THEN max(granted, excluded.granted)
        WHEN excluded.second > second THEN excluded.granted ELSE granted END,
      second = max(second, excluded.second);
  INSERT INTO restored.months SELECT * FROM main.months WHERE owner_id IN (SELECT id FROM restored.accounts)
    ON CONFLICT DO UPDATE SET granted = max(granted, excluded.granted);
  INSERT INTO restored.audit SELECT * FROM main.audit WHERE id > (SELECT coalesce(max(id), 0) FROM restored.audit)`;

/** Replaces the database in `target`, which is kept as `previousFile`, with `newFile` in one step. */
function swapIn(target: string, newFile: string, previousFile: string): void {
  for (const suffix of SUFFIXES) if (existsSync(target + suffix)) linkSync(target + suffix, previousFile + suffix);
  // A damaged database may have left a write-ahead log or journal, which does not belong to the new one.
  for (const suffix of SUFFIXES.slice(1)) rmSync(target + suffix, { force: true });
  renameDurably(newFile, target);
}
