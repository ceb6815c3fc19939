import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient, sql } from 'kysely';
import pg from 'pg';
import { lineOf, TryAgain, UsageError } from '../../pipeline/lib/errors.ts';
import { type Database, schemaOf } from '../store/database.ts';
import type { Rows } from '../store/row-types.ts';
import { countAttemptsIn } from './attempts.ts';
import { openConfirm } from './mirror.ts';
import type { GateTimes } from './times.ts';

/** The server cancels statements after this long; the client waits a little longer, in case the server hangs. */
const STATEMENT_MS = 5000;
const ANSWER_MS = 6000;
const CONNECT_MS = 3000;
const CONNECTIONS = 10;

/** int8 as numbers: times in milliseconds and counts, all far below 2^53. */
const INT8 = 20;
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
} as pg.CustomTypesConfig;

/**
 * The database at `url` (postgres://…), for any number of proxies. It connects on the first query, which also migrates
 * the schema. It must be a single primary, no read replica: commits must be visible at once. `redis` is the address of
 * the proxies' Redis; if it is null, the proxies pass changes on to Redis instead of this process.
 */
export function openPostgres(url: string, redis: string | null, times?: GateTimes): Database {
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
  // A connection that breaks while idle is replaced when needed; if it breaks while in use, the next statement fails. A
  // server's last message can arrive with the last byte of the handshake, before there is any other listener.
  pool.on('error', () => {});
  pool.on('connect', (client) => void client.on('error', () => {}));
  const shared: PostgresPool = { options: pool.options, connect: () => connect(pool), end: () => pool.end() };
  const ready = async () => {
    await migrate(shared, schemaOf('postgres'));
    return shared;
  };
  const db = new Kysely<Rows>({ dialect: new PostgresDialect({ pool: ready }) });
  const transact: Database['transact'] = (work) => db.transaction().setIsolationLevel('read committed').execute(work);
  const { confirm, close } = openConfirm(db, redis, times);
  return {
    db,
    transact,
    transactLightly: transact,
    lockServiceTeam: (tx) => sql`SELECT pg_advisory_xact_lock(hashtext('malaria-proxy service team'))`.execute(tx),
    confirm,
    attempts: countAttemptsIn(db),
    async close() {
      close();
      await pool.end();
    },
  };
}

/** A connection whose errors people can read. A failure to connect is due to the server, the login or the address. */
async function connect(pool: pg.Pool): Promise<PostgresPoolClient> {
  let client: pg.PoolClient;
  try {
    client = await pool.connect();
  } catch (error) {
    throw unavailable(error);
  }
  let broken: Error | undefined;
  // Streaming is not supported, so there are no cursors.
  const query = async (text: string, values: readonly unknown[]) => {
    if (broken) throw unavailable(broken);
    try {
      return await client.query(text, [...values]);
    } catch (error) {
      if (!isDatabaseError(error)) broken = error as Error;
      return refuse(error);
    }
  };
  return {
    query: query as unknown as PostgresPoolClient['query'],
    release: () => client.release(broken),
  };
}

/** Migrates the schema, one process at a time; its version is stored in a separate table. */
async function migrate(pool: PostgresPool, versions: readonly string[]): Promise<void> {
  const client = await pool.connect();
  const query = async (text: string) => (await client.query<{ version: number }>(text, [])).rows;
  try {
    await query('BEGIN');
    await query("SELECT pg_advisory_xact_lock(hashtext('malaria-proxy schema'))");
    await query('CREATE TABLE IF NOT EXISTS schema_version (version int NOT NULL)');
    const found = (await query('SELECT version FROM schema_version'))[0]?.version ?? 0;
    if (found > versions.length) {
      throw new TryAgain(
        `store: the database has schema ${found} of a newer malaria-proxy; this version supports ${versions.length}`,
      );
    }
    for (const script of versions.slice(found)) await query(script);
    if (found < versions.length) {
      await query(`DELETE FROM schema_version; INSERT INTO schema_version VALUES (${versions.length})`);
    }
    await query('COMMIT');
  } catch (error) {
    await query('ROLLBACK').catch(() => {});
    throw error;
  } finally {
    client.release();
  }
}

function isDatabaseError(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError;
}

/**
 * Prefixes of SQLSTATEs that concern the server and not the statement: connection, a read-only server (a standby
 * instead of the primary), login, database, transactions rolled back, privileges, resources, shutdown, disk.
 */
const SERVER_ERRORS = ['08', '25006', '28', '3D', '40', '42501', '53', '57', '58'];
/** A text containing NUL, which PostgreSQL cannot store. */
const NUL_IN_TEXT = '22021';

/** Throws `error`, as a one-line message for people if the server cannot be used. */
function refuse(error: unknown): never {
  if (isDatabaseError(error)) {
    const { code = '' } = error;
    if (code === NUL_IN_TEXT) throw new UsageError('texts must not contain a NUL character');
    if (!SERVER_ERRORS.some((start) => code.startsWith(start))) throw error;
  }
  throw unavailable(error);
}

/** The message omits the address, which may contain a password. */
function unavailable(error: unknown): TryAgain {
  return new TryAgain(`store: PostgreSQL cannot be used: ${lineOf(error)}`, { cause: error });
}
