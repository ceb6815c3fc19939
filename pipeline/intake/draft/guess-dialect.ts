/** Recognises how a table is written. */
import path from 'node:path';
import { type Dialect, MONTH_ORDERS, YEAR_LOCATIONS } from '../../catalog/dialect.ts';
import type { CsvFormat, TextTable } from '../../ingest/readers/csv.ts';
import { figureNameReader, ROW_COLUMN_NAME } from '../../ingest/readers/dialect.ts';
import { monthInName, monthOrders, readMonth, yearsIn } from '../../ingest/readers/months.ts';
import { plainName } from '../../lib/name-similarity.ts';

/** The columns of figures in DHIS2 analytics, as JSON and as CSV, the likeliest first. */
const DHIS2_FIGURE_COLUMNS = ['dx.name', 'dx', 'dataname', 'Data'];

/**
 * Names that people give them in tables of their own, as `plainName` writes them, and columns of the figures' ages and
 * sexes.
 */
const COLUMN_NAMES = {
  figure:
    /^(data|donnees?|dados|datos)$|^(nameof|nomde)?(the)?(dataelements?|elements?dedonnees?|elementodedados?|indicat(or|eur)s?|indicador(es)?|variables?)(name|nom)?$/,
  group:
    /^(coname|categoryoptioncombo(name)?|categor(y|ie|ia)|ages?|agegroups?|groupes?d?ages?|tranchesd?age|trancheage|faixaetaria|grupodeedad|grupoetario|sexe?|sexo|gender)$/,
};

/** How a table has several figures in one column; null if it has not. */
function guessWide({ header, rows }: Pick<TextTable, 'header' | 'rows'>): Dialect['wide'] | null {
  const values = header.find((name) => ['value', 'valeur', 'valor'].includes(name.toLowerCase()));
  if (values === undefined) return null;
  const hasSeveralValues = (name: string) => new Set(rows.map(({ cells }) => cells[header.indexOf(name)])).size > 1;
  const dhis2Column = DHIS2_FIGURE_COLUMNS.find((name) => header.includes(name));
  const figure = dhis2Column ?? header.find((name) => COLUMN_NAMES.figure.test(plainName(name)));
  const groups = header.filter((name) => COLUMN_NAMES.group.test(plainName(name)) && hasSeveralValues(name));
  const names = [...(figure === undefined ? [] : [figure]), ...groups];
  // DHIS2's own column says that rows are figures, whatever else is in the table.
  const isWide =
    groups.length === 0 && dhis2Column !== undefined
      ? hasSeveralValues(dhis2Column)
      : rowsAreFigures({ header, rows }, names, values);
  return isWide ? { names: names.length === 1 ? names[0]! : names, values } : null;
}

/** Whether some rows differ in the names alone, and none in the values alone. */
function rowsAreFigures(
  { header, rows }: Pick<TextTable, 'header' | 'rows'>,
  names: readonly string[],
  values: string,
) {
  const indexes = names.map((name) => header.indexOf(name));
  const keyColumns = [...header.keys()].filter(
    (i) => !indexes.includes(i) && header[i] !== values && !ROW_COLUMN_NAME.test(plainName(header[i]!)),
  );
  const keys = rows.map(({ cells }) => JSON.stringify(keyColumns.map((i) => cells[i])));
  const named = rows.map((row, i) => `${keys[i]} ${figureNameReader(indexes)(row)}`);
  return new Set(named).size === rows.length && new Set(keys).size < rows.length;
}

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
  const datedColumns = [undefined, ...MONTH_ORDERS]
    .map((order) => header.filter((name) => readMonth(name.trim(), order) !== null))
    .reduce((most, names) => (names.length > most.length ? names : most));
  const orders = datedColumns.length > 1 ? monthOrders(datedColumns.map((name) => name.trim())) : [];
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
      ? { months: unusedName(hasCalendarMonths ? 'month' : 'period'), values: unusedName('value') }
      : null;
  // Of months as columns, one is enough to see which rows are figures of one place.
  const monthColumns = hasCalendarMonths ? header.filter((name) => monthInName(name.trim()) !== null) : datedColumns;
  const keptIndexes = [...header.keys()].filter((i) => !pivot || !monthColumns.includes(header[i]!));
  const filledRows = rows.filter(({ cells }) => cells.some((cell) => cell?.trim()));
  const wide = guessWide({
    header: [...keptIndexes.map((i) => header[i]!.trim()), ...(pivot ? [pivot.values] : [])],
    rows: filledRows.map(({ line, cells }) => ({
      line,
      cells: [...keptIndexes.map((i) => cells[i]!), ...(pivot ? [null] : [])],
    })),
  });
  return {
    ...(separator === ',' ? {} : { separator }),
    ...(encoding ? { encoding } : {}),
    ...(sheet === undefined ? {} : { sheet }),
    ...(titles.length > 0 ? { title_rows: titles.length } : {}),
    ...(year ? { year } : {}),
    ...(merged.length > 0 ? { merged } : {}),
    ...(hasDecimalComma ? { decimal_comma: true as const } : {}),
    ...(wide ? { wide } : {}),
    ...(pivot ? { pivot } : {}),
    ...(orders[0] === undefined || orders.length > 1 ? {} : { months: orders[0] }),
  };
}

/** Whether a column has years alone. */
const hasYears = ({ header, rows }: Pick<TextTable, 'header' | 'rows'>) =>
  header.some((_, i) => {
    const texts = filledTexts(rows, i);
    return texts.length > 0 && texts.every((text) => /^(19|20)\d\d$/.test(text));
  });
