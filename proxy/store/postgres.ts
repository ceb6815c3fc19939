import { Kysely, PostgresDialect, type PostgresPoolClient, sql } from 'kysely';
import pg from 'pg';
import { errorLine, TryAgain, UsageError } from '../../pipeline/lib/errors.ts';
import { ADMIT, ADMIT_FUNCTION, type Decision } from './admission.ts';
import { type Admitter, type AdmitterOptions, type Database, missingScripts, schemaScripts } from './database.ts';
import type { Rows } from './row-types.ts';
import { newSecret } from './tag-secrets.ts';

/** The server cancels statements after this long; the client waits longer by PATIENCE_MS, in case the server hangs. */
const STATEMENT_MS = 5000;
const PATIENCE_MS = 500;
const CONNECT_MS = 3000;
const CONNECTIONS = 10;
/** Each new connection costs the server a process and the compilation of what decides, so connections are kept. */
const IDLE_MS = 300_000;
/** How long a request waits for its decision, and how much earlier the server must have made it, to be in time. */
const DECISION_MS = 1000;
const MARGIN_MS = 200;
/** Requests of one owner that are decided together. */
const MOST_AT_ONCE = 32;
/** Keys whose owners are remembered. */
const MOST_OWNERS = 10_000;

/** int8 as numbers: times in milliseconds and counts, all far below 2^53. */
const INT8 = 20;
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
} as pg.CustomTypesConfig;

/** Commits wait for the disk, a synchronous standby's too. `remote_apply`, which is more, is kept. */
const DURABLE = `SELECT set_config('synchronous_commit', 'on', false)
  WHERE current_setting('synchronous_commit') IN ('off', 'local', 'remote_write')`;

/** Connections to `url` on which nothing follows other defaults of the server. */
function openPool(url: string, statementMs = STATEMENT_MS): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    idleTimeoutMillis: IDLE_MS,
    statement_timeout: statementMs,
    query_timeout: statementMs + PATIENCE_MS,
    idle_in_transaction_session_timeout: statementMs,
    keepAlive: true,
    application_name: 'malaria-proxy',
    types,
    onConnect: (client) => client.query(`SET default_transaction_isolation = 'read committed'; ${DURABLE}`),
  });
  // A connection that breaks while idle is replaced when needed; if it breaks while in use, the next statement fails. A
  // server's last message can arrive with the last byte of the handshake, before there is any other listener.
  pool.on('error', () => {});
  pool.on('connect', (client) => void client.on('error', () => {}));
  return pool;
}

/**
 * The database at `url` (postgres://…), for any number of proxies. It connects on the first query, which also migrates
 * the schema, or creates it if it may. It must be a single primary, no read replica: commits must be visible at once.
 */
export function openPostgres(url: string, mayCreate: boolean): Database {
  const pool = openPool(url);
  const ready = async () => {
    await migrate(pool, mayCreate);
    return {
      options: pool.options,
      connect: () => connect(pool) as unknown as Promise<PostgresPoolClient>,
      end: () => pool.end(),
    };
  };
  const db = new Kysely<Rows>({ dialect: new PostgresDialect({ pool: ready }) });
  return {
    db,
    transact: (work) => db.transaction().execute(work),
    transactLightly: (work) =>
      db.transaction().execute(async (tx) => {
        await sql`SET LOCAL synchronous_commit = off`.execute(tx);
        return work(tx);
      }),
    lockServiceTeam: (tx) => sql`SELECT pg_advisory_xact_lock(hashtext('malaria-proxy service team'))`.execute(tx),
    openAdmitter: (options) => openAdmitter(url, options),
    lost: () => null,
    close: () => pool.end(),
  };
}

/** Admission once the schema exists, on connections of its own, which visitors of the dashboard cannot use up. */
function openAdmitter(url: string, { perMinute, perMonth }: AdmitterOptions): Admitter {
  const pool = openPool(url, DECISION_MS);
  const onConnection = async <T>(work: (client: Connection) => Promise<T>): Promise<T> => {
    const client = await connect(pool);
    try {
      return await work(client);
    } finally {
      client.release();
    }
  };
  // An owner's requests are decided one after the other, in their order: the owner's lock would have it so anyway. Those
  // that have come while a connection was awaited are decided on it together, in one transaction, so that a busy owner
  // neither holds all connections nor waits for one, and for the disk, once per request.
  const waiting = new Map<string, Waiting[]>();
  const takeTurns = async (owner: string, queue: Waiting[]) => {
    while (queue.length > 0)
      await onConnection(async (client) => {
        // Those that are too late have been refused, or are about to be.
        const now = performance.now();
        const turn = queue.splice(0, MOST_AT_ONCE).filter(({ until }) => until - now >= 1);
        if (turn.length === 0) return;
        const withinMs = Math.floor(Math.min(...turn.map(({ until }) => until)) - now);
        const hashes = turn.map(({ hash }) => hash);
        const asked = client.query({ name: ADMIT, text: DECIDE, values: [hashes, perMinute, perMonth, withinMs] });
        await asked.then(
          ({ rows }) => turn.forEach(({ resolve }, i) => void resolve(rows[i])),
          (error) => turn.forEach(({ refuse }) => void refuse(error)),
        );
      }).catch((error) => queue.splice(0).forEach(({ refuse }) => void refuse(error)));
    waiting.delete(owner);
  };
  const inTurn = (owner: string, hash: Buffer): Promise<Decided> =>
    new Promise((resolve, refuse) => {
      const own = { hash, until: performance.now() + DECISION_MS - MARGIN_MS, resolve, refuse };
      const queue = waiting.get(owner);
      if (queue) queue.push(own);
      else {
        const started = [own];
        waiting.set(owner, started);
        void takeTurns(owner, started);
      }
    });
  // A key's owner never changes. It is learned from the first decision; until then a key takes turns by itself.
  const owners = new Map<string, string>();
  const learn = (key: string, owner: string) => {
    if (owners.size >= MOST_OWNERS) owners.clear();
    owners.set(key, owner);
  };
  return {
    async decide(hash) {
      const key = hash.toString('latin1');
      const decision = await inTime(inTurn(owners.get(key) ?? key, hash));
      if (decision.key_id === null) return null;
      learn(key, decision.owner_id);
      return decision;
    },
    async probe() {
      const { rows } = await inTime(onConnection((client) => client.query(PROBE)));
      return rows[0].behind;
    },
    close: () => pool.end(),
  };
}

/** Requests of one owner, each decided as if it came alone. */
const DECIDE = `SELECT decided.* FROM unnest($1::bytea[]) WITH ORDINALITY AS asked (hash, place),
  LATERAL ${ADMIT}(hash, $2, $3, $4) AS decided ORDER BY place`;

/** Asks as a request does, for a hash that no key has, and writes a row. */
const PROBE = `INSERT INTO probe SELECT 1, extract(epoch FROM statement_timestamp()) * 1000 FROM ${ADMIT}('', 1, 1, 1000)
  ON CONFLICT (id) DO UPDATE SET at = greatest(probe.at, excluded.at)
  RETURNING (at - extract(epoch FROM statement_timestamp()) * 1000)::float8 AS behind`;

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

type Decided = Decision | { key_id: null };

/** A request that waits for its turn, and the time until which its decision is of use. */
interface Waiting {
  hash: Buffer;
  until: number;
  resolve(decided: Decided): void;
  refuse(error: unknown): void;
}

interface Connection {
  query(query: string | pg.QueryConfig, values?: readonly unknown[]): Promise<pg.QueryResult>;
  release(): void;
}

/** A connection whose errors people can read. A failure to connect is due to the server, the login or the address. */
async function connect(pool: pg.Pool): Promise<Connection> {
  let client: pg.PoolClient;
  try {
    client = await pool.connect();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_INVALID_URL')
      throw new UsageError('the store is no valid URL; expected postgres://USER:PASSWORD@HOST/DATABASE');
    throw unavailable(error);
  }
  let broken: Error | undefined;
  return {
    async query(query, values = []) {
      if (broken) throw unavailable(broken);
      try {
        return await (typeof query === 'string' ? client.query(query, [...values]) : client.query(query));
      } catch (error) {
        if (!(error instanceof pg.DatabaseError)) broken = error as Error;
        return refuse(error);
      }
    },
    release: () => client.release(broken),
  };
}

/** Creates the tables or migrates them, and adds this version's function that admits: one process at a time. */
async function migrate(pool: pg.Pool, mayCreate: boolean): Promise<void> {
  const client = await connect(pool);
  const query = async (text: string, values: unknown[] = []) => (await client.query(text, values)).rows;
  const scripts = schemaScripts('postgres');
  try {
    await query('BEGIN');
    await query("SELECT pg_advisory_xact_lock(hashtext('malaria-proxy schema'))");
    const [found] = await query(`
      SELECT to_regclass('tag_secrets') IS NOT NULL AND EXISTS (
          SELECT FROM pg_attribute WHERE attrelid = to_regclass('store') AND attname = 'version') AS is_ours,
        NOT EXISTS (SELECT FROM pg_class WHERE relnamespace = to_regnamespace(current_schema())) AS is_empty,
        to_regproc('${ADMIT}') IS NOT NULL AS admits`);
    const version = found.is_ours ? (await query('SELECT version FROM store'))[0].version : null;
    const missing = missingScripts('postgres://…', { version, isEmpty: found.is_empty }, scripts, mayCreate);
    for (const script of missing) await query(script);
    if (version === null) {
      await query('INSERT INTO store VALUES ($1)', [scripts.length]);
      await query('INSERT INTO tag_secrets VALUES ($1, 0, NULL)', [newSecret()]);
    } else if (missing.length > 0) await query('UPDATE store SET version = $1', [scripts.length]);
    if (!found.admits) await query(ADMIT_FUNCTION);
    await query('COMMIT');
  } catch (error) {
    await query('ROLLBACK').catch(() => {});
    throw error;
  } finally {
    client.release();
  }
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
  if (error instanceof pg.DatabaseError) {
    const { code = '' } = error;
    if (code === NUL_IN_TEXT) throw new UsageError('texts must not contain a NUL character');
    if (!SERVER_ERRORS.some((start) => code.startsWith(start))) throw error;
  }
  throw unavailable(error);
}

/** The message omits the address, which may contain a password. */
function unavailable(error: unknown): TryAgain {
  return new TryAgain(`store: PostgreSQL cannot be used: ${errorLine(error)}`, { cause: error });
}
