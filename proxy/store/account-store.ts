import type { Scope } from '../../pipeline/contract/scopes.ts';
import { UsageError } from '../../pipeline/lib/errors.ts';
import { findAccountBy, selectAccounts, toKey } from './account-queries.ts';
import {
  type AccountChange,
  accountStatus,
  applyChange,
  checkMayHoldKeys,
  checkName,
  keyStatus,
  visualForm,
} from './account-rules.ts';
import { Attempts } from './attempt-counts.ts';
import { COMMAND_LINE, record } from './audit.ts';
import type { Database, DbOrTx } from './database.ts';
import { hashKey, type KeyKind, keyStart, mintKey, randomText } from './key-format.ts';
import type { Account, AccountKind, Key } from './row-types.ts';
import { insert, update } from './statements.ts';
import { changeTagSecret, mintingSecret, readTagSecrets, validSecrets } from './tag-secrets.ts';
import { UsageStore } from './usage-counts.ts';

export interface NewKey {
  /** What the key begins with. */
  brand: string;
  ownerName: string;
  name: string;
  kind: KeyKind;
  scopes: readonly Scope[];
  expiresAt: number | null;
}

export interface LimitChange {
  /** A number; null for the service's default; undefined to leave it as it is. */
  perMinute?: number | null | undefined;
  perMonth?: number | null | undefined;
}

/**
 * Accounts and their keys, sign-in attempts, and requests by day and month. (people/directory.ts has the people.)
 *
 * Names are never reused: a removed account keeps its name. A new account's name must not look like that of another,
 * nor a new key's like that of another active key of its owner; it may be exactly the same, as for a replacement. Each
 * change is recorded in the audit log as made by `actor`, is on disk once it is returned, and applies to every
 * process's next request, since each request reads these rows.
 */
export class AccountStore {
  readonly database: Database;
  readonly attempts: Attempts;
  readonly usage: UsageStore;

  constructor(database: Database) {
    this.database = database;
    this.attempts = new Attempts(database);
    this.usage = new UsageStore(database);
  }

  close(): Promise<void> {
    return this.database.close();
  }

  async createAccount(kind: AccountKind, name: string, now: number, actor = COMMAND_LINE): Promise<Account> {
    const { transact, lockServiceTeam } = this.database;
    const checkedName = checkName('account name', name);
    const id = `acc_${randomText(12)}`;
    return transact(async (tx) => {
      // Accounts are made by the service team only, so its lock keeps two from being made at once.
      await lockServiceTeam(tx);
      const lookalike = (await selectAccounts(tx).execute()).find(
        (account) => visualForm(account.name) === visualForm(checkedName),
      );
      if (lookalike) throw new UsageError(whyTaken(checkedName, lookalike));
      await insert(tx, 'accounts', { id, name: checkedName, kind, created_at: now });
      await record(tx, { action: 'account.create', accountId: id, subject: checkedName, detail: kind }, actor, now);
      return requireAccountNamed(tx, checkedName);
    });
  }

  /** Suspension and removal end the sessions of the account's people; removal also removes the people. */
  changeAccount(name: string, change: AccountChange, now: number, actor = COMMAND_LINE): Promise<Account> {
    return this.#updateAccount(name, async (tx, account) => {
      const changed = applyChange(account, change, now);
      const { id, unlocked_at, suspended_at, removed_at } = changed;
      if (accountStatus(changed) === accountStatus(account) && unlocked_at === account.unlocked_at) return account;
      const stored = await storeAccount(tx, account, { unlocked_at, suspended_at, removed_at });
      if (suspended_at !== null || removed_at !== null) await signOutPeople(tx, changed, now);
      await record(tx, { action: `account.${change}`, accountId: id, subject: changed.name }, actor, now);
      return stored;
    });
  }

  setLimits(name: string, limits: LimitChange, now = Date.now(), actor = COMMAND_LINE): Promise<Account> {
    return this.#updateAccount(name, async (tx, account) => {
      const { perMinute = account.per_minute, perMonth = account.per_month } = limits;
      const stored = await storeAccount(tx, account, { per_minute: perMinute, per_month: perMonth });
      const detail = `${perMinute ?? 'default'} a minute, ${perMonth ?? 'default'} a month`;
      await record(tx, { action: 'account.limits', accountId: account.id, subject: account.name, detail }, actor, now);
      return stored;
    });
  }

  #updateAccount(name: string, work: (tx: DbOrTx, account: Account) => Promise<Account>): Promise<Account> {
    return this.database.transact(async (tx) => work(tx, await requireAccountNamed(tx, name, 'update')));
  }

  findAccount(name: string): Promise<Account | null> {
    return findAccountBy(this.database.db, 'name', name);
  }

  accountById(id: string): Promise<Account | null> {
    return findAccountBy(this.database.db, 'id', id);
  }

  listAccounts(): Promise<Account[]> {
    const query = selectAccounts(this.database.db).orderBy('created_at');
    return query.orderBy('name', (order) => order.collate('C')).execute();
  }

  /** Creates a key. Its text, `secret`, is not stored. */
  async createKey(newKey: NewKey, now: number, actor = COMMAND_LINE): Promise<{ key: Key; secret: string }> {
    const name = checkName('key name', newKey.name);
    const id = `key_${randomText(12)}`;
    return this.database.transact(async (tx) => {
      // Locked against a simultaneous suspension or removal, and against another new key.
      const owner = await requireAccountNamed(tx, newKey.ownerName, 'update');
      checkMayHoldKeys(owner);
      await refuseLookalike(tx, owner, name, now);
      const { brand, kind, scopes, expiresAt: expires_at } = newKey;
      const secret = mintKey(brand, kind, mintingSecret(await readTagSecrets(tx), now));
      await insert(tx, 'keys', {
        id,
        owner_id: owner.id,
        name,
        kind,
        scopes: scopes.join(','),
        hash: hashKey(secret),
        start: keyStart(secret),
        created_at: now,
        expires_at,
        created_by: actor.id,
      });
      const detail = `${id}, ${kind}, ${scopes.join(' ')}`;
      await record(tx, { action: 'key.create', accountId: owner.id, subject: name, detail }, actor, now);
      return { key: await requireKey(tx, id), secret };
    });
  }

  /** Keys with their owners, oldest first; only those of the account called `ownerName` if given. */
  async listKeys(ownerName?: string): Promise<{ key: Key; owner: Account }[]> {
    const { db } = this.database;
    const owner = ownerName === undefined ? null : await requireAccountNamed(db, ownerName);
    const rows = await selectKeys(db)
      .$if(owner !== null, (query) => query.where('owner_id', '=', owner!.id))
      .orderBy('created_at')
      .orderBy('id', (order) => order.collate('C'))
      .execute();
    // Read after the keys, so every key's owner is among them.
    const owners = new Map((owner ? [owner] : await this.listAccounts()).map((account) => [account.id, account]));
    return rows.map((row) => ({ key: toKey(row), owner: owners.get(row.owner_id)! }));
  }

  /** The key whose text is `secret`, with its owner; null if there is no such key. */
  async findKey(secret: string): Promise<{ key: Key; owner: Account } | null> {
    const { db } = this.database;
    const row = await selectKeys(db).where('hash', '=', hashKey(secret)).executeTakeFirst();
    return row ? { key: toKey(row), owner: (await findAccountBy(db, 'id', row.owner_id))! } : null;
  }

  /**
   * Revokes a key for good; one already revoked keeps the time of its revocation. If `ownerId` is given, another
   * owner's key is treated as unknown.
   */
  revokeKey(id: string, now: number, actor = COMMAND_LINE, ownerId?: string): Promise<Key> {
    return this.#changeKey(id, ownerId, async (tx, { revoked_at, owner_id: accountId, name: subject }) => {
      if (revoked_at !== null) return null;
      await record(tx, { action: 'key.revoke', accountId, subject, detail: id }, actor, now);
      return { revoked_at: now };
    });
  }

  /** Makes a key expire at `end` if it would work longer than that; otherwise like `revokeKey`. */
  expireKey(id: string, expiresAt: number, now: number, actor = COMMAND_LINE, ownerId?: string): Promise<Key> {
    return this.#changeKey(id, ownerId, async (tx, { revoked_at, expires_at, owner_id: accountId, name: subject }) => {
      if (revoked_at !== null || (expires_at !== null && expires_at <= expiresAt)) return null;
      const detail = `${id}, ${new Date(expiresAt).toISOString()}`;
      await record(tx, { action: 'key.end', accountId, subject, detail }, actor, now);
      return { expires_at: expiresAt };
    });
  }

  /** Writes the values that `decideChange` returns for the key; null leaves it as it is. */
  #changeKey(
    id: string,
    ownerId: string | undefined,
    decideChange: (tx: DbOrTx, key: Key) => Promise<Partial<Pick<Key, 'revoked_at' | 'expires_at'>> | null>,
  ): Promise<Key> {
    return this.database.transact(async (tx) => {
      await tx.selectFrom('keys').select('id').where('id', '=', id).forNoKeyUpdate().execute();
      const key = await requireKey(tx, id, ownerId);
      const change = await decideChange(tx, key);
      if (change === null) return key;
      await update(tx, 'keys', { id }, change);
      return requireKey(tx, id);
    });
  }

  /** The secrets whose tags are valid at `now`. */
  async tagSecrets(now: number): Promise<Uint8Array[]> {
    return validSecrets(await readTagSecrets(this.database.db), now);
  }

  /** Makes a new secret for tags; keys tagged with earlier ones are refused from `earlierEnd` on. */
  changeTagSecret(earlierEnd: number, now: number, actor = COMMAND_LINE): Promise<void> {
    return this.database.transact((tx) => changeTagSecret(tx, earlierEnd, now, actor));
  }
}

const CHOOSE_ANOTHER_NAME = 'choose one that differs by more than case, spaces, or letters that look the same';

/** Why no account can be called `name`, which looks like that of `lookalike`. */
function whyTaken(name: string, lookalike: Account): string {
  if (lookalike.name !== name) return `account name: '${name}' is too like '${lookalike.name}'; ${CHOOSE_ANOTHER_NAME}`;
  const reason = lookalike.removed_at === null ? 'already exists' : 'was removed, and names cannot be used again';
  return `an account named '${name}' ${reason}`;
}

/** @param lock how to lock the account until the transaction ends. @throws UsageError if there is no such account. */
async function requireAccountNamed(db: DbOrTx, name: string, lock?: 'share' | 'update'): Promise<Account> {
  const account = await findAccountBy(db, 'name', name.trim(), lock);
  if (!account) throw new UsageError(`no account named ${JSON.stringify(name)}`);
  return account;
}

async function storeAccount(tx: DbOrTx, { id }: Account, values: Partial<Account>): Promise<Account> {
  await update(tx, 'accounts', { id }, values);
  return (await findAccountBy(tx, 'id', id))!;
}

/** Ends all sessions of a suspended or removed account's people. */
async function signOutPeople(tx: DbOrTx, { id, removed_at }: Account, now: number): Promise<void> {
  const people = tx.selectFrom('people').select('id').where('account_id', '=', id);
  // Every person is locked first, as when a session is opened, so that none is opened meanwhile.
  await people.orderBy('id').forNoKeyUpdate().execute();
  // Deleted, so that they do not come back when the account is reinstated.
  await tx.deleteFrom('sessions').where('person_id', 'in', people).execute();
  if (removed_at === null) return;
  // No credentials are kept, and the addresses may be invited elsewhere.
  for (const table of ['recovery_codes', 'browsers'] as const) {
    await tx.deleteFrom(table).where('person_id', 'in', people).execute();
  }
  const removed = { removed_at: now, password_hash: '', factor_secret: null };
  await update(tx, 'people', { account_id: id, removed_at: null }, removed);
}

const selectKeys = (db: DbOrTx) =>
  db
    .selectFrom('keys')
    .leftJoin('key_uses', 'key_id', 'id')
    .select(['id', 'owner_id', 'name', 'kind', 'scopes', 'created_at', 'expires_at', 'revoked_at', 'created_by'])
    .select(['start', 'last_used_at']);

/** @throws UsageError if `name` looks like that of another working key of its owner, but is not exactly the same */
async function refuseLookalike(tx: DbOrTx, { id }: Account, name: string, now: number): Promise<void> {
  const lookalikes = (await selectKeys(tx).where('owner_id', '=', id).execute())
    .filter((key) => keyStatus(key, now) === 'active' && visualForm(key.name) === visualForm(name))
    .map((key) => key.name);
  if (lookalikes.length === 0 || lookalikes.includes(name)) return;
  throw new UsageError(
    `key name: '${name}' is too like '${lookalikes[0]}', the name of a key that works; ${CHOOSE_ANOTHER_NAME}`,
  );
}

async function requireKey(db: DbOrTx, id: string, ownerId?: string): Promise<Key> {
  const row = await selectKeys(db).where('id', '=', id).executeTakeFirst();
  if (!row || (ownerId !== undefined && row.owner_id !== ownerId))
    throw new UsageError(`no key with id ${JSON.stringify(id)}; \`keys list\` shows the ids`);
  return toKey(row);
}
