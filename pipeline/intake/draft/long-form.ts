/** Tables in long form: a row for each figure, whose name stands in up to three columns and its number in another. */
import { FIGURES } from '../../catalog/figures.ts';
import { normalizeTable, ROW_COLUMN_NAME } from '../../ingest/readers/dialect.ts';
import { plainName } from '../../lib/name-similarity.ts';
import {
  type ColumnName,
  candidateColumns,
  countDistinct,
  filledCells,
  guessSubject,
  likeliestColumn,
} from '../columns.ts';
import { type AreaCodes, findPlaceColumn, findTimeColumn } from './draft-keys.ts';
import type { TableFile } from './recognise.ts';
import { numberColumns } from './unnamed-numbers.ts';

/** More different texts are names of places or people. */
const MOST_FIGURES = 300;
const VALUE_NAME = /^val(ue|eur|or)_*$/i;
const NAMED_MEASURES: readonly ColumnName[] = ['rain_mm', 'people', 'confirmed', 'positivity', ...FIGURES];

/**
 * The table with a column for each figure, if it has several rows for a place and time, a column of numbers without a
 * name of its own, and texts that come back in every place and tell the rows apart; else the table itself.
 */
export function widenLongTable(table: TableFile, areas: AreaCodes): TableFile {
  const place = findPlaceColumn(table, areas);
  const facilities = candidateColumns(table.header, 'facility');
  const places = [...new Set([place?.column ?? [], place?.stateColumn ?? [], facilities].flat())];
  if (places.length === 0) return table;
  const time = findTimeColumn(table, places);
  const keys = [...places, ...(typeof time === 'string' ? [] : Object.values(time.columns))];
  const otherColumns = table.header.filter(
    (column) => !keys.includes(column) && !ROW_COLUMN_NAME.test(plainName(column)),
  );
  const numeric = numberColumns(table, otherColumns);
  const isNamed = (column: string) => NAMED_MEASURES.some((name) => likeliestColumn([column], name) !== null);
  const values =
    numeric.find((column) => VALUE_NAME.test(column)) ??
    (numeric.length === 1 && !isNamed(numeric[0]!) ? numeric[0] : undefined);
  if (!values || countDistinct(table, keys) === table.rows.length) return table;
  const texts = otherColumns.filter(
    (column) =>
      !numeric.includes(column) &&
      countDistinct(table, [column]) <= MOST_FIGURES &&
      filledCells(table, column).length === table.rows.length &&
      countDistinct(table, [...places, column]) > countDistinct(table, places) &&
      countDistinct(table, [...places, column]) > countDistinct(table, [column]),
  );
  // Names have blanks, ids have none.
  const hasBlanks = (column: string) => filledCells(table, column).some((cell) => cell.includes(' '));
  const sorted = [...texts.filter(hasBlanks), ...texts.filter((text) => !hasBlanks(text))];
  const names = [1, 2, 3]
    .flatMap((size) => listSubsets(sorted, size))
    .find((columns) => countDistinct(table, [...keys, ...columns]) === table.rows.length);
  if (!names) return table;
  // A text in all rows may say what the figures are, such as cases by age.
  const subject = otherColumns.find((column) => {
    const distinctTexts = [...new Set(filledCells(table, column))];
    return distinctTexts.length === 1 && guessSubject(distinctTexts) !== null;
  });
  if (subject) names.unshift(subject);
  const wide = { names: names.length === 1 ? names[0]! : names, values };
  return { ...table, ...normalizeTable(table, { wide }, table.file), dialect: { ...table.dialect, wide } };
}

/** The subsets of some texts with so many of them, in order. */
const listSubsets = (texts: readonly string[], size: number): string[][] =>
  size === 0
    ? [[]]
    : texts.flatMap((text, i) => listSubsets(texts.slice(i + 1), size - 1).map((others) => [text, ...others]));
