import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Scope } from '../../pipeline/contract/scopes.ts';
import { monthBlock } from '../limits/blocks.ts';
import { type CalendarMonth, calendarMonth } from '../limits/calendar-month.ts';
import { monthStanding } from '../limits/verdict.ts';
import type { AccountStore } from '../store/account-store.ts';
import type { Db } from '../store/database.ts';
import { type Admission, type DefaultLimits, type Gate, UNAVAILABLE, type Unavailable } from '../store/gate.ts';
import { hashKey, isWellFormed, type KeyKind } from '../store/key-format.ts';
import { type Epoch, keepEpoch } from './epoch.ts';
import { accountKey, epochKey, keyKey, prefixOf } from './names.ts';
import { GATE_TIMES, type GateTimes } from './times.ts';

export interface SharedGateOptions extends DefaultLimits {
  /** A store in PostgreSQL. */
  store: Pick<AccountStore, 'database'>;
  /** Redis's address. */
  url: string;
  report: (line: string) => void;
  times?: Partial<GateTimes>;
  /** Microseconds since 1970, for tests; Redis's own clock if not given. */
  clock?: () => number;
}

/** The result of admit.lua. */
type Decision =
  | ['closed' | 'nobody']
  | ['wait', seconds: number]
  | ['clock', ms: number]
  | ['block', owner: string, limit: number, taken: number]
  | ['verdict', id: string, owner: string, kind: KeyKind, scopes: string, ...Figures];
type Figures = [
  refused: '' | 'minute' | 'month',
  perMinute: number,
  count: number,
  untilRoomUs: number,
  perMonth: number,
  used: number,
  ms: number,
];

const US_PER_MS = 1000;
/** How many blocks of the month may be reserved at once, each for a different owner. */
const MOST_RUNNING = 1000;

/**
 * Keys and limits for any number of proxies. Redis decides each request in one step and one round trip (admit.lua),
 * from its own copies of key and account, its own log of the minute, its own count of the month, by its own clock.
 *
 * Redis is given copies of all keys before it decides anything, so a forged key costs PostgreSQL nothing. A block of
 * the month is reserved in PostgreSQL before Redis grants any of it: if Redis loses its memory, no more is granted than
 * allowed, and each owner loses at most a block. Nobody is admitted outside an epoch (epoch.ts), or if PostgreSQL or
 * Redis is needed and does not answer in time.
 *
 * @throws UsageError if PostgreSQL or Redis cannot be used at the start.
 */
export async function openSharedGate(options: SharedGateOptions): Promise<Gate> {
  const { store, perMinute, perMonth, clock } = options;
  const { db } = store.database;
  const times = { ...GATE_TIMES, ...options.times };
  const keeper = await keepEpoch(db, options.url, times, options.report);
  let calendar = calendarMonth(Date.now());

  const takeBlock = shareRunning((waiting, at: Epoch, owner: string, limit: number, taken: number, month: string) => {
    // The requests already waiting use their share at once, so a crash loses no more than a block.
    const block = monthBlock(limit) + waiting() - 1;
    return reserve(db, at, { owner, month, limit, taken, block });
  });

  const queryRedis = (at: Epoch, hash: Buffer): Promise<Decision> => {
    const month = [calendar.name, calendar.start, calendar.end];
    const args = [prefixOf(at.token), perMinute, perMonth, times.minuteMs * US_PER_MS, ...month, clock?.() ?? ''];
    return at.link.run('admit', [epochKey(at.token), keyKey(at.token, hash)], args) as Promise<Decision>;
  };

  const decide = async (hash: Buffer): Promise<Admission | Unavailable | null> => {
    // Usually Redis is queried once; again if it is another month, or after a block of it has been reserved.
    const until = performance.now() + 2 * times.deadlineMs;
    while (performance.now() < until) {
      const at = keeper.current();
      if (!at) break;
      const decision = await queryRedis(at, hash);
      switch (decision[0]) {
        case 'verdict': {
          const [, keyId, ownerId, kind, scopes, ...figures] = decision;
          const holder = { keyId, ownerId, kind, scopes: scopes.split(',') as Scope[] };
          return { holder, verdict: verdictOf(figures, kind, calendar) };
        }
        case 'nobody':
          return null;
        case 'wait':
          return { retrySeconds: decision[1] };
        case 'clock':
          calendar = calendarMonth(decision[1]);
          break;
        case 'block': {
          const [, owner, limit, taken] = decision;
          const month = calendar.name;
          const taking = takeBlock(`${at.token} ${owner} ${month} ${taken}`, at, owner, limit, taken, month);
          if (!(await inTime(taking, times.deadlineMs))) keeper.wake();
          break;
        }
        case 'closed':
          keeper.wake();
          return UNAVAILABLE;
      }
    }
    return UNAVAILABLE;
  };

  return {
    admit(key) {
      if (!isWellFormed(key)) return null;
      // If anything fails, nobody is admitted; epoch.ts reports why, once.
      return decide(hashKey(key)).catch(() => {
        keeper.wake();
        return UNAVAILABLE;
      });
    },
    async monthUsed(owner) {
      const { name } = calendarMonth(Date.now());
      const at = keeper.current();
      const query = at?.link.run('month', [accountKey(at.token, owner)], []) as Promise<[string, string]> | undefined;
      const known = await query?.catch(() => undefined);
      if (known?.[0] === name) return Number(known[1]);
      // Not used in this epoch yet, or Redis is down: what was reserved counts as used.
      const taken = sql<{ taken: number }>`SELECT taken FROM months WHERE owner_id = ${owner} AND month = ${name}`;
      return (await taken.execute(db)).rows[0]?.taken ?? 0;
    },
    unavailable: keeper.why,
    close: keeper.close,
  };
}

/** A reservation in an owner's month: `block` more, provided no more is reserved yet than Redis knows of (`taken`). */
interface Reservation {
  owner: string;
  month: string;
  limit: number;
  taken: number;
  block: number;
}

/**
 * Reserves a block, unless another proxy has done so, and stores in Redis how much is reserved now. `base` is the
 * amount that was reserved before the epoch's first reservation, all of which counts as used.
 * @returns false if the epoch is over
 */
async function reserve(
  db: Db,
  { number, token, link }: Epoch,
  { owner, month, limit, taken, block }: Reservation,
): Promise<boolean> {
  const written = sql<{ epoch: number; base: number; taken: number }>`
    WITH written AS (
      INSERT INTO months (owner_id, month, epoch, base, taken)
      VALUES (${owner}, ${month}, ${number}, 0, least(${block}::bigint, ${limit}::bigint))
      ON CONFLICT (owner_id, month) DO UPDATE SET
        epoch = excluded.epoch,
        base = CASE WHEN months.epoch = excluded.epoch THEN months.base ELSE months.taken END,
        taken = greatest(months.taken, least(months.taken + ${block}, ${limit}))
      WHERE months.epoch < excluded.epoch OR (months.epoch = excluded.epoch AND months.taken <= ${taken})
      RETURNING epoch, base, taken)
    SELECT * FROM written UNION ALL
    SELECT epoch, base, taken FROM months
    WHERE owner_id = ${owner} AND month = ${month} AND NOT EXISTS (SELECT FROM written)`;
  const [row] = (await written.execute(db)).rows;
  // A row inserted by another proxy at this moment is not visible yet, but will be on the next try.
  if (!row) return true;
  if (row.epoch !== number) return false;
  return (await link.run('block', [epochKey(token), accountKey(token, owner)], [month, row.base, row.taken])) === 1;
}

function verdictOf(figures: Figures, kind: KeyKind, calendar: CalendarMonth): Admission['verdict'] {
  const [refused, perMinute, count, untilRoomUs, perMonth, used, ms] = figures;
  return {
    refusedBy: refused === '' ? null : refused,
    minute: {
      limit: perMinute,
      remaining: Math.max(0, perMinute - count),
      resetSeconds: Math.ceil(untilRoomUs / 1e6),
    },
    month: kind === 'test' ? null : monthStanding(perMonth, used, calendar, ms),
  };
}

/**
 * Wraps `work` so that calls with the same name share one run until it is done, even if nobody is waiting for it any
 * longer. The run starts after the current turn of the event loop and can see how many callers are waiting. Rejects at
 * once if MOST_RUNNING are already running.
 */
function shareRunning<A extends unknown[], T>(
  work: (waiting: () => number, ...args: A) => Promise<T>,
): (name: string, ...args: A) => Promise<T> {
  const running = new Map<string, { waiting: number; done: Promise<T> }>();
  return (name, ...args) => {
    let found = running.get(name);
    if (!found) {
      if (running.size >= MOST_RUNNING) return Promise.reject(new Error('too many are waiting'));
      const run = { waiting: 0 };
      const done = setImmediate()
        .then(() => work(() => run.waiting, ...args))
        .finally(() => running.delete(name));
      found = Object.assign(run, { done });
      running.set(name, found);
    }
    found.waiting++;
    return found.done;
  };
}

/** `promise`, or a rejection after `ms`. */
async function inTime<T>(promise: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
