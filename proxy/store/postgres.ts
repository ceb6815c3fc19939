import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient, sql } from 'kysely';
import pg from 'pg';
import { lineOf, TryAgain, UsageError } from '../../pipeline/lib/errors.ts';
import { ADMIT, ADMIT_FUNCTION, type Decision } from './admission.ts';
import { type Admitter, type AdmitterOptions, type Database, missingScripts, schemaOf } from './database.ts';
import type { Rows } from './row-types.ts';
import { newSecret } from './tag-secrets.ts';

/** The server cancels statements after this long; the client waits a little longer, in case the server hangs. */
const STATEMENT_MS = 5000;
const ANSWER_MS = 6000;
const CONNECT_MS = 3000;
const CONNECTIONS = 10;
/** How long a request waits for its decision. */
const DECISION_MS = 1000;

/** int8 as numbers: times in milliseconds and counts, all far below 2^53. */
const INT8 = 20;
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
} as pg.CustomTypesConfig;

/**
 * The database at `url` (postgres://…), for any number of proxies. It connects on the first query, which also creates
 * or migrates the schema. It must be a single primary, no read replica: commits must be visible at once.
 */
export function openPostgres(url: string): Database {
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
    await migrate(shared);
    return shared;
  };
  const db = new Kysely<Rows>({ dialect: new PostgresDialect({ pool: ready }) });
  const transactWith =
    (commit: 'on' | 'off'): Database['transact'] =>
    (work) =>
      db
        .transaction()
        .setIsolationLevel('read committed')
        .execute(async (tx) => {
          await sql`SET LOCAL synchronous_commit = ${sql.raw(commit)}`.execute(tx);
          return work(tx);
        });
  return {
    db,
    transact: transactWith('on'),
    transactLightly: transactWith('off'),
    lockServiceTeam: (tx) => sql`SELECT pg_advisory_xact_lock(hashtext('malaria-proxy service team'))`.execute(tx),
    openAdmitter: (options) => openAdmitter(shared, options),
    close: () => pool.end(),
  };
}

/** Admission on the connections of `pool`, once the schema exists. */
function openAdmitter(pool: PostgresPool, { perMinute, perMonth, mayLag, setMs }: AdmitterOptions): Admitter {
  const ask = async <Row>(query: pg.QueryConfig): Promise<Row[]> => {
    const until = performance.now() + DECISION_MS;
    const client = await pool.connect();
    try {
      // Nobody waits for the answer any longer.
      if (performance.now() > until) throw unavailable(new Error('no connection in time'));
      return (await (client as Client).query(query)).rows as Row[];
    } finally {
      client.release();
    }
  };
  const text = `SELECT * FROM ${ADMIT}($1, $2, $3, $4, $5)`;
  return {
    async decide(hash) {
      const values = [hash, perMinute, perMonth, mayLag, setMs?.() ?? null];
      const [decision] = await inTime(ask<Decision | { key_id: null }>({ name: ADMIT, text, values }));
      return decision!.key_id === null ? null : decision!;
    },
    async probe() {
      await inTime(ask({ text: PROBE }));
    },
    close: () => {},
  };
}

const PROBE = `INSERT INTO probe VALUES (1, extract(epoch FROM now()) * 1000)
  ON CONFLICT (id) DO UPDATE SET at = excluded.at`;

/** `promise`, or a rejection after DECISION_MS. */
async function inTime<T>(promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const refuse = () => reject(unavailable(new Error(`no answer within ${DECISION_MS} ms`)));
    // If this process itself was paused, answers that have arrived since are read first.
    timer = setTimeout(() => setImmediate(refuse), DECISION_MS);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** A pool's connection: it also takes a named statement, which the server need not parse again. */
interface Client extends PostgresPoolClient {
  query: ((query: pg.QueryConfig) => Promise<pg.QueryResult>) & PostgresPoolClient['query'];
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
  const query = async (text: string | pg.QueryConfig, values: readonly unknown[] = []) => {
    if (broken) throw unavailable(broken);
    try {
      return await (typeof text === 'string' ? client.query(text, [...values]) : client.query(text));
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

/** Creates the tables or migrates them, and adds this version's function that admits: one process at a time. */
async function migrate(pool: PostgresPool): Promise<void> {
  const client = await pool.connect();
  const query = async (text: string, values: unknown[] = []) =>
    (await client.query<Record<string, number & boolean>>(text, values)).rows;
  const scripts = schemaOf('postgres');
  try {
    await query('BEGIN');
    await query("SELECT pg_advisory_xact_lock(hashtext('malaria-proxy schema'))");
    const [found] = await query(`
      SELECT to_regclass('store') IS NOT NULL AS is_ours, to_regclass('accounts') IS NULL AS is_empty,
        to_regproc('${ADMIT}') IS NOT NULL AS admits`);
    const version = found!.is_ours ? (await query('SELECT version FROM store'))[0]!.version! : null;
    const isEmpty = Boolean(found!.is_empty);
    const missing = missingScripts('the database', { version, isEmpty }, scripts);
    for (const script of missing) await query(script);
    if (version === null) {
      await query('INSERT INTO store VALUES ($1)', [scripts.length]);
      await query('INSERT INTO tag_secrets VALUES ($1, 0, NULL)', [newSecret()]);
    } else if (missing.length > 0) await query('UPDATE store SET version = $1', [scripts.length]);
    if (!found!.admits) await query(ADMIT_FUNCTION);
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
