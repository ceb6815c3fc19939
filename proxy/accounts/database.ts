/** The database of accounts, keys and people: its tables, and what the two kinds of it, SQLite and PostgreSQL, provide. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CompiledQuery, Generated, Kysely } from 'kysely';
import type { Awaitable } from '../clock.ts';
import type { Account, Key } from './accounts.ts';
import type { Attempts } from './attempts.ts';
import type { AuditEntry } from './audit.ts';
import type { Invitation } from './links.ts';
import type { Person } from './people.ts';
import type { UsageRow } from './usage.ts';

type Versioned<T> = Omit<T, 'version'> & { version: Generated<number> };

/** Tables as both have them; true and false are 1 and 0 in SQLite. */
export interface Tables {
  accounts: Versioned<Account>;
  keys: Versioned<Omit<Key, 'scopes' | 'last_used_at'>> & { scopes: string; hash_head: string; hash: Uint8Array };
  key_uses: { key_id: string; last_used_at: number };
  people: Omit<Person, 'has_factor'> & {
    password_hash: string;
    factor_secret: string | null;
    factor_step: Generated<number>;
  };
  recovery_codes: { person_id: string; hash: Uint8Array };
  links: Omit<Invitation, 'role'> & {
    role: Invitation['role'] | null;
    hash: Uint8Array;
    purpose: 'invitation' | 'reset';
    person_id: string | null;
    used_at: number | null;
  };
  sessions: { hash: Uint8Array; person_id: string; factor_due: boolean; created_at: number; seen_at: number };
  browsers: { hash: Uint8Array; person_id: string; seen_at: number };
  audit: Omit<AuditEntry, 'id' | 'by_service'> & { id: Generated<number>; by_service: boolean };
  usage: UsageRow;
}

/** The database, or a transaction in it. */
export type Db = Kysely<Tables>;

export interface Database {
  db: Db;
  /** Runs `work` in one transaction. It must ask nothing but the transaction it is given: SQLite has one connection. */
  transact<T>(work: (tx: Db) => Promise<T>): Promise<T>;
  /** The same for what a power cut, though no crash of this process, may undo. In SQLite it does not wait for the disk. */
  transactLightly<T>(work: (tx: Db) => Promise<T>): Promise<T>;
  /** Holds the service team, which has no row to be held by, until the transaction ends. */
  holdTeam(tx: Db): Promise<unknown>;
  /** Runs a query of requests again and again, with other parameters; at once where the database is a file. */
  prepare<Row>(query: CompiledQuery<Row>): (...parameters: string[]) => Awaitable<Row[]>;
  /** Whether anything may have been committed, by anybody, since this was last asked. */
  changed(): boolean;
  /**
   * Sees to it that no proxy goes by what was before a change that was just committed, of the row of this id up to this
   * version.
   */
  confirm(table: 'accounts' | 'keys', id: string, version: number): Promise<void>;
  attempts: Attempts;
  /** To be called once nothing is asked any more. */
  close(): Promise<void>;
}

/** The scripts that make the tables, each lifting the schema of those before it by one. */
export function schemaOf(kind: 'sqlite' | 'postgres'): string[] {
  const folder = join(import.meta.dirname, 'schema', kind);
  return readdirSync(folder)
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8'));
}
