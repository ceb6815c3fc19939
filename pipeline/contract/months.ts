/** A month of a particular year, written `YYYY-MM`, such as `2023-09`. */
export type Period = string;

/** Regular expression of a period, for schemas. */
export const PERIOD_PATTERN = '^\\d{4}-(0[1-9]|1[0-2])$';
const PERIOD = new RegExp(PERIOD_PATTERN);

/** How many months after the latest month of data forecasts are for. */
export const HORIZONS: readonly number[] = [1, 2, 3, 4];
export const FORECAST_MONTHS = HORIZONS.length;

/** Whether `text` is a month of the form `YYYY-MM`, month 01 to 12. */
export function isPeriod(text: string): boolean {
  return PERIOD.test(text);
}

/**
 * Months since year 0, so that month arithmetic is arithmetic: `monthIndex('2023-12') + 1 === monthIndex('2024-01')`.
 * @throws RangeError if `period` is not of the form `YYYY-MM`
 */
export function monthIndex(period: Period): number {
  if (!isPeriod(period)) throw new RangeError(`not a month of the form YYYY-MM: ${JSON.stringify(period)}`);
  return Number(period.slice(0, 4)) * 12 + Number(period.slice(5)) - 1;
}

/** The month whose `monthIndex` is `index`. */
export function monthFromIndex(index: number): Period {
  const month = index % 12;
  return `${String((index - month) / 12).padStart(4, '0')}-${String(month + 1).padStart(2, '0')}`;
}

/** `period` moved by `months` (negative moves back). */
export function addMonths(period: Period, months: number): Period {
  return monthFromIndex(monthIndex(period) + months);
}

/** Month of the year, 1 (January) to 12. */
export function calendarMonth(period: Period): number {
  return (monthIndex(period) % 12) + 1;
}

/** The year. */
export function calendarYear(period: Period): number {
  return Math.floor(monthIndex(period) / 12);
}

/** Every month from `first` to `last`, both included; empty if `last` is before `first`. */
export function periodRange(first: Period, last: Period): Period[] {
  const start = monthIndex(first);
  return Array.from({ length: Math.max(0, monthIndex(last) - start + 1) }, (_, i) => monthFromIndex(start + i));
}
