/** Redis's copies of keys and accounts: how they look, and how changes reach them. */
import { type Account, accountStatus, type Key } from '../keys/accounts.ts';
import type { FoundKey, Versioned } from '../keys/postgres-rows.ts';
import type { Confirm } from '../keys/postgres-store.ts';
import type { Postgres } from '../postgres.ts';
import { lineOf, UnavailableError } from '../usage-error.ts';
import type { Epoch } from './epoch.ts';
import { type Link, openLink } from './link.ts';
import { accountKey, epochKey, keyKey } from './names.ts';
import { GATE_TIMES, type GateTimes } from './times.ts';

/** That a key does not exist is remembered for this long, which is what is asked of PostgreSQL for one again and again. */
const NOBODY_MS = 5000;

type At = Pick<Epoch, 'token' | 'link'>;
type Put = (string | number)[];

function keyPut({ value: key, version }: Versioned<Key>): Put {
  const until = key.revoked_at !== null ? 0 : (key.expires_at ?? 'never');
  const { id, owner_id, kind, scopes } = key;
  return [version, 'id', id, 'owner', owner_id, 'kind', kind, 'scopes', scopes.join(','), 'until', until];
}

function accountPut({ value: account, version }: Versioned<Account>): Put {
  const { per_minute, per_month } = account;
  const active = accountStatus(account) === 'active' ? 1 : 0;
  return [version, 'active', active, 'per_minute', per_minute ?? '', 'per_month', per_month ?? ''];
}

/** Copies to Redis what PostgreSQL has of the key with this `hash`. @returns false where the epoch is over */
export async function putKey({ link, token }: At, hash: Buffer, found: FoundKey | null): Promise<boolean> {
  const epoch = epochKey(token);
  if (!found) return (await link.run('put', [epoch, keyKey(token, hash)], [0, NOBODY_MS])) === 1;
  const { key, account } = found;
  const done = await Promise.all([
    link.run('put', [epoch, keyKey(token, hash)], keyPut(key)),
    link.run('put', [epoch, accountKey(token, account.value.id)], accountPut(account)),
  ]);
  return done.every((answer) => answer === 1);
}

interface Change {
  kind: 'keys' | 'accounts';
  id: string;
  version: number;
  row: Record<string, unknown>;
  /** Hex; null for an account. */
  hash: string | null;
}

/** Changed rows with the epoch that held when they were read: one that began later will read them itself. */
const changesWhere = (condition: string) => `
  SELECT 'accounts' AS kind, id, version, to_jsonb(accounts) AS row, NULL AS hash,
    (SELECT token FROM redis_epoch) AS token
  FROM accounts WHERE ${condition}
  UNION ALL
  SELECT 'keys', id, version, to_jsonb(keys), encode(hash, 'hex'), (SELECT token FROM redis_epoch)
  FROM keys WHERE ${condition}`;

/** Copies changes to Redis and writes down that it has them. @returns false where the epoch is over */
async function tell(db: Postgres, { link, token }: At, changes: Change[]): Promise<boolean> {
  const done = await Promise.all(
    changes.map(({ kind, id, version, row, hash }) => {
      if (kind === 'accounts') {
        const account = row as unknown as Account;
        return link.run('put', [epochKey(token), accountKey(token, id)], accountPut({ value: account, version }));
      }
      const key = { ...row, scopes: String(row.scopes).split(',') } as unknown as Key;
      const target = keyKey(token, Buffer.from(hash!, 'hex'));
      return link.run('put', [epochKey(token), target], keyPut({ value: key, version }));
    }),
  );
  if (done.some((answer) => answer !== 1)) return false;
  for (const { kind, id, version } of changes) {
    await db.query(`UPDATE ${kind} SET told = $2 WHERE id = $1 AND told < $2`, [id, version]);
  }
  return true;
}

/** Tells Redis all changes that it may not have heard of. @returns false where the epoch is over */
export async function tellAll(db: Postgres, at: At): Promise<boolean> {
  const changes = await db.query<Change & { token: string }>(changesWhere('told < version'));
  if (changes.some(({ token }) => token !== at.token)) return false;
  return changes.length === 0 || tell(db, at, changes);
}

const RETRY_MS = 100;

/**
 * What makes a committed change hold for all proxies. It is done when one of three is so: Redis was told here, over a
 * link of its own, where there is a `url`; or by a proxy, each of which looks for such changes every second; or Redis
 * lets nobody in, since its lease has run out (gate/epoch.ts), and will not before it has been told.
 */
export function openConfirm(
  db: Postgres,
  url: string | null,
  times: GateTimes = GATE_TIMES,
): { confirm: Confirm; close: () => void } {
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
        const [state] = await db.query<{ told: boolean; leased: boolean; token: string; run_id: string }>(
          `SELECT told >= $2 AS told, token, run_id, leased_until + $3 * interval '1 ms' > clock_timestamp() AS leased
           FROM ${table} LEFT JOIN redis_epoch ON true WHERE id = $1`,
          [id, version, times.marginMs],
        );
        if (!state || state.told || !state.leased) return;
        let reason = 'no proxy has told Redis of it';
        if (url !== null) {
          try {
            const { token, run_id } = state;
            const changes = await db.query<Change & { token: string }>(changesWhere('id = $1'), [id]);
            const same = changes.every((change) => change.token === token);
            if (same && (await tell(db, { token, link: await linkTo(run_id) }, changes))) return;
          } catch (error) {
            reason = lineOf(error);
          }
        }
        if (performance.now() > until) {
          throw new UnavailableError(
            `the change is in the store, but may not hold everywhere yet (${reason}); repeat it`,
          );
        }
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    },
    close: () => link?.close(),
  };
}
