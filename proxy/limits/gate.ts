import { realpathSync } from 'node:fs';
import type { Holder } from '../accounts/key-reader.ts';
import { type AccountStore, isPostgresUrl, isRedisUrl, sqliteFile } from '../accounts/open-store.ts';
import { type Awaitable, andThen, type Clock, type Moment, momentOf } from '../clock.ts';
import type { GateTimes } from '../cluster/times.ts';
import { UsageError } from '../errors.ts';
import type { Limiter, Verdict } from './limiter.ts';
import { openSqliteLimiter } from './sqlite-limiter.ts';

/** A request with a valid key: whose it is, and what the limits say. */
export interface Admission {
  holder: Omit<Holder, 'perMinute' | 'perMonth'>;
  verdict: Verdict;
}

/** Key and limits cannot be checked in time, so nobody is let in. Worth retrying after this many seconds. */
export interface Unavailable {
  retrySeconds: number;
}

/** Checks key and limits together: in one round trip if they are kept across the network. */
export interface Gate {
  /**
   * Decides a request at `now` with `key`, as presented by the client, and charges it if granted; null if the key is
   * unknown, mistyped or not admitted. Takes into account every change acknowledged before this call.
   */
  admit(key: string, now: Moment): Awaitable<Admission | Unavailable | null>;
  /** Requests granted to the owner's live keys in this calendar month so far. */
  monthUsed(ownerId: string): Awaitable<number>;
  /** Null while requests can be decided; else why not, in a few words. */
  unavailable(): string | null;
  close(): Awaitable<void>;
}

/** Limits for accounts without limits of their own. */
export interface DefaultLimits {
  perMinute: number;
  perMonth: number;
}

export interface GateOptions extends DefaultLimits {
  limits: string;
  /** The URL of `opened`. */
  store: string;
  opened: AccountStore;
  clock: Clock;
  report: (line: string) => void;
  times?: Partial<GateTimes> | undefined;
}

export const DEFAULT_LIMITS = 'sqlite';

/** @throws UsageError unless `limits` is `sqlite` or, with a store in PostgreSQL, redis://…. */
export function checkLimits(limits: string, store: string): void {
  const isShared = isPostgresUrl(store);
  if (isRedisUrl(limits) && !isShared) throw new UsageError('limits: redis:// goes with --store postgres://…');
  // The value itself may hold a password, so it is not repeated.
  if (!isRedisUrl(limits) && limits !== DEFAULT_LIMITS) throw new UsageError('limits: expected sqlite or redis://…');
}

/** The gate for the keys in `opened`, with limits counted where `limits` says. @throws UsageError if it cannot open. */
export async function openGate(options: GateOptions): Promise<Gate> {
  const { limits, store, opened, clock, perMinute, perMonth, report, times = {} } = options;
  checkLimits(limits, store);
  if (!isRedisUrl(limits)) {
    const file = sqliteFile(store);
    if (file === null) throw new UsageError('limits: with a store in PostgreSQL, name redis://…');
    // Symbolic links are resolved, so that two servers on one store contend for one lock whatever they call it.
    const limiter = openSqliteLimiter(`${realpathSync(file)}-limits`, clock);
    return composeGate(opened, limiter, { perMinute, perMonth }, clock);
  }
  // Loaded only here: one machine does not need it.
  const { openSharedGate } = await import('../cluster/shared-gate.ts');
  return openSharedGate({ store: opened, url: limits, perMinute, perMonth, report, times });
}

/** A gate that asks a store and then a limiter. */
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
    // The time is read again: later requests may have been charged while the key was being looked up.
    return { holder, verdict: limiter.take({ keyId, ownerId, perMinute, perMonth }, momentOf(clock)) };
  };
  return {
    admit: (key, now) => andThen(keys.identify(key, now.wallMs), (holder) => holder && charge(holder)),
    monthUsed: limiter.monthUsed,
    unavailable: () => null,
    close: limiter.close,
  };
}
