/** A calendar month in UTC, from `start` up to but not including `end` (ms since 1970). */
export interface CalendarMonth {
  /** YYYY-MM. */
  name: string;
  start: number;
  end: number;
}

/** The month that contains `wallMs`: `latest` if it does, so that only one request a month computes it. */
export function calendarMonth(wallMs: number, latest?: CalendarMonth): CalendarMonth {
  if (latest && wallMs >= latest.start && wallMs < latest.end) return latest;
  const date = new Date(wallMs);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return { name: date.toISOString().slice(0, 7), start: Date.UTC(year, month), end: Date.UTC(year, month + 1) };
}

/** The month called `name` (YYYY-MM). */
export const monthNamed = (name: string): CalendarMonth => calendarMonth(Date.parse(`${name}-01`));
