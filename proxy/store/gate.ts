import type { Awaitable } from '../../pipeline/lib/clock.ts';
import type { Verdict } from '../limits/verdict.ts';
import type { Holder } from './key-reader.ts';

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
