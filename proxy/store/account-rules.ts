/** Rules for accounts and keys, independent of storage: statuses, transitions, and who may have a key. */
import { SCOPES, type Scope } from '../../pipeline/contract/scopes.ts';
import { UsageError } from '../../pipeline/lib/errors.ts';
import type { Account, Key } from './row-types.ts';

export type AccountStatus = 'active' | 'locked' | 'suspended' | 'removed';

/** Removal is final and overrides everything else; a researcher is locked until unlocked. */
export function accountStatus(
  account: Pick<Account, 'kind' | 'unlocked_at' | 'suspended_at' | 'removed_at'>,
): AccountStatus {
  if (account.removed_at !== null) return 'removed';
  if (account.suspended_at !== null) return 'suspended';
  return account.kind === 'researcher' && account.unlocked_at === null ? 'locked' : 'active';
}

/** Revocation is final and overrides expiry; expiry is exact to the millisecond. */
export function keyStatus(key: Pick<Key, 'revoked_at' | 'expires_at'>, now: number): 'active' | 'revoked' | 'expired' {
  if (key.revoked_at !== null) return 'revoked';
  return key.expires_at !== null && now >= key.expires_at ? 'expired' : 'active';
}

export type AccountChange = 'unlock' | 'suspend' | 'reinstate' | 'remove';

/**
 * `account` after `change` at `now`. Repeating a change is harmless and keeps the time of the first.
 * Researchers can be suspended like organisations, so that an operator can stop abuse without removing an account.
 * @throws UsageError for any change to a removed account except removal, and for unlocking an organisation.
 */
export function applyChange(account: Account, change: AccountChange, now: number): Account {
  if (account.removed_at !== null && change !== 'remove') {
    throw new UsageError(`account '${account.name}' was removed, which is final`);
  }
  switch (change) {
    case 'unlock':
      if (account.kind === 'organisation') {
        throw new UsageError(`'${account.name}' is an organisation; only researchers wait to be unlocked`);
      }
      return { ...account, unlocked_at: account.unlocked_at ?? now };
    case 'suspend':
      return { ...account, suspended_at: account.suspended_at ?? now };
    case 'reinstate':
      return { ...account, suspended_at: null };
    case 'remove':
      return { ...account, removed_at: account.removed_at ?? now };
  }
}

/** @throws UsageError if `account` may not have keys. */
export function checkMayHoldKeys(account: Account): void {
  const status = accountStatus(account);
  if (status === 'active') return;
  const advice = { locked: `unlock it first`, suspended: `reinstate it first`, removed: `this is final` }[status];
  throw new UsageError(`no key for '${account.name}': the account is ${status}; ${advice}`);
}

/** Control characters, line and paragraph separators, and characters that change the direction of text. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

/**
 * `name`, trimmed. @throws UsageError if nothing of it shows, it is longer than 100 characters, or has unprintable
 * ones.
 */
export function checkName(label: string, name: string): string {
  const trimmed = name.trim();
  if (visualForm(trimmed) === '' || trimmed.length > 100 || UNPRINTABLE.test(trimmed)) {
    throw new UsageError(`${label}: expected 1 to 100 printable characters, found ${JSON.stringify(name)}`);
  }
  return trimmed;
}

/**
 * Small letters of other scripts whose small or capital form looks Latin, dashes and apostrophes, each with its twin;
 * I, l and 1 look the same, and so do O and 0.
 */
const LOOKALIKES = new Map(
  (
    [
      ['авсԁеһіјӏкмнорԛѕтуѵԝх', 'abcdehljlkmhopqstyvwx'],
      ['αβεζηικμνορτυχ', 'abezhlkmnoptyx'],
      ['i1|0ɑɡ', 'llloag'],
      ['‐–—−’ʼ', "----''"],
    ] as const
  ).flatMap(([letters, latin]) => [...letters].map((letter, i) => [letter, latin[i]!])),
);

/**
 * What `name` looks like: names with the same look cannot be told apart in a list. It leaves out what is invisible,
 * repeated spaces, the difference of capital and small letters and of compatible characters (NFKC), and that of the
 * twins above (confusables of Unicode TS 39; no library here has its full list).
 */
export function visualForm(name: string): string {
  const visible = name.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  // Capitals first, so that letters with several small forms, such as ß and ς, have one.
  const folded = visible.toUpperCase().toLowerCase().normalize('NFKC').replace(/\s+/gu, ' ').trim();
  return Array.from(folded, (letter) => LOOKALIKES.get(letter) ?? letter).join('');
}

/** The scopes in a comma-separated list, in the contract's order. @throws UsageError for an unknown scope or none. */
export function parseScopes(list: string): Scope[] {
  const allScopes = Object.keys(SCOPES) as Scope[];
  const requested = list.split(',').map((item) => item.trim());
  const unknown = requested.find((item) => !(allScopes as string[]).includes(item));
  if (unknown !== undefined) {
    throw new UsageError(`scopes: expected one or more of ${allScopes.join(', ')}, found ${JSON.stringify(unknown)}`);
  }
  return allScopes.filter((scope) => requested.includes(scope));
}

/**
 * Milliseconds since 1970 of an ISO 8601 time with its zone (`2027-01-31T00:00:00Z`), or of a date, which stands for
 * 00:00 UTC on that day. @throws UsageError if `text` is neither, or not later than `now`.
 */
export function parseExpiry(text: string, now: number): number {
  const match = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/.exec(text);
  const dayStart = match ? Date.parse(`${match[1]}T00:00:00Z`) : Number.NaN;
  const expiresAt = match ? Date.parse(text) : Number.NaN;
  // Date.parse turns 30 February into 2 March; the day must read back as written.
  if (
    Number.isNaN(expiresAt) ||
    Number.isNaN(dayStart) ||
    new Date(dayStart).toISOString().slice(0, 10) !== match?.[1]
  ) {
    throw new UsageError(
      `expiry: expected a date or a time such as 2027-01-31T00:00:00Z, found ${JSON.stringify(text)}`,
    );
  }
  if (expiresAt <= now) throw new UsageError(`expiry: expected a time in the future, found ${text}`);
  return expiresAt;
}
