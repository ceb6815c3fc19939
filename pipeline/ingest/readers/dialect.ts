/** Brings tables in another dialect into the project's. */
import path from 'node:path';
import type { Dialect } from '../../catalog/dialect.ts';
import { InputLocation } from '../../lib/bad-input.ts';
import { plainName } from '../../lib/name-similarity.ts';
import type { TextTable } from './csv.ts';
import { monthNamed, readMonth, yearsIn } from './months.ts';

/** A number whose thousands are set apart by no-break spaces, as office programs write it; other blanks may be text. */
const GROUPED = /^[+-]?\d{1,3}([\u00a0\u202f]\d{3})+(?=$|[.,])/;
const ungrouped = (number: string) => number.replaceAll(/[\u00a0\u202f]/g, '');

/**
 * The table without blanks around cells or among digits and without empty rows, with decimal points, with a row for
 * each month and for each test, and with a column for each figure.
 * @param file its name
 * @throws BadInput if the dialect has months as columns and no column is named by a month, figures as rows and a figure
 *   twice, columns of tests that the table lacks, or one year for all rows that cannot be told
 */
export function inOwnDialect(table: TextTable, dialect: Dialect, file: string): TextTable {
  const { decimal_comma, months, pivot, wide, merged, year, tests } = dialect;
  const location = new InputLocation(file);
  const cleanCell = (cell: string | null) => {
    const text = cell?.trim().replace(GROUPED, ungrouped) || null;
    return decimal_comma ? (text?.replace(/^([+-]?\d*),(\d+)$/, '$1.$2') ?? null) : text;
  };
  let header = table.header.map((name) => name.trim());
  let rows = table.rows
    .map(({ line, cells }) => ({ line, cells: cells.map(cleanCell) }))
    .filter(({ cells }) => cells.some((cell) => cell !== null));
  if (merged) rows = unmerged({ header, rows }, merged, location);
  if (year) {
    const years = yearsIn(year === 'name' ? path.basename(file) : (table.titles ?? []).join(' '));
    if (years.length !== 1)
      throw location.at(`the ${year}`).error(years.join(', ') || 'no year', 'one year (sources.json, dialect, year)');
    header = [...header, 'year'];
    rows = rows.map(({ line, cells }) => ({ line, cells: [...cells, years[0]!] }));
  }
  if (tests) return { ...table, ...testsApart({ header, rows }, tests, location) };
  const long = pivot ? pivoted({ header, rows }, pivot, months, location) : { header, rows };
  return { ...table, ...(wide ? widened(long, wide, location) : long) };
}

/** A row for each month of those that are columns. */
function pivoted(
  { header, rows }: TextTable,
  pivot: NonNullable<Dialect['pivot']>,
  months: Dialect['months'],
  location: InputLocation,
): TextTable {
  const dated = header.map((name) => readMonth(name, months));
  // Beside months with their year, a column such as `Mar` is something else.
  const named = dated.some((period) => period !== null) ? dated : header.map(monthNamed);
  if (named.every((period) => period === null))
    throw location
      .at('header')
      .error(`columns ${header.join(', ')}`, 'columns named by months (sources.json, dialect)');
  const kept = [...header.keys()].filter((i) => named[i] === null);
  return {
    header: [...kept.map((i) => header[i]!), pivot.months, pivot.values],
    rows: rows.flatMap(({ line, cells }) =>
      named.flatMap((period, i) =>
        period === null ? [] : [{ line, cells: [...kept.map((index) => cells[index]!), period, cells[i]!] }],
      ),
    ),
  };
}

/** The index of a column that the dialect names. */
const columnIn = (header: readonly string[], location: InputLocation) => (name: string) => {
  if (header.includes(name)) return header.indexOf(name);
  throw location.at('header').error(`columns ${header.join(', ')}`, `a column "${name}" (sources.json, dialect)`);
};

/** The rows with the blanks of merged cells filled in. */
function unmerged({ header, rows }: TextTable, merged: readonly string[], location: InputLocation) {
  const columns = merged.map(columnIn(header, location));
  const above: (string | null)[] = [];
  return rows.map(({ line, cells }) => ({
    line,
    cells: cells.map((cell, i) => {
      if (!columns.includes(i)) return cell;
      if (cell !== null) above[i] = cell;
      return above[i] ?? null;
    }),
  }));
}

/**
 * Names, as `plain` writes them, of columns that differ from figure to figure and say nothing of a place: totals and
 * row numbers.
 */
export const OF_THE_ROW = /^((grand)?totals?(general)?|totaux|totais|sn|no|rownumber|)$/;

/** The name of a row's figure: one cell, or several such as an indicator and an age group. */
export const nameIn =
  (indexes: readonly number[]) =>
  ({ cells }: Pick<TextTable['rows'][number], 'cells'>) =>
    indexes.flatMap((index) => cells[index] ?? []).join(' ');

/**
 * A row for each test of each row, in columns that take the place of the file's columns of these names. A test whose
 * cells are blank was not made, unless no test was: then the first one has a row, for its reader to refuse.
 */
function testsApart(
  { header, rows }: TextTable,
  tests: NonNullable<Dialect['tests']>,
  location: InputLocation,
): Pick<TextTable, 'header' | 'rows'> {
  const columnIndex = columnIn(header, location);
  const apart = Object.entries(tests).map(([method, named]) => ({
    method,
    indexes: Object.keys(named)
      .sort()
      .map((name) => columnIndex(named[name as keyof typeof named]!)),
  }));
  const made = ['method', ...Object.keys(Object.values(tests)[0]!).sort()];
  const kept = [...header.keys()].filter((i) => !made.includes(header[i]!));
  // A number examined by every test says nothing about one of them.
  const isOfOneTest = (index: number) => apart.filter(({ indexes }) => indexes.includes(index)).length === 1;
  return {
    header: [...kept.map((i) => header[i]!), ...made],
    rows: rows.flatMap(({ line, cells }) => {
      const isMade = ({ indexes }: (typeof apart)[number]) => indexes.some((i) => isOfOneTest(i) && cells[i] != null);
      const tested = apart.some(isMade) ? apart.filter(isMade) : apart.slice(0, 1);
      return tested.map(({ method, indexes }) => ({
        line,
        cells: [...kept.map((i) => cells[i]!), method, ...indexes.map((i) => cells[i]!)],
      }));
    }),
  };
}

/** A column for each figure, in the order of the first ones; a figure that a row lacks is blank. */
function widened(
  { header, rows }: TextTable,
  { names, values }: NonNullable<Dialect['wide']>,
  location: InputLocation,
): TextTable {
  const columnIndex = columnIn(header, location);
  const [namesAt, valueAt] = [[names].flat().map(columnIndex), columnIndex(values)];
  const figureName = nameIn(namesAt);
  const figures = [...new Set(rows.map(figureName))];
  const kept = [...header.keys()].filter(
    (i) =>
      !namesAt.includes(i) &&
      i !== valueAt &&
      !OF_THE_ROW.test(plainName(header[i]!)) &&
      !namesAt.some((nameAt) => isOfName(rows, nameAt, i)),
  );
  const groups = Map.groupBy(rows, ({ cells }) => JSON.stringify(kept.map((i) => cells[i])));
  return {
    header: [...kept.map((i) => header[i]!), ...figures],
    rows: [...groups.values()].map((group) => {
      const byName = new Map<string, string | null>();
      for (const { line, cells } of group) {
        const name = figureName({ cells });
        if (byName.has(name))
          throw location.at(`row ${line}`).error(`${name} a second time`, 'each figure once for a place and time');
        byName.set(name, cells[valueAt]!);
      }
      const [{ line, cells }] = group as [(typeof group)[number]];
      return { line, cells: [...kept.map((i) => cells[i]!), ...figures.map((name) => byName.get(name) ?? null)] };
    }),
  };
}

/** Whether a column only says the same as that of the names, such as their ids. */
function isOfName(rows: TextTable['rows'], nameAt: number, column: number): boolean {
  const pairs = new Set(rows.map(({ cells }) => JSON.stringify([cells[nameAt], cells[column]])));
  const [ofName, ofColumn] = [nameAt, column].map((index) => new Set(rows.map(({ cells }) => cells[index])).size);
  return pairs.size === ofName && pairs.size === ofColumn && pairs.size > 1;
}
