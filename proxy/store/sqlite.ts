import { existsSync } from 'node:fs';
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type SelectModifierNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely';
import { type Database, missingScripts, noStoreError, schemaScripts } from './database.ts';
import type { TableRows } from './row-types.ts';
import { SqliteAdmitter } from './sqlite-admitter.ts';
import {
  asTryAgain,
  createDatabaseFile,
  isBusyError,
  migrate,
  openSqliteFile,
  readSchemaState,
  replacementCheck,
} from './sqlite-file.ts';

/** How long a change waits for another process to finish its own. */
const BUSY_TIMEOUT_MS = 5000;
const BUSY_RETRY_MS = 5;

/**
 * The database in an SQLite file (WAL), shared by any number of processes on one machine.
 *
 * All changes use one connection, one transaction at a time, each holding the write lock from the start; requests have
 * one of their own (sqlite-admitter.ts). While another process holds the lock, they wait without blocking the event
 * loop.
 *
 * @throws UsageError if the file is missing and this may not create it, is not a store, or was made by another version
 * of this program; TryAgain if it cannot be used at present.
 */
export function openSqlite(file: string, mayCreate: boolean): Database {
  if (mayCreate) createDatabaseFile(file);
  if (!existsSync(file)) throw noStoreError(file);
  // First without the right to write, so that nothing is written to a file that is refused.
  const checkSchema = (opened: DatabaseSync) =>
    void missingScripts(file, readSchemaState(opened), schemaScripts('sqlite'), mayCreate);
  openSqliteFile(file, checkSchema, BUSY_TIMEOUT_MS, true).close();
  const isReplaced = replacementCheck(file);
  const writeConnection = openSqliteFile(
    file,
    (opened) => {
      migrate(opened, file);
      opened.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON');
    },
    BUSY_TIMEOUT_MS,
  );
  writeConnection.exec('PRAGMA busy_timeout = 0');
  const db = new Kysely<TableRows>({ dialect: sqliteDialect(writeConnection) });
  return {
    db,
    transact: (work) => db.transaction().execute(work),
    transactUnsynced: (work) =>
      db.connection().execute(async (connection) => {
        await sql`PRAGMA synchronous = NORMAL`.execute(connection);
        try {
          return await connection.transaction().execute(work);
        } finally {
          await sql`PRAGMA synchronous = FULL`.execute(connection);
        }
      }),
    // The write lock suffices.
    lockServiceTeam: async () => {},
    openAdmitter: (options) => new SqliteAdmitter(file, options),
    // Keys revoked in the file that is there now would still work in the one that is open.
    whyLost: () => (isReplaced() ? `${file} was removed, or replaced by another file` : null),
    close: () =>
      // After the queries in progress.
      db.connection().execute(async () => writeConnection.close()),
  };
}

/** Kysely's own SQLite driver is for better-sqlite3, and its transactions take the write lock too late. */
function sqliteDialect(db: DatabaseSync): Dialect {
  const connection = wrapConnection(db);
  const execute = async (text: string) => {
    await connection.executeQuery(CompiledQuery.raw(text));
  };
  const driver: Driver = {
    init: async () => {},
    acquireConnection: async () => connection,
    beginTransaction: () => execute('BEGIN IMMEDIATE'),
    commitTransaction: () => execute('COMMIT'),
    // After some errors, such as a full disk, SQLite has already rolled back.
    rollbackTransaction: async () => (db.isTransaction ? execute('ROLLBACK') : undefined),
    releaseConnection: async () => {},
    destroy: async () => db.close(),
  };
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => driver,
    createIntrospector: (kysely) => new SqliteIntrospector(kysely),
    createQueryCompiler: () => new QueryCompiler(),
  };
}

function wrapConnection(db: DatabaseSync): DatabaseConnection {
  const run = <Row>({ sql: text, parameters }: CompiledQuery) => {
    const statement = db.prepare(text);
    const values = parameters.map((value) => (typeof value === 'boolean' ? Number(value) : value)) as SQLInputValue[];
    if (statement.columns().length > 0) {
      // Node's rows have no prototype.
      return { rows: statement.all(...values).map((row) => ({ ...row }) as Row) };
    }
    return { rows: [], numAffectedRows: BigInt(statement.run(...values).changes) };
  };
  return {
    async executeQuery<Row>(query: CompiledQuery) {
      const deadline = performance.now() + BUSY_TIMEOUT_MS;
      for (;;) {
        try {
          return run<Row>(query);
        } catch (error) {
          if (!isBusyError(error) || db.isTransaction || performance.now() > deadline) throw asTryAgain(error);
        }
        await pause(BUSY_RETRY_MS);
      }
    },
    streamQuery() {
      throw new Error('streaming is not supported');
    },
  };
}

/** Omits what SQLite neither has nor needs: row locks, and the collation that is its default. */
class QueryCompiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (!/^(For|SkipLocked)/.test(node.modifier ?? '')) super.visitSelectModifier(node);
  }
  protected override visitCollate(): void {}
}
