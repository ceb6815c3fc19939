import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Source } from '../../catalog/sources.ts';
import { isPeriod, type Period } from '../../contract/months.ts';
import { BadInput, readEach } from '../../lib/bad-input.ts';
import { type RawTable, readCsv } from './csv.ts';
import { readDbf } from './dbf.ts';
import { readJsonTable } from './json-table.ts';

/** A row of a table by the project's column names, and its line in the file. */
export interface Row {
  readonly line: number;
  readonly values: Readonly<Record<string, string | null>>;
}

/** A table as read, its rows in the file's order. */
export interface Table {
  readonly file: string;
  readonly columns: ReadonlySet<string>;
  readonly rows: readonly Row[];
  /** Number of rows in the file, including those that `where` excludes, and the minimum that the catalog specifies. */
  readonly total: number;
  readonly least: number;
  /** Plausible ranges of columns according to the catalog. */
  readonly ranges: Readonly<Record<string, readonly number[]>>;
}

/**
 * Reads a CSV (plain or gzip), a dBase file or a JSON table, with columns renamed by the catalog. Values remain text:
 * only callers can interpret a column, and name the row in their messages.
 * @throws BadInput for a file that is missing or unreadable, and for a column that is missing or empty throughout
 */
export async function readTable(
  rawData: string,
  source: Pick<Source, 'files' | 'columns'> & Partial<Source>,
): Promise<Table> {
  const { path: file, rows: least = 1 } = source.files[0]!;
  const full = path.join(rawData, file);
  if (!existsSync(full))
    throw new BadInput(file, '', 'no such file', source.id ? `the source ${source.id} of the catalog` : 'a CSV table');
  const sums = [
    ...(source.classes ?? []).map(({ column }) => column),
    ...(source.classes_total ? [source.classes_total] : []),
  ];
  const classes = sums.map((column) => [column, column]);
  const names: Record<string, string> = { ...source.columns, ...Object.fromEntries(classes) };
  const csv = await readCells(full, file, source.format);
  const placeOf = (name: string) => {
    const place = csv.header.indexOf(name);
    if (place === -1) throw new BadInput(file, 'header', `columns ${csv.header.join(', ')}`, `a column "${name}"`);
    if (csv.header.lastIndexOf(name) !== place)
      throw new BadInput(file, 'header', `the column "${name}" twice`, 'each column once');
    return place;
  };
  const used = Object.entries(names).map(([ours, name]) => [ours, placeOf(name)] as const);
  const keep = Object.entries(source.where ?? {}).map(([name, value]) => [name, placeOf(name), value] as const);
  const rows = csv.rows
    .filter(({ line, cells }) =>
      keep.every(([name, column, value]) => {
        const found = cells[column] ?? '';
        if (typeof value === 'number' && !DECIMAL.test(found))
          throw new BadInput(file, `row ${line}, ${name}`, JSON.stringify(found), 'a number');
        return typeof value === 'number' ? Number(found) === value : found === value;
      }),
    )
    .map(({ line, cells }) => {
      const values: Record<string, string | null> = {};
      for (const [ours, column] of used) values[ours] = recoded(source, ours, cells[column] ?? '') || null;
      return { line, values };
    });
  if (rows.length === 0)
    throw new BadInput(
      file,
      '',
      'no rows',
      `at least one${source.where ? ` with ${JSON.stringify(source.where)}` : ''}`,
    );
  const empty = used.find(([ours]) => rows.every((row) => row.values[ours] === null));
  if (empty) throw new BadInput(file, `column ${csv.header[empty[1]]}`, 'nothing in any row', 'values');
  const columns = new Set(used.map(([ours]) => ours));
  return { file, columns, rows, total: csv.rows.length, least, ranges: source.ranges ?? {} };
}

function readCells(full: string, file: string, format: Source['format'] | undefined): Promise<RawTable> {
  if (format === 'dbf') return readDbf(full, file);
  return format === 'json' ? readJsonTable(full, file) : readCsv(full, file);
}

/** A cell's text, replaced if the catalog recodes it. */
export function recoded({ recode }: Pick<Source, 'recode'>, column: string, text: string): string {
  const codes = recode?.[column];
  return codes && Object.hasOwn(codes, text) ? codes[text]! : text;
}

const at = (row: Row, column: string) => `row ${row.line}, ${column}`;
const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** The text of a cell that must not be empty. */
export function textOf(table: Table, row: Row, column: string): string {
  const value = row.values[column];
  if (value == null) throw new BadInput(table.file, at(row, column), 'nothing', 'a value');
  if (value.trim() !== value)
    throw new BadInput(table.file, at(row, column), JSON.stringify(value), 'a value without spaces around it');
  return value;
}

/**
 * A number from `least` to `most` (inclusive) and above `above` (exclusive), within the catalog's range of the column.
 */
export function numberOf(
  table: Table,
  row: Row,
  column: string,
  range: { least?: number; most?: number; above?: number; integer?: boolean } = {},
): number {
  const text = textOf(table, row, column);
  const value = DECIMAL.test(text) ? Number(text) : Number.NaN;
  const { least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY, above, integer = false } = range;
  if (!Number.isFinite(value) || (integer && !Number.isInteger(value)))
    throw new BadInput(table.file, at(row, column), JSON.stringify(text), integer ? 'a whole number' : 'a number');
  if (above !== undefined && value <= above)
    throw new BadInput(table.file, at(row, column), text, `more than ${above}`);
  if (value < least || value > most) {
    const bounds = most === Number.POSITIVE_INFINITY ? `at least ${least}` : `${least} to ${most}`;
    throw new BadInput(table.file, at(row, column), text, bounds);
  }
  const [low = value, high = value] = table.ranges[column] ?? [];
  if (value < low || value > high)
    throw new BadInput(table.file, at(row, column), text, `${low} to ${high} (sources.json, ranges)`);
  return value;
}

/** Like `numberOf`, but null for an empty cell. */
export function numberOrNull(...args: Parameters<typeof numberOf>): number | null {
  return args[1].values[args[2]] == null ? null : numberOf(...args);
}

/** Converts `YYYYMM`, DHIS2's form of months, to `YYYY-MM`; other text is returned unchanged. */
export const dashed = (text: string): string => (/^\d{6}$/.test(text) ? `${text.slice(0, 4)}-${text.slice(4)}` : text);

/** A month `YYYY-MM` or `YYYYMM`. */
export function periodIn(table: Table, row: Row, column: string): Period {
  const text = textOf(table, row, column);
  const period = dashed(text);
  if (!isPeriod(period)) throw new BadInput(table.file, at(row, column), text, 'a month YYYY-MM or YYYYMM');
  return period;
}

/**
 * Refuses a table with fewer rows than the catalog specifies. Called last, because other checks name what is missing.
 */
export function refuseShort({ file, total, least }: Table): void {
  if (total < least)
    throw new BadInput(file, '', `${total} rows`, `${least} or more (sources.json); is the file cut short?`);
}

/** Refuses a second row with the same key. @param key columns that together must be unique */
export function refuseDuplicates(table: Table, key: readonly string[]): void {
  const seen = new Map<string, number>();
  readEach(table.rows, (row) => {
    const id = key.map((column) => row.values[column] ?? '').join(' ');
    const first = seen.get(id);
    if (first !== undefined) {
      throw new BadInput(table.file, `row ${row.line}`, `${key.join(' + ')} ${id}, as in row ${first}`, 'a single row');
    }
    seen.set(id, row.line);
  });
}
