/** What a file of a table delivered, before any row is left out, and what became of each row. */
import { TEXT_COLUMNS } from '../../catalog/roles.ts';
import type { Source } from '../../catalog/sources.ts';
import { monthText, readMonth, yearsIn } from './months.ts';

export const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

export interface DeliveredRow {
  /** Null for a row without a time. */
  readonly year: number | null;
  /** The rule by which its counts are not taken; null if they are. */
  leftOut: string | null;
  /** What a rule made of its counts: how much a figure has more than the file. */
  added: { figure: string; rule: string; amount: number }[];
}

interface DeliveredColumn {
  column: string;
  figure: string | null;
  isKey: boolean;
  /** Why the catalog does not take it; null if it does, or says nothing. */
  reason: string | null;
  numbers: Float64Array;
}

export interface Delivered {
  /** Id of the source. */
  source: string;
  file: string;
  rows: readonly DeliveredRow[];
  /** Columns of numbers: NaN for a blank cell, infinity for text. */
  columns: readonly DeliveredColumn[];
  /** The fewest of the columns of places and times that tell the rows apart; all if they do not. */
  key: readonly string[];
  /** People of the areas with cases in a year; a year is absent if they are not known. */
  people?: ReadonlyMap<number, number>;
}

/** A column of which more cells are text is not one of numbers. */
const MOST_TEXT = 0.05;
const TIMES: readonly string[] = ['period', 'year', 'month', 'survey_year'];
/** Columns that say which row it is, or where. */
const KEYS: readonly string[] = [...TEXT_COLUMNS, 'longitude', 'latitude'];

/**
 * @param header of the file in the project's form, with months as rows
 * @param used the project's columns and the file's that each is made of
 */
export function deliver(
  source: Partial<Source>,
  file: string,
  header: readonly string[],
  cells: readonly (readonly (string | null)[])[],
  used: readonly { ours: string; names: readonly string[]; indexes: readonly number[] }[],
): Delivered {
  const times = used.filter(({ ours }) => TIMES.includes(ours));
  const months = source.dialect?.months;
  const yearOf = (row: readonly (string | null)[]) => {
    const values = Object.fromEntries(times.map(({ ours, indexes }) => [ours, row[indexes[0]!] ?? null]));
    const text = monthText(values) ?? values.survey_year ?? values.year ?? '';
    return Number((readMonth(text, months) ?? text).match(/^(?:19|20)\d\d/)?.[0]) || null;
  };
  const figures = new Map(used.flatMap(({ ours, names }) => names.map((name) => [name, ours])));
  return {
    source: source.id ?? file,
    file,
    rows: cells.map((row) => ({ year: yearOf(row), leftOut: null, added: [] })),
    columns: header.flatMap((column, index) => {
      const figure = figures.get(column) ?? null;
      const isKey = KEYS.includes(figure ?? '') || source.where?.[column] !== undefined;
      const numbers = numbersIn(cells, index, figure !== null && !isKey);
      const reason = source.unused?.[column] ?? null;
      return numbers ? [{ column, figure, isKey, reason, numbers }] : [];
    }),
    key: keyOf(
      cells,
      used.filter(({ ours }) => KEYS.includes(ours)),
    ),
  };
}

/** A column's numbers; null if it is one of text. @param isTaken whether it must be one of numbers */
function numbersIn(cells: readonly (readonly (string | null)[])[], index: number, isTaken: boolean) {
  const numbers = new Float64Array(cells.length);
  let [text, filled] = [0, 0];
  for (const [i, row] of cells.entries()) {
    const cell = row[index] ?? null;
    if (cell === null) numbers[i] = Number.NaN;
    else {
      filled += 1;
      numbers[i] = DECIMAL.test(cell) ? Number(cell) : Number.POSITIVE_INFINITY;
      if (numbers[i] === Number.POSITIVE_INFINITY) text += 1;
      if (!isTaken && filled === 100 && text > 50) return null;
    }
  }
  return isTaken || (filled > 0 && text <= MOST_TEXT * filled) ? numbers : null;
}

/** Counted, not assumed: names may repeat between areas, and codes between countries' parts. */
function keyOf(
  cells: readonly (readonly (string | null)[])[],
  columns: readonly { names: readonly string[]; indexes: readonly number[] }[],
): string[] {
  const distinct = (indexes: readonly number[]) =>
    new Set(cells.map((row) => indexes.map((index) => row[index]).join('\n'))).size;
  const parts = columns.map(({ names, indexes }) => ({ names, indexes, values: distinct(indexes) }));
  const subsets: (typeof parts)[] = [[]];
  for (const part of parts) subsets.push(...subsets.map((subset) => [...subset, part]));
  subsets.sort((a, b) => a.length - b.length);
  const unique = subsets.find(
    (subset) =>
      subset.reduce((most, { values }) => most * values, 1) >= cells.length &&
      distinct(subset.flatMap(({ indexes }) => indexes)) === cells.length,
  );
  return (unique ?? parts).flatMap(({ names }) => names);
}

/** The year in the name of a column whose rows have none, such as people of several years side by side. */
export const yearNamed = (column: string): number | null => {
  const years = yearsIn(column);
  return years.length === 1 ? Number(years[0]) : null;
};
