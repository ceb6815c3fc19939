/** Lists of patients, which are to be counted before they are given to anybody. */
import { resultName, shellName } from '../../ingest/readers/commands.ts';
import { plainName } from '../../lib/name-similarity.ts';
import { quoteForShell } from '../../lib/shell.ts';
import { countDistinct, filledCells } from '../columns.ts';
import type { PlaceKey, TimeKey } from './draft-keys.ts';
import type { TableFile } from './recognise.ts';

const SEX_COLUMN = /^(sexe?|sexo|gender|genre|genero)$/;
/** Of numbers that count nothing. */
const PERSON_COLUMN = /(age|ages|edad|idade|ans|years?|anos|id|no|num|numero|number)$/;
/** Rows for each place and month; tables of figures by sex and age have few. */
const LEAST_ROWS = 5;

/** What to do with a table of which each row is a patient; null for another table. */
export function describePatients(table: TableFile, place: PlaceKey | null, time: TimeKey | string): string | null {
  if (!table.header.some((column) => SEX_COLUMN.test(plainName(column)))) return null;
  const isNumber = (cell: string) => Number.isFinite(Number(cell));
  const hasCounts = table.header.some(
    (column) =>
      !PERSON_COLUMN.test(plainName(column)) && column !== place?.column && filledCells(table, column).every(isNumber),
  );
  if (hasCounts) return null;
  const found = `rows of single patients: ${table.rows.length}`;
  const advice = 'keep the list itself out of the folder';
  if (!place || typeof time === 'string' || !('period' in time.columns))
    return `${found}; without a column of ${place ? 'months or dates' : 'areas'} they cannot be counted: export confirmed cases by area and month, and ${advice}`;
  const { period } = time.columns;
  if (table.rows.length < LEAST_ROWS * countDistinct(table, [place.column])) return null;
  const result = table.header.find((column) => filledCells(table, column).some((cell) => /^pos/i.test(cell)));
  const positive = result && filledCells(table, result).find((cell) => /^pos/i.test(cell))!;
  const quoteName = (column: string) => `"${column.replaceAll('"', '""')}"`;
  const quoteText = (cell: string) => `'${cell.replaceAll("'", "''")}'`;
  const isIso = filledCells(table, period).every((cell) => /^\d{4}-\d\d/.test(cell));
  const where = positive ? ` WHERE ${quoteName(result)} = ${quoteText(positive)}` : '';
  const sql = `COPY (SELECT ${quoteName(place.column)}, left(${quoteName(period)}, 7) AS period, count(*) AS confirmed FROM read_csv(${quoteText(shellName(table.path))}, all_varchar = true)${where} GROUP BY ALL ORDER BY ALL) TO ${quoteText(resultName(table.path, '_counted.csv'))}`;
  const command = isIso && table.format === 'csv' ? ` with: duckdb -c ${quoteForShell(sql)}` : '';
  return `${found}; ${advice}, and count those confirmed by "${place.column}" and month of "${period}"${command}`;
}
