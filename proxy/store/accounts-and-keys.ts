/** Accounts and their keys in the database. */
import type { Scope } from '../../pipeline/contract/scopes.ts';
import { UsageError } from '../../pipeline/lib/errors.ts';
import { accountBy, accounts, toKey } from './account-queries.ts';
import {
  type AccountChange,
  accountStatus,
  changeAccount,
  checkMayHoldKeys,
  checkName,
  keyStatus,
  visualForm,
} from './account-rules.ts';
import { COMMAND_LINE, record } from './audit.ts';
import type { Database, Db } from './database.ts';
import { hashKey, type KeyKind, keyPrefix, mintKey, randomText } from './key-format.ts';
import type { Account, AccountKind, Key } from './row-types.ts';
import { insert, update } from './statements.ts';
import { changeTagSecret, goodSecrets, mintingSecret, readTagSecrets } from './tag-secrets.ts';

export interface NewKey {
  /** What the key begins with. */
  brand: string;
  owner: string;
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
 * Names are never reused: a removed account keeps its own. No two accounts can be made whose names look the same, nor a
 * key whose name looks like another one of a working key of its owner; two keys with exactly one name are an old one and
 * its replacement. Looks are compared when something is made and not stored, so that stores from before keep theirs. Each change is recorded in the audit log as made by `by`, and
 * is on disk once it is returned. Every process obeys it from the next request on, since each request reads these rows.
 */
export function accountsAndKeys({ db, transact, lockServiceTeam }: Database) {
  const changeRow = (name: string, work: (tx: Db, before: Account) => Promise<Account>): Promise<Account> =>
    transact(async (tx) => work(tx, await accountNamed(tx, name, 'update')));
  const listAccounts = (): Promise<Account[]> => {
    const byAge = accounts(db).orderBy('created_at');
    return byAge.orderBy('name', (order) => order.collate('C')).execute();
  };

  /** Writes the values that `changeOf` returns for the key; null leaves it as it is. */
  const changeKey = (
    id: string,
    ownerId: string | undefined,
    decideChange: (tx: Db, before: Key) => Promise<Partial<Pick<Key, 'revoked_at' | 'expires_at'>> | null>,
  ): Promise<Key> =>
    transact(async (tx) => {
      await tx.selectFrom('keys').select('id').where('id', '=', id).forNoKeyUpdate().execute();
      const before = await keyWith(tx, id, ownerId);
      const change = await decideChange(tx, before);
      if (change === null) return before;
      await update(tx, 'keys', { id }, change);
      return keyWith(tx, id);
    });

  return {
    async createAccount(kind: AccountKind, name: string, now: number, by = COMMAND_LINE): Promise<Account> {
      const checked = checkName('account name', name);
      const id = `acc_${randomText(12)}`;
      return transact(async (tx) => {
        // Only the service team and its operator make accounts: this lock keeps two from being made at once.
        await lockServiceTeam(tx);
        const known = (await accounts(tx).execute()).find((other) => visualForm(other.name) === visualForm(checked));
        if (known) throw new UsageError(whyTaken(checked, known));
        const unset = { unlocked_at: null, suspended_at: null, removed_at: null, per_minute: null, per_month: null };
        await insert(tx, 'accounts', { id, name: checked, kind, created_at: now, ...unset });
        await record(tx, { action: 'account.create', account: id, subject: checked, detail: kind }, by, now);
        return accountNamed(tx, checked);
      });
    },
    /** Suspension and removal end the sessions of the account's people; removal also removes the people. */
    changeAccount: (name: string, what: AccountChange, now: number, by = COMMAND_LINE): Promise<Account> =>
      changeRow(name, async (tx, before) => {
        const after = changeAccount(before, what, now);
        const { id, unlocked_at, suspended_at, removed_at } = after;
        if (accountStatus(after) === accountStatus(before) && unlocked_at === before.unlocked_at) return before;
        const written = await rewrite(tx, before, { unlocked_at, suspended_at, removed_at });
        if (suspended_at !== null || removed_at !== null) await signOutPeople(tx, after, now);
        await record(tx, { action: `account.${what}`, account: id, subject: after.name }, by, now);
        return written;
      }),
    setLimits: (name: string, limits: LimitChange, now = Date.now(), by = COMMAND_LINE): Promise<Account> =>
      changeRow(name, async (tx, before) => {
        const { perMinute = before.per_minute, perMonth = before.per_month } = limits;
        const written = await rewrite(tx, before, { per_minute: perMinute, per_month: perMonth });
        const detail = `${perMinute ?? 'default'} a minute, ${perMonth ?? 'default'} a month`;
        await record(tx, { action: 'account.limits', account: before.id, subject: before.name, detail }, by, now);
        return written;
      }),
    findAccount: (name: string): Promise<Account | null> => accountBy(db, 'name', name),
    accountById: (id: string): Promise<Account | null> => accountBy(db, 'id', id),
    listAccounts,

    /** Creates a key. Its text, `secret`, is not stored. */
    async createKey(newKey: NewKey, now: number, by = COMMAND_LINE): Promise<{ key: Key; secret: string }> {
      const name = checkName('key name', newKey.name);
      const id = `key_${randomText(12)}`;
      return transact(async (tx) => {
        // Locked against a simultaneous suspension or removal, and against another new key.
        const owner = await accountNamed(tx, newKey.owner, 'update');
        checkMayHoldKeys(owner);
        const alike = (await keys(tx).where('owner_id', '=', owner.id).execute())
          .filter((key) => keyStatus(key, now) === 'active' && visualForm(key.name) === visualForm(name))
          .map((key) => key.name);
        if (alike.length > 0 && !alike.includes(name)) {
          throw new UsageError(
            `key name: '${name}' is too like '${alike[0]}', the name of a key that works; ${CHOOSE}`,
          );
        }
        const { brand, kind, scopes, expiresAt: expires_at } = newKey;
        const secret = mintKey(brand, kind, mintingSecret(await readTagSecrets(tx), now));
        const derived = { hash: hashKey(secret), start: keyPrefix(secret) };
        const times = { created_at: now, expires_at, revoked_at: null, created_by: by.id };
        await insert(tx, 'keys', {
          id,
          owner_id: owner.id,
          name,
          kind,
          scopes: scopes.join(','),
          ...derived,
          ...times,
        });
        const detail = `${id}, ${kind}, ${scopes.join(' ')}`;
        await record(tx, { action: 'key.create', account: owner.id, subject: name, detail }, by, now);
        return { key: await keyWith(tx, id), secret };
      });
    },
    /** Keys with their owners, oldest first; only those of `owner` if named. */
    async listKeys(owner?: string): Promise<{ key: Key; owner: Account }[]> {
      const own = owner === undefined ? null : await accountNamed(db, owner);
      const rows = await keys(db)
        .$if(own !== null, (query) => query.where('owner_id', '=', own!.id))
        .orderBy('created_at')
        .orderBy('id', (order) => order.collate('C'))
        .execute();
      // Read after the keys, so every key's owner is among them.
      const byId = new Map((own ? [own] : await listAccounts()).map((account) => [account.id, account]));
      return rows.map((row) => ({ key: toKey(row), owner: byId.get(row.owner_id)! }));
    },
    /** The key whose text is `secret`, with its owner; null if there is no such key. */
    async findKey(secret: string): Promise<{ key: Key; owner: Account } | null> {
      const row = await keys(db).where('hash', '=', hashKey(secret)).executeTakeFirst();
      return row ? { key: toKey(row), owner: (await accountBy(db, 'id', row.owner_id))! } : null;
    },
    /** The secrets whose tags are good at `now`. */
    tagSecrets: async (now: number): Promise<Uint8Array[]> => goodSecrets(await readTagSecrets(db), now),
    /** Makes a new secret for tags; keys tagged with earlier ones are refused from `until` on. */
    changeTagSecret: (until: number, now: number, by = COMMAND_LINE): Promise<void> =>
      transact((tx) => changeTagSecret(tx, until, now, by)),
    /**
     * Revokes a key for good; one already revoked keeps the time of its revocation. If `ownerId` is given, another
     * owner's key is treated as unknown.
     */
    revokeKey: (id: string, now: number, by = COMMAND_LINE, ownerId?: string): Promise<Key> =>
      changeKey(id, ownerId, async (tx, { revoked_at, owner_id: account, name: subject }) => {
        if (revoked_at !== null) return null;
        await record(tx, { action: 'key.revoke', account, subject, detail: id }, by, now);
        return { revoked_at: now };
      }),
    /** Makes a key expire at `at` if it would work longer than that; otherwise like `revokeKey`. */
    endKey: (id: string, at: number, now: number, by = COMMAND_LINE, ownerId?: string): Promise<Key> =>
      changeKey(id, ownerId, async (tx, { revoked_at, expires_at, owner_id: account, name: subject }) => {
        if (revoked_at !== null || (expires_at !== null && expires_at <= at)) return null;
        const detail = `${id}, ${new Date(at).toISOString()}`;
        await record(tx, { action: 'key.end', account, subject, detail }, by, now);
        return { expires_at: at };
      }),
  };
}

const CHOOSE = 'choose one that differs by more than case, spaces, or letters that look the same';

/** Why no account can be called `name`, which looks like that of `known`. */
function whyTaken(name: string, known: Account): string {
  if (known.name !== name) return `account name: '${name}' is too like '${known.name}'; ${CHOOSE}`;
  const reason = known.removed_at === null ? 'already exists' : 'was removed, and names cannot be used again';
  return `an account named '${name}' ${reason}`;
}

/** @param lock how to lock the account until the transaction ends. @throws UsageError if there is no such account. */
async function accountNamed(db: Db, name: string, lock?: 'share' | 'update'): Promise<Account> {
  const account = await accountBy(db, 'name', name.trim(), lock);
  if (!account) throw new UsageError(`no account named ${JSON.stringify(name)}`);
  return account;
}

async function rewrite(tx: Db, { id }: Account, values: Partial<Account>): Promise<Account> {
  await update(tx, 'accounts', { id }, values);
  return (await accountBy(tx, 'id', id))!;
}

/** Ends all sessions of a suspended or removed account's people. */
async function signOutPeople(tx: Db, { id, removed_at }: Account, now: number): Promise<void> {
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

const keys = (db: Db) =>
  db
    .selectFrom('keys')
    .leftJoin('key_uses', 'key_id', 'id')
    .select(['id', 'owner_id', 'name', 'kind', 'scopes', 'created_at', 'expires_at', 'revoked_at', 'created_by'])
    .select(['start', 'last_used_at']);

async function keyWith(db: Db, id: string, ownerId?: string): Promise<Key> {
  const row = await keys(db).where('id', '=', id).executeTakeFirst();
  if (!row || (ownerId !== undefined && row.owner_id !== ownerId))
    throw new UsageError(`no key with id ${JSON.stringify(id)}; \`keys list\` shows the ids`);
  return toKey(row);
}
