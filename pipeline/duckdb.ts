import { type DuckDBConnection, DuckDBInstance, type DuckDBValue } from '@duckdb/node-api';

/** A DuckDB in memory, and the ways in which this project asks it. */
export interface Database {
  connection: DuckDBConnection;
  run(sql: string, values?: DuckDBValue[]): Promise<void>;
  /** Rows as objects; whole numbers of any width as numbers. */
  rows<T>(sql: string, values?: DuckDBValue[]): Promise<T[]>;
}

/** It has one thread: rows and sums come in one order on every machine. */
const open = () => DuckDBInstance.create(':memory:', { threads: '1' });

/** Works on a database that goes with the work. */
export async function withDatabase<T>(work: (db: Database) => Promise<T>): Promise<T> {
  const instance = await open();
  try {
    return await connected(instance, work);
  } finally {
    instance.closeSync();
  }
}

let shared: Promise<DuckDBInstance> | undefined;

/** Works on the thread's one database, which is there for reading and writing files: of its tables only temporary ones are the work's own. */
export async function withConnection<T>(work: (db: Database) => Promise<T>): Promise<T> {
  shared ??= open();
  return connected(await shared, work);
}

async function connected<T>(instance: DuckDBInstance, work: (db: Database) => Promise<T>): Promise<T> {
  const connection = await instance.connect();
  try {
    return await work({
      connection,
      run: async (sql, values) => void (await connection.run(sql, values)),
      rows: async <R>(sql: string, values?: DuckDBValue[]) =>
        (await connection.runAndReadAll(sql, values)).getRowObjectsJS().map(plain) as R[],
    });
  } finally {
    connection.closeSync();
  }
}

/** A text as an SQL literal. */
export const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** A name as SQL quotes it. */
export const identifier = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** The value, which is nobody else's yet, with its whole numbers as numbers. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (value !== null && typeof value === 'object' && !(value instanceof Uint8Array)) {
    const inside = value as Record<string, unknown>;
    for (const key in inside) inside[key] = plain(inside[key]);
  }
  return value;
}
