import type { CalendarMonth } from './calendar-month.ts';

export const DEFAULT_PER_MINUTE = 60;
export const DEFAULT_PER_MONTH = 10_000;

export const MINUTE_MS = 60_000;

/** A request to be charged: to which key and owner, under which limits. */
export interface Charge {
  keyId: string;
  ownerId: string;
  /** Requests this key may make in any 60 seconds, at least 1. */
  perMinute: number;
  /** Requests the owner's live keys may make in the calendar month; null for a test key, which does not count. */
  perMonth: number | null;
}

/** Where a key or owner stands against a limit after the decision. */
export interface Standing {
  limit: number;
  remaining: number;
  /** Whole seconds until there is room again: the minute's oldest request leaves, or the month ends. */
  resetSeconds: number;
}

export interface Verdict {
  /** Null if granted. If both limits refuse a request the month is named, since it lasts longer. */
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
