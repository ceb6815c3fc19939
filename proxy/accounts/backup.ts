/** A backup of the embedded form: store and limits in one SQLite file. */
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
import { lineOf, UsageError } from '../errors.ts';
import { limitsFileOf, lockLimits, openLimits } from '../limits/sqlite-limiter.ts';
import { checkIntact, giveToOwner, isDamaged, isOfDamage, openSqliteFile } from '../sqlite-file.ts';

const BUSY_MS = 5000;
/** A database's files, by what their names end in. */
const PARTS = ['', '-wal', '-shm', '-journal'];

/**
 * Copies the store in `file` and its limits to `target`, for its owner alone, each as of one moment, while servers go
 * on. The limits come second: whatever a copied key was granted is counted in them.
 * @throws UsageError if there is no store, `target` exists, or something is damaged or cannot be written.
 */
export function backUp(file: string, target: string): void {
  if (!existsSync(file)) throw new UsageError(`no store at ${file}`);
  if (existsSync(target)) throw new UsageError(`${target} exists; name a new file`);
  const aside = `${target}.unfinished`;
  const asideLimits = `${aside}-limits`;
  try {
    copyDatabase(file, aside);
    const limits = limitsFileOf(file);
    const copy = openSqliteFile(aside, () => {}, BUSY_MS);
    copy.exec('CREATE TABLE limits_backup (file BLOB NOT NULL)');
    if (existsSync(limits)) {
      copyDatabase(limits, asideLimits);
      copy.prepare('INSERT INTO limits_backup VALUES (?)').run(readFileSync(asideLimits));
    }
    copy.close();
    renameSync(aside, target);
  } finally {
    for (const left of [aside, asideLimits]) rmSync(left, { force: true });
  }
}

/** Copies the database in `file` to `target`, which nobody else may read. */
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
 * Puts the store in the backup `source` in the place of that in `file`, which gets another name. Limits that are there
 * and intact know more than the backup: they stay, with the higher count of each month; else the backup's take their
 * place. Killed at any moment, it leaves the old store or the new one, limits that are ahead of it, and can be repeated.
 * @returns the old store's new name; null if there was none
 * @throws UsageError if `source` is no intact backup, or a server or another command runs on the store.
 */
export function restore(source: string, file: string): string | null {
  if (!existsSync(source)) throw new UsageError(`no backup at ${source}`);
  mkdirSync(dirname(file), { recursive: true });
  const place = existsSync(file) ? realpathSync(file) : file;
  const limits = limitsFileOf(place);
  const lock = lockLimits(limits);
  const [aside, asideLimits] = [`${place}.restoring`, `${limits}.restoring`];
  const clear = () => {
    for (const part of PARTS) for (const left of [aside, asideLimits]) rmSync(left + part, { force: true });
  };
  let seized: DatabaseSync | null = null;
  try {
    clear();
    const saved = unpack(source, aside, asideLimits);
    const isThere = existsSync(place);
    seized = isThere ? seize(place) : null;
    const kept = `${place}.before-${new Date().toISOString()}`;
    if (!existsSync(limits) || isDamaged(limits)) replace(limits, asideLimits, `${kept}-limits`);
    else if (saved) raiseMonths(limits, asideLimits);
    replace(place, aside, kept);
    return isThere ? kept : null;
  } finally {
    seized?.close();
    clear();
    lock.close();
  }
}

/** Writes the store and the limits in `source` to files of their own. @returns whether there are limits in it */
function unpack(source: string, store: string, limits: string): boolean {
  copyFileSync(source, store);
  chmodSync(store, 0o600);
  giveToOwner(store);
  const copy = openSqliteFile(store, (opened) => checkIntact(opened, source), BUSY_MS);
  try {
    const isBackup = copy.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'limits_backup'").get();
    if (!isBackup) throw new UsageError(`${source} was not made by \`malaria-proxy backup\``);
    const saved = copy.prepare('SELECT file FROM limits_backup').get()?.file as Uint8Array | undefined;
    // Without any, the file is empty: limits of which nothing has been used.
    writeFileSync(limits, saved ?? '', { mode: 0o600, flush: true });
    giveToOwner(limits);
    copy.exec('DROP TABLE limits_backup; VACUUM');
    return saved !== undefined;
  } finally {
    copy.close();
  }
}

/**
 * Holds the store in `file`, all in that one file, so that nobody writes to it while it is replaced.
 * @returns null if it is too damaged for that
 * @throws UsageError if another process has it open.
 */
function seize(file: string): DatabaseSync | null {
  const db = new DatabaseSync(file, { timeout: BUSY_MS });
  try {
    // Copies the write-ahead log into the file and removes it, which takes that nobody else has the file open.
    db.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE');
    return db;
  } catch (error) {
    db.close();
    if (isOfDamage(error)) return null;
    throw new UsageError(`${file} is in use or cannot be written: ${lineOf(error)}`, { cause: error });
  }
}

/** Puts the file `next` in the place of the database in `place`, which is kept as `kept`, in one step. */
function replace(place: string, next: string, kept: string): void {
  for (const part of PARTS) if (existsSync(place + part)) linkSync(place + part, kept + part);
  // What a damaged one could not be made to take in; to the new one it would be another's.
  for (const part of PARTS.slice(1)) rmSync(place + part, { force: true });
  renameSync(next, place);
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
