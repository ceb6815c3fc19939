import type { CalendarMonth } from './calendar-month.ts';

export const DEFAULT_PER_MINUTE = 60;
export const DEFAULT_PER_MONTH = 10_000;

/** Length of the minute's span, seconds. */
export const MINUTE_S = 60;

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

/**
 * Which limit refuses a request of which `count` were granted in the minute and `used` in the month; null if neither.
 */
export function refusedBy(
  count: number,
  perMinute: number,
  used: number,
  perMonth: number | null,
): Verdict['refusedBy'] {
  if (perMonth !== null && used >= perMonth) return 'month';
  return count >= perMinute ? 'minute' : null;
}

/**
 * The minute's standing at `nowMs`. Grants are counted by the second of the clock (seconds since 1970), so that a grant
 * counts for at least 60 seconds and less than 61: it leaves up to a second late, never early.
 * @param first the second whose grants must leave before another request is granted; null if none is counted
 */
export function minuteStanding(limit: number, count: number, first: number | null, nowMs: number): Standing {
  const leavesMs = first === null ? nowMs : (first + MINUTE_S + 1) * 1000;
  return {
    limit,
    remaining: Math.max(0, limit - count),
    resetSeconds: Math.ceil((leavesMs - nowMs) / 1000),
  };
}

export function monthStanding(
  limit: number,
  used: number,
  { start, end }: CalendarMonth,
  nowMs: number,
): NonNullable<Verdict['month']> {
  const resetSeconds = Math.max(0, Math.ceil((end - nowMs) / 1000));
  return { limit, remaining: Math.max(0, limit - used), resetSeconds, windowSeconds: (end - start) / 1000 };
}
