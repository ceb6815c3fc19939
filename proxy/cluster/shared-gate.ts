import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Scope } from '../../pipeline/contract/operations.ts';
import type { Db } from '../accounts/database.ts';
import { hashKey, isWellFormed, type KeyKind } from '../accounts/key-format.ts';
import type { AccountStore } from '../accounts/open-store.ts';
import { monthBlock } from '../limits/blocks.ts';
import { type CalendarMonth, calendarMonth } from '../limits/calendar-month.ts';
import type { Admission, DefaultLimits, Gate, Unavailable } from '../limits/gate.ts';
import { type Epoch, keepEpoch } from './epoch.ts';
import { putKey } from './mirror.ts';
import { accountKey, epochKey, keyKey, prefixOf } from './names.ts';
import { GATE_TIMES, type GateTimes } from './times.ts';

export interface SharedGateOptions extends DefaultLimits {
  /** In PostgreSQL. */
  store: Pick<AccountStore, 'database' | 'find' | 'used'>;
  /** Address of Redis. */
  url: string;
  report: (line: string) => void;
  times?: Partial<GateTimes>;
  /** Microseconds since 1970, for tests; else Redis's own clock. */
  clock?: () => number;
}

/** Answers of admit.lua. */
type Answer =
  | ['closed' | 'missing' | 'nobody']
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

const UNAVAILABLE: Unavailable = { retrySeconds: 5 };
const US = 1000;

/**
 * Keys and limits of any number of proxies. Redis decides each request in one step and one round trip (admit.lua), from
 * its own copies of key and account, its own log of the minute, its own count of the month, by its own clock.
 *
 * What Redis has no copy of is read from PostgreSQL and copied by version, so that no reading overwrites a newer change.
 * Of the month a block is written off in PostgreSQL before Redis grants any of it: so when Redis loses its memory no
 * more is granted than allowed, and each owner loses at most a block. Nobody is let in where one of the two that is
 * needed does not answer in time, nor outside an epoch (epoch.ts).
 *
 * @throws UsageError where PostgreSQL or Redis cannot be used to begin with.
 */
export async function openSharedGate(options: SharedGateOptions): Promise<Gate> {
  const { store, perMinute, perMonth, clock } = options;
  const { db } = store.database;
  const times = { ...GATE_TIMES, ...options.times };
  const keeper = await keepEpoch(db, options.url, times, options.report);
  let calendar = calendarMonth(Date.now());

  const copyKey = shareRunning(async (_, at: Epoch, hash: Buffer) => {
    const found = await inTime(Promise.resolve(store.find(hash)), times.deadlineMs);
    const copied = await putKey(at, hash, found);
    return found === null ? 'nobody' : copied ? 'copied' : 'closed';
  });
  const takeBlock = shareRunning((waiting, at: Epoch, owner: string, limit: number, taken: number, month: string) => {
    // Those who wait now will use theirs at once: a crash loses no more than the block beyond.
    const block = monthBlock(limit) + waiting() - 1;
    return inTime(writeOff(db, at, { owner, month, limit, taken, block }), times.deadlineMs);
  });

  const turn = (at: Epoch, hash: Buffer): Promise<Answer> => {
    const month = [calendar.name, calendar.start, calendar.end];
    const args = [prefixOf(at.token), perMinute, perMonth, times.minuteMs * US, ...month, clock?.() ?? ''];
    return at.link.run('admit', [epochKey(at.token), keyKey(at.token, hash)], args) as Promise<Answer>;
  };

  const decide = async (hash: Buffer, now: number): Promise<Admission | Unavailable | null> => {
    // Mostly one turn: more to copy the key, to learn which month it is, to have a block of it written off.
    const until = performance.now() + 2 * times.deadlineMs;
    while (performance.now() < until) {
      const at = keeper.current();
      if (!at) break;
      const answer = await turn(at, hash);
      switch (answer[0]) {
        case 'verdict': {
          const [, keyId, ownerId, kind, scopes, ...figures] = answer;
          store.used(keyId, now);
          const holder = { keyId, ownerId, kind, scopes: scopes.split(',') as Scope[] };
          return { holder, verdict: verdictOf(figures, kind, calendar) };
        }
        case 'nobody':
          return null;
        case 'wait':
          return { retrySeconds: answer[1] };
        case 'missing': {
          const copy = await copyKey(at.token + hash.toString('hex'), at, hash);
          if (copy === 'nobody') return null;
          if (copy === 'closed') keeper.wake();
          break;
        }
        case 'clock':
          calendar = calendarMonth(answer[1]);
          break;
        case 'block': {
          const [, owner, limit, taken] = answer;
          const month = calendar.name;
          const open = await takeBlock(`${at.token} ${owner} ${month} ${taken}`, at, owner, limit, taken, month);
          if (!open) keeper.wake();
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
    admit(key, now) {
      if (!isWellFormed(key)) return null;
      // Whatever fails between here and a verdict lets nobody in; epoch.ts says what it was, once.
      return decide(hashKey(key), now.wallMs).catch(() => {
        keeper.wake();
        return UNAVAILABLE;
      });
    },
    async monthUsed(owner) {
      const { name } = calendarMonth(Date.now());
      const at = keeper.current();
      const asked = at?.link.run('month', [accountKey(at.token, owner)], []) as Promise<[string, string]> | undefined;
      const known = await asked?.catch(() => undefined);
      if (known?.[0] === name) return Number(known[1]);
      // Not asked for in this epoch yet, or Redis gone: what was written off counts as used.
      const taken = sql<{ taken: number }>`SELECT taken FROM months WHERE owner_id = ${owner} AND month = ${name}`;
      return (await taken.execute(db)).rows[0]?.taken ?? 0;
    },
    unavailable: keeper.why,
    close: keeper.close,
  };
}

/** What of an owner's month to write off: `block` more where Redis has all that was written off, which it says is `taken`. */
interface WriteOff {
  owner: string;
  month: string;
  limit: number;
  taken: number;
  block: number;
}

/**
 * Writes a block off, unless another proxy has, and tells Redis how much is written off now. `base` is what was when the
 * epoch first asked, all of which counts as used. @returns false where the epoch is over
 */
async function writeOff(
  db: Db,
  { number, token, link }: Epoch,
  { owner, month, limit, taken, block }: WriteOff,
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
  // Another's row of this very moment is not seen yet, and will be with the next try.
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
    month:
      kind === 'test'
        ? null
        : {
            limit: perMonth,
            remaining: Math.max(0, perMonth - used),
            resetSeconds: Math.max(0, Math.ceil((calendar.end - ms) / 1000)),
            windowSeconds: (calendar.end - calendar.start) / 1000,
          },
  };
}

/**
 * `work` that whoever asks by the same name before it is done has a share in. It begins once all that is at hand has
 * asked, and can see how many wait.
 */
function shareRunning<A extends unknown[], T>(
  work: (waiting: () => number, ...args: A) => Promise<T>,
): (name: string, ...args: A) => Promise<T> {
  const running = new Map<string, { waiting: number; done: Promise<T> }>();
  return (name, ...args) => {
    let found = running.get(name);
    if (!found) {
      const begun = { waiting: 0 };
      const done = setImmediate()
        .then(() => work(() => begun.waiting, ...args))
        .finally(() => running.delete(name));
      found = Object.assign(begun, { done });
      running.set(name, found);
    }
    found.waiting++;
    return found.done;
  };
}

/** What `promise` gives, if it does within `ms`. */
async function inTime<T>(promise: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
