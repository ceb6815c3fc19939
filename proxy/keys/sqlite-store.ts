import { timingSafeEqual } from 'node:crypto';
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { Scope } from '../../pipeline/contract/operations.ts';
import { migrate, openSqliteFile, transact } from '../sqlite-file.ts';
import { UsageError } from '../usage-error.ts';
import { type Account, changeAccount, checkMayHoldKeys, checkName, isAdmitted, type Key } from './accounts.ts';
import { randomText } from './key-format.ts';
import type { AccountStore, Holder } from './store.ts';

const SCHEMA = [
  `CREATE TABLE accounts (
     id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, kind TEXT NOT NULL CHECK (kind IN ('organisation', 'researcher')),
     created_at INTEGER NOT NULL, unlocked_at INTEGER, suspended_at INTEGER, removed_at INTEGER,
     per_minute INTEGER, per_month INTEGER
   ) STRICT;
   CREATE TABLE keys (
     id TEXT PRIMARY KEY, owner_id TEXT NOT NULL REFERENCES accounts (id), name TEXT NOT NULL,
     kind TEXT NOT NULL CHECK (kind IN ('live', 'test')), scopes TEXT NOT NULL,
     hash_head TEXT NOT NULL, hash BLOB NOT NULL UNIQUE,
     created_at INTEGER NOT NULL, expires_at INTEGER, revoked_at INTEGER
   ) STRICT;
   CREATE INDEX keys_by_hash_head ON keys (hash_head);`,
];

type Row = Record<string, SQLOutputValue>;

/** A key as `identify` caches it. */
interface Entry {
  hash: Buffer;
  key: Key;
  account: Account;
  holder: Holder;
}

/**
 * Accounts and keys in one SQLite file (WAL), shared by any number of processes on one machine.
 *
 * `identify` keeps what it has read for as long as `PRAGMA data_version` stands still, which SQLite moves with every
 * commit of another connection, in this process or any other; commits of this one clear the cache themselves. So a
 * revocation holds from the next request on, at the cost of one look at shared memory a request. Only keys that exist
 * are kept, so the cache is bounded by the table.
 */
export function openSqliteStore(file: string): AccountStore {
  const db = openSqliteFile(
    file,
    (opened) => {
      opened.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON');
      migrate(opened, file, SCHEMA);
    },
    5000,
  );
  const findByHashHead = db.prepare('SELECT * FROM keys WHERE hash_head = ?');
  const findAccountById = db.prepare('SELECT * FROM accounts WHERE id = ?');
  const findAccountByName = db.prepare('SELECT * FROM accounts WHERE name = ?');
  const readVersion = db.prepare('PRAGMA data_version');
  readVersion.setReturnArrays(true);

  const cache = new Map<string, Entry[]>();
  let cachedVersion: unknown;

  const change = <T>(work: () => T): T => {
    try {
      return transact(db, work);
    } finally {
      cache.clear();
    }
  };
  const account = (name: string): Account => {
    const row = findAccountByName.get(name.trim());
    if (!row) throw new UsageError(`no account named ${JSON.stringify(name)}`);
    return toAccount(row);
  };
  const listAccounts = (): Account[] =>
    db.prepare('SELECT * FROM accounts ORDER BY created_at, name').all().map(toAccount);
  const entriesOf = (head: string): Entry[] =>
    findByHashHead.all(head).map((row) => toEntry(row, toAccount(findAccountById.get(row.owner_id!)!)));

  return {
    identify(hash, now) {
      const version = (readVersion.get() as unknown as unknown[])[0];
      if (version !== cachedVersion) cache.clear();
      cachedVersion = version;
      const head = hashHead(hash);
      const entries = cache.get(head) ?? entriesOf(head);
      if (entries.length > 0) cache.set(head, entries);
      const entry = entries.find((candidate) => timingSafeEqual(candidate.hash, hash));
      return entry && isAdmitted(entry.key, entry.account, now) ? entry.holder : null;
    },
    createAccount(kind, name, now) {
      const checked = checkName('account name', name);
      return change(() => {
        const taken = findAccountByName.get(checked);
        if (taken) {
          const fate = taken.removed_at === null ? 'exists already' : 'was removed, and names are not given out twice';
          throw new UsageError(`an account named '${checked}' ${fate}`);
        }
        const id = `acc_${randomText(12)}`;
        db.prepare('INSERT INTO accounts (id, name, kind, created_at) VALUES (?, ?, ?, ?)').run(id, checked, kind, now);
        return account(checked);
      });
    },
    changeAccount(name, what, now) {
      return change(() => {
        const after = changeAccount(account(name), what, now);
        db.prepare('UPDATE accounts SET unlocked_at = ?, suspended_at = ?, removed_at = ? WHERE id = ?').run(
          after.unlocked_at,
          after.suspended_at,
          after.removed_at,
          after.id,
        );
        return after;
      });
    },
    setLimits(name, limits) {
      return change(() => {
        const before = account(name);
        const { perMinute = before.per_minute, perMonth = before.per_month } = limits;
        db.prepare('UPDATE accounts SET per_minute = ?, per_month = ? WHERE id = ?').run(
          perMinute,
          perMonth,
          before.id,
        );
        return account(name);
      });
    },
    findAccount(name) {
      const row = findAccountByName.get(name);
      return row ? toAccount(row) : null;
    },
    listAccounts,
    createKey(asked, now) {
      const name = checkName('key name', asked.name);
      return change(() => {
        const owner = account(asked.owner);
        checkMayHoldKeys(owner);
        const id = `key_${randomText(12)}`;
        db.prepare(
          `INSERT INTO keys (id, owner_id, name, kind, scopes, hash_head, hash, created_at, expires_at)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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
        );
        return findKey(db, id);
      });
    },
    listKeys(owner) {
      const owners = new Map((owner === undefined ? listAccounts() : [account(owner)]).map((a) => [a.id, a]));
      return db
        .prepare('SELECT * FROM keys ORDER BY created_at, id')
        .all()
        .map(toKey)
        .flatMap((key) => (owners.has(key.owner_id) ? [{ key, owner: owners.get(key.owner_id)! }] : []));
    },
    revokeKey(id, now) {
      return change(() => {
        db.prepare('UPDATE keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL').run(now, id);
        return findKey(db, id);
      });
    },
    close() {
      db.close();
    },
  };
}

function findKey(db: DatabaseSync, id: string): Key {
  const row = db.prepare('SELECT * FROM keys WHERE id = ?').get(id);
  if (!row) throw new UsageError(`no key with id ${JSON.stringify(id)}; \`keys list\` shows the ids`);
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
    hash: Buffer.from(row.hash as Uint8Array),
    key,
    account,
    holder: { keyId: key.id, ownerId: account.id, kind: key.kind, scopes: key.scopes, perMinute, perMonth },
  };
}
