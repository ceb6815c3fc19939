/** Tables in long form: a row for each figure, whose name stands in up to three columns and its number in another. */
import { FIGURES } from '../../catalog/figures.ts';
import { normalizeTable, ROW_COLUMN_NAME } from '../../ingest/readers/dialect.ts';
import { plainName } from '../../lib/name-similarity.ts';
import {
  type ColumnName,
  candidateColumns,
  cellsByRow,
  countDistinct,
  filledCells,
  guessSubject,
  isUid,
  likeliestColumn,
} from '../columns.ts';
import { type AreaCodes, findPlaceColumn, findTimeColumn } from './draft-keys.ts';
import type { TableFile } from './recognise.ts';
import { numberColumns } from './unnamed-numbers.ts';

/** More different texts are names of places or people. */
const MOST_FIGURES = 300;
const VALUE_NAME = /^val(ue|eur|or)_*$/i;
/** The column of data elements in files of DHIS2. */
const ELEMENT_COLUMN = /^(dx|dx\.name|data|data_?element)$/i;
/** A column that only DHIS2's raw data have. */
const RAW_COLUMN = /^(pestartdate|periodstartdate)$/;
const NAMED_MEASURES: readonly ColumnName[] = ['rain_mm', 'people', 'confirmed', 'positivity', ...FIGURES];

/**
 * The table with a column for each figure, if it has several rows for a place and time, a column of numbers without a
 * name of its own, and texts that come back in every place and tell the rows apart, or a data element in all rows; else
 * the table itself.
 * @param labels names of ids
 */
export function widenLongTable(
  table: TableFile,
  areas: AreaCodes,
  labels: ReadonlyMap<string, string> = new Map(),
): TableFile {
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
  if (!values) return table;
  const isRepeated = countDistinct(table, keys) < table.rows.length;
  // The values of a single facility are read too.
  const isKeyOfValues = (column: string) =>
    VALUE_NAME.test(values) && (ELEMENT_COLUMN.test(column) || filledCells(table, column).every(isUid));
  const texts = otherColumns.filter(
    (column) =>
      !numeric.includes(column) &&
      countDistinct(table, [column]) <= MOST_FIGURES &&
      filledCells(table, column).length === table.rows.length &&
      countDistinct(table, [...places, column]) > countDistinct(table, places) &&
      (countDistinct(table, [...places, column]) > countDistinct(table, [column]) || isKeyOfValues(column)),
  );
  // Names have blanks, ids have none.
  const hasBlanks = (column: string) => filledCells(table, column).some((cell) => cell.includes(' '));
  const sorted = [...texts.filter(hasBlanks), ...texts.filter((text) => !hasBlanks(text))];
  const elements = otherColumns.filter((column) => ELEMENT_COLUMN.test(column)).toSorted((a, b) => b.length - a.length);
  const tellRowsApart = [1, 2, 3]
    .flatMap((size) => listSubsets(sorted, size))
    .find((columns) => countDistinct(table, [...keys, ...columns]) === table.rows.length);
  const isSum = isRepeated && !tellRowsApart && table.header.some((column) => RAW_COLUMN.test(plainName(column)));
  const names = isSum ? elements.slice(0, 1) : isRepeated ? tellRowsApart : [];
  if (!names) return table;
  // A text in all rows may say what the figures are, such as cases by age.
  const subject = [...elements, ...(isRepeated ? otherColumns : [])].find((column) => {
    const distinctTexts = [...new Set(filledCells(table, column))];
    return distinctTexts.length === 1 && (elements.includes(column) || guessSubject(distinctTexts) !== null);
  });
  if (subject && !names.includes(subject)) names.unshift(subject);
  if (names.length === 0) return table;
  const ids = new Set(labelledColumns(table, names, labels).flatMap((column) => filledCells(table, column)));
  const labelled = [...ids].filter((id) => labels.has(id));
  const wide = {
    names: names.length === 1 ? names[0]! : names,
    values,
    ...(labelled.length > 0 ? { labels: Object.fromEntries(labelled.map((id) => [id, labels.get(id)!])) } : {}),
    ...(isSum ? { sum: true as const } : {}),
  };
  return { ...table, ...normalizeTable(table, { wide }, table.file), dialect: { ...table.dialect, wide } };
}

/**
 * The columns of a figure's name in which ids can be replaced: figures stay different, and no category has a name where
 * another one of the column has only an id.
 */
function labelledColumns(table: TableFile, names: readonly string[], labels: ReadonlyMap<string, string>): string[] {
  const elements = names.filter((column) => ELEMENT_COLUMN.test(column));
  const isReadable = (columns: readonly string[]) => {
    const cells = names.map((column) => {
      const texts = cellsByRow(table, column);
      return columns.includes(column) ? texts.map((cell) => labels.get(cell ?? '') ?? cell) : texts;
    });
    const figures = new Set(table.rows.keys().map((row) => cells.map((column) => column[row]).join(' ')));
    const areAllNamed = columns.every(
      (column) =>
        elements.includes(column) || filledCells(table, column).every((cell) => labels.has(cell) || !isUid(cell)),
    );
    return areAllNamed && figures.size === countDistinct(table, names);
  };
  return [names, elements].find(isReadable)?.slice() ?? [];
}

/** The subsets of some texts with so many of them, in order. */
const listSubsets = (texts: readonly string[], size: number): string[][] =>
  size === 0
    ? [[]]
    : texts.flatMap((text, i) => listSubsets(texts.slice(i + 1), size - 1).map((others) => [text, ...others]));
