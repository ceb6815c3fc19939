import { type Awaitable, andThen, type Clock, type Moment, momentOf } from '../clock.ts';
import type { Holder, Identify, KeyReader } from '../keys/store.ts';
import type { Charge, Limiter, Verdict } from '../limits/limiter.ts';

/** A request let in as far as keys go: whose it is, and what the limits say. */
export interface Admission {
  holder: Holder;
  verdict: Verdict;
}

/** Neither keys nor limits can be asked in time, so nobody is let in. Asking again makes sense after so many seconds. */
export interface Unavailable {
  retrySeconds: number;
}

/**
 * Decides a request with `key`, as a client presents it, at `now`, and charges it where it is granted; null where the
 * key is unknown, mistyped or not admitted.
 */
export type Admit = (key: string, now: Moment) => Awaitable<Admission | Unavailable | null>;

/** Key and limits in one: one round trip where they are kept across the network. */
export interface Gate {
  /** What it gives goes by all that was acknowledged before this call, for all requests that had come in by then. */
  look(): Admit;
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

/** What a request of `holder` is charged to. */
function chargeOf({ keyId, ownerId, kind, perMinute, perMonth }: Holder, service: DefaultLimits): Charge {
  return {
    keyId,
    ownerId,
    perMinute: perMinute ?? service.perMinute,
    perMonth: kind === 'live' ? (perMonth ?? service.perMonth) : null,
  };
}

/** The gate of a store and a limiter that are asked one after the other. */
export function composeGate(keys: KeyReader, limiter: Limiter, service: DefaultLimits, clock: Clock): Gate {
  let identify: Identify;
  const charge = (holder: Holder | null, now: Moment): Awaitable<Admission | null> => {
    if (!holder) return null;
    return andThen(limiter.take(chargeOf(holder, service), now), (verdict) => ({ holder, verdict }));
  };
  const admit: Admit = (key, now) => {
    const found = identify(key, now.wallMs);
    // Later requests may have been charged meanwhile.
    return found instanceof Promise ? found.then((holder) => charge(holder, momentOf(clock))) : charge(found, now);
  };
  return {
    look() {
      identify = keys.look();
      return admit;
    },
    monthUsed: limiter.monthUsed,
    unavailable: () => null,
    close: limiter.close,
  };
}
