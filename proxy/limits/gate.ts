import { type Holder, openKeyReader } from '../accounts/key-reader.ts';
import { type AccountStore, isPostgresUrl, isRedisUrl, sqliteFile } from '../accounts/open-store.ts';
import type { Awaitable, Clock } from '../clock.ts';
import type { GateTimes } from '../cluster/times.ts';
import { lineOf, UsageError } from '../errors.ts';
import type { Verdict } from './limits.ts';
import { limitsFileOf, openSqliteLimiter } from './sqlite-limiter.ts';

/** A request with a valid key: whose it is, and what the limits say. */
export interface Admission {
  holder: Omit<Holder, 'perMinute' | 'perMonth'>;
  verdict: Verdict;
}

/** Key and limits cannot be checked in time, so nobody is let in. Worth retrying after this many seconds. */
export interface Unavailable {
  retrySeconds: number;
}

export const UNAVAILABLE: Unavailable = { retrySeconds: 5 };

/** Checks key and limits together: in one round trip if they are kept across the network. */
export interface Gate {
  /**
   * Decides a request at wall-clock time `now` (ms) with `key`, as presented by the client, and charges it if granted;
   * null if the key is unknown, mistyped or not admitted. Takes into account every change acknowledged before this call.
   */
  admit(key: string, now: number): Awaitable<Admission | Unavailable | null>;
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
  const { limits, store, opened, perMinute, perMonth, report, times = {} } = options;
  checkLimits(limits, store);
  if (!isRedisUrl(limits)) {
    const file = sqliteFile(store);
    if (file === null) throw new UsageError('limits: with a store in PostgreSQL, name redis://…');
    return embeddedGate(file, options);
  }
  // Loaded only here: one machine does not need it.
  const { openSharedGate } = await import('../cluster/shared-gate.ts');
  return openSharedGate({ store: opened, url: limits, perMinute, perMonth, report, times });
}

/** The gate of one process, whose store is the SQLite `file`. */
function embeddedGate(file: string, { clock, report, ...service }: GateOptions): Gate {
  const limiter = openSqliteLimiter(limitsFileOf(file), clock);
  const keys = openKeyReader(file);
  const admit = (key: string, now: number): Admission | null => {
    const holder = keys.identify(key, now);
    if (!holder) return null;
    const { keyId, ownerId, kind } = holder;
    const perMinute = holder.perMinute ?? service.perMinute;
    const perMonth = kind === 'live' ? (holder.perMonth ?? service.perMonth) : null;
    return { holder, verdict: limiter.take({ keyId, ownerId, perMinute, perMonth }) };
  };
  return {
    admit(key, now) {
      try {
        return admit(key, now);
      } catch (error) {
        report(`keys and limits: ${lineOf(error)}`);
        return UNAVAILABLE;
      }
    },
    monthUsed: limiter.monthUsed,
    unavailable() {
      try {
        keys.identify('', 0);
        limiter.checkWritable();
        return null;
      } catch (error) {
        return `keys and limits: ${lineOf(error)}`;
      }
    },
    close() {
      keys.close();
      limiter.close();
    },
  };
}
