import { periodName } from '../names.ts';

const indexOf = (period: string) => Number(period.slice(0, 4)) * 12 + Number(period.slice(5)) - 1;

/**
 * How old the page is when it is read, in words; the page itself stays the same bytes. Empty while its last
 * estimated month has not passed.
 * @param periods estimated months, `estimated` of them, then forecast months
 * @param today in the reader's own calendar
 */
export function describeAge(periods: readonly string[], estimated: number, today: Date): string {
  const now = today.getFullYear() * 12 + today.getMonth();
  const last = periods[estimated - 1]!;
  const months = now - indexOf(last);
  if (months < 1) return '';
  const age = `The last estimated month, ${periodName(last)}, is ${months === 1 ? 'a month' : `${months} months`} ago.`;
  return now > indexOf(periods.at(-1)!) ? `${age} All the months that this page forecasts have passed.` : age;
}
