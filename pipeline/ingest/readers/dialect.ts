/** Brings tables in another dialect into the project's. */
import path from 'node:path';
import type { Dialect } from '../../catalog/dialect.ts';
import { InputLocation } from '../../lib/bad-input.ts';
import { plainName } from '../../lib/name-similarity.ts';
import type { TextTable } from './csv.ts';
import { DECIMAL } from './delivery.ts';
import { monthInName, readMonth, splitHeading, yearsIn } from './months.ts';

/** A number whose thousands are set apart by no-break spaces, as office programs write it; other blanks may be text. */
const GROUPED_DIGITS = /^[+-]?\d{1,3}([\u00a0\u202f]\d{3})+(?=$|[.,])/;
/**
 * How many cells of a column have a mark between their thousands: all, or some beside numbers below a thousand; null if
 * none has, or a cell has the mark elsewhere. With decimals, nearly all would have the mark.
 */
export function markedThousands(cells: readonly (string | null)[], mark: ',' | '.'): 'all' | 'some' | null {
  const decimalMark = mark === ',' ? '.' : ',';
  const numbers = cells
    .filter((cell) => cell !== null && /\d/.test(cell))
    .map((cell) => cell!.trim().replace(/^[+-]/, '').split(decimalMark)[0]!.split(mark));
  const marked = numbers.filter((groups) => groups.length > 1);
  const isGrouped = ([first, ...others]: readonly string[]) =>
    /^\d{1,3}$/.test(first!) && others.every((group) => /^\d{3}$/.test(group));
  if (marked.length === 0 || !numbers.every(isGrouped) || marked.some(([first]) => first === '0')) return null;
  return marked.length < numbers.length ? 'some' : 'all';
}

const removeGrouping = (number: string) => number.replaceAll(/[\u00a0\u202f]/g, '');

/**
 * The table without blanks around cells or among digits and without empty rows, with decimal points, with a row for
 * each month and for each test, and with a column for each figure.
 * @param file its name
 * @throws BadInput if the dialect has months as columns and no column is named by a month, figures as rows and a figure
 *   twice, columns of tests that the table lacks, or one year for all rows that cannot be told
 */
export function normalizeTable(table: TextTable, dialect: Dialect, file: string): TextTable {
  const { decimal_comma, thousands, months, pivot, wide, merged, year, tests, sheet = '' } = dialect;
  const location = new InputLocation(file);
  // Beside decimal commas, points are such marks even if all numbers have one.
  const [mark, enough] = decimal_comma ? (['.', ['all', 'some']] as const) : ([',', ['some']] as const);
  const isMarked = table.header.map((_, i) => {
    const columnCells = table.rows.map(({ cells }) => cells[i] ?? null);
    return enough.some((amount) => amount === markedThousands(columnCells, mark));
  });
  const cleanCell = (cell: string | null, i: number) => {
    const text = cell?.trim().replace(GROUPED_DIGITS, removeGrouping) || null;
    const number = isMarked[i] && text !== null && /\d/.test(text) ? text.replaceAll(mark, '') : text;
    return decimal_comma ? (number?.replace(/^([+-]?\d*),(\d+)$/, '$1.$2') ?? null) : number;
  };
  let header = table.header.map((name) => name.trim());
  let rows = table.rows
    .map(({ line, cells }) => ({ line, cells: cells.map(cleanCell) }))
    .filter(({ cells }) => cells.some((cell) => cell !== null));
  if (merged) rows = fillMergedCells({ header, rows }, merged, location);
  if (year) {
    const texts = { name: path.basename(file), sheet, title: (table.titles ?? []).join(' ') };
    const years = yearsIn(texts[year]);
    if (years.length !== 1)
      throw location.at(`the ${year}`).error(years.join(', ') || 'no year', 'one year (sources.json, dialect, year)');
    header = [...header, 'year'];
    rows = rows.map(({ line, cells }) => ({ line, cells: [...cells, years[0]!] }));
  }
  if (tests) return { ...table, ...splitTests({ header, rows }, tests, location) };
  const longTable = pivot ? pivotMonths({ header, rows }, pivot, months, location) : { header, rows };
  const wideTable = wide ? widenFigures(longTable, wide, location) : longTable;
  return { ...table, ...(thousands ? multiplyThousands(wideTable, thousands, location) : wideTable) };
}

/** Counts in thousands as whole numbers: at most three decimals are more than rounding. */
function multiplyThousands(
  { header, rows }: TextTable,
  columns: readonly string[],
  location: InputLocation,
): TextTable {
  const indexes = columns.map(columnFinder(header, location));
  const multiply = (cell: string) => (/^\d+(\.\d{1,3})?$/.test(cell) ? String(Math.round(1000 * Number(cell))) : cell);
  return {
    header,
    rows: rows.map(({ line, cells }) => ({
      line,
      cells: cells.map((cell, i) => (cell !== null && indexes.includes(i) ? multiply(cell) : cell)),
    })),
  };
}

/** A row for each month of those that are columns. */
function pivotMonths(
  { header, rows }: TextTable,
  pivot: NonNullable<Dialect['pivot']>,
  months: Dialect['months'],
  location: InputLocation,
): TextTable {
  const headings = header.map((name) => (pivot.figures ? splitHeading(name, months) : null));
  const fullMonths = header.map((name, i) => (pivot.figures ? headings[i]?.month : readMonth(name, months)) ?? null);
  // Beside months with their year, a column such as `Mar` is something else.
  const columnMonths = fullMonths.some((period) => period !== null) ? fullMonths : header.map(monthInName);
  if (columnMonths.every((period) => period === null))
    throw location
      .at('header')
      .error(`columns ${header.join(', ')}`, 'columns named by months (sources.json, dialect)');
  const keptColumns = [...header.keys()].filter((i) => columnMonths[i] === null);
  return {
    header: [...keptColumns.map((i) => header[i]!), pivot.figures ?? [], pivot.months, pivot.values].flat(),
    rows: rows.flatMap(({ line, cells }) => {
      const keptCells = keptColumns.map((index) => cells[index]!);
      return columnMonths.flatMap((period, i) => {
        const figure = headings[i]?.figure ?? [];
        return period === null ? [] : [{ line, cells: [...keptCells, figure, period, cells[i]!].flat() }];
      });
    }),
  };
}

/** The index of a column that the dialect names. */
const columnFinder = (header: readonly string[], location: InputLocation) => (name: string) => {
  if (header.includes(name)) return header.indexOf(name);
  throw location.at('header').error(`columns ${header.join(', ')}`, `a column "${name}" (sources.json, dialect)`);
};

/** The rows with the blanks of merged cells filled in. */
function fillMergedCells({ header, rows }: TextTable, merged: readonly string[], location: InputLocation) {
  const columns = merged.map(columnFinder(header, location));
  const valueAbove: (string | null)[] = [];
  return rows.map(({ line, cells }) => ({
    line,
    cells: cells.map((cell, i) => {
      if (!columns.includes(i)) return cell;
      if (cell !== null) valueAbove[i] = cell;
      return valueAbove[i] ?? null;
    }),
  }));
}

/**
 * Names, as `plain` writes them, of columns that differ from figure to figure and say nothing of a place: totals, row
 * numbers, and who entered a value of DHIS2 and when.
 */
export const ROW_COLUMN_NAME =
  /^((grand)?totals?(general)?|totaux|totais|sn|no|rownumber|storedby|created|lastupdated|comment|followup|)$/;

/**
 * A row for each test of each row, in columns that take the place of the file's columns of these names. A test whose
 * cells are blank was not made, unless no test was: then the first one has a row, for its reader to refuse.
 */
function splitTests(
  { header, rows }: TextTable,
  tests: NonNullable<Dialect['tests']>,
  location: InputLocation,
): Pick<TextTable, 'header' | 'rows'> {
  const columnIndex = columnFinder(header, location);
  const testColumns = Object.entries(tests).map(([method, columnByFigure]) => ({
    method,
    indexes: Object.keys(columnByFigure)
      .sort()
      .map((name) => columnIndex(columnByFigure[name as keyof typeof columnByFigure]!)),
  }));
  const newColumns = ['method', ...Object.keys(Object.values(tests)[0]!).sort()];
  const keptColumns = [...header.keys()].filter((i) => !newColumns.includes(header[i]!));
  // A number examined by every test says nothing about one of them.
  const isOfOneTest = (index: number) => testColumns.filter(({ indexes }) => indexes.includes(index)).length === 1;
  return {
    header: [...keptColumns.map((i) => header[i]!), ...newColumns],
    rows: rows.flatMap(({ line, cells }) => {
      const hasResult = ({ indexes }: (typeof testColumns)[number]) =>
        indexes.some((i) => isOfOneTest(i) && cells[i] != null);
      const testsWithResult = testColumns.some(hasResult) ? testColumns.filter(hasResult) : testColumns.slice(0, 1);
      return testsWithResult.map(({ method, indexes }) => ({
        line,
        cells: [...keptColumns.map((i) => cells[i]!), method, ...indexes.map((i) => cells[i]!)],
      }));
    }),
  };
}

/** A column for each figure, in the order of the first ones; a figure that a row lacks is blank. */
function widenFigures(
  { header, rows }: TextTable,
  { names, values, labels = {}, sum }: NonNullable<Dialect['wide']>,
  location: InputLocation,
): TextTable {
  const columnIndex = columnFinder(header, location);
  const [nameIndexes, valueIndex] = [[names].flat().map(columnIndex), columnIndex(values)];
  // One cell, or several such as an indicator and an age group.
  const figureName = ({ cells }: Pick<TextTable['rows'][number], 'cells'>) =>
    nameIndexes.flatMap((index) => labels[cells[index] ?? ''] ?? cells[index] ?? []).join(' ');
  const figures = [...new Set(rows.map(figureName))];
  const keptColumns = [...header.keys()].filter(
    (i) =>
      !nameIndexes.includes(i) &&
      i !== valueIndex &&
      !ROW_COLUMN_NAME.test(plainName(header[i]!)) &&
      !nameIndexes.some((nameIndex) => isAliasColumn(rows, nameIndex, i)),
  );
  const groups = Map.groupBy(rows, ({ cells }) => JSON.stringify(keptColumns.map((i) => cells[i])));
  return {
    header: [...keptColumns.map((i) => header[i]!), ...figures],
    rows: [...groups.values()].map((group) => {
      const byName = new Map<string, string | null>();
      for (const { line, cells } of group) {
        const name = figureName({ cells });
        const [earlier, value] = [byName.get(name), cells[valueIndex]!];
        if (earlier && sum && DECIMAL.test(earlier) && DECIMAL.test(value ?? '')) {
          byName.set(name, String(Number(earlier) + Number(value)));
          continue;
        }
        if (byName.has(name))
          throw location.at(`row ${line}`).error(`${name} a second time`, 'each figure once for a place and time');
        byName.set(name, value);
      }
      const [{ line, cells }] = group as [(typeof group)[number]];
      return {
        line,
        cells: [...keptColumns.map((i) => cells[i]!), ...figures.map((name) => byName.get(name) ?? null)],
      };
    }),
  };
}

/** Whether a column only says the same as that of the names, such as their ids. */
function isAliasColumn(rows: TextTable['rows'], nameIndex: number, column: number): boolean {
  const pairs = new Set(rows.map(({ cells }) => JSON.stringify([cells[nameIndex], cells[column]])));
  const [distinctNames, distinctValues] = [nameIndex, column].map(
    (index) => new Set(rows.map(({ cells }) => cells[index])).size,
  );
  return pairs.size === distinctNames && pairs.size === distinctValues && pairs.size > 1;
}
