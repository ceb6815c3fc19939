import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../clock.ts';
import { UsageError } from '../errors.ts';
import { migrate, openSqliteFile, SQLITE_BUSY, transact } from '../sqlite-file.ts';
import { minuteBlock, monthBlock } from './blocks.ts';
import { type CalendarMonth, calendarMonth } from './calendar-month.ts';
import { type Charge, type Limiter, MINUTE_MS, monthStanding, type Standing } from './limiter.ts';
import { addGrants, countOf, createLog, dropOld, grantAt, type SlidingLog } from './sliding-log.ts';

const SCHEMA = [
  `CREATE TABLE minutes (key_id TEXT PRIMARY KEY, grants INTEGER NOT NULL, until INTEGER NOT NULL) STRICT;
   CREATE TABLE months (
     owner_id TEXT NOT NULL, month TEXT NOT NULL, taken INTEGER NOT NULL, PRIMARY KEY (owner_id, month)
   ) STRICT;`,
];

/** Grants of one key. Until `reservedUntil` (steady), `reserved` more may be made without writing the file. */
interface Minute {
  log: SlidingLog;
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
 * One process's limits, in memory, with an SQLite file that makes restarts safe. `take` contains no await, so no two
 * requests interleave.
 *
 * Before any grant, its block is in the file, in one transaction for minute and month. For the month the file holds
 * what is reserved, used or not. For the minute it holds `grants`, an upper bound on the grants in any 60 seconds that
 * end before `until`: those of the last 60 seconds when the block was reserved, plus the block, which expires after 60
 * seconds. After kill -9 that many are assumed to have been made at the latest possible moment, `until` or the restart:
 * so no 60 seconds across a crash hold more than allowed, and the client loses at most a block. A graceful close writes
 * what was really used. Commits are not synced one by one (`synchronous = NORMAL`): a killed process loses nothing, a
 * power cut may lose the last blocks.
 *
 * The file is open in SQLite's exclusive mode, which also locks out a second process on the same limits; the operating
 * system releases the lock when the process ends, however it ends.
 *
 * @throws UsageError if another process has the file open.
 */
export function openSqliteLimiter(file: string, clock: Clock): Limiter {
  const db = openForOne(file);
  const writeMinute = db.prepare('INSERT OR REPLACE INTO minutes (key_id, grants, until) VALUES (?, ?, ?)');
  const writeMonth = db.prepare('INSERT OR REPLACE INTO months (owner_id, month, taken) VALUES (?, ?, ?)');
  const readMonth = db.prepare('SELECT taken FROM months WHERE owner_id = ? AND month = ?');

  const minutes = new Map<string, Minute>();
  const months = new Map<string, Month>();
  let calendar: CalendarMonth | undefined;
  const wallOf = (steady: number) => Math.ceil(clock.wallMs() - clock.steadyMs() + steady);

  for (const { key_id, grants, until } of db.prepare('SELECT * FROM minutes').all()) {
    const age = Math.max(0, clock.wallMs() - Number(until));
    const log = createLog();
    if (age < MINUTE_MS) addGrants(log, clock.steadyMs() - age, Number(grants));
    if (countOf(log) > 0) minutes.set(String(key_id), { log, reserved: 0, reservedUntil: 0 });
  }
  db.prepare('DELETE FROM minutes WHERE until < ?').run(Math.floor(clock.wallMs()) - MINUTE_MS);

  const minuteOf = (keyId: string, now: number): Minute => {
    let minute = minutes.get(keyId);
    if (!minute) {
      minute = { log: createLog(), reserved: 0, reservedUntil: 0 };
      minutes.set(keyId, minute);
    }
    dropOld(minute.log, now, MINUTE_MS);
    return minute;
  };
  const monthOf = (ownerId: string, name: string): Month => {
    const known = months.get(ownerId);
    if (known?.name === name) return known;
    const month = { name, taken: Number(readMonth.get(ownerId, name)?.taken ?? 0), left: 0 };
    months.set(ownerId, month);
    return month;
  };

  /** Makes sure the file covers one more grant of the key and, if it counts, of the month. */
  const reserve = (charge: Charge, minute: Minute, month: Month | null, now: number) => {
    const needsMinute = minute.reserved === 0 || now >= minute.reservedUntil;
    const needsMonth = month !== null && month.left === 0;
    if (!needsMinute && !needsMonth) return;
    const minuteGrants = Math.min(minuteBlock(charge.perMinute), charge.perMinute - countOf(minute.log));
    const monthGrants = needsMonth ? Math.min(monthBlock(charge.perMonth!), charge.perMonth! - month.taken) : 0;
    const reservedUntil = now + MINUTE_MS;
    transact(db, () => {
      if (needsMinute) writeMinute.run(charge.keyId, countOf(minute.log) + minuteGrants, wallOf(reservedUntil));
      if (needsMonth) writeMonth.run(charge.ownerId, month.name, month.taken + monthGrants);
    });
    if (needsMinute) Object.assign(minute, { reserved: minuteGrants, reservedUntil });
    if (needsMonth) {
      month.taken += monthGrants;
      month.left += monthGrants;
    }
  };

  return {
    take(charge, { wallMs: wall, steadyMs: now }) {
      const minute = minuteOf(charge.keyId, now);
      calendar = calendarMonth(wall, calendar);
      const month = charge.perMonth === null ? null : monthOf(charge.ownerId, calendar.name);
      const monthIsUp = month !== null && month.taken - month.left >= charge.perMonth!;
      const minuteIsUp = countOf(minute.log) >= charge.perMinute;
      const refusedBy = monthIsUp ? 'month' : minuteIsUp ? 'minute' : null;
      if (refusedBy === null) {
        reserve(charge, minute, month, now);
        addGrants(minute.log, now);
        minute.reserved--;
        if (month) month.left--;
      }
      return {
        refusedBy,
        minute: minuteStanding(charge.perMinute, minute.log, now),
        month: month && monthStanding(charge.perMonth!, month.taken - month.left, calendar, wall),
      };
    },
    monthUsed(ownerId) {
      calendar = calendarMonth(clock.wallMs(), calendar);
      const { taken, left } = monthOf(ownerId, calendar.name);
      return taken - left;
    },
    close() {
      transact(db, () => {
        const now = clock.steadyMs();
        for (const [keyId, { log }] of minutes) {
          dropOld(log, now, MINUTE_MS);
          writeMinute.run(keyId, countOf(log), wallOf(grantAt(log, countOf(log) - 1) ?? now - MINUTE_MS));
        }
        for (const [ownerId, month] of months) writeMonth.run(ownerId, month.name, month.taken - month.left);
      });
      db.close();
    },
  };
}

/**
 * Opens the database of limits at `file` exclusively.
 * @throws UsageError if another process has it open.
 */
function openForOne(file: string): DatabaseSync {
  return openSqliteFile(
    file,
    (opened) => {
      try {
        opened.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
        opened.exec('BEGIN IMMEDIATE; COMMIT');
      } catch (error) {
        if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
        throw new UsageError(
          `${file} is in use: another \`malaria-proxy serve\` counts its limits there; for several proxies give --limits redis://…`,
        );
      }
      migrate(opened, file, SCHEMA);
    },
    250,
  );
}

function minuteStanding(limit: number, log: SlidingLog, now: number): Standing {
  // After the limit was lowered, more than the oldest must leave before there is room.
  const next = grantAt(log, Math.max(0, countOf(log) - limit));
  return {
    limit,
    remaining: Math.max(0, limit - countOf(log)),
    resetSeconds: next === undefined ? 0 : Math.ceil((next + MINUTE_MS - now) / 1000),
  };
}
