import { type DuckDBConnection, DuckDBInstance, type DuckDBValue } from '@duckdb/node-api';
import { UsageError } from '../errors.ts';

/** A connection to a DuckDB in memory, with query helpers. */
export interface Database {
  connection: DuckDBConnection;
  run(sql: string, values?: DuckDBValue[]): Promise<void>;
  /** Rows as objects; integers of any width become numbers. */
  rows<T>(sql: string, values?: DuckDBValue[]): Promise<T[]>;
}

/** One thread, so that rows and sums come in the same order on every machine. */
const openInMemory = () => DuckDBInstance.create(':memory:', { threads: '1' });

/** Runs `work` on a temporary database. */
export async function withDatabase<T>(work: (db: Database) => Promise<T>): Promise<T> {
  const instance = await openInMemory();
  try {
    return await withConnectionTo(instance, work);
  } finally {
    instance.closeSync();
  }
}

let sharedInstance: Promise<DuckDBInstance> | undefined;

/** Runs `work` on this thread's shared database, to read and write files. `work` may create temporary tables only. */
export async function withConnection<T>(work: (db: Database) => Promise<T>): Promise<T> {
  sharedInstance ??= openInMemory();
  return withConnectionTo(await sharedInstance, work);
}

async function withConnectionTo<T>(instance: DuckDBInstance, work: (db: Database) => Promise<T>): Promise<T> {
  const connection = await instance.connect();
  try {
    return await work({
      connection,
      run: async (sql, values) => void (await connection.run(sql, values)),
      rows: async <R>(sql: string, values?: DuckDBValue[]) =>
        (await connection.runAndReadAll(sql, values)).getRowObjectsJS().map(convertIntegers) as R[],
    });
  } catch (error) {
    throw withSystemCode(error as Error);
  } finally {
    connection.closeSync();
  }
}

/** The system's messages as they appear in DuckDB's errors, by Node's code for the same error. */
const SYSTEM_MESSAGES: Record<string, string> = {
  ENOSPC: 'No space left on device',
  EDQUOT: 'Disk quota exceeded',
  EFBIG: 'File too large',
  EROFS: 'Read-only file system',
  EIO: 'Input/output error',
  ENOMEM: 'Out of Memory Error',
};

/** DuckDB's errors about a Parquet file that was cut short. */
const DAMAGED_PARQUET = /(?:magic bytes|Footer length|Invalid Input Error: File).*?'(.+?\.parquet)'/;

/**
 * DuckDB's errors have no code. Those caused by the system, such as a full disk, get Node's code for it, since they are
 * not bugs in the program, and those about damaged files say what to do.
 */
function withSystemCode(error: Error): Error {
  const damagedFile = DAMAGED_PARQUET.exec(error.message)?.[1];
  if (damagedFile !== undefined)
    return new UsageError(
      `${damagedFile}: found a damaged table, expected a Parquet file as it was written; copy a version's again from a backup (\`malaria-risk verify\` names all), or remove the folder of one in the cache and run the same \`malaria-risk build\` again`,
    );
  const code = Object.keys(SYSTEM_MESSAGES).find((name) => error.message?.includes(SYSTEM_MESSAGES[name]!));
  return code === undefined || 'code' in error ? error : Object.assign(error, { code });
}

/** Text as an SQL literal. */
export const sqlLiteral = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** A name as a quoted SQL identifier. */
export const sqlIdentifier = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** Turns the integers in a value into numbers, in place. */
function convertIntegers(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (value !== null && typeof value === 'object' && !(value instanceof Uint8Array)) {
    const record = value as Record<string, unknown>;
    for (const key in record) record[key] = convertIntegers(record[key]);
  }
  return value;
}
