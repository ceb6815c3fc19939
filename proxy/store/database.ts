/** The interface that the database has in both SQLite and PostgreSQL, and the scripts that create its tables. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import type { Attempts } from './attempt-counts.ts';
import type { Rows } from './row-types.ts';

/** The database, or a transaction in it. */
export type Db = Kysely<Rows>;

export interface Database {
  db: Db;
  /** Runs `work` in a transaction. `work` must query only the transaction passed to it: SQLite has one connection. */
  transact<T>(work: (tx: Db) => Promise<T>): Promise<T>;
  /** The same without waiting for the disk in SQLite: a power cut may undo it, but not a crash of this process. */
  transactLightly<T>(work: (tx: Db) => Promise<T>): Promise<T>;
  /** Locks the service team, which has no row, until the transaction ends. */
  lockServiceTeam(tx: Db): Promise<unknown>;
  /** Resolves once no proxy uses an older version of the row with this id. */
  confirm(table: 'accounts' | 'keys', id: string, version: number): Promise<void>;
  attempts: Attempts;
  /** Call this only after the last query. */
  close(): Promise<void>;
}

/** The scripts that create the tables, each raising the schema's version by one. */
export function schemaOf(kind: 'sqlite' | 'postgres'): string[] {
  const folder = join(import.meta.dirname, 'schema', kind);
  return readdirSync(folder)
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8'));
}
