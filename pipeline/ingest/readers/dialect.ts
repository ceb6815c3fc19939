/** Tables in another dialect than the project's own, brought into it. */
import path from 'node:path';
import { type Dialect, MONTH_ORDERS, YEAR_FROM } from '../../catalog/dialect.ts';
import { type Refusal, refusalIn } from '../../lib/bad-input.ts';
import type { ReadCsv, TextTable } from './csv.ts';
import { monthOrdersOf, readMonth, readMonthOfYear } from './months.ts';

/** A number whose thousands are set apart by no-break spaces, as office programs write it; other blanks may be text. */
const GROUPED = /^[+-]?\d{1,3}([\u00a0\u202f]\d{3})+(?=$|[.,])/;
const ungrouped = (number: string) => number.replaceAll(/[\u00a0\u202f]/g, '');

/**
 * The table without blanks around cells or among digits and without empty rows, with decimal points, with a row for each
 * month, and with a column for each figure.
 * @param file its name
 * @throws BadInput if the dialect has months as columns and no column is named by a month, figures as rows and a figure
 *   twice, or one year for all rows that cannot be told
 */
export function inOwnDialect(table: TextTable, dialect: Dialect, file: string): TextTable {
  const { decimal_comma, months, pivot, wide, merged, year } = dialect;
  const refusal = refusalIn(file);
  const textOf = (cell: string | null) => {
    const text = cell?.trim().replace(GROUPED, ungrouped) || null;
    return decimal_comma ? (text?.replace(/^([+-]?\d*),(\d+)$/, '$1.$2') ?? null) : text;
  };
  let header = table.header.map((name) => name.trim());
  let rows = table.rows
    .map(({ line, cells }) => ({ line, cells: cells.map(textOf) }))
    .filter(({ cells }) => cells.some((cell) => cell !== null));
  if (merged) rows = unmerged({ header, rows }, merged, refusal);
  if (year) {
    const found = yearsIn(year === 'name' ? path.basename(file) : (table.titles ?? []).join(' '));
    if (found.length !== 1)
      throw refusal.at(`the ${year}`)(found.join(', ') || 'no year', 'one year (sources.json, dialect, year)');
    header = [...header, 'year'];
    rows = rows.map(({ line, cells }) => ({ line, cells: [...cells, found[0]!] }));
  }
  if (wide) return { ...table, ...widened({ header, rows }, wide, refusal) };
  if (!pivot) return { ...table, header, rows };
  const named = header.map((name) => readMonth(name, months) ?? monthNamed(name));
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

/** The rows with the blanks of merged cells filled in. */
function unmerged({ header, rows }: TextTable, merged: readonly string[], refusal: Refusal) {
  const at = merged.map((name) => {
    if (header.includes(name)) return header.indexOf(name);
    throw refusal.at('header')(`columns ${header.join(', ')}`, `a column "${name}" (sources.json, dialect)`);
  });
  const above: (string | null)[] = [];
  return rows.map(({ line, cells }) => ({
    line,
    cells: cells.map((cell, i) => {
      if (!at.includes(i)) return cell;
      if (cell !== null) above[i] = cell;
      return above[i] ?? null;
    }),
  }));
}

/** The month of the year that a column is named by; a number alone may be anything. */
const monthNamed = (name: string) => (/^\d+$/.test(name) ? null : readMonthOfYear(name));

/** Whether a column has years alone. */
const hasYears = ({ header, rows }: Pick<TextTable, 'header' | 'rows'>) =>
  header.some((_, i) => {
    const texts = textsOf(rows, i);
    return texts.length > 0 && texts.every((text) => /^(19|20)\d\d$/.test(text));
  });

const yearsIn = (text: string) => [...new Set(text.match(/(?<!\d)(19|20)\d\d(?!\d)/g))];

/** A column for each figure, in the order of the first ones; a figure that a row lacks is blank. */
function widened(
  { header, rows }: TextTable,
  { names, values }: NonNullable<Dialect['wide']>,
  refusal: Refusal,
): TextTable {
  const [nameAt, valueAt] = [names, values].map((name) => {
    if (header.includes(name)) return header.indexOf(name);
    throw refusal.at('header')(`columns ${header.join(', ')}`, `a column "${name}" (sources.json, dialect)`);
  }) as [number, number];
  const figures = [...new Set(rows.map(({ cells }) => cells[nameAt] ?? ''))];
  const others = [...header.keys()].filter((i) => i !== nameAt && i !== valueAt && !isOfName(rows, nameAt, i));
  const groups = Map.groupBy(rows, ({ cells }) => JSON.stringify(others.map((i) => cells[i])));
  return {
    header: [...others.map((i) => header[i]!), ...figures],
    rows: [...groups.values()].map((own) => {
      const byName = new Map<string, string | null>();
      for (const { line, cells } of own) {
        const name = cells[nameAt] ?? '';
        if (byName.has(name))
          throw refusal.at(`row ${line}`)(`${name} a second time`, 'each figure once for a place and time');
        byName.set(name, cells[valueAt]!);
      }
      const [{ line, cells }] = own as [(typeof own)[number]];
      return { line, cells: [...others.map((i) => cells[i]!), ...figures.map((name) => byName.get(name) ?? null)] };
    }),
  };
}

/** Whether a column only says the same as that of the names, such as their ids. */
function isOfName(rows: TextTable['rows'], nameAt: number, column: number): boolean {
  const pairs = new Set(rows.map(({ cells }) => JSON.stringify([cells[nameAt], cells[column]])));
  const [ofName, ofColumn] = [nameAt, column].map((at) => new Set(rows.map(({ cells }) => cells[at])).size);
  return pairs.size === ofName && pairs.size === ofColumn && pairs.size > 1;
}

/** The columns of figures in DHIS2 analytics, as JSON and as CSV, the likeliest first. */
const FIGURES = ['dx.name', 'dx', 'dataname', 'Data'];

/** How a table has several figures in one column; null if it has not. */
function wideOf({ header, rows }: Pick<TextTable, 'header' | 'rows'>): NonNullable<Dialect['wide']> | null {
  const names = FIGURES.find((name) => header.includes(name));
  const values = header.find((name) => name.toLowerCase() === 'value');
  if (names === undefined || values === undefined) return null;
  const at = header.indexOf(names);
  return new Set(rows.map(({ cells }) => cells[at])).size > 1 ? { names, values } : null;
}

/**
 * The first columns, as far as their cells are merged: the first row has a text, at least half of the rows have none, and
 * none comes back.
 */
function mergedOf({ header, rows }: Pick<TextTable, 'header' | 'rows'>): string[] {
  const isMerged = (i: number) => {
    const texts = textsOf(rows, i);
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
const textsOf = (rows: TextTable['rows'], i: number) => rows.flatMap(({ cells }) => cells[i]?.trim() || []);

/**
 * The dialect of a table, without the months in its cells: their column is not known yet.
 * @param file its name
 * @param read the separator and the encoding of a CSV
 */
export function dialectOf(
  { header, rows, titles = [] }: TextTable,
  file: string,
  read: Partial<ReadCsv> = {},
): Dialect {
  const { separator = ',', encoding } = read;
  const commas = rows.flatMap(({ cells }) => cells.filter((cell) => /^\s*[+-]?\d*,\d+\s*$/.test(cell ?? '')));
  // 1,234 may be a thousand and more.
  const decimal = commas.some((cell) => !/^[^,1-9]*[1-9]\d*,\d{3}\s*$/.test(cell!));
  const months = [undefined, ...MONTH_ORDERS]
    .map((order) => header.filter((name) => readMonth(name.trim(), order) !== null))
    .reduce((most, names) => (names.length > most.length ? names : most));
  const orders = months.length > 1 ? monthOrdersOf(months.map((name) => name.trim())) : [];
  const wide = wideOf({ header, rows });
  const merged = mergedOf({ header, rows });
  // Months without their year: that of all rows stands elsewhere, unless a column has it.
  const calendar = orders.length === 0 && header.filter((name) => monthNamed(name.trim()) !== null).length >= 6;
  const texts = { name: path.basename(file), title: titles.join(' ') };
  const year =
    calendar && !hasYears({ header, rows }) ? YEAR_FROM.find((place) => yearsIn(texts[place]).length === 1) : undefined;
  const free = (name: string): string => (header.includes(name) ? free(`${name}_`) : name);
  return {
    ...(separator === ',' ? {} : { separator }),
    ...(encoding ? { encoding } : {}),
    ...(titles.length > 0 ? { title_rows: titles.length } : {}),
    ...(year ? { year } : {}),
    ...(merged.length > 0 ? { merged } : {}),
    ...(decimal ? { decimal_comma: true as const } : {}),
    ...(wide ? { wide } : {}),
    ...(orders.length === 1 || calendar
      ? { pivot: { months: free(calendar ? 'month' : 'period'), values: free('value') } }
      : {}),
    ...(orders[0] === undefined || orders.length > 1 ? {} : { months: orders[0] }),
  };
}
