/** Tables in another dialect than the project's own, brought into it. */
import { type Dialect, MONTH_ORDERS } from '../../catalog/dialect.ts';
import type { Refusal } from '../../lib/bad-input.ts';
import type { ReadCsv, TextTable } from './csv.ts';
import { monthOrdersOf, readMonth } from './months.ts';

/** A number whose thousands are set apart by no-break spaces, as office programs write it; other blanks may be text. */
const GROUPED = /^[+-]?\d{1,3}([\u00a0\u202f]\d{3})+(?=$|[.,])/;
const ungrouped = (number: string) => number.replaceAll(/[\u00a0\u202f]/g, '');

/**
 * The table without blanks around cells or among digits and without empty rows, with decimal points, with a row for each
 * month and for each test, and with a column for each figure.
 * @throws BadInput if the dialect has months as columns and no column is named by a month, or figures as rows and a
 *   figure twice, or columns of tests that the table lacks
 */
export function inOwnDialect(table: TextTable, dialect: Dialect, refusal: Refusal): TextTable {
  const { decimal_comma, months, pivot, wide, tests } = dialect;
  const textOf = (cell: string | null) => {
    const text = cell?.trim().replace(GROUPED, ungrouped) || null;
    return decimal_comma ? (text?.replace(/^([+-]?\d*),(\d+)$/, '$1.$2') ?? null) : text;
  };
  const header = table.header.map((name) => name.trim());
  const rows = table.rows
    .map(({ line, cells }) => ({ line, cells: cells.map(textOf) }))
    .filter(({ cells }) => cells.some((cell) => cell !== null));
  if (wide) return { ...table, ...widened({ header, rows }, wide, refusal) };
  if (tests) return { ...table, ...testsApart({ header, rows }, tests, refusal) };
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
 * A row for each test of each row, in columns that take the place of the file's own of these names. A test whose cells
 * are blank was not made, unless no test was: then the first one has a row, for its reader to refuse.
 */
function testsApart(
  { header, rows }: TextTable,
  tests: NonNullable<Dialect['tests']>,
  refusal: Refusal,
): Pick<TextTable, 'header' | 'rows'> {
  const indexOf = (name: string) => {
    if (header.includes(name)) return header.indexOf(name);
    throw refusal.at('header')(`columns ${header.join(', ')}`, `a column "${name}" (sources.json, dialect)`);
  };
  const apart = Object.entries(tests).map(([method, named]) => ({
    method,
    at: Object.keys(named)
      .sort()
      .map((name) => indexOf(named[name as keyof typeof named]!)),
  }));
  const made = ['method', ...Object.keys(Object.values(tests)[0]!).sort()];
  const others = [...header.keys()].filter((i) => !made.includes(header[i]!));
  // A number examined by every test says nothing about one of them.
  const isOwn = (index: number) => apart.filter(({ at }) => at.includes(index)).length === 1;
  return {
    header: [...others.map((i) => header[i]!), ...made],
    rows: rows.flatMap(({ line, cells }) => {
      const isMade = ({ at }: (typeof apart)[number]) => at.some((i) => isOwn(i) && cells[i] != null);
      const found = apart.some(isMade) ? apart.filter(isMade) : apart.slice(0, 1);
      return found.map(({ method, at }) => ({
        line,
        cells: [...others.map((i) => cells[i]!), method, ...at.map((i) => cells[i]!)],
      }));
    }),
  };
}

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
  const wide = wideOf({ header, rows });
  const free = (name: string): string => (header.includes(name) ? free(`${name}_`) : name);
  return {
    ...(separator === ',' ? {} : { separator }),
    ...(encoding ? { encoding } : {}),
    ...(decimal ? { decimal_comma: true as const } : {}),
    ...(wide ? { wide } : {}),
    ...(orders.length === 1 ? { pivot: { months: free('period'), values: free('value') } } : {}),
    ...(orders[0] === undefined || orders.length > 1 ? {} : { months: orders[0] }),
  };
}
