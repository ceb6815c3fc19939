import pg from 'pg';
import { lineOf, UnavailableError, UsageError } from './usage-error.ts';

export type Query = <Row>(text: string, values?: readonly unknown[]) => Promise<Row[]>;

/** A PostgreSQL database, its schema brought up to date before the first query. */
export interface Postgres {
  query: Query;
  /** Runs `work` in one transaction (READ COMMITTED). */
  transact<T>(work: (query: Query) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Statements end after this long on the server; the client waits a little longer, should the server hang. */
const STATEMENT_MS = 5000;
const ANSWER_MS = 6000;
const CONNECT_MS = 3000;
const CONNECTIONS = 10;

/** int8 as numbers: milliseconds since 1970 and counts, all far below 2^53. */
const INT8 = 20;
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
} as pg.CustomTypesConfig;

/**
 * The database at `url` (postgres://…). Nothing is connected until the first query, which also lifts the schema to the
 * newest of `versions`, scripts that each lift it by one. One primary, no read replica: what was committed must be seen.
 */
export function openPostgres(url: string, versions: readonly string[]): Postgres {
  const pool = new pg.Pool({
    connectionString: url,
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    query_timeout: ANSWER_MS,
    idle_in_transaction_session_timeout: STATEMENT_MS,
    keepAlive: true,
    application_name: 'malaria-proxy',
    types,
  });
  // A connection that breaks while idle is made anew when needed.
  pool.on('error', () => {});

  const connected = async <T>(work: (query: Query) => Promise<T>): Promise<T> => {
    const client = await connect(pool);
    // Should it break between two statements, the next one says so.
    const ignore = () => {};
    client.on('error', ignore);
    let broken: Error | undefined;
    const query: Query = async (text, values = []) => {
      try {
        return (await client.query(text, [...values])).rows;
      } catch (error) {
        if (!isDatabaseError(error)) broken = error as Error;
        return refuse(error);
      }
    };
    try {
      return await work(query);
    } finally {
      client.off('error', ignore);
      client.release(broken);
    }
  };
  const transact = <T>(work: (query: Query) => Promise<T>): Promise<T> =>
    connected(async (query) => {
      await query('BEGIN ISOLATION LEVEL READ COMMITTED');
      try {
        const result = await work(query);
        await query('COMMIT');
        return result;
      } catch (error) {
        await query('ROLLBACK').catch(() => {});
        throw error;
      }
    });
  let ready: Promise<void> | undefined;
  const migrated = () => {
    ready ??= transact((query) => migrate(query, versions)).catch((error) => {
      ready = undefined;
      throw error;
    });
    return ready;
  };

  return {
    async query<Row>(text: string, values?: readonly unknown[]) {
      await migrated();
      return connected((query) => query<Row>(text, values));
    },
    async transact(work) {
      await migrated();
      return transact(work);
    },
    close: () => pool.end(),
  };
}

/** Whatever is wrong here is so with the server, the login or the address. */
async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw unavailable(error);
  }
}

/** One process at a time brings the schema up to date, counted in a table of its own. */
async function migrate(query: Query, versions: readonly string[]): Promise<void> {
  await query("SELECT pg_advisory_xact_lock(hashtext('malaria-proxy schema'))");
  await query('CREATE TABLE IF NOT EXISTS schema_version (version int NOT NULL)');
  const found = (await query<{ version: number }>('SELECT version FROM schema_version'))[0]?.version ?? 0;
  if (found > versions.length) {
    throw new UnavailableError(
      `store: the database has schema ${found}, from a newer malaria-proxy; this one knows ${versions.length}`,
    );
  }
  if (found === versions.length) return;
  for (const script of versions.slice(found)) await query(script);
  await query('DELETE FROM schema_version');
  await query('INSERT INTO schema_version VALUES ($1)', [versions.length]);
}

function isDatabaseError(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError;
}

/**
 * How SQLSTATEs begin that speak of the server and not of the statement: connection, a server that only reads (a standby
 * in the primary's place), login, database, transactions that it gave up, rights, resources, shutdown, its disk.
 */
const OF_THE_SERVER = ['08', '25006', '28', '3D', '40', '42501', '53', '57', '58'];
/** A text with a NUL, which PostgreSQL keeps nowhere. */
const NUL_IN_TEXT = '22021';

/** Throws `error`, as one line for people where the server cannot be used. */
function refuse(error: unknown): never {
  if (isDatabaseError(error)) {
    const { code = '' } = error;
    if (code === NUL_IN_TEXT) throw new UsageError('a text with a NUL character');
    if (!OF_THE_SERVER.some((start) => code.startsWith(start))) throw error;
  }
  throw unavailable(error);
}

/** The address may hold a password: it is left out. */
function unavailable(error: unknown): UnavailableError {
  const { code } = error as NodeJS.ErrnoException;
  return new UnavailableError(`store: PostgreSQL cannot be used: ${lineOf(error) || code}`, { cause: error });
}
