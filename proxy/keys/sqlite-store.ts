import { timingSafeEqual } from 'node:crypto';
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { Scope } from '../../pipeline/contract/operations.ts';
import { COMMAND_LINE, record } from '../people/audit.ts';
import { transact } from '../sqlite-file.ts';
import { BUSY_MS, openStoreFile } from '../sqlite-schema.ts';
import { UsageError } from '../usage-error.ts';
import {
  type Account,
  accountStatus,
  changeAccount,
  checkMayHoldKeys,
  checkName,
  isAdmitted,
  type Key,
} from './accounts.ts';
import { type CommitCounter, openCommitCounter } from './commit-counter.ts';
import { hashKey, isWellFormed, LONGEST_KEY, randomText } from './key-format.ts';
import type { AccountStore, Holder, Identify } from './store.ts';

const KEYS = 'SELECT keys.*, last_used_at FROM keys LEFT JOIN key_uses ON key_id = keys.id';

/** Noting uses hardly waits for another process to finish a change of its own. */
const BUSY_NOTING_MS = 20;

type Row = Record<string, SQLOutputValue>;

/** A key as `identify` keeps it. */
interface Entry {
  key: Key;
  account: Account;
  holder: Holder;
}

/**
 * Accounts and keys in one SQLite file (WAL), shared by any number of processes on one machine.
 *
 * `identify` keeps whose keys it has found for as long as nothing is committed, by another connection in this process or
 * any other; commits of this one clear what is kept themselves. So a revocation holds from the next request on, at the
 * cost of one look at shared memory a round of requests. The look comes before the reading, never after: whatever is
 * committed between the two is read, and read again next time.
 *
 * What is kept is found by the key's text, since a hash would cost a request as much as all its other checks. So the
 * texts of keys in use are in memory until the next commit or `noteUses`, within a minute, and nowhere else. V8
 * compares texts only where their hashes, seeded by the process at random, agree, so its time tells nothing of them. A
 * text that is not kept is hashed, and the hash compared in constant time. Only keys that exist are kept: as many as the
 * table has.
 */
export function openSqliteStore(file: string): AccountStore {
  const db = openStoreFile(file);
  const findByHashHead = db.prepare(`${KEYS} WHERE hash_head = ?`);
  const findAccountById = db.prepare('SELECT * FROM accounts WHERE id = ?');
  const findAccountByName = db.prepare('SELECT * FROM accounts WHERE name = ?');
  const noteUse = db.prepare(
    `INSERT INTO key_uses VALUES (?, ?)
     ON CONFLICT (key_id) DO UPDATE SET last_used_at = max(last_used_at, excluded.last_used_at)`,
  );

  let commits: CommitCounter | undefined;
  const kept = new Map<string, Entry>();
  let uses = new Map<string, number>();

  const change = <T>(work: () => T): T => {
    try {
      return transact(db, work);
    } finally {
      kept.clear();
    }
  };
  const account = (name: string): Account => {
    const row = findAccountByName.get(name.trim());
    if (!row) throw new UsageError(`no account named ${JSON.stringify(name)}`);
    return toAccount(row);
  };
  const listAccounts = (): Account[] =>
    db.prepare('SELECT * FROM accounts ORDER BY created_at, name').all().map(toAccount);
  const find = (text: string): Entry | null => {
    if (text.length > LONGEST_KEY || !isWellFormed(text)) return null;
    const hash = hashKey(text);
    const row = findByHashHead.all(hashHead(hash)).find((found) => timingSafeEqual(found.hash as Uint8Array, hash));
    return row ? toEntry(row, toAccount(findAccountById.get(row.owner_id!)!)) : null;
  };

  const identify: Identify = (text, now) => {
    let entry = kept.get(text) ?? null;
    if (!entry) {
      entry = find(text);
      if (entry) kept.set(text, entry);
    }
    if (!entry || !isAdmitted(entry.key, entry.account, now)) return null;
    uses.set(entry.key.id, now);
    return entry.holder;
  };

  const noteUses = () => {
    // Also the texts of keys that let nobody in, as expired ones, and so have no uses.
    kept.clear();
    if (uses.size === 0) return;
    // Requests wait while this writes, and a use that a power cut forgets is no loss: so little waiting, and no sync.
    db.exec(`PRAGMA busy_timeout = ${BUSY_NOTING_MS}; PRAGMA synchronous = NORMAL`);
    try {
      change(() => {
        for (const [keyId, usedAt] of uses) noteUse.run(keyId, usedAt);
      });
      uses = new Map();
    } finally {
      db.exec(`PRAGMA busy_timeout = ${BUSY_MS}; PRAGMA synchronous = FULL`);
    }
  };

  return {
    look() {
      commits ??= openCommitCounter(db, file);
      if (commits.changed()) kept.clear();
      return identify;
    },
    noteUses,
    createAccount(kind, name, now, by = COMMAND_LINE) {
      const checked = checkName('account name', name);
      return change(() => {
        const taken = findAccountByName.get(checked);
        if (taken) {
          const fate = taken.removed_at === null ? 'exists already' : 'was removed, and names are not given out twice';
          throw new UsageError(`an account named '${checked}' ${fate}`);
        }
        const id = `acc_${randomText(12)}`;
        db.prepare('INSERT INTO accounts (id, name, kind, created_at) VALUES (?, ?, ?, ?)').run(id, checked, kind, now);
        record(db, { action: 'account.create', account: id, subject: checked, detail: kind }, by, now);
        return account(checked);
      });
    },
    changeAccount(name, what, now, by = COMMAND_LINE) {
      return change(() => {
        const before = account(name);
        const after = changeAccount(before, what, now);
        if (accountStatus(after) === accountStatus(before) && after.unlocked_at === before.unlocked_at) return after;
        db.prepare('UPDATE accounts SET unlocked_at = ?, suspended_at = ?, removed_at = ? WHERE id = ?').run(
          after.unlocked_at,
          after.suspended_at,
          after.removed_at,
          after.id,
        );
        // They end for good here: none comes back to life with a reinstated account.
        if (after.suspended_at !== null || after.removed_at !== null) {
          db.prepare('DELETE FROM sessions WHERE person_id IN (SELECT id FROM people WHERE account_id = ?)').run(
            after.id,
          );
        }
        // Nothing that they signed in by is kept, and their addresses may be invited elsewhere.
        if (after.removed_at !== null) {
          const people = 'person_id IN (SELECT id FROM people WHERE account_id = ?)';
          db.prepare(`DELETE FROM recovery_codes WHERE ${people}`).run(after.id);
          db.prepare(`DELETE FROM browsers WHERE ${people}`).run(after.id);
          db.prepare(
            `UPDATE people SET removed_at = ?, password_hash = '', factor_secret = NULL
             WHERE account_id = ? AND removed_at IS NULL`,
          ).run(now, after.id);
        }
        record(db, { action: `account.${what}`, account: after.id, subject: after.name }, by, now);
        return after;
      });
    },
    setLimits(name, limits, now = Date.now(), by = COMMAND_LINE) {
      return change(() => {
        const before = account(name);
        const { perMinute = before.per_minute, perMonth = before.per_month } = limits;
        db.prepare('UPDATE accounts SET per_minute = ?, per_month = ? WHERE id = ?').run(
          perMinute,
          perMonth,
          before.id,
        );
        const detail = `${perMinute ?? 'default'} a minute, ${perMonth ?? 'default'} a month`;
        record(db, { action: 'account.limits', account: before.id, subject: before.name, detail }, by, now);
        return account(name);
      });
    },
    findAccount(name) {
      const row = findAccountByName.get(name);
      return row ? toAccount(row) : null;
    },
    accountById(id) {
      const row = findAccountById.get(id);
      return row ? toAccount(row) : null;
    },
    listAccounts,
    createKey(asked, now, by = COMMAND_LINE) {
      const name = checkName('key name', asked.name);
      return change(() => {
        const owner = account(asked.owner);
        checkMayHoldKeys(owner);
        const id = `key_${randomText(12)}`;
        db.prepare(
          `INSERT INTO keys (id, owner_id, name, kind, scopes, hash_head, hash, created_at, expires_at, created_by)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        ).run(
          id,
          owner.id,
          name,
          asked.kind,
          asked.scopes.join(','),
          hashHead(asked.hash),
          asked.hash,
          now,
          asked.expiresAt,
          by.id,
        );
        const detail = `${id}, ${asked.kind}, ${asked.scopes.join(' ')}`;
        record(db, { action: 'key.create', account: owner.id, subject: name, detail }, by, now);
        return findKey(db, id);
      });
    },
    listKeys(owner) {
      const owners = owner === undefined ? listAccounts() : [account(owner)];
      const byId = new Map(owners.map((a) => [a.id, a]));
      const rows =
        owner === undefined
          ? db.prepare(`${KEYS} ORDER BY created_at, keys.id`).all()
          : db.prepare(`${KEYS} WHERE owner_id = ? ORDER BY created_at, keys.id`).all(owners[0]!.id);
      return rows.map(toKey).map((key) => ({ key, owner: byId.get(key.owner_id)! }));
    },
    revokeKey(id, now, by = COMMAND_LINE, ownerId) {
      return change(() => {
        const key = findKey(db, id, ownerId);
        if (key.revoked_at !== null) return key;
        db.prepare('UPDATE keys SET revoked_at = ? WHERE id = ?').run(now, id);
        record(db, { action: 'key.revoke', account: key.owner_id, subject: key.name, detail: id }, by, now);
        return findKey(db, id);
      });
    },
    close() {
      try {
        noteUses();
      } finally {
        db.close();
        commits?.close();
      }
    },
  };
}

function findKey(db: DatabaseSync, id: string, ownerId?: string): Key {
  const row = db.prepare(`${KEYS} WHERE keys.id = ?`).get(id);
  if (!row || (ownerId !== undefined && row.owner_id !== ownerId))
    throw new UsageError(`no key with id ${JSON.stringify(id)}; \`keys list\` shows the ids`);
  return toKey(row);
}

/** What keys are looked up by; the whole hash is then compared in constant time. */
function hashHead(hash: Buffer): string {
  return hash.toString('hex', 0, 8);
}

function toAccount(row: Row): Account {
  return { ...row } as unknown as Account;
}

function toKey(row: Row): Key {
  const { hash: _, hash_head: __, ...rest } = row;
  return { ...rest, scopes: String(row.scopes).split(',') as Scope[] } as unknown as Key;
}

function toEntry(row: Row, account: Account): Entry {
  const key = toKey(row);
  const { per_minute: perMinute, per_month: perMonth } = account;
  return {
    key,
    account,
    holder: { keyId: key.id, ownerId: account.id, kind: key.kind, scopes: key.scopes, perMinute, perMonth },
  };
}
