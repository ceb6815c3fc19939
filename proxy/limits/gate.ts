import type { Holder } from '../accounts/key-reader.ts';
import { type AccountStore, isRedisUrl } from '../accounts/open-store.ts';
import { type Awaitable, andThen, type Clock, type Moment, momentOf } from '../clock.ts';
import type { GateTimes } from '../cluster/times.ts';
import type { Limiter, Verdict } from './limiter.ts';
import { checkLimits, openLimiter } from './open-limiter.ts';

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

/** The gate to what `opened` holds, by the limits that `limits` names. @throws UsageError where that is not to be had. */
export async function openGate(options: GateOptions): Promise<Gate> {
  const { limits, store, opened, clock, perMinute, perMonth, report, times = {} } = options;
  checkLimits(limits, store);
  if (!isRedisUrl(limits)) {
    return composeGate(opened, openLimiter(limits, store, clock), { perMinute, perMonth }, clock);
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
  const charge = (holder: Holder | null, now: Moment): Awaitable<Admission | null> => {
    if (!holder) return null;
    const { keyId, ownerId, kind } = holder;
    const perMinute = holder.perMinute ?? service.perMinute;
    const perMonth = kind === 'live' ? (holder.perMonth ?? service.perMonth) : null;
    return andThen(limiter.take({ keyId, ownerId, perMinute, perMonth }, now), (verdict) => ({ holder, verdict }));
  };
  return {
    admit(key, now) {
      const found = keys.identify(key, now.wallMs);
      // Later requests may have been charged meanwhile.
      return found instanceof Promise ? found.then((holder) => charge(holder, momentOf(clock))) : charge(found, now);
    },
    monthUsed: limiter.monthUsed,
    unavailable: () => null,
    close: limiter.close,
  };
}
