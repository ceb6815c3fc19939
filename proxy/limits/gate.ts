import { realpathSync } from 'node:fs';
import type { Holder } from '../accounts/key-reader.ts';
import { type AccountStore, isPostgresUrl, isRedisUrl, sqliteFile } from '../accounts/open-store.ts';
import { type Awaitable, andThen, type Clock, type Moment, momentOf } from '../clock.ts';
import type { GateTimes } from '../cluster/times.ts';
import { UsageError } from '../errors.ts';
import type { Limiter, Verdict } from './limiter.ts';
import { openSqliteLimiter } from './sqlite-limiter.ts';

/** A request let in as far as keys go: whose it is, and what the limits say. */
export interface Admission {
  holder: Omit<Holder, 'perMinute' | 'perMonth'>;
  verdict: Verdict;
}

/** Neither keys nor limits can be asked in time, so nobody is let in. Asking again makes sense after so many seconds. */
export interface Unavailable {
  retrySeconds: number;
}

/** Key and limits in one: one round trip where they are kept across the network. */
export interface Gate {
  /**
   * Decides a request with `key`, as a client presents it, at `now`, and charges it where it is granted; null where the
   * key is unknown, mistyped or not admitted. Goes by all that was acknowledged before this call.
   */
  admit(key: string, now: Moment): Awaitable<Admission | Unavailable | null>;
  /** Requests granted to the owner's live keys in this calendar month so far. */
  monthUsed(ownerId: string): Awaitable<number>;
  /** Null while requests are decided; else why not, in a few words. */
  unavailable(): string | null;
  close(): Awaitable<void>;
}

/** The service's limits, for accounts without limits of their own. */
export interface DefaultLimits {
  perMinute: number;
  perMonth: number;
}

export interface GateOptions extends DefaultLimits {
  limits: string;
  /** Where `opened`, the store, is. */
  store: string;
  opened: AccountStore;
  clock: Clock;
  report: (line: string) => void;
  times?: Partial<GateTimes> | undefined;
}

export const DEFAULT_LIMITS = 'sqlite';

/** @throws UsageError where `limits` is neither `sqlite` nor, with a store in PostgreSQL, redis://…. */
export function checkLimits(limits: string, store: string): void {
  const isShared = isPostgresUrl(store);
  if (isRedisUrl(limits) && !isShared) throw new UsageError('limits: redis:// goes with --store postgres://…');
  // The value itself may hold a password, so it is not repeated.
  if (!isRedisUrl(limits) && limits !== DEFAULT_LIMITS) throw new UsageError('limits: expected sqlite or redis://…');
}

/** The gate to what `opened` holds, by the limits that `limits` names. @throws UsageError where that is not to be had. */
export async function openGate(options: GateOptions): Promise<Gate> {
  const { limits, store, opened, clock, perMinute, perMonth, report, times = {} } = options;
  checkLimits(limits, store);
  if (!isRedisUrl(limits)) {
    const file = sqliteFile(store);
    if (file === null) throw new UsageError('limits: with a store in PostgreSQL, name redis://…');
    // A link to the store is followed, so that two servers on one store meet at one lock however they name it.
    const limiter = openSqliteLimiter(`${realpathSync(file)}-limits`, clock);
    return composeGate(opened, limiter, { perMinute, perMonth }, clock);
  }
  // Loaded here, so that one machine does without it.
  const { openSharedGate } = await import('../cluster/shared-gate.ts');
  return openSharedGate({ store: opened, url: limits, perMinute, perMonth, report, times });
}

/** The gate of a store and a limiter that are asked one after the other. */
export function composeGate(
  keys: Pick<AccountStore, 'identify'>,
  limiter: Limiter,
  service: DefaultLimits,
  clock: Clock,
): Gate {
  const charge = (holder: Holder): Admission => {
    const { keyId, ownerId, kind } = holder;
    const perMinute = holder.perMinute ?? service.perMinute;
    const perMonth = kind === 'live' ? (holder.perMonth ?? service.perMonth) : null;
    // By the clock as it is now: later requests may have been charged while the key was looked up.
    return { holder, verdict: limiter.take({ keyId, ownerId, perMinute, perMonth }, momentOf(clock)) };
  };
  return {
    admit: (key, now) => andThen(keys.identify(key, now.wallMs), (holder) => holder && charge(holder)),
    monthUsed: limiter.monthUsed,
    unavailable: () => null,
    close: limiter.close,
  };
}
