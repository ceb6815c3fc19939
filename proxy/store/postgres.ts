import { Kysely, PostgresDialect, type PostgresPoolClient, sql } from 'kysely';
import type pg from 'pg';
import { ADMIT_FUNCTION_NAME, CREATE_ADMIT_FUNCTION } from './admission.ts';
import { type Database, missingScripts, schemaHash, schemaScripts } from './database.ts';
import { PostgresAdmitter } from './postgres-admitter.ts';
import { connect, openPool } from './postgres-connections.ts';
import type { TableRows } from './row-types.ts';
import { mintTagSecret } from './tag-secrets.ts';

/**
 * The database at `url` (postgres://…), for any number of proxies. It connects on the first query, which also migrates
 * the schema, or creates it if it may. It must be a single primary, no read replica: commits must be visible at once.
 */
export function openPostgres(url: string, mayCreate: boolean): Database {
  const pool = openPool(url);
  const migratedPool = async () => {
    await migrate(pool, mayCreate);
    return {
      options: pool.options,
      connect: () => connect(pool) as unknown as Promise<PostgresPoolClient>,
      end: () => pool.end(),
    };
  };
  const db = new Kysely<TableRows>({ dialect: new PostgresDialect({ pool: migratedPool }) });
  return {
    db,
    transact: (work) => db.transaction().execute(work),
    transactUnsynced: (work) =>
      db.transaction().execute(async (tx) => {
        await sql`SET LOCAL synchronous_commit = off`.execute(tx);
        return work(tx);
      }),
    lockServiceTeam: (tx) => sql`SELECT pg_advisory_xact_lock(hashtext('malaria-proxy service team'))`.execute(tx),
    openAdmitter: (options) => new PostgresAdmitter(url, options),
    whyLost: () => null,
    close: () => pool.end(),
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
    const [schema] = await query(`
      SELECT to_regclass('tag_secrets') IS NOT NULL AND EXISTS (
          SELECT FROM pg_attribute WHERE attrelid = to_regclass('store') AND attname = 'schema_hash') AS is_ours,
        NOT EXISTS (SELECT FROM pg_class WHERE relnamespace = to_regnamespace(current_schema())) AS is_empty,
        to_regproc('${ADMIT_FUNCTION_NAME}') IS NOT NULL AS admits`);
    const { version, schema_hash } = schema.is_ours
      ? (await query('SELECT version, schema_hash FROM store'))[0]
      : { version: null, schema_hash: '' };
    const state = { version, schema_hash, isEmpty: schema.is_empty };
    const missing = missingScripts('postgres://…', state, scripts, mayCreate);
    for (const script of missing) await query(script);
    if (version === null) {
      await query('INSERT INTO store VALUES ($1, $2)', [scripts.length, schemaHash(scripts)]);
      await query('INSERT INTO tag_secrets VALUES ($1, 0, NULL)', [mintTagSecret()]);
    } else if (missing.length > 0)
      await query('UPDATE store SET version = $1, schema_hash = $2', [scripts.length, schemaHash(scripts)]);
    if (!schema.admits) await query(CREATE_ADMIT_FUNCTION);
    await query('COMMIT');
  } catch (error) {
    await query('ROLLBACK').catch(() => {});
    throw error;
  } finally {
    client.release();
  }
}
