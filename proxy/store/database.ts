/** The interface that the database has in both SQLite and PostgreSQL, and the scripts that create its tables. */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import type { Clock } from '../../pipeline/lib/clock.ts';
import { UsageError } from '../../pipeline/lib/errors.ts';
import type { Decision, DefaultLimits } from './admission.ts';
import type { TableRows } from './row-types.ts';

/** The database, or a transaction in it. */
export type DbOrTx = Kysely<TableRows>;

export interface Database {
  db: DbOrTx;
  /**
   * Runs `work` in a transaction that is on disk when this resolves. `work` must query only the transaction passed to
   * it: SQLite has one connection.
   */
  transact<T>(work: (tx: DbOrTx) => Promise<T>): Promise<T>;
  /** The same without waiting for the disk: a power cut may undo it, but not a crash of this process. */
  transactUnsynced<T>(work: (tx: DbOrTx) => Promise<T>): Promise<T>;
  /** Locks the service team, which has no row, and the making of accounts, until the transaction ends. */
  lockServiceTeam(tx: DbOrTx): Promise<unknown>;
  /** Opens admission (admission.ts). `clock` is that of SQLite's requests; PostgreSQL has its own. */
  openAdmitter(options: AdmitterOptions): Admitter;
  /** Why this must no longer be used, in a line; null while it may. */
  whyLost(): string | null;
  /** Call this only after the last query. */
  close(): Promise<void>;
}

export interface AdmitterOptions extends DefaultLimits {
  clock: Clock;
}

export interface Admitter {
  /**
   * Decides a request whose key has this hash, and charges it if granted. Null if no such key is admitted.
   * @throws TryAgain if the store cannot decide in time.
   */
  decide(hash: Buffer): Promise<Decision | null>;
  /**
   * Tries to write.
   * @returns milliseconds by which the clock is behind the latest probe: 0, unless it was set back
   * @throws TryAgain if requests cannot be decided at present, or the store not be written
   */
  probe(): Promise<number>;
  close(): void;
}

/** The scripts of the schema: the first creates all tables, each further one would migrate them to a later version. */
export function schemaScripts(kind: 'sqlite' | 'postgres'): string[] {
  const read = (name: string) => readFileSync(join(import.meta.dirname, 'schema', name), 'utf8');
  const tables = read('tables.sql');
  return [(kind === 'sqlite' ? toSqlite(tables) : tables) + read(`audit-log-${kind}.sql`)];
}

/** Identifies the schema that `scripts` make, whatever their comments and spaces. */
export const schemaHash = (scripts: readonly string[]): string =>
  hash('sha256', scripts.join('\n').replaceAll(/--.*$/gm, '').replaceAll(/\s+/g, ' '));

/** Translates `script` from PostgreSQL to SQLite: the types, and tables that enforce them (STRICT). */
function toSqlite(script: string): string {
  return script
    .replaceAll(/\b(bigint|boolean)\b/g, 'INTEGER')
    .replaceAll(/\bbytea\b/g, 'BLOB')
    .replaceAll('GENERATED ALWAYS AS IDENTITY PRIMARY KEY', 'PRIMARY KEY AUTOINCREMENT')
    .replaceAll('WITH (fillfactor = 50);', 'WITHOUT ROWID, STRICT;')
    .replaceAll(/^(CREATE TABLE [^;]*\));/gm, '$1 STRICT;');
}

/** The state of a database: `version` is null if it is no store of this program, and then `schema_hash` is empty. */
export interface SchemaState {
  version: number | null;
  schema_hash: string;
  isEmpty: boolean;
}

/** A missing store is created only on request: a wrong address would otherwise look like a service without keys. */
export const noStoreError = (address: string) =>
  new UsageError(
    `no store at ${address}: give its address in --store or MALARIA_STORE, or make one there with malaria-proxy create-store`,
  );

/**
 * The scripts that the store called `name` lacks.
 * @throws UsageError if it is not one of this program's stores, or there is none and this may not create one.
 */
export function missingScripts(
  storeName: string,
  { version, schema_hash, isEmpty }: SchemaState,
  scripts: readonly string[],
  mayCreate: boolean,
): string[] {
  if (isEmpty && !mayCreate) throw noStoreError(storeName);
  if (version === null && !isEmpty) {
    throw new UsageError(`${storeName} was made by an unreleased version, or is no store: make a new one`);
  }
  if ((version ?? 0) > scripts.length) {
    throw new UsageError(
      `${storeName} has schema ${version} of a newer malaria-proxy; this version supports ${scripts.length}`,
    );
  }
  if (version !== null && schema_hash !== schemaHash(scripts.slice(0, version))) {
    throw new UsageError(
      `${storeName} has another schema ${version} than this version: open it with the program that made it`,
    );
  }
  return scripts.slice(version ?? 0);
}
