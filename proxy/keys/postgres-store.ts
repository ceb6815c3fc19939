import { timingSafeEqual } from 'node:crypto';
import { COMMAND_LINE } from '../people/audit.ts';
import { record } from '../people/postgres-audit.ts';
import type { Postgres, Query } from '../postgres.ts';
import { UsageError } from '../usage-error.ts';
import { type Account, accountStatus, changeAccount, checkMayHoldKeys, checkName, isAdmitted } from './accounts.ts';
import { hashKey, isWellFormed, randomText } from './key-format.ts';
import {
  ACCOUNT,
  type AccountRow,
  type FoundKey,
  holderOf,
  KEY,
  KEYS,
  type KeyRow,
  toAccount,
  toKey,
  versionedAccount,
  versionedKey,
} from './postgres-rows.ts';
import type { AccountStore } from './store.ts';

/** Tells the proxies of a change that was just committed; done when none of them goes by what was before. */
export type Confirm = (table: 'keys' | 'accounts', id: string, version: number) => Promise<void>;

export function isPostgresStore(store: AccountStore): store is PostgresStore {
  return 'db' in store;
}

export interface PostgresStore extends AccountStore {
  readonly db: Postgres;
  /** The key with this SHA-256, admitted or not. */
  find(hash: Buffer): Promise<FoundKey | null>;
  /** The key was used at `now`; written down by `noteUses`. */
  used(keyId: string, now: number): void;
}

/**
 * Accounts and keys in PostgreSQL, for any number of proxies. A change is committed first, then confirmed by `confirm`,
 * and only then returned. A look-up asks the database each time; proxies with Redis ask the gate instead.
 */
export function openPostgresStore(db: Postgres, confirm: Confirm): PostgresStore {
  let uses = new Map<string, number>();

  const find = async (hash: Buffer): Promise<FoundKey | null> => {
    const rows = await db.query<{ k: KeyRow; a: AccountRow; hash: Buffer }>(
      `SELECT to_jsonb(k) - '{hash,hash_head}'::text[] AS k, to_jsonb(a) AS a, k.hash AS hash
       FROM (SELECT ${KEY}, hash_head FROM ${KEYS}) k JOIN (SELECT ${ACCOUNT} FROM accounts) a ON a.id = k.owner_id
       WHERE k.hash_head = $1`,
      [hashHead(hash)],
    );
    const row = rows.find((found) => timingSafeEqual(found.hash, hash));
    return row ? { key: versionedKey(row.k), account: versionedAccount(row.a) } : null;
  };

  return {
    db,
    find,
    used: (keyId, now) => void uses.set(keyId, now),
    look: () => async (key, now) => {
      const found = isWellFormed(key) ? await find(hashKey(key)) : null;
      if (!found || !isAdmitted(found.key.value, found.account.value, now)) return null;
      uses.set(found.key.value.id, now);
      return holderOf(found);
    },
    async noteUses() {
      if (uses.size === 0) return;
      const noted = uses;
      uses = new Map();
      try {
        await db.query(
          `INSERT INTO key_uses SELECT * FROM unnest($1::text[], $2::bigint[])
           ON CONFLICT (key_id) DO UPDATE SET last_used_at = greatest(key_uses.last_used_at, excluded.last_used_at)`,
          [[...noted.keys()], [...noted.values()].map(Math.floor)],
        );
      } catch (error) {
        uses = new Map([...noted, ...uses]);
        throw error;
      }
    },
    async createAccount(kind, name, now, by = COMMAND_LINE) {
      const checked = checkName('account name', name);
      return db.transact(async (query) => {
        const [made] = await query<AccountRow>(
          `INSERT INTO accounts (id, name, kind, created_at) VALUES ($1, $2, $3, $4)
           ON CONFLICT (name) DO NOTHING RETURNING ${ACCOUNT}`,
          [`acc_${randomText(12)}`, checked, kind, now],
        );
        if (!made) {
          const taken = await accountNamed(query, checked);
          const fate = taken.removed_at === null ? 'exists already' : 'was removed, and names are not given out twice';
          throw new UsageError(`an account named '${checked}' ${fate}`);
        }
        await record(query, { action: 'account.create', account: made.id, subject: checked, detail: kind }, by, now);
        return toAccount(made);
      });
    },
    async changeAccount(name, what, now, by = COMMAND_LINE) {
      const row = await db.transact(async (query) => {
        const found = await accountNamed(query, name, 'FOR NO KEY UPDATE');
        const [before, after] = [toAccount(found), changeAccount(toAccount(found), what, now)];
        if (accountStatus(after) === accountStatus(before) && after.unlocked_at === before.unlocked_at) return found;
        const [written] = await query<AccountRow>(
          `UPDATE accounts SET unlocked_at = $2, suspended_at = $3, removed_at = $4, version = version + 1
           WHERE id = $1 RETURNING ${ACCOUNT}`,
          [after.id, after.unlocked_at, after.suspended_at, after.removed_at],
        );
        if (after.suspended_at !== null || after.removed_at !== null) await endVisits(query, after, now);
        await record(query, { action: `account.${what}`, account: after.id, subject: after.name }, by, now);
        return written!;
      });
      // Also where nothing changed: an earlier try may have come no further than the database.
      await confirm('accounts', row.id, row.account_version);
      return toAccount(row);
    },
    async setLimits(name, limits, now = Date.now(), by = COMMAND_LINE) {
      const row = await db.transact(async (query) => {
        const before = await accountNamed(query, name, 'FOR NO KEY UPDATE');
        const { perMinute = before.per_minute, perMonth = before.per_month } = limits;
        const [written] = await query<AccountRow>(
          `UPDATE accounts SET per_minute = $2, per_month = $3, version = version + 1
           WHERE id = $1 RETURNING ${ACCOUNT}`,
          [before.id, perMinute, perMonth],
        );
        const detail = `${perMinute ?? 'default'} a minute, ${perMonth ?? 'default'} a month`;
        await record(query, { action: 'account.limits', account: before.id, subject: before.name, detail }, by, now);
        return written!;
      });
      await confirm('accounts', row.id, row.account_version);
      return toAccount(row);
    },
    async findAccount(name) {
      const [row] = await db.query<AccountRow>(`SELECT ${ACCOUNT} FROM accounts WHERE name = $1`, [name]);
      return row ? toAccount(row) : null;
    },
    async accountById(id) {
      const [row] = await db.query<AccountRow>(`SELECT ${ACCOUNT} FROM accounts WHERE id = $1`, [id]);
      return row ? toAccount(row) : null;
    },
    listAccounts: async () =>
      (await db.query<AccountRow>(`SELECT ${ACCOUNT} FROM accounts ORDER BY created_at, name COLLATE "C"`)).map(
        toAccount,
      ),
    async createKey(asked, now, by = COMMAND_LINE) {
      const name = checkName('key name', asked.name);
      const row = await db.transact(async (query) => {
        // Held against a suspension or removal at the same moment.
        const owner = toAccount(await accountNamed(query, asked.owner, 'FOR SHARE'));
        checkMayHoldKeys(owner);
        const { kind, scopes, hash, expiresAt } = asked;
        const id = `key_${randomText(12)}`;
        await query(
          `INSERT INTO keys (id, owner_id, name, kind, scopes, hash_head, hash, created_at, expires_at, created_by)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
          [id, owner.id, name, kind, scopes.join(','), hashHead(hash), hash, now, expiresAt, by.id],
        );
        const detail = `${id}, ${kind}, ${scopes.join(' ')}`;
        await record(query, { action: 'key.create', account: owner.id, subject: name, detail }, by, now);
        return keyWith(query, id);
      });
      // Redis may remember that there was no such key.
      await confirm('keys', row.id, row.key_version);
      return toKey(row);
    },
    async listKeys(owner) {
      const own = owner === undefined ? null : toAccount(await accountNamed(db.query, owner));
      const rows = await db.query<KeyRow>(
        `SELECT ${KEY} FROM ${KEYS} WHERE $1::text IS NULL OR owner_id = $1 ORDER BY created_at, keys.id COLLATE "C"`,
        [own?.id ?? null],
      );
      // Read after the keys: each of them has its owner among these.
      const byId = new Map((own ? [own] : await this.listAccounts()).map((account) => [account.id, account]));
      return rows.map((row) => ({ key: toKey(row), owner: byId.get(row.owner_id)! }));
    },
    async revokeKey(id, now, by = COMMAND_LINE, ownerId) {
      const row = await db.transact(async (query) => {
        await query('SELECT FROM keys WHERE id = $1 FOR NO KEY UPDATE', [id]);
        const key = await keyWith(query, id, ownerId);
        if (key.revoked_at !== null) return key;
        await query('UPDATE keys SET revoked_at = $2, version = version + 1 WHERE id = $1', [id, now]);
        await record(query, { action: 'key.revoke', account: key.owner_id, subject: key.name, detail: id }, by, now);
        return keyWith(query, id);
      });
      await confirm('keys', row.id, row.key_version);
      return toKey(row);
    },
    async close() {
      try {
        await this.noteUses();
      } finally {
        await db.close();
      }
    },
  };
}

/** @throws UsageError where there is none. `lock` is what to hold its row with until the transaction ends. */
async function accountNamed(query: Query, name: string, lock = ''): Promise<AccountRow> {
  const [row] = await query<AccountRow>(`SELECT ${ACCOUNT} FROM accounts WHERE name = $1 ${lock}`, [name.trim()]);
  if (!row) throw new UsageError(`no account named ${JSON.stringify(name)}`);
  return row;
}

/** Ends what the people of an account, now suspended or removed, are signed in by. */
async function endVisits(query: Query, { id, removed_at }: Account, now: number): Promise<void> {
  // Each person is held first, as by all that opens a session: so none is opened beside this.
  await query('SELECT FROM people WHERE account_id = $1 ORDER BY id FOR NO KEY UPDATE', [id]);
  const people = 'person_id IN (SELECT id FROM people WHERE account_id = $1)';
  // For good: none comes back to life with a reinstated account.
  await query(`DELETE FROM sessions WHERE ${people}`, [id]);
  if (removed_at === null) return;
  // Nothing that they signed in by is kept, and their addresses may be invited elsewhere.
  await query(`DELETE FROM recovery_codes WHERE ${people}`, [id]);
  await query(`DELETE FROM browsers WHERE ${people}`, [id]);
  await query(
    `UPDATE people SET removed_at = $2, password_hash = '', factor_secret = NULL
     WHERE account_id = $1 AND removed_at IS NULL`,
    [id, now],
  );
}

async function keyWith(query: Query, id: string, ownerId?: string): Promise<KeyRow> {
  const [row] = await query<KeyRow>(`SELECT ${KEY} FROM ${KEYS} WHERE keys.id = $1`, [id]);
  if (!row || (ownerId !== undefined && row.owner_id !== ownerId))
    throw new UsageError(`no key with id ${JSON.stringify(id)}; \`keys list\` shows the ids`);
  return row;
}

/** What keys are looked up by; the whole hash is then compared in constant time. */
function hashHead(hash: Buffer): string {
  return hash.toString('hex', 0, 8);
}
