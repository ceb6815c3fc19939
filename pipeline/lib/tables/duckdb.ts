import { type DuckDBConnection, DuckDBInstance, type DuckDBValue } from '@duckdb/node-api';

/** A connection to a DuckDB in memory, with query helpers. */
export interface Database {
  connection: DuckDBConnection;
  run(sql: string, values?: DuckDBValue[]): Promise<void>;
  /** Rows as objects; integers of any width become numbers. */
  rows<T>(sql: string, values?: DuckDBValue[]): Promise<T[]>;
}

/** One thread, so that rows and sums come in the same order on every machine. */
const open = () => DuckDBInstance.create(':memory:', { threads: '1' });

/** Runs `work` on a temporary database. */
export async function withDatabase<T>(work: (db: Database) => Promise<T>): Promise<T> {
  const instance = await open();
  try {
    return await connected(instance, work);
  } finally {
    instance.closeSync();
  }
}

let shared: Promise<DuckDBInstance> | undefined;

/** Runs `work` on this thread's shared database, to read and write files. `work` may create temporary tables only. */
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
        (await connection.runAndReadAll(sql, values)).getRowObjectsJS().map(withNumbers) as R[],
    });
  } catch (error) {
    throw withSystemCode(error as Error);
  } finally {
    connection.closeSync();
  }
}

/** The system's messages as they appear in DuckDB's errors, by Node's code for the same error. */
const SYSTEM: Record<string, string> = {
  ENOSPC: 'No space left on device',
  EDQUOT: 'Disk quota exceeded',
  EFBIG: 'File too large',
  EROFS: 'Read-only file system',
  EIO: 'Input/output error',
  ENOMEM: 'Out of Memory Error',
};

/**
 * DuckDB's errors have no code. Those caused by the system, such as a full disk, get Node's code for it, since they are
 * not bugs in the program.
 */
function withSystemCode(error: Error): Error {
  const code = Object.keys(SYSTEM).find((name) => error.message?.includes(SYSTEM[name]!));
  return code === undefined || 'code' in error ? error : Object.assign(error, { code });
}

/** Text as an SQL literal. */
export const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** A name as a quoted SQL identifier. */
export const identifier = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** Turns the integers in a value into numbers, in place. */
function withNumbers(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (value !== null && typeof value === 'object' && !(value instanceof Uint8Array)) {
    const inside = value as Record<string, unknown>;
    for (const key in inside) inside[key] = withNumbers(inside[key]);
  }
  return value;
}
