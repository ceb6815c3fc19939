/** Connections to PostgreSQL, whose errors people can read. */
import pg from 'pg';
import { errorLine, TryAgain, UsageError } from '../../pipeline/lib/errors.ts';

/**
 * The server cancels statements after this long; the client waits longer by CLIENT_MARGIN_MS, in case the server hangs.
 */
const STATEMENT_TIMEOUT_MS = 5000;
const CLIENT_MARGIN_MS = 500;
const CONNECT_TIMEOUT_MS = 3000;
const POOL_SIZE = 10;
/** Each new connection costs the server a process and the compilation of what decides, so connections are kept. */
const IDLE_TIMEOUT_MS = 300_000;
/** int8 as numbers: times in milliseconds and counts, all far below 2^53. */
const INT8_OID = 20;
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === INT8_OID ? Number : pg.types.getTypeParser(oid, format as 'text'),
} as pg.CustomTypesConfig;

/** Commits wait for the disk, a synchronous standby's too. `remote_apply`, which is more, is kept. */
const WAIT_FOR_DISK = `SELECT set_config('synchronous_commit', 'on', false)
  WHERE current_setting('synchronous_commit') IN ('off', 'local', 'remote_write')`;

/** Connections to `url` on which nothing follows other defaults of the server. */
export function openPool(url: string, timeoutMs = STATEMENT_TIMEOUT_MS): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: POOL_SIZE,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    statement_timeout: timeoutMs,
    query_timeout: timeoutMs + CLIENT_MARGIN_MS,
    idle_in_transaction_session_timeout: timeoutMs,
    keepAlive: true,
    application_name: 'malaria-proxy',
    types,
    onConnect: (client) => client.query(`SET default_transaction_isolation = 'read committed'; ${WAIT_FOR_DISK}`),
  });
  // A connection that breaks while idle is replaced when needed; if it breaks while in use, the next statement fails. A
  // server's last message can arrive with the last byte of the handshake, before there is any other listener.
  pool.on('error', () => {});
  pool.on('connect', (client) => void client.on('error', () => {}));
  return pool;
}

export interface Connection {
  query(query: string | pg.QueryConfig, values?: readonly unknown[]): Promise<pg.QueryResult>;
  release(): void;
}

/** A connection whose errors people can read. A failure to connect is due to the server, the login or the address. */
export async function connect(pool: pg.Pool): Promise<Connection> {
  let client: pg.PoolClient;
  try {
    client = await pool.connect();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_INVALID_URL')
      throw new UsageError('the store is no valid URL; expected postgres://USER:PASSWORD@HOST/DATABASE');
    throw toTryAgain(error);
  }
  let connectionError: Error | undefined;
  return {
    async query(query, values = []) {
      if (connectionError) throw toTryAgain(connectionError);
      try {
        return await (typeof query === 'string' ? client.query(query, [...values]) : client.query(query));
      } catch (error) {
        if (!(error instanceof pg.DatabaseError)) connectionError = error as Error;
        return throwReadable(error);
      }
    },
    release: () => client.release(connectionError),
  };
}

/**
 * Prefixes of SQLSTATEs that concern the server and not the statement: connection, a read-only server (a standby
 * instead of the primary), login, database, transactions rolled back, privileges, resources, shutdown, disk.
 */
const SERVER_ERROR_PREFIXES = ['08', '25006', '28', '3D', '40', '42501', '53', '57', '58'];
/** A text containing NUL, which PostgreSQL cannot store. */
const NUL_IN_TEXT = '22021';

/** Throws `error`, as a one-line message for people if the server cannot be used. */
function throwReadable(error: unknown): never {
  if (error instanceof pg.DatabaseError) {
    const { code = '' } = error;
    if (code === NUL_IN_TEXT) throw new UsageError('texts must not contain a NUL character');
    if (!SERVER_ERROR_PREFIXES.some((prefix) => code.startsWith(prefix))) throw error;
  }
  throw toTryAgain(error);
}

/** The message omits the address, which may contain a password. */
export function toTryAgain(error: unknown): TryAgain {
  return new TryAgain(`store: PostgreSQL cannot be used: ${errorLine(error)}`, { cause: error });
}
