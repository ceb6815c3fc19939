/** Tables in long form: a row for each figure, whose name stands in one column or two and its number in another. */
import { FIGURES } from '../../catalog/figures.ts';
import { normalizeTable, ROW_COLUMN_NAME } from '../../ingest/readers/dialect.ts';
import { plainName } from '../../lib/name-similarity.ts';
import { type ColumnName, candidateColumns, countDistinct, filledCells, likeliestColumn } from '../columns.ts';
import { type AreaCodes, findPlaceColumn, findTimeColumn } from './draft-keys.ts';
import type { TableFile } from './recognise.ts';
import { numberColumns } from './unnamed-numbers.ts';

/** More different texts are names of places or people. */
const MOST_FIGURES = 60;
/** Share of the areas and times that must have a figure on average. */
const LEAST_FILLED_SHARE = 0.5;
const NAMED_MEASURES: readonly ColumnName[] = ['rain_mm', 'people', 'confirmed', 'positivity', ...FIGURES];

/**
 * The table with a column for each figure, if it has several rows for an area and time, one column of numbers without a
 * name of its own, and texts that come back in every area and tell the rows apart; else the table itself.
 */
export function widenLongTable(table: TableFile, areas: AreaCodes): TableFile {
  const place = table.dialect.wide ? null : findPlaceColumn(table, areas);
  if (!place) return table;
  const time = findTimeColumn(table, [place.column]);
  const keys = [place.column, ...(typeof time === 'string' ? [] : Object.values(time.columns))];
  const groups = countDistinct(table, keys);
  const otherColumns = table.header.filter(
    (column) => !keys.includes(column) && !ROW_COLUMN_NAME.test(plainName(column)),
  );
  const [values, ...furtherValues] = numberColumns(table, otherColumns);
  const isNamed = NAMED_MEASURES.some((name) => likeliestColumn([values ?? ''], name) !== null);
  if (groups === table.rows.length || !values || furtherValues.length > 0 || (isNamed && !/^value_*$/i.test(values)))
    return table;
  const facilityColumns = candidateColumns(table.header, 'facility');
  const texts = otherColumns.filter(
    (column) =>
      column !== values &&
      !facilityColumns.includes(column) &&
      countDistinct(table, [column]) <= MOST_FIGURES &&
      filledCells(table, column).length === table.rows.length &&
      countDistinct(table, [place.column, column]) > countDistinct(table, [place.column]) &&
      countDistinct(table, [place.column, column]) > countDistinct(table, [column]),
  );
  const candidates = [
    ...texts.map((text) => [text]),
    ...texts.flatMap((text, i) => texts.slice(i + 1).map((other) => [text, other])),
  ];
  const names = candidates.find(
    (columns) =>
      countDistinct(table, [...keys, ...columns]) === table.rows.length &&
      table.rows.length >= LEAST_FILLED_SHARE * groups * countDistinct(table, columns),
  );
  if (!names) return table;
  const wide = { names: names.length === 1 ? names[0]! : names, values };
  return { ...table, ...normalizeTable(table, { wide }, table.file), dialect: { ...table.dialect, wide } };
}
