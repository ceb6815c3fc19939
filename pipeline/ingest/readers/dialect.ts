/** Tables in another dialect than the project's own, brought into it. */
import { type Dialect, MONTH_ORDERS } from '../../catalog/dialect.ts';
import type { Refusal } from '../../lib/bad-input.ts';
import type { ReadCsv, TextTable } from './csv.ts';
import { monthOrdersOf, readMonth } from './months.ts';

/**
 * The table without blanks around cells and without empty rows, with decimal points, and with a row for each month.
 * @throws BadInput if the dialect has months as columns and no column is named by a month
 */
export function inOwnDialect(table: TextTable, { decimal_comma, months, pivot }: Dialect, refusal: Refusal): TextTable {
  const textOf = (cell: string | null) => {
    const text = cell?.trim() || null;
    return decimal_comma ? (text?.replace(/^([+-]?\d*),(\d+)$/, '$1.$2') ?? null) : text;
  };
  const header = table.header.map((name) => name.trim());
  const rows = table.rows
    .map(({ line, cells }) => ({ line, cells: cells.map(textOf) }))
    .filter(({ cells }) => cells.some((cell) => cell !== null));
  if (!pivot) return { ...table, header, rows };
  const named = header.map((name) => readMonth(name, months));
  if (named.every((period) => period === null))
    throw refusal.at('header')(`columns ${header.join(', ')}`, 'columns named by months (sources.json, dialect)');
  const others = [...header.keys()].filter((i) => named[i] === null);
  return {
    ...table,
    header: [...others.map((i) => header[i]!), pivot.months, pivot.values],
    rows: rows.flatMap(({ line, cells }) =>
      named.flatMap((period, i) =>
        period === null ? [] : [{ line, cells: [...others.map((other) => cells[other]!), period, cells[i]!] }],
      ),
    ),
  };
}

/**
 * The dialect of a table, without the months in its cells: their column is not known yet.
 * @param read the separator and the encoding of a CSV
 */
export function dialectOf({ header, rows }: TextTable, read: Partial<ReadCsv> = {}): Dialect {
  const { separator = ',', encoding } = read;
  const commas = rows.flatMap(({ cells }) => cells.filter((cell) => /^\s*[+-]?\d*,\d+\s*$/.test(cell ?? '')));
  // 1,234 may be a thousand and more.
  const decimal = commas.some((cell) => !/^[^,1-9]*[1-9]\d*,\d{3}\s*$/.test(cell!));
  const months = [undefined, ...MONTH_ORDERS]
    .map((order) => header.filter((name) => readMonth(name.trim(), order) !== null))
    .reduce((most, names) => (names.length > most.length ? names : most));
  const orders = months.length > 1 ? monthOrdersOf(months.map((name) => name.trim())) : [];
  const free = (name: string): string => (header.includes(name) ? free(`${name}_`) : name);
  return {
    ...(separator === ',' ? {} : { separator }),
    ...(encoding ? { encoding } : {}),
    ...(decimal ? { decimal_comma: true as const } : {}),
    ...(orders.length === 1 ? { pivot: { months: free('period'), values: free('value') } } : {}),
    ...(orders[0] === undefined || orders.length > 1 ? {} : { months: orders[0] }),
  };
}
