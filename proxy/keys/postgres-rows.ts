/** Accounts and keys as PostgreSQL has them, and how they look elsewhere. */
import type { Scope } from '../../pipeline/contract/operations.ts';
import type { Account, Key } from './accounts.ts';
import type { Holder } from './store.ts';

export const ACCOUNT =
  'id, name, kind, created_at, unlocked_at, suspended_at, removed_at, per_minute, per_month, version AS account_version';
export const KEY = `keys.id, owner_id, name, kind, scopes, created_at, expires_at, revoked_at, created_by, last_used_at,
  hash,  version AS key_version`;
export const KEYS = 'keys LEFT JOIN key_uses ON key_id = keys.id';

export type AccountRow = Account & { account_version: number };
export type KeyRow = Omit<Key, 'scopes'> & { scopes: string; hash: Buffer; key_version: number };

/** A row and how often it was changed: of two copies the one with the higher version is the newer. */
export interface Versioned<T> {
  value: T;
  version: number;
}

/** A key with its owner, as one snapshot of the database has them. */
export interface FoundKey {
  key: Versioned<Key>;
  account: Versioned<Account>;
}

export function toAccount({ account_version: _, ...account }: AccountRow): Account {
  return account;
}

export function toKey({ hash: _, key_version: __, scopes, ...rest }: KeyRow): Key {
  return { ...rest, scopes: scopes.split(',') as Scope[] };
}

export function versionedAccount(row: AccountRow): Versioned<Account> {
  return { value: toAccount(row), version: row.account_version };
}

export function versionedKey(row: KeyRow): Versioned<Key> {
  return { value: toKey(row), version: row.key_version };
}

export function holderOf({ key: { value: key }, account: { value: account } }: FoundKey): Holder {
  const { per_minute: perMinute, per_month: perMonth } = account;
  return { keyId: key.id, ownerId: account.id, kind: key.kind, scopes: key.scopes, perMinute, perMonth };
}
