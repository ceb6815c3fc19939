import type { CalendarMonth } from './calendar-month.ts';

export const DEFAULT_PER_MINUTE = 60;
export const DEFAULT_PER_MONTH = 10_000;

export const MINUTE_MS = 60_000;

/** A request to be charged to a key and its owner, with their limits. */
export interface Charge {
  keyId: string;
  ownerId: string;
  /** Requests that this key may make in any 60 seconds, at least 1. */
  perMinute: number;
  /** Requests that the owner's live keys may make in the calendar month; null for a test key, which does not count. */
  perMonth: number | null;
}

/** The state of a key's or an owner's limit after the decision. */
export interface Standing {
  limit: number;
  remaining: number;
  /** Whole seconds until requests are granted again: until the minute's oldest request expires, or the month ends. */
  resetSeconds: number;
}

export interface Verdict {
  /** Null if granted. If both limits refuse a request, this is the month, since it lasts longer. */
  refusedBy: 'minute' | 'month' | null;
  minute: Standing;
  month: (Standing & { windowSeconds: number }) | null;
}

export function monthStanding(
  limit: number,
  used: number,
  { start, end }: CalendarMonth,
  wallMs: number,
): NonNullable<Verdict['month']> {
  const resetSeconds = Math.max(0, Math.ceil((end - wallMs) / 1000));
  return { limit, remaining: Math.max(0, limit - used), resetSeconds, windowSeconds: (end - start) / 1000 };
}
