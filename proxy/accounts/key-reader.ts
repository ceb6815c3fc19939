import { timingSafeEqual } from 'node:crypto';
import type { Scope } from '../../pipeline/contract/operations.ts';
import { type Awaitable, andThen } from '../clock.ts';
import { type Account, isAdmitted, type Key } from './accounts.ts';
import type { Database } from './database.ts';
import { hashHead, hashKey, isWellFormed, type KeyKind, LONGEST_KEY } from './key-format.ts';
import { accounts, toKey } from './queries.ts';

/** What the proxy needs to know about whoever sent a request. A limit of null is the default. */
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

const ROWS_AT_ONCE = 500;

/**
 * `identify` caches the keys it has found until any process commits anything, so a revocation holds from the next
 * request on, at the cost of asking the database for its version. It asks before looking a key up, never after:
 * whatever is committed in between is read, and read again next time. A database across the network counts as always
 * changed, so nothing is cached, and proxies with Redis use its gate instead.
 *
 * The cache is keyed by the key's text, since a hash would cost a request as much as all its other checks. The texts of
 * keys in use are thus in memory until the next commit or `flushUses`, at most a minute, and nowhere else. V8 compares
 * texts only if their hashes, seeded at random by each process, are equal, so timing reveals nothing. Other texts are
 * hashed, and the hashes compared in constant time. Only existing keys are cached, so the table bounds the cache.
 */
export function keyReader({ db, changed, prepare, transactLightly }: Database) {
  const findKeys = prepare(db.selectFrom('keys').selectAll().where('hash_head', '=', '').compile());
  const findAccount = prepare(accounts(db).where('id', '=', '').compile());
  const cache = new Map<string, FoundKey>();
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
     * The holder of the key presented at wall-clock time `now` (ms); null if it is unknown, mistyped or not admitted.
     * Sees everything committed by any process before this call. An admitted key counts as used at `now`.
     */
    identify(text: string, now: number): Awaitable<Holder | null> {
      if (changed()) cache.clear();
      const known = cache.get(text);
      if (known) return admit(known, now);
      if (text.length > LONGEST_KEY || !isWellFormed(text)) return null;
      return andThen(find(hashKey(text)), (found) => {
        if (!found) return null;
        cache.set(text, found);
        return admit(found, now);
      });
    },
    find,
    /** Notes that the key was used at `now`. */
    used: (keyId: string, now: number) => void uses.set(keyId, now),
    /** Writes when keys were last used; what cannot be written now is kept for the next time. */
    async flushUses(): Promise<void> {
      // Even if nothing was used: expired keys are cached too.
      cache.clear();
      const noted = uses;
      uses = new Map();
      // Always in the same order, so that two proxies cannot deadlock.
      const rows = [...noted].map(([key_id, usedAt]) => ({ key_id, last_used_at: Math.floor(usedAt) }));
      rows.sort((a, b) => (a.key_id < b.key_id ? -1 : 1));
      try {
        for (let i = 0; i < rows.length; i += ROWS_AT_ONCE) {
          const some = rows.slice(i, i + ROWS_AT_ONCE);
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
