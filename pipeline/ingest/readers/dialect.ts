/** Tables in another dialect than the project's own, brought into it. */
import path from 'node:path';
import { type Dialect, MONTH_ORDERS, YEAR_FROM } from '../../catalog/dialect.ts';
import { type Refusal, refusalIn } from '../../lib/bad-input.ts';
import { plain } from '../../lib/likeness.ts';
import type { ReadCsv, TextTable } from './csv.ts';
import { monthOrdersOf, readMonth, readMonthOfYear } from './months.ts';

/** A number whose thousands are set apart by no-break spaces, as office programs write it; other blanks may be text. */
const GROUPED = /^[+-]?\d{1,3}([\u00a0\u202f]\d{3})+(?=$|[.,])/;
const ungrouped = (number: string) => number.replaceAll(/[\u00a0\u202f]/g, '');

/**
 * The table without blanks around cells or among digits and without empty rows, with decimal points, with a row for each
 * month and for each test, and with a column for each figure.
 * @param file its name
 * @throws BadInput if the dialect has months as columns and no column is named by a month, figures as rows and a figure
 *   twice, columns of tests that the table lacks, or one year for all rows that cannot be told
 */
export function inOwnDialect(table: TextTable, dialect: Dialect, file: string): TextTable {
  const { decimal_comma, months, pivot, wide, merged, year, tests } = dialect;
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
  if (tests) return { ...table, ...testsApart({ header, rows }, tests, refusal) };
  const long = pivot ? pivoted({ header, rows }, pivot, months, refusal) : { header, rows };
  return { ...table, ...(wide ? widened(long, wide, refusal) : long) };
}

/** A row for each month of those that are columns. */
function pivoted(
  { header, rows }: TextTable,
  pivot: NonNullable<Dialect['pivot']>,
  months: Dialect['months'],
  refusal: Refusal,
): TextTable {
  const named = header.map((name) => readMonth(name, months) ?? monthNamed(name));
  if (named.every((period) => period === null))
    throw refusal.at('header')(`columns ${header.join(', ')}`, 'columns named by months (sources.json, dialect)');
  const others = [...header.keys()].filter((i) => named[i] === null);
  return {
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

/** Names, as `plain` writes them, of columns that differ from figure to figure and say nothing of a place: totals and row numbers. */
const OF_THE_ROW = /^((grand)?totals?(general)?|totaux|totais|sn|no|rownumber|)$/;

/** The name of a row's figure: one cell, or several such as an indicator and an age group. */
const nameIn =
  (at: readonly number[]) =>
  ({ cells }: Pick<TextTable['rows'][number], 'cells'>) =>
    at.flatMap((index) => cells[index] ?? []).join(' ');

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
  const indexOf = (name: string) => {
    if (header.includes(name)) return header.indexOf(name);
    throw refusal.at('header')(`columns ${header.join(', ')}`, `a column "${name}" (sources.json, dialect)`);
  };
  const [namesAt, valueAt] = [[names].flat().map(indexOf), indexOf(values)];
  const nameOf = nameIn(namesAt);
  const figures = [...new Set(rows.map(nameOf))];
  const others = [...header.keys()].filter(
    (i) =>
      !namesAt.includes(i) &&
      i !== valueAt &&
      !OF_THE_ROW.test(plain(header[i]!)) &&
      !namesAt.some((at) => isOfName(rows, at, i)),
  );
  const groups = Map.groupBy(rows, ({ cells }) => JSON.stringify(others.map((i) => cells[i])));
  return {
    header: [...others.map((i) => header[i]!), ...figures],
    rows: [...groups.values()].map((own) => {
      const byName = new Map<string, string | null>();
      for (const { line, cells } of own) {
        const name = nameOf({ cells });
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

/** Names that people give them in tables of their own, as `plain` writes them, and columns of the figures' ages and sexes. */
const NAMES = {
  figure:
    /^(data|donnees?|dados|datos)$|^(nameof|nomde)?(the)?(dataelements?|elements?dedonnees?|elementodedados?|indicat(or|eur)s?|indicador(es)?|variables?)(name|nom)?$/,
  group:
    /^(coname|categoryoptioncombo(name)?|categor(y|ie|ia)|ages?|agegroups?|groupes?d?ages?|tranchesd?age|trancheage|faixaetaria|grupodeedad|grupoetario|sexe?|sexo|gender)$/,
};

/** How a table has several figures in one column; null if it has not. */
function wideOf({ header, rows }: Pick<TextTable, 'header' | 'rows'>): Dialect['wide'] | null {
  const values = header.find((name) => ['value', 'valeur', 'valor'].includes(name.toLowerCase()));
  if (values === undefined) return null;
  const isSeveral = (name: string) => new Set(rows.map(({ cells }) => cells[header.indexOf(name)])).size > 1;
  const ofDhis2 = FIGURES.find((name) => header.includes(name));
  const figure = ofDhis2 ?? header.find((name) => NAMES.figure.test(plain(name)));
  const groups = header.filter((name) => NAMES.group.test(plain(name)) && isSeveral(name));
  const names = [...(figure === undefined ? [] : [figure]), ...groups];
  // DHIS2's own column says that rows are figures, whatever else is in the table.
  const isWide =
    groups.length === 0 && ofDhis2 !== undefined ? isSeveral(ofDhis2) : areFigures({ header, rows }, names, values);
  return isWide ? { names: names.length === 1 ? names[0]! : names, values } : null;
}

/** Whether some rows differ in the names alone, and none in the values alone. */
function areFigures({ header, rows }: Pick<TextTable, 'header' | 'rows'>, names: readonly string[], values: string) {
  const at = names.map((name) => header.indexOf(name));
  const others = [...header.keys()].filter(
    (i) => !at.includes(i) && header[i] !== values && !OF_THE_ROW.test(plain(header[i]!)),
  );
  const keys = rows.map(({ cells }) => JSON.stringify(others.map((i) => cells[i])));
  const named = rows.map((row, i) => `${keys[i]} ${nameIn(at)(row)}`);
  return new Set(named).size === rows.length && new Set(keys).size < rows.length;
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
  const merged = mergedOf({ header, rows });
  // Months without their year: that of all rows stands elsewhere, unless a column has it.
  const calendar = orders.length === 0 && header.filter((name) => monthNamed(name.trim()) !== null).length >= 6;
  const texts = { name: path.basename(file), title: titles.join(' ') };
  const year =
    calendar && !hasYears({ header, rows }) ? YEAR_FROM.find((place) => yearsIn(texts[place]).length === 1) : undefined;
  const free = (name: string): string => (header.includes(name) ? free(`${name}_`) : name);
  const pivot =
    orders.length === 1 || calendar ? { months: free(calendar ? 'month' : 'period'), values: free('value') } : null;
  // Of months as columns, one is enough to see which rows are figures of one place.
  const ofMonths = calendar ? header.filter((name) => monthNamed(name.trim()) !== null) : months;
  const others = [...header.keys()].filter((i) => !pivot || !ofMonths.includes(header[i]!));
  const filled = rows.filter(({ cells }) => cells.some((cell) => cell?.trim()));
  const wide = wideOf({
    header: [...others.map((i) => header[i]!.trim()), ...(pivot ? [pivot.values] : [])],
    rows: filled.map(({ line, cells }) => ({
      line,
      cells: [...others.map((i) => cells[i]!), ...(pivot ? [null] : [])],
    })),
  });
  return {
    ...(separator === ',' ? {} : { separator }),
    ...(encoding ? { encoding } : {}),
    ...(titles.length > 0 ? { title_rows: titles.length } : {}),
    ...(year ? { year } : {}),
    ...(merged.length > 0 ? { merged } : {}),
    ...(decimal ? { decimal_comma: true as const } : {}),
    ...(wide ? { wide } : {}),
    ...(pivot ? { pivot } : {}),
    ...(orders[0] === undefined || orders.length > 1 ? {} : { months: orders[0] }),
  };
}
