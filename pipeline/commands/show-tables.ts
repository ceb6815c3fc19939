import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import type { TableForm } from '../publish/snapshot/table-columns.ts';
import type { Cells } from './table.ts';

type Forms = Record<string, TableForm & { rows: number }>;

function formsOf(snapshot: string): Forms {
  const file = path.join(snapshot, 'tables/columns.json');
  if (!existsSync(file)) throw new Error(`${snapshot}: no tables there; build a snapshot with \`malaria-risk build\``);
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** The tables of a snapshot: what a row of each is, and how many there are. */
export function listTables(snapshot: string): Cells[] {
  return Object.entries(formsOf(snapshot)).map(([table, { row, rows, columns }]) => ({
    table,
    rows,
    row,
    columns: Object.keys(columns).join(' '),
  }));
}

/**
 * Rows of one table in their order, outlines left out.
 * @param limit how many; null: all
 */
export async function readTable(snapshot: string, name: string, limit: number | null): Promise<Cells[]> {
  const forms = formsOf(snapshot);
  const form = Object.hasOwn(forms, name) ? forms[name] : undefined;
  if (!form) throw new Error(`--name: found ${name}, expected one of ${Object.keys(forms).join(', ')}`);
  const columns = Object.entries(form.columns).filter(([, { type }]) => type !== 'BLOB');
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  try {
    const file = path.join(snapshot, `tables/${name}.parquet`).replaceAll("'", "''");
    const query = `SELECT ${columns.map(([column]) => column).join(', ')} FROM '${file}'${limit === null ? '' : ` LIMIT ${limit}`}`;
    const rows = (await connection.runAndReadAll(query)).getRowObjectsJS();
    return rows.map((row) => Object.fromEntries(Object.entries(row).map(([column, value]) => [column, cellOf(value)])));
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

const cellOf = (value: unknown) => (typeof value === 'bigint' ? Number(value) : (value as Cells[string]));
