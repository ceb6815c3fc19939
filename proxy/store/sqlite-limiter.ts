import { randomUUID } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { type Clock, DAY_MS } from '../../pipeline/lib/clock.ts';
import { UsageError } from '../../pipeline/lib/errors.ts';
import { minuteBlock, monthBlock } from '../limits/blocks.ts';
import { calendarMonth } from '../limits/calendar-month.ts';
import { addGrants, countOf, createLog, dropOld, grantAt, type SlidingLog } from '../limits/sliding-log.ts';
import { type Charge, MINUTE_MS, monthStanding, type Standing, type Verdict } from '../limits/verdict.ts';
import { checkIntact, migrate, openSqliteFile, SQLITE_BUSY, transact } from './sqlite-file.ts';

/** How long to wait for a process that is about to stop. */
const LOCK_MS = 250;

/** Counts of months are kept for this long, so that a clock that is wrong by less deletes none of them. */
const MONTHS_KEPT_MS = 400 * DAY_MS;

const SCHEMA = [
  `CREATE TABLE minutes (key_id TEXT PRIMARY KEY, grants INTEGER NOT NULL, until INTEGER NOT NULL) STRICT;
   CREATE TABLE months (
     owner_id TEXT NOT NULL, month TEXT NOT NULL, taken INTEGER NOT NULL, PRIMARY KEY (owner_id, month)
   ) STRICT;`,
  `CREATE TABLE blocks (
     key_id TEXT NOT NULL, number INTEGER NOT NULL, grants INTEGER NOT NULL, until REAL NOT NULL, boot TEXT NOT NULL,
     PRIMARY KEY (key_id, number)
   ) STRICT, WITHOUT ROWID;
   INSERT INTO blocks SELECT key_id, 0, grants, 0, '' FROM minutes WHERE grants > 0;
   DROP TABLE minutes;`,
];

/** Grants of one key; of its block number `block`, `reserved` more grants may be made until `reservedUntil`. */
interface Minute {
  log: SlidingLog;
  block: number;
  granted: number;
  reserved: number;
  reservedUntil: number;
}

/** One owner's month: `taken` of the allowance is reserved in the file, of which `left` is still unused. */
interface Month {
  name: string;
  taken: number;
  left: number;
}

/**
 * The limits of one process, in memory, with an SQLite file that makes restarts safe. `take` contains no await, so no
 * two requests interleave.
 *
 * Before a request is granted, its block is written to the file, in one transaction for minute and month. For the month
 * the file contains the amount reserved, used or not. For the minute it contains each block with the latest time,
 * `until`, at which its grants can have been made: 60 seconds after it was reserved, when it expires, or once it is
 * used up, the time of its last grant. After kill -9 the blocks that were used up count from their own `until`, and the
 * open block counts in full from its `until` or the restart, whichever is earlier: so no 60 seconds across a crash
 * contain more grants than allowed, and the client loses at most a block. A graceful close writes the actual number.
 * Times are those of the steady clock and independent of the wall clock; after a reboot they have no meaning, and all
 * blocks count from the restart. Commits are not synced one by one (`synchronous = NORMAL`): a killed process loses
 * nothing, but a power cut may lose the last blocks.
 *
 * A lock on a file beside it keeps a second process from using the same limits; others may read them for a backup.
 *
 * @throws UsageError if another process has the file open.
 */
export function openSqliteLimiter(file: string, clock: Clock) {
  const lock = lockLimits(file);
  const db = openLimits(file);
  const { boot = randomUUID() } = clock;
  const writeBlock = db.prepare(
    'INSERT OR REPLACE INTO blocks (key_id, number, grants, until, boot) VALUES (?, ?, ?, ?, ?)',
  );
  const dropBlocks = db.prepare('DELETE FROM blocks WHERE key_id = ? AND until <= ?');
  const writeMonth = db.prepare('INSERT OR REPLACE INTO months (owner_id, month, taken) VALUES (?, ?, ?)');
  const readMonth = db.prepare('SELECT taken FROM months WHERE owner_id = ? AND month = ?');

  const minutes = new Map<string, Minute>();
  const months = new Map<string, Month>();
  let calendar = calendarMonth(clock.wallMs());

  /** Writes how much of the key's open block was actually used. */
  const closeBlock = (keyId: string, { log, block, granted }: Minute) => {
    const last = grantAt(log, countOf(log) - 1) ?? Number.NEGATIVE_INFINITY;
    writeBlock.run(keyId, block, granted, last, boot);
  };

  const minuteOf = (keyId: string, now: number): Minute => {
    let minute = minutes.get(keyId);
    if (!minute) {
      minute = { log: createLog(), block: 0, granted: 0, reserved: 0, reservedUntil: 0 };
      minutes.set(keyId, minute);
    }
    dropOld(minute.log, now, MINUTE_MS);
    return minute;
  };
  /** Loads the blocks from the file, with their times converted to this process's clock. */
  const load = () => {
    const now = clock.steadyMs();
    const rows = db.prepare('SELECT * FROM blocks ORDER BY key_id, number').all();
    db.exec('DELETE FROM blocks');
    for (const { key_id, grants, until, boot: since } of rows) {
      const last = since === boot ? Math.min(Number(until), now) : now;
      if (now - last >= MINUTE_MS) continue;
      const minute = minuteOf(String(key_id), now);
      addGrants(minute.log, last, Number(grants));
      writeBlock.run(key_id!, minute.block++, grants!, last, boot);
    }
    const oldest = calendarMonth(clock.wallMs() - MONTHS_KEPT_MS).name;
    db.prepare('DELETE FROM months WHERE month < ?').run(oldest);
  };
  transact(db, load);

  const prune = () => {
    const now = clock.steadyMs();
    for (const [keyId, { log, reservedUntil }] of minutes) {
      dropOld(log, now, MINUTE_MS);
      if (countOf(log) === 0 && now >= reservedUntil) minutes.delete(keyId);
    }
    for (const [ownerId, { name }] of months) if (name !== calendar.name) months.delete(ownerId);
  };
  const pruneTimer = setInterval(prune, MINUTE_MS).unref();

  const monthOf = (ownerId: string, name: string): Month => {
    const known = months.get(ownerId);
    if (known?.name === name) return known;
    // The clock may be set back to it.
    if (known) writeMonth.run(ownerId, known.name, known.taken - known.left);
    const month = { name, taken: Number(readMonth.get(ownerId, name)?.taken ?? 0), left: 0 };
    months.set(ownerId, month);
    return month;
  };

  /** Makes sure that the file covers one more grant of the key and, if it counts, of the month. */
  const reserve = (charge: Charge, minute: Minute, month: Month | null, now: number) => {
    const needsMinute = minute.reserved === 0 || now >= minute.reservedUntil;
    const needsMonth = month !== null && month.left === 0;
    if (!needsMinute && !needsMonth) return;
    const minuteGrants = Math.min(minuteBlock(charge.perMinute), charge.perMinute - countOf(minute.log));
    const monthGrants = needsMonth ? Math.min(monthBlock(charge.perMonth!), charge.perMonth! - month.taken) : 0;
    const reservedUntil = now + MINUTE_MS;
    const block = minute.block + 1;
    transact(db, () => {
      if (needsMinute) {
        if (minute.granted > 0) closeBlock(charge.keyId, minute);
        dropBlocks.run(charge.keyId, now - MINUTE_MS);
        writeBlock.run(charge.keyId, block, minuteGrants, reservedUntil, boot);
      }
      if (needsMonth) writeMonth.run(charge.ownerId, month.name, month.taken + monthGrants);
    });
    if (needsMinute) Object.assign(minute, { block, granted: 0, reserved: minuteGrants, reservedUntil });
    if (needsMonth) {
      month.taken += monthGrants;
      month.left += monthGrants;
    }
  };

  return {
    /** Decides minute and month together and charges both or neither, in one step under any interleaving. */
    take(charge: Charge): Verdict {
      const [wall, now] = [clock.wallMs(), clock.steadyMs()];
      const minute = minuteOf(charge.keyId, now);
      calendar = calendarMonth(wall, calendar);
      const month = charge.perMonth === null ? null : monthOf(charge.ownerId, calendar.name);
      const isMonthUsedUp = month !== null && month.taken - month.left >= charge.perMonth!;
      const isMinuteUsedUp = countOf(minute.log) >= charge.perMinute;
      const refusedBy = isMonthUsedUp ? 'month' : isMinuteUsedUp ? 'minute' : null;
      if (refusedBy === null) {
        reserve(charge, minute, month, now);
        addGrants(minute.log, now);
        minute.granted++;
        minute.reserved--;
        if (month) month.left--;
      }
      return {
        refusedBy,
        minute: minuteStanding(charge.perMinute, minute.log, now),
        month: month && monthStanding(charge.perMonth!, month.taken - month.left, calendar, wall),
      };
    },
    /** Requests granted to the owner's live keys in this calendar month so far. */
    monthUsed(ownerId: string): number {
      calendar = calendarMonth(clock.wallMs(), calendar);
      const { taken, left } = monthOf(ownerId, calendar.name);
      return taken - left;
    },
    /** @throws Error if no block could be written at present. */
    checkWritable(): void {
      transact(db, () => writeBlock.run('', 0, 0, 0, boot));
    },
    close(): void {
      clearInterval(pruneTimer);
      prune();
      transact(db, () => {
        for (const [keyId, minute] of minutes) if (minute.granted > 0) closeBlock(keyId, minute);
        db.prepare('DELETE FROM blocks WHERE until <= ?').run(clock.steadyMs() - MINUTE_MS);
        for (const [ownerId, month] of months) writeMonth.run(ownerId, month.name, month.taken - month.left);
      });
      db.close();
      lock.close();
    },
  };
}

/** The file with the limits of the store in `file`: the same whichever links point to the store. */
export const limitsFileOf = (file: string) => `${existsSync(file) ? realpathSync(file) : file}-limits`;

/**
 * Holds the lock of the limits in `file` until it is closed or the process ends, however it ends.
 * @throws UsageError if another process holds it.
 */
export function lockLimits(file: string): DatabaseSync {
  const take = (lock: DatabaseSync) => {
    try {
      lock.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
      throw new UsageError(
        `${file} is in use by another \`malaria-proxy serve\`; to run several proxies, use --limits redis://…`,
      );
    }
  };
  return openSqliteFile(`${file}-lock`, take, LOCK_MS);
}

/** The limits in `file`, created if missing, for the holder of their lock. @throws UsageError if they are damaged. */
export function openLimits(file: string): DatabaseSync {
  const prepare = (opened: DatabaseSync) => {
    opened.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    checkIntact(opened, file);
    migrate(opened, file, SCHEMA);
  };
  return openSqliteFile(file, prepare, LOCK_MS);
}

function minuteStanding(limit: number, log: SlidingLog, now: number): Standing {
  // After the limit was lowered, more than the oldest grant must expire before another request is granted.
  const next = grantAt(log, Math.max(0, countOf(log) - limit));
  return {
    limit,
    remaining: Math.max(0, limit - countOf(log)),
    resetSeconds: next === undefined ? 0 : Math.ceil((next + MINUTE_MS - now) / 1000),
  };
}
