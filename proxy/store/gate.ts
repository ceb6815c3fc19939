import type { Awaitable, Clock } from '../../pipeline/lib/clock.ts';
import { lineOf, UsageError } from '../../pipeline/lib/errors.ts';
import type { GateTimes } from '../cluster/times.ts';
import type { Verdict } from '../limits/verdict.ts';
import { type AccountStore, isPostgresUrl, isRedisUrl, sqliteFile } from './account-store.ts';
import { type Holder, openKeyReader } from './key-reader.ts';
import { limitsFileOf, openSqliteLimiter } from './sqlite-limiter.ts';

/** A request with a valid key: the key's holder, and the verdict of the limits. */
export interface Admission {
  holder: Omit<Holder, 'perMinute' | 'perMonth'>;
  verdict: Verdict;
}

/** Key and limits cannot be checked in time, so nobody is admitted. Clients should retry after this many seconds. */
export interface Unavailable {
  retrySeconds: number;
}

export const UNAVAILABLE: Unavailable = { retrySeconds: 5 };

/** Checks key and limits together: in a single round trip if they are stored on another machine. */
export interface Gate {
  /**
   * Decides a request at wall-clock time `now` (ms) with `key`, as presented by the client, and charges it if granted.
   * Takes into account every change acknowledged before this call.
   * @returns null if the key is unknown, mistyped or not admitted
   */
  admit(key: string, now: number): Awaitable<Admission | Unavailable | null>;
  /** Requests granted to the owner's live keys in this calendar month so far. */
  monthUsed(ownerId: string): Awaitable<number>;
  /** The reason why requests cannot be decided, in a few words; null while they can. */
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
  if (isRedisUrl(limits) && !isShared) throw new UsageError('limits: redis:// requires --store postgres://…');
  // The value itself may contain a password, so the message does not repeat it.
  if (!isRedisUrl(limits) && limits !== DEFAULT_LIMITS) throw new UsageError('limits: expected sqlite or redis://…');
}

/** The gate for the keys in `opened`, with limits counted in `limits`. @throws UsageError if they cannot be opened. */
export async function openGate(options: GateOptions): Promise<Gate> {
  const { limits, store, opened, perMinute, perMonth, report, times = {} } = options;
  checkLimits(limits, store);
  if (!isRedisUrl(limits)) {
    const file = sqliteFile(store);
    if (file === null) throw new UsageError('limits: a store in PostgreSQL requires --limits redis://…');
    return embeddedGate(file, options);
  }
  // Loaded only here: a single machine does not need it.
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
