/** Redis's copies of keys and accounts: what they contain, and how changes reach them. */
import { type RawBuilder, sql } from 'kysely';
import { type Account, accountStatus, type Key } from '../accounts/accounts.ts';
import type { Database, Db } from '../accounts/database.ts';
import type { FoundKey } from '../accounts/key-reader.ts';
import { lineOf, UnavailableError } from '../errors.ts';
import type { Epoch } from './epoch.ts';
import { type Link, openLink } from './link.ts';
import { accountKey, epochKey, keyKey } from './names.ts';
import { GATE_TIMES, type GateTimes } from './times.ts';

/** How long Redis remembers that a key does not exist, so that PostgreSQL is not asked for it again and again. */
const NOBODY_MS = 5000;

type At = Pick<Epoch, 'token' | 'link'>;
type Put = (string | number)[];

function keyPut({ id, version, owner_id, kind, scopes, revoked_at, expires_at }: FoundKey['key']): Put {
  const until = revoked_at !== null ? 0 : (expires_at ?? 'never');
  return [version, 'id', id, 'owner', owner_id, 'kind', kind, 'scopes', scopes.join(','), 'until', until];
}

function accountPut(account: FoundKey['account']): Put {
  const { version, per_minute, per_month } = account;
  const active = accountStatus(account) === 'active' ? 1 : 0;
  return [version, 'active', active, 'per_minute', per_minute ?? '', 'per_month', per_month ?? ''];
}

/** Copies to Redis what PostgreSQL has for the key with this `hash`. @returns false if the epoch is over */
export async function putKey({ link, token }: At, hash: Buffer, found: FoundKey | null): Promise<boolean> {
  const epoch = epochKey(token);
  if (!found) return (await link.run('put', [epoch, keyKey(token, hash)], [0, NOBODY_MS])) === 1;
  const { key, account } = found;
  const done = await Promise.all([
    link.run('put', [epoch, keyKey(token, hash)], keyPut(key)),
    link.run('put', [epoch, accountKey(token, account.id)], accountPut(account)),
  ]);
  return done.every((answer) => answer === 1);
}

type Change = { token: string } & (
  | { table: 'accounts'; row: Account; hash: null }
  | { table: 'keys'; row: Key; hash: string }
);

/** Changed rows, with the epoch in force when they were read: a later one will read them itself. */
async function changesWhere(db: Db, condition: RawBuilder<unknown>): Promise<Change[]> {
  const changes = sql<Change>`
    SELECT 'accounts' AS table, to_jsonb(accounts) AS row, NULL AS hash, (SELECT token FROM redis_epoch) AS token
    FROM accounts WHERE ${condition}
    UNION ALL
    SELECT 'keys', to_jsonb(keys) || jsonb_build_object('scopes', string_to_array(scopes, ',')), encode(hash, 'hex'),
      (SELECT token FROM redis_epoch)
    FROM keys WHERE ${condition}`;
  return (await changes.execute(db)).rows;
}

/** Copies changes to Redis and records that it has them. @returns false if the epoch is over */
async function tell(db: Db, { link, token }: At, changes: Change[]): Promise<boolean> {
  if (changes.some((change) => change.token !== token)) return false;
  const done = await Promise.all(
    changes.map(({ table, row, hash }) =>
      table === 'accounts'
        ? link.run('put', [epochKey(token), accountKey(token, row.id)], accountPut(row))
        : link.run('put', [epochKey(token), keyKey(token, Buffer.from(hash, 'hex'))], keyPut(row)),
    ),
  );
  if (done.some((answer) => answer !== 1)) return false;
  for (const { table, row } of changes) {
    const { id, version } = row;
    await sql`UPDATE ${sql.table(table)} SET told = ${version} WHERE id = ${id} AND told < ${version}`.execute(db);
  }
  return true;
}

/** Copies all outstanding changes to Redis. @returns false if the epoch is over */
export async function tellAll(db: Db, at: At): Promise<boolean> {
  return tell(db, at, await changesWhere(db, sql`told < version`));
}

const RETRY_MS = 100;

/**
 * Makes sure that a committed change holds for all proxies. That is so once Redis has it, from here (given a `url`) or
 * from a proxy, all of which look for such changes every second; or once Redis lets nobody in because its lease has run
 * out (epoch.ts), for it will not get another without the change.
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
        const lease = sql<{ told: boolean; leased: boolean; token: string; run_id: string }>`
          SELECT told >= ${version} AS told, token, run_id,
            leased_until + ${times.marginMs} * interval '1 ms' > clock_timestamp() AS leased
          FROM ${sql.table(table)} LEFT JOIN redis_epoch ON true WHERE id = ${id}`;
        const state = (await lease.execute(db)).rows[0];
        if (!state || state.told || !state.leased) return;
        let reason = 'no proxy has passed it on to Redis';
        if (url !== null) {
          try {
            const { token, run_id } = state;
            const changes = await changesWhere(db, sql`id = ${id}`);
            if (await tell(db, { token, link: await linkTo(run_id) }, changes)) return;
          } catch (error) {
            reason = lineOf(error);
          }
        }
        if (performance.now() > until) {
          throw new UnavailableError(
            `the change is in the store, but may not have taken effect everywhere yet (${reason}); repeat it`,
          );
        }
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    },
    close: () => link?.close(),
  };
}
