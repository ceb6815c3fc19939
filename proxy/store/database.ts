/** The database of accounts, keys and people: its tables, and the interface that SQLite and PostgreSQL implement. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Generated, Kysely } from 'kysely';
import type { Account, Key } from './account-rules.ts';
import type { Attempts } from './attempt-counts.ts';
import type { AuditEntry } from './audit.ts';
import type { Invitation } from './people/links.ts';
import type { Person, SessionTimes } from './people/person-rules.ts';
import type { ErrorRow, UsageRow } from './usage-counts.ts';

type Versioned<T> = Omit<T, 'version'> & { version: Generated<number> };

/** The tables, the same in both; in SQLite, true and false are 1 and 0. */
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
  sessions: SessionTimes & { hash: Uint8Array; person_id: string; confirmed_at: number };
  browsers: { hash: Uint8Array; person_id: string; seen_at: number };
  audit: Omit<AuditEntry, 'id' | 'by_service'> & { id: Generated<number>; by_service: boolean };
  usage: UsageRow;
  usage_errors: ErrorRow;
  notices: { what: string; at: number };
}

/** The database, or a transaction in it. */
export type Db = Kysely<Tables>;

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
