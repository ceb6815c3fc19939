/** What the store keeps of accounts, keys, people and usage: the types of its rows. Times are ms since 1970 UTC. */
import type { Generated } from 'kysely';
import type { Scope } from '../../pipeline/contract/scopes.ts';
import type { Action } from './audit-actions.ts';
import type { KeyKind } from './key-format.ts';

export type AccountKind = 'organisation' | 'researcher';

/** A time is null if the event has not happened; a limit of null is the service's default. */
export interface Account {
  id: string;
  name: string;
  kind: AccountKind;
  created_at: number;
  unlocked_at: number | null;
  suspended_at: number | null;
  removed_at: number | null;
  per_minute: number | null;
  per_month: number | null;
}

export interface Key {
  id: string;
  owner_id: string;
  name: string;
  kind: KeyKind;
  scopes: readonly Scope[];
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  /** Id of the person who created it in the dashboard; null if it was created on the command line. */
  created_by: string | null;
  /** Up to a minute late while a server runs; null if it was never used. */
  last_used_at: number | null;
  /** The characters before its secret part and four of that part. */
  start: string;
}

export type Role = 'service' | 'administrator' | 'member' | 'researcher';

export interface Person {
  id: string;
  /** Lowercase; unique among people not removed. */
  email: string;
  name: string;
  role: Role;
  /** Null for the service team only. */
  account_id: string | null;
  has_factor: boolean;
  created_at: number;
  removed_at: number | null;
}

export interface SessionTimes {
  factor_due: boolean;
  created_at: number;
  seen_at: number;
}

export interface Invitation {
  id: string;
  email: string;
  role: Role;
  /** Null for an invitation to the service team. */
  account_id: string | null;
  created_at: number;
  expires_at: number;
}

export interface AuditEntry {
  id: number;
  at: number;
  actor_id: string | null;
  actor: string;
  by_service: number;
  /** The account concerned; null for the service itself. */
  account_id: string | null;
  action: Action;
  /** The name of the key, person or account that was changed. */
  subject: string;
  detail: string;
}

/** Requests on one UTC day (`YYYY-MM-DD`) by key, operation (an id from the contract, or 'none') and outcome. */
export interface UsageRow {
  day: string;
  key_id: string;
  operation: string;
  /** 'granted', 'refused' (by a limit), or the code of an error, under which a request counts as well. */
  outcome: string;
  count: number;
}

/** The rows of each table, the same in SQLite and PostgreSQL; in SQLite, true and false are 1 and 0. */
export interface TableRows {
  accounts: Account;
  keys: Omit<Key, 'scopes' | 'last_used_at'> & { scopes: string; hash: Uint8Array };
  key_uses: { key_id: string; last_used_at: number };
  tag_secrets: { secret: Uint8Array; created_at: number; until: number | null };
  months: { owner_id: string; month: string; granted: number };
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
  attempts: { what: Uint8Array; count: number; until: number };
  audit: Omit<AuditEntry, 'id' | 'by_service'> & { id: Generated<number>; by_service: boolean };
  usage: UsageRow;
  notices: { what: string; at: number };
}
