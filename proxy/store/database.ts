/** The interface that the database has in both SQLite and PostgreSQL, and the scripts that create its tables. */
import { readdirSync, readFileSync } from 'node:fs';
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

/**
 * The scripts that create the tables: the first all of them, each further one (`sqlite-2.sql`, `sqlite-3.sql` …) a
 * later version of the schema.
 */
export function schemaScripts(kind: 'sqlite' | 'postgres'): string[] {
  const folder = join(import.meta.dirname, 'schema');
  const scriptVersion = (name: string) => Number(/-(\d+)\.sql$/.exec(name)?.[1] ?? 1);
  const names = readdirSync(folder).filter((name) => name.startsWith(kind));
  return names
    .sort((a, b) => scriptVersion(a) - scriptVersion(b))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
}

/** Where the schema of a store stands: `version` is null if there is no table `store`, as in what is not ours. */
export interface SchemaState {
  version: number | null;
  isEmpty: boolean;
}

/** Nothing makes a store by mistake: a wrong address would otherwise look like a service without keys. */
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
  { version, isEmpty }: SchemaState,
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
  return scripts.slice(version ?? 0);
}
