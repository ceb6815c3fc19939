import type { CalendarMonth } from './calendar-month.ts';

export const MINUTE_SECONDS = 60;

/** The state of a key's or an owner's limit after the decision. */
export interface LimitState {
  limit: number;
  remaining: number;
  /** Whole seconds until requests are granted again: until the minute's oldest request expires, or the month ends. */
  resetSeconds: number;
}

export interface Verdict {
  /** Null if granted. If both limits refuse a request, this is the month, since it lasts longer. */
  refusedBy: 'minute' | 'month' | null;
  minute: LimitState;
  month: (LimitState & { windowSeconds: number }) | null;
}

/** The limit that refuses a request after `minuteCount` and `monthCount` granted ones; null if neither does. */
export function refusingLimit(
  minuteCount: number,
  perMinute: number,
  monthCount: number,
  perMonth: number | null,
): Verdict['refusedBy'] {
  if (perMonth !== null && monthCount >= perMonth) return 'month';
  return minuteCount >= perMinute ? 'minute' : null;
}

/**
 * The state of the limit per minute at `nowMs`. Grants are counted by the second of the clock (seconds since 1970), so
 * that a grant counts for at least 60 seconds and less than 61: it leaves up to a second late, never early.
 * @param firstSecond the second whose grants must leave before another request is granted; null if none is counted
 */
export function minuteState(limit: number, granted: number, firstSecond: number | null, nowMs: number): LimitState {
  const resetMs = firstSecond === null ? nowMs : (firstSecond + MINUTE_SECONDS + 1) * 1000;
  return { limit, remaining: Math.max(0, limit - granted), resetSeconds: Math.ceil((resetMs - nowMs) / 1000) };
}

export function monthState(
  limit: number,
  granted: number,
  { startMs, endMs }: CalendarMonth,
  nowMs: number,
): NonNullable<Verdict['month']> {
  const resetSeconds = Math.max(0, Math.ceil((endMs - nowMs) / 1000));
  return { limit, remaining: Math.max(0, limit - granted), resetSeconds, windowSeconds: (endMs - startMs) / 1000 };
}
