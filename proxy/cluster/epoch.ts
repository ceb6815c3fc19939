import { ErrorReply } from '@redis/client';
import { sql } from 'kysely';
import { lineOf } from '../../pipeline/lib/errors.ts';
import type { Db } from '../store/database.ts';
import { randomText } from '../store/key-format.ts';
import { type Link, openLink } from './link.ts';
import { copyChanges, copyEverything } from './mirror.ts';
import { epochKey, prefixOf } from './names.ts';
import type { GateTimes } from './times.ts';

/** The epoch in which Redis decides keys and limits. */
export interface Epoch {
  number: number;
  token: string;
  link: Link;
}

export interface Keeper {
  current(): Epoch | null;
  /** Why nothing is granted at present; null while there is an epoch that grants. */
  why(): string | null;
  /** Checks the epoch soon, without waiting for the next beat. */
  wake(): void;
  close(): Promise<void>;
}

interface EpochRow {
  number: number;
  token: string;
  run_id: string;
  lapsed: boolean;
}

const US_PER_MS = 1000;
/** Every request may wake the keeper, but it wakes no more often than this. */
const SOON_MS = 100;

/**
 * Maintains the epoch: the time during which one Redis process has remembered everything. PostgreSQL records its number
 * and that process (`run_id`). Names of keys in Redis contain the epoch's token, so nothing that another epoch left
 * behind, in a restarted Redis or a promoted replica, is ever read.
 *
 * Redis may be trusted only while it holds a lease. A lease is recorded in PostgreSQL before Redis gets it, ends there
 * no sooner than in Redis (it runs from a time that Redis gave before PostgreSQL was queried), and is granted only
 * after Redis has been given a copy of all keys, or the changes since. So a key without a copy does not exist; and if
 * the lease has run out in PostgreSQL, Redis admits nobody, and will not until it has everything committed so far.
 *
 * When Redis has lost its memory or been replaced, the next epoch begins once the previous lease has run out. How much
 * was granted under that lease is unknown, so the new epoch grants nothing for a minute after the lease's end.
 *
 * @throws UsageError if PostgreSQL or Redis cannot be used at the start.
 */
export async function keepEpoch(
  db: Db,
  url: string,
  times: GateTimes,
  report: (line: string) => void,
): Promise<Keeper> {
  let link: Link | null = null;
  let epoch: Epoch | null = null;
  let why: string | null = 'starting';
  /** When the epoch starts to grant, and when its lease runs out, by this process's steady clock. */
  let [opens, ends] = [0, 0];
  let closed = false;

  const settle = async (): Promise<Epoch> => {
    if (!link?.isOpen()) {
      epoch = null;
      link = await openLink(url, times.deadlineMs);
    }
    const at = epoch ?? (await adopt(db, link, times));
    const [now, lease, grants, isComplete] = await extendLease(at, 0);
    opens = performance.now() + (grants - now) / US_PER_MS;
    ends = performance.now() + (lease - now) / US_PER_MS;
    // On most beats enough of the lease is left; of many proxies, one renews it.
    const renewed = !isComplete || lease - now < (times.leaseMs * US_PER_MS * 2) / 3;
    if (renewed && !(await writeLease(db, at, times))) throw new Superseded();
    if (!(await (isComplete ? copyChanges : copyEverything)(db, at))) throw new Superseded();
    if (renewed) {
      const [time, extended] = await extendLease(at, now + times.leaseMs * US_PER_MS);
      ends = performance.now() + (extended - time) / US_PER_MS;
    }
    return at;
  };
  const quiet = (): string | null => {
    const seconds = Math.ceil((opens - performance.now()) / 1000);
    return seconds > 0 ? `Redis has lost its memory: nothing is granted for another ${seconds} s` : null;
  };
  const beat = async () => {
    try {
      epoch = await settle();
      if (why !== null && why !== 'starting') report(`keys and limits: ${quiet() ?? 'available again'}`);
      why = null;
    } catch (error) {
      const line = error instanceof ErrorReply ? `Redis refuses: ${lineOf(error)}` : lineOf(error);
      // It is full, has become a replica or has lost the scripts: connect again, as after a lost connection.
      if (error instanceof ErrorReply) link?.close();
      // If only PostgreSQL is down, Redis continues until its lease runs out.
      if (error instanceof Superseded || !link?.isOpen()) epoch = null;
      if (line !== why) report(`keys and limits: ${line}`);
      why = line;
    }
  };

  link = await openLink(url, times.deadlineMs);
  try {
    await sql`SELECT 1`.execute(db);
  } catch (error) {
    link.close();
    throw error;
  }
  await beat();

  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | null = null;
  let ended = performance.now();
  const run = () => {
    clearTimeout(timer);
    running ??= beat().finally(() => {
      running = null;
      ended = performance.now();
      if (!closed) timer = setTimeout(run, times.beatMs).unref();
    });
  };
  timer = setTimeout(run, times.beatMs).unref();

  return {
    current: () => (epoch?.link.isOpen() ? epoch : null),
    why() {
      if (!epoch?.link.isOpen()) return why ?? 'Redis is gone';
      return performance.now() < ends ? quiet() : (why ?? 'the lease has run out');
    },
    wake: () => {
      if (!closed && performance.now() - ended > SOON_MS) run();
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      await running;
      link?.close();
    },
  };
}

/** The epoch is over or belongs to another process, and must be read again. */
class Superseded extends Error {
  constructor(line = 'the epoch in Redis is over') {
    super(line);
  }
}

/** The epoch recorded in PostgreSQL if `link` is to its Redis; else a new one, as soon as it may begin. */
async function adopt(db: Db, link: Link, times: GateTimes): Promise<Epoch> {
  const row = await readEpoch(db, times);
  if (row?.run_id === link.runId) {
    const at = { number: row.number, token: row.token, link };
    if (await link.run('lease', [epochKey(row.token)], [0])) return at;
  }
  if (row && !row.lapsed) throw new Superseded('waiting for the lease of the previous Redis to run out');
  return begin(db, link, row, times);
}

async function readEpoch(db: Db, { marginMs }: GateTimes): Promise<EpochRow | undefined> {
  const epoch = sql<EpochRow>`
    SELECT number, token, run_id, leased_until + ${marginMs} * interval '1 ms' < clock_timestamp() AS lapsed
    FROM redis_epoch`;
  return (await epoch.execute(db)).rows[0];
}

/** Begins the epoch after `before`. PostgreSQL records its first lease at once, so others wait until it is set up. */
async function begin(db: Db, link: Link, before: EpochRow | undefined, times: GateTimes): Promise<Epoch> {
  const token = randomText(16);
  const leased = sql`clock_timestamp() + ${times.leaseMs} * interval '1 ms'`;
  const begun = before
    ? sql<{ number: number; since: number }>`
        WITH last AS (SELECT leased_until FROM redis_epoch WHERE token = ${before.token} FOR UPDATE)
        UPDATE redis_epoch SET number = number + 1, token = ${token}, run_id = ${link.runId}, leased_until = ${leased}
        FROM last
        WHERE token = ${before.token} AND last.leased_until + ${times.marginMs} * interval '1 ms' < clock_timestamp()
        RETURNING number, extract(epoch FROM clock_timestamp() - last.leased_until)::float8 * 1000 AS since`
    : sql<{ number: number; since: number }>`
        INSERT INTO redis_epoch (number, token, run_id, leased_until)
        SELECT 1, ${token}, ${link.runId}, ${leased}
        ON CONFLICT DO NOTHING RETURNING number, 'infinity'::float8 AS since`;
  const [row] = (await begun.execute(db)).rows;
  if (!row) throw new Superseded('another proxy is starting an epoch');
  const quietMs = Math.max(0, Math.ceil(times.minuteMs - row.since));
  await link.run('open', [epochKey(token)], [quietMs * US_PER_MS]);
  if (before) link.sweep(prefixOf(before.token)).catch(() => {});
  return { number: row.number, token, link };
}

/** Records in PostgreSQL that Redis may be trusted for another lease; false if the epoch is over. */
async function writeLease(db: Db, { token }: Epoch, { leaseMs }: GateTimes): Promise<boolean> {
  const written = sql`
    UPDATE redis_epoch SET leased_until = greatest(leased_until, clock_timestamp() + ${leaseMs} * interval '1 ms')
    WHERE token = ${token}`;
  return (await written.execute(db)).numAffectedRows === 1n;
}

/** Times are in microseconds of Redis's clock; `isComplete` is 1 once it has copies of all keys, else 0. */
type LeaseState = [time: number, lease: number, opens: number, isComplete: number];

/** Extends the lease in Redis to `until`, in microseconds of its clock; 0 only reads the state. */
async function extendLease({ link, token }: Epoch, until: number): Promise<LeaseState> {
  const state = (await link.run('lease', [epochKey(token)], [until])) as LeaseState | null;
  if (!state) throw new Superseded('Redis has lost its memory');
  return state;
}
