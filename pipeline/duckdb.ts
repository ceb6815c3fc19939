import { type DuckDBConnection, DuckDBInstance, type DuckDBValue } from '@duckdb/node-api';

/** A DuckDB in memory, and the ways in which this project asks it. */
export interface Database {
  connection: DuckDBConnection;
  run(sql: string, values?: DuckDBValue[]): Promise<void>;
  /** Rows as objects; whole numbers of any width as numbers. */
  rows<T>(sql: string, values?: DuckDBValue[]): Promise<T[]>;
}

/** Works on a database that goes with the work. It has one thread: rows and sums come in one order on every machine. */
export async function withDatabase<T>(work: (db: Database) => Promise<T>): Promise<T> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
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
    instance.closeSync();
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
