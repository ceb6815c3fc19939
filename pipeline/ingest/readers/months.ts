/** Months as people's programs write them. */
import { MONTH_ORDERS, type MonthOrder } from '../../catalog/dialect.ts';
import { isPeriod, monthIndex, type Period } from '../../contract/months.ts';

const lettersOnly = (name: string) =>
  name
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '');

/** Number of each month's names and abbreviations, without accents; no name means two months. */
const MONTH_NUMBERS: ReadonlyMap<string, number> = new Map(
  ['en-US', 'en-GB', 'fr', 'pt', 'es'].flatMap((language) =>
    (['long', 'short'] as const).flatMap((month) => {
      const format = new Intl.DateTimeFormat(language, { month, timeZone: 'UTC' });
      return Array.from({ length: 12 }, (_, i): [string, number] => [
        lettersOnly(format.format(Date.UTC(2000, i))),
        i + 1,
      ]);
    }),
  ),
);

/**
 * The month that `text` names.
 * @param order of its parts; by default only `YYYY-MM` and `YYYYMM` are read
 * @returns null if it is not a month so written
 */
export function readMonth(text: string, order?: MonthOrder): Period | null {
  if (order === undefined) {
    const isoText = /^\d{6}$/.test(text) ? `${text.slice(0, 4)}-${text.slice(4)}` : text;
    return isPeriod(isoText) ? isoText : null;
  }
  const partNames = order.split(' ');
  const parts = splitDate(text);
  const partNamed = (name: string) => parts[partNames.indexOf(name)] ?? '';
  if (parts.length !== partNames.length) return null;
  const year = fullYear(partNamed('year'), /\d/.test(partNamed('month')));
  if (partNames.includes('day') && !/^(0?[1-9]|[12]\d|3[01])$/.test(partNamed('day'))) return null;
  const period = `${year}-${readMonthOfYear(partNamed('month'))?.padStart(2, '0')}`;
  return isPeriod(period) ? period : null;
}

/**
 * What stands before or after the month in a heading such as `Cases January 2020`, and that month.
 * @returns null for a heading without a month, and for a month alone
 */
export function splitHeading(heading: string, order?: MonthOrder): { figure: string; month: Period } | null {
  const words = heading.split(/[\s_]+/);
  for (const size of [1, 2])
    for (const start of [words.length - size, 0]) {
      const month = readMonth(words.slice(start, start + size).join(' '), order);
      const figure = words.toSpliced(start, size).join(' ');
      if (month && figure) return { figure, month };
    }
  return null;
}

/** The month of the year as a number from 1 to 12, from its number or name; null if it is neither. */
export function readMonthOfYear(text: string): string | null {
  const month = MONTH_NUMBERS.get(lettersOnly(text)) ?? (/^\d{1,2}$/.test(text) ? Number(text) : 0);
  return month >= 1 && month <= 12 ? String(month) : null;
}

/** Year, month and day of a date without its time; R puts an X before a number that names a column. */
function splitDate(text: string): string[] {
  const date = text.replace(/^X(?=\d{4})/, '').replace(/[T ]\d\d:\d\d.*$/, '');
  if (/^\d{6}(\d\d)?$/.test(date)) return [date.slice(0, 4), ...date.slice(4).match(/\d\d/g)!];
  return date.split(/[-/._,\s]+|(?<=\d)[mM](?=\d)|(?<=\d)(?=\p{L})|(?<=\p{L})(?=\d)/u);
}

/** A year of this century or the last; only beside a month's name may it have two digits, as in Jan-15. */
function fullYear(text: string, isBesideNumber: boolean): string {
  if (/^(19|20)\d\d$/.test(text)) return text;
  if (isBesideNumber || !/^\d\d$/.test(text)) return '';
  return `${Number(text) < 70 ? 20 : 19}${text}`;
}

/**
 * How a column of monthly records' months is written.
 * @returns `undefined` is the project's form. None if a cell is not a month; several if day and month
 *   cannot be told apart
 */
export function monthOrders(cells: readonly string[]): (MonthOrder | undefined)[] {
  const orders = dateOrders(cells);
  // Monthly records have the same day in every month.
  const sameDayOrders = orders.filter((order) => order !== undefined && daysIn(cells, order).size === 1);
  return sameDayOrders.length === 1 ? sameDayOrders : orders;
}

/** All ways in which a column of dates or months can be read. */
export function dateOrders(cells: readonly string[]): (MonthOrder | undefined)[] {
  const distinct = [...new Set(cells)];
  if (distinct.length === 0 || monthWithoutZero(distinct) !== undefined) return [];
  if (distinct.every((cell) => readMonth(cell) !== null)) return [undefined];
  return MONTH_ORDERS.filter((order) => distinct.every((cell) => readMonth(cell, order) !== null));
}

/** 2015.1 beside 2015.01 is a number that was 2015.10: October, which reads as January. */
const monthWithoutZero = (cells: readonly string[]): string | undefined =>
  cells.some((cell) => /^\d{4}\.0\d$/.test(cell)) ? cells.find((cell) => /^\d{4}\.1$/.test(cell)) : undefined;

/** A cell that is no month in the form in which most of the cells are. */
export const unreadMonth = (cells: readonly string[]): string | undefined =>
  monthWithoutZero(cells) ??
  [undefined, ...MONTH_ORDERS]
    .map((order) => cells.filter((cell) => readMonth(cell, order) === null))
    .sort((a, b) => a.length - b.length)[0]![0];

/** The days of dates, if a day is part of their order. */
export const daysIn = (cells: readonly string[], order: MonthOrder): ReadonlySet<string> =>
  new Set(cells.flatMap((cell) => splitDate(cell)[order.split(' ').indexOf('day')] ?? []));

/**
 * The month of a row by its columns `period`, or `year` and `month`, or whatever stands in its place; null without one.
 */
export function monthText({ period, year, month }: Readonly<Record<string, string | null>>): string | null {
  if (period) return period;
  return year && month ? `${year}-${month.padStart(2, '0')}` : null;
}

/** The month of the year that a column is named by; a number alone may be anything. */
export const monthInName = (name: string): string | null => (/^\d+$/.test(name) ? null : readMonthOfYear(name));

/** The different years of this century or the last in a text: `2018-19` are two, such as a fiscal year's. */
export function yearsIn(text: string): string[] {
  const years = Array.from(text.matchAll(/(?<!\d)((?:19|20)\d\d)(?:[-/\u2013](\d\d))?(?!\d)/g), ([, year, end]) => {
    const following = String(Number(year) + 1);
    return end !== undefined && following.endsWith(end) ? [year!, following] : [year!];
  });
  return [...new Set(years.flat())];
}

/** A few rows so many months before or after all others have a mistyped month; rounds of a survey may be so far apart. */
const STRAY_AFTER = { months: 36, rounds: 120 };
const MOST_STRAY_SHARE = 0.05;

/**
 * The months of a few rows that lie years before or after all others, such as 2108-12 for 2018-12, with the number of
 * months between.
 * @param periods the month of each row
 * @param kind whether rows follow month by month, or are of survey rounds
 */
export function strayMonths(periods: readonly Period[], kind: keyof typeof STRAY_AFTER): Map<Period, number> {
  const rows = Map.groupBy(periods, (period) => period);
  const months = [...rows.keys()].sort();
  const distances = new Map<Period, number>();
  let rowsBefore = 0;
  for (const [i, month] of months.slice(1).entries()) {
    const previous = months[i]!;
    rowsBefore += rows.get(previous)!.length;
    if (monthIndex(month) - monthIndex(previous) <= STRAY_AFTER[kind]) continue;
    const isFew = (count: number) => count <= MOST_STRAY_SHARE * periods.length;
    const strays = isFew(rowsBefore)
      ? months.slice(0, i + 1)
      : isFew(periods.length - rowsBefore)
        ? months.slice(i + 1)
        : [];
    const nearest = isFew(rowsBefore) ? month : previous;
    for (const stray of strays) distances.set(stray, Math.abs(monthIndex(stray) - monthIndex(nearest)));
  }
  return distances;
}
