import { timingSafeEqual } from 'node:crypto';
import type { Scope } from '../../pipeline/contract/operations.ts';
import { type Awaitable, andThen } from '../clock.ts';
import { type Account, isAdmitted, type Key } from './accounts.ts';
import type { Database } from './database.ts';
import { accounts, toKey } from './holding.ts';
import { hashHead, hashKey, isWellFormed, type KeyKind, LONGEST_KEY } from './key-format.ts';

/** What the proxy needs to know of whoever sent a request. Limits null are the service's defaults. */
export interface Holder {
  keyId: string;
  ownerId: string;
  kind: KeyKind;
  scopes: readonly Scope[];
  perMinute: number | null;
  perMonth: number | null;
}

/** A key with its owner, admitted or not. */
export interface FoundKey {
  key: Omit<Key, 'last_used_at'>;
  account: Account;
}

/** Rows written at a time. */
const AT_ONCE = 500;

/**
 * `identify` keeps whose keys it has found for as long as nothing is committed, by anybody: so a revocation holds from the
 * next request on, at the cost of asking the database for its version. That is asked before anything is looked up, never
 * after: whatever is committed between the two is read, and read again next time. A database across the network is taken
 * to change always, so nothing is kept of it, and proxies with Redis ask the gate instead.
 *
 * What is kept is found by the key's text, since a hash would cost a request as much as all its other checks. So the
 * texts of keys in use are in memory until the next commit or `noteUses`, within a minute, and nowhere else. V8
 * compares texts only where their hashes, seeded by the process at random, agree, so its time tells nothing of them. A
 * text that is not kept is hashed, and the hash compared in constant time. Only keys that exist are kept: as many as the
 * table has.
 */
export function keyReader({ db, changed, prepare, transactLightly }: Database) {
  const findKeys = prepare(db.selectFrom('keys').selectAll().where('hash_head', '=', '').compile());
  const findAccount = prepare(accounts(db).where('id', '=', '').compile());
  const kept = new Map<string, FoundKey>();
  let uses = new Map<string, number>();

  /** The key with this SHA-256. */
  const find = (hash: Buffer): Awaitable<FoundKey | null> =>
    andThen(findKeys(hashHead(hash)), (rows) => {
      const key = rows.find((found) => timingSafeEqual(found.hash, hash));
      return key ? andThen(findAccount(key.owner_id), ([account]) => ({ key: toKey(key), account: account! })) : null;
    });
  const admit = ({ key, account }: FoundKey, now: number): Holder | null => {
    if (!isAdmitted(key, account, now)) return null;
    uses.set(key.id, now);
    const { per_minute: perMinute, per_month: perMonth } = account;
    return { keyId: key.id, ownerId: key.owner_id, kind: key.kind, scopes: key.scopes, perMinute, perMonth };
  };

  return {
    /**
     * Who holds the key that a client presents, at wall-clock time `now` (ms); null where it is unknown, mistyped or not
     * admitted. Sees whatever any process committed before this call. An admitted key counts as used at `now`.
     */
    identify(text: string, now: number): Awaitable<Holder | null> {
      if (changed()) kept.clear();
      const known = kept.get(text);
      if (known) return admit(known, now);
      if (text.length > LONGEST_KEY || !isWellFormed(text)) return null;
      return andThen(find(hashKey(text)), (found) => {
        if (!found) return null;
        kept.set(text, found);
        return admit(found, now);
      });
    },
    find,
    /** The key was used at `now`; written down by `noteUses`. */
    used: (keyId: string, now: number) => void uses.set(keyId, now),
    /** Writes down when keys were last used, which is kept where it cannot be; to be called now and then. */
    async noteUses(): Promise<void> {
      // Also the texts of keys that let nobody in, as expired ones, and so have no uses.
      kept.clear();
      const noted = uses;
      uses = new Map();
      // In one order, so that two proxies never wait for each other's rows.
      const rows = [...noted].map(([key_id, usedAt]) => ({ key_id, last_used_at: Math.floor(usedAt) }));
      rows.sort((a, b) => (a.key_id < b.key_id ? -1 : 1));
      try {
        for (let i = 0; i < rows.length; i += AT_ONCE) {
          const some = rows.slice(i, i + AT_ONCE);
          await transactLightly((tx) =>
            tx
              .insertInto('key_uses')
              .values(some)
              .onConflict((known) =>
                known
                  .column('key_id')
                  .doUpdateSet(({ ref }) => ({ last_used_at: ref('excluded.last_used_at') }))
                  .whereRef('key_uses.last_used_at', '<', 'excluded.last_used_at'),
              )
              .execute(),
          );
        }
      } catch (error) {
        uses = new Map([...noted, ...uses]);
        throw error;
      }
    },
  };
}
