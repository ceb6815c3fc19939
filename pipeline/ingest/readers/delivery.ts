/** What a file of a table delivered, before any row is left out, and what became of each row. */
import { AREA_COLUMNS, TEXT_COLUMNS } from '../../catalog/roles.ts';
import type { Source } from '../../catalog/sources.ts';
import { daysIn, monthText, readMonth, readMonthOfYear, yearsIn } from './months.ts';

export const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

export interface DeliveredRow {
  /** Null for a row without a time. */
  readonly year: number | null;
  /** Null for a row without a month. */
  readonly period: string | null;
  /** The name or code of the largest area that is told; empty if none is. */
  readonly place: string;
  /** The columns that tell the rows apart, as far as they are filled: of a district and of its region, they are others. */
  readonly key: string;
  /** The rule by which its counts are not taken; null if they are. */
  leftOutBy: string | null;
  /** What a rule made of its counts: how much a figure has more than the file. */
  adjustments: { figure: string; rule: string; amount: number }[];
}

interface DeliveryColumn {
  column: string;
  figure: string | null;
  isKey: boolean;
  /** Why the catalog does not take it; null if it does, or says nothing. */
  reason: string | null;
  numbers: Float64Array;
  /** The first text among them; null if there is none. */
  text: string | null;
}

/** The texts of a column, the most frequent first, and in how many rows each stands. */
export interface RowLabels {
  column: string;
  rowsByText: readonly (readonly [text: string, rows: number])[];
}

export interface Delivery {
  /** Id of the source. */
  source: string;
  file: string;
  rows: readonly DeliveredRow[];
  /** Columns of numbers: NaN for a blank cell, infinity for text. */
  columns: readonly DeliveryColumn[];
  /** Unused columns of text that tell rows of one place apart, such as ages, units or data elements. */
  labels: readonly RowLabels[];
  /** The days of the month that its times name; a month alone has none. */
  days: ReadonlySet<string>;
  /** People of the areas with cases in a year; a year is absent if they are not known. */
  people?: ReadonlyMap<number, number>;
}

/** A column with more texts is one of names. */
const MOST_LABELS = 12;
/** A column of which more cells are text is not one of numbers. */
const MOST_TEXT_SHARE = 0.05;
const TIME_COLUMNS: readonly string[] = ['period', 'year', 'month', 'survey_year'];
/** Columns that say which row it is, or where. */
const KEY_COLUMNS: readonly string[] = [...TEXT_COLUMNS, 'longitude', 'latitude'];

/**
 * @param header of the file in the project's form, with months as rows
 * @param usedColumns the project's columns and the file's that each is made of
 */
export function recordDelivery(
  source: Partial<Source>,
  file: string,
  header: readonly string[],
  cells: readonly (readonly (string | null)[])[],
  usedColumns: readonly { projectColumn: string; fileColumns: readonly string[]; indexes: readonly number[] }[],
): Delivery {
  const timeColumns = usedColumns.filter(({ projectColumn }) => TIME_COLUMNS.includes(projectColumn));
  const months = source.dialect?.months;
  const rowTime = (row: readonly (string | null)[]) => {
    const values = Object.fromEntries(
      timeColumns.map(({ projectColumn, indexes }) => [projectColumn, row[indexes[0]!] ?? null]),
    );
    const month = values.month ? readMonthOfYear(values.month) : null;
    const text = monthText(month === null ? values : { ...values, month }) ?? values.survey_year ?? values.year ?? '';
    const period = readMonth(text, months);
    return { year: Number((period ?? text).match(/^(?:19|20)\d\d/)?.[0]) || null, period };
  };
  const times = cells.map(rowTime);
  const countPlaces = (index: number) => new Set(cells.map((row) => row[index])).size;
  const [placeIndex = -1] = usedColumns
    .filter(({ projectColumn }) => AREA_COLUMNS.includes(projectColumn))
    .flatMap(({ indexes }) => indexes)
    .sort((a, b) => countPlaces(a) - countPlaces(b));
  const key = findKey(
    cells,
    usedColumns.filter(({ projectColumn }) => KEY_COLUMNS.includes(projectColumn)),
  );
  const figures = new Map(
    usedColumns.flatMap(({ projectColumn, fileColumns }) => fileColumns.map((name) => [name, projectColumn])),
  );
  return {
    source: source.id ?? file,
    file,
    rows: cells.map((row, i) => ({
      ...times[i]!,
      place: row[placeIndex] ?? '',
      key: key.filter((column) => row[header.indexOf(column)] != null).join(' + '),
      leftOutBy: null,
      adjustments: [],
    })),
    columns: header.flatMap((column, index) => {
      const figure = figures.get(column) ?? null;
      const isKey = KEY_COLUMNS.includes(figure ?? '') || source.where?.[column] !== undefined;
      const numbers = parseNumbers(cells, index, figure !== null && !isKey);
      const reason = source.unused?.[column] ?? null;
      const textRow = numbers?.indexOf(Number.POSITIVE_INFINITY) ?? -1;
      return numbers ? [{ column, figure, isKey, reason, numbers, text: cells[textRow]?.[index] ?? null }] : [];
    }),
    labels: findLabels(
      header,
      cells,
      usedColumns,
      (row) => rowTime(row).year,
      (column) => !figures.has(column) && source.where?.[column] === undefined && source.unused?.[column] === undefined,
    ),
    days: months?.includes('day')
      ? daysIn(
          timeColumns.flatMap(({ indexes }) => cells.flatMap((row) => row[indexes[0]!] ?? [])),
          months,
        )
      : new Set(),
  };
}

/** A column's numbers; null if it is one of text. @param isTaken whether it must be one of numbers */
function parseNumbers(cells: readonly (readonly (string | null)[])[], index: number, isTaken: boolean) {
  const numbers = new Float64Array(cells.length);
  let [textCells, filledCells] = [0, 0];
  for (const [i, row] of cells.entries()) {
    const cell = row[index] ?? null;
    if (cell === null) numbers[i] = Number.NaN;
    else {
      filledCells += 1;
      numbers[i] = DECIMAL.test(cell) ? Number(cell) : Number.POSITIVE_INFINITY;
      if (numbers[i] === Number.POSITIVE_INFINITY) textCells += 1;
      if (!isTaken && filledCells === 100 && textCells > 50) return null;
    }
  }
  return isTaken || (filledCells > 0 && textCells <= MOST_TEXT_SHARE * filledCells) ? numbers : null;
}

/**
 * Of the columns that are not used, those whose texts tell apart rows of one place: not what follows from the place,
 * such as its region, from the calendar month, such as its season, or names the year, such as that of a survey.
 */
function findLabels(
  header: readonly string[],
  cells: readonly (readonly (string | null)[])[],
  usedColumns: readonly { projectColumn: string; indexes: readonly number[] }[],
  rowYear: (row: readonly (string | null)[]) => number | null,
  isUnused: (column: string) => boolean,
): RowLabels[] {
  const keyIndexes = (isTime: boolean) =>
    usedColumns
      .filter(({ projectColumn }) =>
        isTime
          ? TIME_COLUMNS.includes(projectColumn)
          : KEY_COLUMNS.includes(projectColumn) && !TIME_COLUMNS.includes(projectColumn),
      )
      .flatMap(({ indexes }) => indexes);
  const [placeIndexes, timeIndexes] = [keyIndexes(false), keyIndexes(true)];
  const placeOf = (row: readonly (string | null)[]) => placeIndexes.map((index) => row[index]).join('\n');
  const monthOf = (row: readonly (string | null)[]) =>
    timeIndexes.map((index) => row[index]?.match(/\d\d?$/)?.[0] ?? row[index]).join('\n');
  return header.flatMap((column, index): RowLabels[] => {
    const rowCounts = isUnused(column) ? countTexts(cells, index) : null;
    if (rowCounts === null || rowCounts.size < 2) return [];
    const labelledRows = cells.filter((row) => row[index] != null);
    const followsFrom = (group: (row: readonly (string | null)[]) => string) => {
      const textByGroup = new Map(labelledRows.map((row) => [group(row), row[index]]));
      return labelledRows.every((row) => textByGroup.get(group(row)) === row[index]);
    };
    const namesYear = labelledRows.every((row) => {
      const year = rowYear(row);
      return year !== null && row[index]!.includes(String(year).slice(-2));
    });
    return namesYear || followsFrom(placeOf) || followsFrom(monthOf)
      ? []
      : [{ column, rowsByText: [...rowCounts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)) }];
  });
}

/** In how many rows each text of a column stands; null for a column of numbers or names. */
function countTexts(cells: readonly (readonly (string | null)[])[], index: number): Map<string, number> | null {
  const rowCounts = new Map<string, number>();
  for (const row of cells) {
    const text = row[index] ?? null;
    if (text === null) continue;
    rowCounts.set(text, (rowCounts.get(text) ?? 0) + 1);
    if (DECIMAL.test(text) || rowCounts.size > MOST_LABELS) return null;
  }
  return rowCounts;
}

/**
 * The fewest of the columns of places and times that tell the rows apart; all if they do not. Counted, not assumed: names
 * may repeat between areas, and codes between countries' parts.
 */
function findKey(
  cells: readonly (readonly (string | null)[])[],
  columns: readonly { fileColumns: readonly string[]; indexes: readonly number[] }[],
): string[] {
  const countDistinct = (indexes: readonly number[]) =>
    new Set(cells.map((row) => indexes.map((index) => row[index]).join('\n'))).size;
  const keyParts = columns.map(({ fileColumns, indexes }) => ({
    fileColumns,
    indexes,
    values: countDistinct(indexes),
  }));
  const subsets: (typeof keyParts)[] = [[]];
  for (const part of keyParts) subsets.push(...subsets.map((subset) => [...subset, part]));
  subsets.sort((a, b) => a.length - b.length);
  const unique = subsets.find(
    (subset) =>
      subset.reduce((most, { values }) => most * values, 1) >= cells.length &&
      countDistinct(subset.flatMap(({ indexes }) => indexes)) === cells.length,
  );
  return (unique ?? keyParts).flatMap(({ fileColumns }) => fileColumns);
}

/** The year in the name of a column whose rows have none, such as people of several years side by side. */
export const yearInName = (column: string): number | null => {
  const years = yearsIn(column);
  return years.length === 1 ? Number(years[0]) : null;
};
