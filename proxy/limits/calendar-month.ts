/** A calendar month in UTC, from `startMs` up to but not including `endMs` (ms since 1970). */
export interface CalendarMonth {
  /** YYYY-MM. */
  name: string;
  startMs: number;
  endMs: number;
}

/** The month that contains `wallMs`. */
export function monthAt(wallMs: number): CalendarMonth {
  const date = new Date(wallMs);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return { name: date.toISOString().slice(0, 7), startMs: Date.UTC(year, month), endMs: Date.UTC(year, month + 1) };
}

/** The month called `name` (YYYY-MM). */
export const monthNamed = (name: string): CalendarMonth => monthAt(Date.parse(`${name}-01`));
