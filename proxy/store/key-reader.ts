import { timingSafeEqual } from 'node:crypto';
import type { Scope } from '../../pipeline/contract/scopes.ts';
import { toKey } from './account-queries.ts';
import { isAdmitted } from './account-rules.ts';
import { hashHead, hashKey, isWellFormed, type KeyKind } from './key-format.ts';
import type { Account, Key } from './row-types.ts';
import { checkIntact, openSqliteFile } from './sqlite-file.ts';

/** What the proxy needs to know about the sender of a request. A limit of null is the default. */
export interface Holder {
  keyId: string;
  ownerId: string;
  kind: KeyKind;
  scopes: readonly Scope[];
  perMinute: number | null;
  perMonth: number | null;
}

interface FoundKey {
  key: Omit<Key, 'last_used_at'> & { hash: Uint8Array };
  account: Account;
}

/** Reading does not wait for writers, except to recover a file that was not closed properly. */
const BUSY_MS = 5000;

/**
 * Reads keys for requests from the SQLite file of a store. It has a connection of its own, which only reads, in single
 * statements, so that its `data_version` (sqlite.org/pragma.html) reflects all commits on other connections, including
 * those of this process.
 *
 * The hash heads of all keys are held in memory, so a forged key costs no look-up. Rows are cached until any process
 * commits anything, so a new key works and a revocation takes effect from the next request on, at the cost of querying
 * SQLite's data version. It is queried before a key is looked up, never after: anything committed in between is read,
 * and read again next time.
 *
 * @throws UsageError if the file is damaged.
 */
export function openKeyReader(file: string) {
  const db = openSqliteFile(file, (opened) => checkIntact(opened, file), BUSY_MS);
  const dataVersion = db.prepare('PRAGMA data_version');
  // Makes the query a fifth faster.
  dataVersion.setReturnArrays(true);
  const newHeads = db.prepare('SELECT rowid, hash_head FROM keys WHERE rowid > ? ORDER BY rowid');
  const findKeys = db.prepare('SELECT * FROM keys WHERE hash_head = ?');
  const findAccount = db.prepare('SELECT * FROM accounts WHERE id = ?');
  const heads = new Set<string>();
  let lastRow = 0;
  const cache = new Map<string, FoundKey[]>();
  let version: unknown;

  const refresh = () => {
    const [found] = dataVersion.get() as unknown as [unknown];
    if (found === version) return;
    cache.clear();
    // Rows are never deleted.
    for (const { rowid, hash_head } of newHeads.all(lastRow)) {
      heads.add(String(hash_head));
      lastRow = Number(rowid);
    }
    version = found;
  };
  const read = (head: string): FoundKey[] =>
    (findKeys.all(head) as unknown as (Omit<FoundKey['key'], 'scopes'> & { scopes: string })[]).map((row) => ({
      key: toKey(row),
      account: findAccount.get(row.owner_id) as unknown as Account,
    }));

  return {
    /**
     * The holder of the key presented at wall-clock time `now` (ms); null if the key is unknown, mistyped or not
     * admitted. Takes into account everything committed by any process before this call.
     */
    identify(text: string, now: number): Holder | null {
      refresh();
      if (!isWellFormed(text)) return null;
      const digest = hashKey(text);
      const head = hashHead(digest);
      if (!heads.has(head)) return null;
      let rows = cache.get(head);
      if (!rows) {
        rows = read(head);
        cache.set(head, rows);
      }
      const found = rows.find(({ key }) => timingSafeEqual(key.hash, digest));
      if (!found || !isAdmitted(found.key, found.account, now)) return null;
      const { id: keyId, owner_id: ownerId, kind, scopes } = found.key;
      return { keyId, ownerId, kind, scopes, perMinute: found.account.per_minute, perMonth: found.account.per_month };
    },
    close: () => db.close(),
  };
}
