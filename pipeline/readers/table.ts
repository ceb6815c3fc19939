import { existsSync } from 'node:fs';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { BadInput } from '../bad-input.ts';
import type { Source } from '../catalog.ts';

/** A row of a table under the project's column names, and the line of the file that it stands on. */
export interface Row {
  readonly line: number;
  readonly values: Readonly<Record<string, string | null>>;
}

/** A table as read: its rows in the file's order, and how to complain about one of them. */
export interface Table {
  readonly file: string;
  readonly columns: ReadonlySet<string>;
  readonly rows: readonly Row[];
}

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;

/**
 * Reads a CSV (plain or gzip) through DuckDB under the names that the catalog gives its columns.
 * Everything stays text here: who knows the meaning of a column parses it, and can name the row.
 * @param needed columns that must be there, in the project's names
 * @throws BadInput for a file that is missing, unreadable or cut short, and for a missing column
 */
export async function readTable(rawData: string, source: Source, needed: readonly string[]): Promise<Table> {
  const file = source.files[0]!.path;
  const full = path.join(rawData, file);
  if (!existsSync(full)) throw new BadInput(file, '', 'no such file', `the source ${source.id} of the catalog`);
  const classes = (source.classes ?? []).map(({ column }) => [column, column]);
  const names: Record<string, string> = { ...source.columns, ...Object.fromEntries(classes) };
  for (const name of needed) {
    if (!names[name])
      throw new BadInput('sources.json', `source ${source.id}`, `no column ${name}`, 'one in `columns`');
  }
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  try {
    const reader = await connection.runAndReadAll(
      'SELECT * FROM read_csv($1, all_varchar = true, header = true, auto_detect = true, sample_size = -1, null_padding = false)',
      [full],
    );
    const inFile = reader.columnNames();
    const used = Object.entries(names);
    const wanted = [...used.map(([, name]) => name), ...Object.keys(source.where ?? {})];
    for (const name of wanted) {
      if (!inFile.includes(name))
        throw new BadInput(file, 'header', `columns ${inFile.join(', ')}`, `a column ${quote(name)}`);
    }
    const keep = Object.entries(source.where ?? {}).map(
      ([name, value]) => [inFile.indexOf(name), String(value)] as const,
    );
    const at = used.map(([ours, name]) => [ours, inFile.indexOf(name)] as const);
    const rows: Row[] = [];
    reader.getRows().forEach((cells, index) => {
      if (!keep.every(([column, value]) => cells[column] === value)) return;
      const values = Object.fromEntries(at.map(([ours, column]) => [ours, (cells[column] as string | null) || null]));
      rows.push({ line: index + 2, values });
    });
    if (rows.length === 0) throw new BadInput(file, '', 'no rows', 'at least one');
    return { file, columns: new Set(used.map(([ours]) => ours)), rows };
  } catch (error) {
    if (error instanceof BadInput) throw error;
    throw new BadInput(
      file,
      '',
      String((error as Error).message)
        .split('\n')[0]!
        .trim(),
      'a readable CSV table',
    );
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

const at = (row: Row, column: string) => `row ${row.line}, ${column}`;

/** Text of a cell that must not be empty. */
export function textOf(table: Table, row: Row, column: string): string {
  const value = row.values[column];
  if (value == null) throw new BadInput(table.file, at(row, column), 'nothing', 'a value');
  return value;
}

/** A number between `least` and `most`, both included. */
export function numberOf(
  table: Table,
  row: Row,
  column: string,
  range: { least?: number; most?: number; whole?: boolean } = {},
): number {
  const text = textOf(table, row, column);
  const value = Number(text);
  const { least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY, whole = false } = range;
  if (text.trim() === '' || !Number.isFinite(value) || (whole && !Number.isInteger(value))) {
    throw new BadInput(table.file, at(row, column), JSON.stringify(text), whole ? 'a whole number' : 'a number');
  }
  if (value < least || value > most) {
    const bounds = most === Number.POSITIVE_INFINITY ? `at least ${least}` : `${least} to ${most}`;
    throw new BadInput(table.file, at(row, column), text, bounds);
  }
  return value;
}

/** As `numberOf`, but an empty cell is null. */
export function numberOrNull(...args: Parameters<typeof numberOf>): number | null {
  return args[1].values[args[2]] == null ? null : numberOf(...args);
}

/** Refuses a second row with the same key. `key` names the columns that together must be unique. */
export function refuseDuplicates(table: Table, key: readonly string[]): void {
  const seen = new Map<string, number>();
  for (const row of table.rows) {
    const id = key.map((column) => row.values[column] ?? '').join(' ');
    const first = seen.get(id);
    if (first !== undefined) {
      throw new BadInput(
        table.file,
        `row ${row.line}`,
        `${key.join(' + ')} ${id} again, first in row ${first}`,
        'one row each',
      );
    }
    seen.set(id, row.line);
  }
}
