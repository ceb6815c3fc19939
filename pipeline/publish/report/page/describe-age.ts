import { monthIndex } from '../../../contract/months.ts';
import { periodName } from '../shared/names.ts';

/**
 * Describes how old the page's estimates are on the day that it is read. Empty until the last estimated month has
 * passed.
 * @param periods `estimated` estimated months, then forecast months
 * @param today date in the reader's time zone
 */
export function describeAge(periods: readonly string[], estimated: number, today: Date): string {
  const currentMonth = today.getFullYear() * 12 + today.getMonth();
  const lastPeriod = periods[estimated - 1]!;
  const monthsAgo = currentMonth - monthIndex(lastPeriod);
  if (monthsAgo < 1) return '';
  const age = `The last estimated month, ${periodName(lastPeriod)}, was ${monthsAgo === 1 ? 'a month' : `${monthsAgo} months`} ago.`;
  return currentMonth > monthIndex(periods.at(-1)!)
    ? `${age} All the months that this page forecasts have passed.`
    : age;
}
