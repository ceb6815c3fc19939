/** Recognises how a table is written. */
import path from 'node:path';
import { type Dialect, MONTH_ORDERS, type MonthOrder, YEAR_LOCATIONS } from '../../catalog/dialect.ts';
import type { CsvFormat, TextTable } from '../../ingest/readers/csv.ts';
import { markedThousands } from '../../ingest/readers/dialect.ts';
import { monthInName, monthOrders, readMonth, splitHeading, yearsIn } from '../../ingest/readers/months.ts';

/**
 * The first columns, as far as their cells are merged: the first row has a text, at least half of the rows have none,
 * and none comes back.
 */
function mergedColumns({ header, rows }: Pick<TextTable, 'header' | 'rows'>): string[] {
  const isMerged = (i: number) => {
    const texts = filledTexts(rows, i);
    return (
      rows[0]?.cells[i]?.trim() === texts[0] &&
      texts.length > 1 &&
      2 * texts.length <= rows.length &&
      new Set(texts).size === texts.length &&
      texts.every((text) => /^\p{L}/u.test(text))
    );
  };
  const end = header.findIndex((_, i) => !isMerged(i));
  return header.slice(0, end === -1 ? header.length : end).map((name) => name.trim());
}

/** The cells of a column that are not blank. */
const filledTexts = (rows: TextTable['rows'], i: number) => rows.flatMap(({ cells }) => cells[i]?.trim() || []);

/**
 * The dialect of a table, without the months in its cells: their column is not known yet.
 * @param file its name
 * @param format the separator and the encoding of a CSV, the sheet of a workbook
 */
export function guessDialect(
  { header, rows, titles = [] }: TextTable,
  file: string,
  format: Partial<CsvFormat> & Pick<Dialect, 'sheet'> = {},
): Dialect {
  const { separator = ',', encoding, sheet } = format;
  const cellsWithComma = rows.flatMap(({ cells }) => cells.filter((cell) => /^\s*[+-]?\d*,\d+\s*$/.test(cell ?? '')));
  // 1,234 may be a thousand and more.
  const hasDecimalComma = cellsWithComma.some((cell) => !/^[^,1-9]*[1-9]\d*,\d{3}\s*$/.test(cell!));
  const hasPointGroups =
    separator !== ',' && header.some((_, i) => markedThousands(filledTexts(rows, i), '.') === 'some');
  const datedColumns = [undefined, ...MONTH_ORDERS]
    .map((order) => header.filter((name) => readMonth(name.trim(), order) !== null))
    .reduce((most, names) => (names.length > most.length ? names : most));
  const splitOrder = datedColumns.length > 1 ? null : orderOfHeadings(header);
  const orders = splitOrder ?? (datedColumns.length > 1 ? monthOrders(datedColumns.map((name) => name.trim())) : []);
  const merged = mergedColumns({ header, rows });
  // Months without their year: that of all rows stands elsewhere, unless a column has it.
  const hasCalendarMonths =
    orders.length === 0 && header.filter((name) => monthInName(name.trim()) !== null).length >= 6;
  const texts = { name: path.basename(file), sheet: sheet ?? '', title: titles.join(' ') };
  const year =
    hasCalendarMonths && !hasYears({ header, rows })
      ? YEAR_LOCATIONS.find((place) => yearsIn(texts[place]).length === 1)
      : undefined;
  const unusedName = (name: string): string => (header.includes(name) ? unusedName(`${name}_`) : name);
  const pivot =
    orders.length === 1 || hasCalendarMonths
      ? {
          months: unusedName(hasCalendarMonths ? 'month' : 'period'),
          values: unusedName('value'),
          ...(splitOrder ? { figures: unusedName('figure') } : {}),
        }
      : null;
  return {
    ...(separator === ',' ? {} : { separator }),
    ...(encoding ? { encoding } : {}),
    ...(sheet === undefined ? {} : { sheet }),
    ...(titles.length > 0 ? { title_rows: titles.length } : {}),
    ...(year ? { year } : {}),
    ...(merged.length > 0 ? { merged } : {}),
    ...(hasDecimalComma || hasPointGroups ? { decimal_comma: true as const } : {}),
    ...(pivot ? { pivot } : {}),
    ...(orders[0] === undefined || orders.length > 1 ? {} : { months: orders[0] }),
  };
}

/** The order of the months beside figures in headings, most of which come back every month; null without them. */
function orderOfHeadings(header: readonly string[]): (MonthOrder | undefined)[] | null {
  for (const order of [undefined, 'month year', 'year month'] as const) {
    const headings = header.flatMap((name) => splitHeading(name.trim(), order) ?? []);
    const countDifferent = (texts: readonly string[]) => new Set(texts).size;
    const isEachOnce = countDifferent(headings.map((heading) => JSON.stringify(heading))) === headings.length;
    const figures = countDifferent(headings.map(({ figure }) => figure));
    if (headings.length > 1 && isEachOnce && headings.length >= 2 * figures) return [order];
  }
  return null;
}

/** Whether a column has years alone. */
const hasYears = ({ header, rows }: Pick<TextTable, 'header' | 'rows'>) =>
  header.some((_, i) => {
    const texts = filledTexts(rows, i);
    return texts.length > 0 && texts.every((text) => /^(19|20)\d\d$/.test(text));
  });
