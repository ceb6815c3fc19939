/** Redis's copies of keys and accounts: their contents, and how they are kept complete. */
import { type RawBuilder, sql } from 'kysely';
import { lineOf, TryAgain } from '../../pipeline/lib/errors.ts';
import { accountStatus } from '../store/account-rules.ts';
import type { Database, Db } from '../store/database.ts';
import type { Account, Key } from '../store/row-types.ts';
import { type Link, openLink } from './link.ts';
import { accountKey, epochKey, keyKey } from './names.ts';
import { GATE_TIMES, type GateTimes } from './times.ts';

/** Keys copied at a time when Redis has none. */
const COPIED_AT_ONCE = 1000;

/** The epoch in which the copies are made (epoch.ts). */
interface At {
  token: string;
  link: Link;
}

/** `redis_version` is the version that Redis is known to have. */
type Row<T> = T & { redis_version: number };

/** A changed account, or a key (`hash` in hex) with its account, and the epoch in force when it was read. */
interface Change {
  token: string;
  account: Row<Account>;
  key: Row<Key> | null;
  hash: string;
}

type Condition = (table: RawBuilder<unknown>) => RawBuilder<unknown>;
const KEYS = sql.table('keys');
const ACCOUNTS = sql.table('accounts');

const keysWhere = (condition: RawBuilder<unknown>) => sql<Change>`
  SELECT (SELECT token FROM redis_epoch) AS token, to_jsonb(accounts) AS account,
    to_jsonb(keys) || jsonb_build_object('scopes', string_to_array(scopes, ',')) AS key, encode(hash, 'hex') AS hash
  FROM keys JOIN accounts ON accounts.id = owner_id WHERE ${condition}`;

async function readWhere(db: Db, condition: Condition): Promise<Change[]> {
  const both = sql<Change>`
    SELECT (SELECT token FROM redis_epoch) AS token, to_jsonb(accounts) AS account, NULL::jsonb AS key, '' AS hash
    FROM accounts WHERE ${condition(ACCOUNTS)}
    UNION ALL ${keysWhere(condition(KEYS))}`;
  return (await both.execute(db)).rows;
}

/** Copies rows to Redis and records that it has them. @returns false if the epoch is over */
async function copy(db: Db, { link, token }: At, rows: Change[]): Promise<boolean> {
  // A later epoch begins with a copy of everything.
  if (rows.some((row) => row.token !== token)) return false;
  const copies = new Map<
    string,
    [table: RawBuilder<unknown>, row: Row<Account | Key>, values: Record<string, unknown>]
  >();
  for (const { account, key, hash } of rows) {
    const active = accountStatus(account) === 'active' ? 1 : 0;
    const limits = { per_minute: account.per_minute ?? '', per_month: account.per_month ?? '' };
    copies.set(accountKey(token, account.id), [ACCOUNTS, account, { active, ...limits }]);
    if (!key) continue;
    const { id, owner_id: owner, kind, scopes, revoked_at, expires_at } = key;
    const until = revoked_at !== null ? 0 : (expires_at ?? 'never');
    const values = { id, owner, kind, scopes: scopes.join(','), until };
    copies.set(keyKey(token, Buffer.from(hash, 'hex')), [KEYS, key, values]);
  }
  const put = [...copies].map(([name, [, { version }, values]]) =>
    link.run('put', [epochKey(token), name], [version, ...Object.entries(values).flat().map(String)]),
  );
  if ((await Promise.all(put)).some((done) => done !== 1)) return false;
  for (const [table, { id, version, redis_version }] of copies.values()) {
    if (redis_version >= version) continue;
    const noted = sql`UPDATE ${table} SET redis_version = ${version} WHERE id = ${id} AND redis_version < ${version}`;
    await noted.execute(db);
  }
  return true;
}

/** Copies all outstanding changes to Redis. @returns false if the epoch is over */
export async function copyChanges(db: Db, at: At): Promise<boolean> {
  return copy(db, at, await readWhere(db, (table) => sql`${table}.redis_version < ${table}.version`));
}

/** Copies all keys and their accounts to Redis. @returns false if the epoch is over */
export async function copyEverything(db: Db, at: At): Promise<boolean> {
  let last = '';
  for (;;) {
    const page = sql`keys.id > ${last} ORDER BY keys.id LIMIT ${COPIED_AT_ONCE}`;
    const { rows } = await keysWhere(page).execute(db);
    if (rows.length === 0) return true;
    if (!(await copy(db, at, rows))) return false;
    last = rows.at(-1)!.key!.id;
  }
}

const RETRY_MS = 100;

/**
 * Makes sure that a committed change is in force at all proxies. That is so once Redis has it, either from here (given
 * a `url`) or from a proxy, all of which check for such changes every second; or once Redis admits nobody because its
 * lease has run out (epoch.ts), since it will not get another without the change.
 */
export function openConfirm(
  db: Db,
  url: string | null,
  times: GateTimes = GATE_TIMES,
): { confirm: Database['confirm']; close: () => void } {
  let link: Link | null = null;
  const linkTo = async (runId: string): Promise<Link> => {
    if (!link?.isOpen()) link = await openLink(url!, times.deadlineMs);
    if (link.runId !== runId) throw new Error('this is not the Redis that the proxies use');
    return link;
  };
  return {
    async confirm(table, id, version) {
      const until = performance.now() + times.confirmMs;
      for (;;) {
        const lease = sql<{ copied: boolean; leased: boolean; token: string; run_id: string }>`
          SELECT redis_version >= ${version} AS copied, token, run_id,
            leased_until + ${times.marginMs} * interval '1 ms' > clock_timestamp() AS leased
          FROM ${sql.table(table)} LEFT JOIN redis_epoch ON true WHERE id = ${id}`;
        const state = (await lease.execute(db)).rows[0];
        if (!state || state.copied || !state.leased) return;
        let reason = 'no proxy has passed it on to Redis';
        if (url !== null) {
          try {
            const { token, run_id } = state;
            const rows = await readWhere(db, (from) => sql`${from}.id = ${id}`);
            if (await copy(db, { token, link: await linkTo(run_id) }, rows)) return;
          } catch (error) {
            reason = lineOf(error);
          }
        }
        if (performance.now() > until) {
          throw new TryAgain(
            `the change is in the store, but may not have taken effect everywhere yet (${reason}); make the change again`,
          );
        }
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    },
    close: () => link?.close(),
  };
}
