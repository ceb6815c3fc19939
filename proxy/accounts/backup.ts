/** A backup of the embedded form: store and limits in one SQLite file. */
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { UsageError } from '../errors.ts';
import { limitsFileOf, lockLimits } from '../limits/sqlite-limiter.ts';
import { checkIntact, openSqliteFile } from '../sqlite-file.ts';

const BUSY_MS = 5000;
/** SQLite's files beside a database in WAL mode. */
const PARTS = ['', '-wal', '-shm'];

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
 * Puts the store and limits in the backup `source` in the place of those in `file`, which are kept under another name.
 * @returns that name; null if there was no store
 * @throws UsageError if `source` is no intact backup, or a server runs on the store.
 */
export function restore(source: string, file: string): string | null {
  if (!existsSync(source)) throw new UsageError(`no backup at ${source}`);
  mkdirSync(dirname(file), { recursive: true });
  const place = existsSync(file) ? realpathSync(file) : file;
  const limits = limitsFileOf(place);
  const lock = lockLimits(limits);
  const [aside, asideLimits] = [`${place}.restoring`, `${limits}.restoring`];
  try {
    copyFileSync(source, aside);
    chmodSync(aside, 0o600);
    const copy = openSqliteFile(aside, (opened) => checkIntact(opened, source), BUSY_MS);
    const saved = limitsIn(copy, source);
    if (saved) writeFileSync(asideLimits, saved, { mode: 0o600 });
    copy.exec('DROP TABLE limits_backup; VACUUM');
    copy.close();
    const kept = existsSync(place) ? `${place}.before-${new Date().toISOString()}` : null;
    for (const [now, then] of [
      [limits, `${kept}-limits`],
      [place, kept],
    ] as const) {
      for (const part of PARTS) if (existsSync(now + part)) renameSync(now + part, then + part);
    }
    if (saved) renameSync(asideLimits, limits);
    renameSync(aside, place);
    return kept;
  } finally {
    for (const left of [aside, asideLimits]) rmSync(left, { force: true });
    lock.close();
  }
}

function limitsIn(copy: DatabaseSync, source: string): Uint8Array | undefined {
  const found = copy.prepare("SELECT name FROM sqlite_schema WHERE name = 'limits_backup'").get();
  if (!found) throw new UsageError(`${source} was not made by \`malaria-proxy backup\``);
  return copy.prepare('SELECT file FROM limits_backup').get()?.file as Uint8Array | undefined;
}
