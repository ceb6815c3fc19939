import type { Moment } from '../clock.ts';

export const DEFAULT_PER_MINUTE = 60;
export const DEFAULT_PER_MONTH = 10_000;

export const MINUTE_MS = 60_000;

/** Whose request is to be charged, and to what. */
export interface Charge {
  keyId: string;
  ownerId: string;
  /** Requests this key may make in any 60 seconds, at least 1. */
  perMinute: number;
  /** Requests of the owner's live keys in the calendar month; null for a test key, which does not count in it. */
  perMonth: number | null;
}

/** Where a key or owner stands against one limit after the decision. */
export interface Standing {
  limit: number;
  remaining: number;
  /** Whole seconds until there is more: the minute's oldest request leaves, or the month ends. */
  resetSeconds: number;
}

export interface Verdict {
  /** Null when granted. Where both limits stand against a request, the month is named, since it lasts longer. */
  refusedBy: 'minute' | 'month' | null;
  minute: Standing;
  month: (Standing & { windowSeconds: number }) | null;
}

export interface Limiter {
  /**
   * Decides minute and month together and charges both or neither, as one step under any interleaving. `now` is never
   * before that of an earlier call.
   */
  take(charge: Charge, now: Moment): Verdict;
  /** Requests granted to the owner's live keys in this calendar month so far. */
  monthUsed(ownerId: string): number;
  close(): void;
}
