import type { Scope } from '../../pipeline/contract/operations.ts';
import type { Awaitable } from '../clock.ts';
import type { Actor } from '../people/audit.ts';
import type { Account, AccountChange, AccountKind, Key } from './accounts.ts';
import type { KeyKind } from './key-format.ts';

/** What the proxy needs to know of whoever sent a request. Limits null are the service's defaults. */
export interface Holder {
  keyId: string;
  ownerId: string;
  kind: KeyKind;
  scopes: readonly Scope[];
  perMinute: number | null;
  perMonth: number | null;
}

/**
 * Who holds `key`, as a client presents it, at wall-clock time `now` (ms); null where it is unknown, mistyped or not
 * admitted. An admitted key counts as used at `now`.
 */
export type Identify = (key: string, now: number) => Awaitable<Holder | null>;

/** All that serving requests asks of the store. */
export interface KeyReader {
  /** Looks at the store: what it gives sees whatever any process committed before this call. Never throws. */
  look(): Identify;
  /**
   * Writes down when keys were last used; to be called now and then, and done by `close`. What cannot be written now is
   * kept for the next time.
   */
  noteUses(): Awaitable<void>;
}

export interface NewKey {
  owner: string;
  name: string;
  kind: KeyKind;
  scopes: readonly Scope[];
  expiresAt: number | null;
  hash: Buffer;
}

export interface LimitChange {
  /** A number; null for the service's default; undefined to leave as it is. */
  perMinute?: number | null | undefined;
  perMonth?: number | null | undefined;
}

/**
 * Accounts and keys, wherever they are kept. Names are unique for good: a removed account keeps its own. Each change is
 * entered into the audit log with it, as done by `by`; not given, by the command line.
 */
export interface AccountStore extends KeyReader {
  createAccount(kind: AccountKind, name: string, now: number, by?: Actor): Awaitable<Account>;
  /** Suspension and removal also end the sessions of the account's people; removal removes them too. */
  changeAccount(name: string, change: AccountChange, now: number, by?: Actor): Awaitable<Account>;
  setLimits(name: string, limits: LimitChange, now?: number, by?: Actor): Awaitable<Account>;
  findAccount(name: string): Awaitable<Account | null>;
  accountById(id: string): Awaitable<Account | null>;
  listAccounts(): Awaitable<Account[]>;
  createKey(key: NewKey, now: number, by?: Actor): Awaitable<Key>;
  /** Keys with their owners, oldest first; of one owner where named. */
  listKeys(owner?: string): Awaitable<{ key: Key; owner: Account }[]>;
  /**
   * Revokes for good; a key that is revoked already keeps its time. A key that is not of `ownerId`, where given, is as
   * unknown as one that does not exist.
   */
  revokeKey(id: string, now: number, by?: Actor, ownerId?: string): Awaitable<Key>;
  close(): Awaitable<void>;
}
