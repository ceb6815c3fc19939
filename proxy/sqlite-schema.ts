import type { DatabaseSync } from 'node:sqlite';
import { migrate, openSqliteFile } from './sqlite-file.ts';

/** The store's tables, each script lifting the one before. Times are milliseconds since 1970 UTC. */
export const SCHEMA = [
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

  `CREATE TABLE key_uses (key_id TEXT PRIMARY KEY REFERENCES keys (id), last_used_at INTEGER NOT NULL) STRICT;`,

  // Who signs in to the dashboard. A person of the service team has no account; tokens are kept as hashes alone.
  `ALTER TABLE keys ADD COLUMN created_by TEXT;
   CREATE INDEX keys_by_owner ON keys (owner_id);
   CREATE TABLE people (
     id TEXT PRIMARY KEY, email TEXT NOT NULL, name TEXT NOT NULL,
     role TEXT NOT NULL CHECK (role IN ('service', 'administrator', 'member', 'researcher')),
     account_id TEXT REFERENCES accounts (id), password_hash TEXT NOT NULL,
     factor_secret TEXT, factor_step INTEGER NOT NULL DEFAULT 0,
     created_at INTEGER NOT NULL, removed_at INTEGER,
     CHECK ((role = 'service') = (account_id IS NULL))
   ) STRICT;
   CREATE UNIQUE INDEX people_by_email ON people (email) WHERE removed_at IS NULL;
   CREATE INDEX people_by_account ON people (account_id);
   CREATE TABLE recovery_codes (
     person_id TEXT NOT NULL REFERENCES people (id), hash BLOB NOT NULL, PRIMARY KEY (person_id, hash)
   ) STRICT;
   CREATE TABLE links (
     id TEXT PRIMARY KEY, hash BLOB NOT NULL UNIQUE, purpose TEXT NOT NULL CHECK (purpose IN ('invitation', 'reset')),
     person_id TEXT REFERENCES people (id), email TEXT NOT NULL, role TEXT, account_id TEXT REFERENCES accounts (id),
     created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, used_at INTEGER
   ) STRICT;
   CREATE TABLE sessions (
     hash BLOB PRIMARY KEY, person_id TEXT NOT NULL REFERENCES people (id), factor_due INTEGER NOT NULL,
     created_at INTEGER NOT NULL, seen_at INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX sessions_by_person ON sessions (person_id);
   CREATE TABLE browsers (
     hash BLOB NOT NULL, person_id TEXT NOT NULL REFERENCES people (id), seen_at INTEGER NOT NULL,
     PRIMARY KEY (hash, person_id)
   ) STRICT;
   CREATE TABLE audit (
     id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL,
     actor_id TEXT, actor TEXT NOT NULL, by_service INTEGER NOT NULL,
     account_id TEXT, action TEXT NOT NULL, subject TEXT NOT NULL, detail TEXT NOT NULL
   ) STRICT;
   CREATE INDEX audit_by_account ON audit (account_id, id);
   CREATE TRIGGER audit_is_kept BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
   CREATE TRIGGER audit_stands BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;`,

  // Requests by UTC day, key and operation: granted ones, and those that a limit refused.
  `CREATE TABLE usage (
     day TEXT NOT NULL, key_id TEXT NOT NULL REFERENCES keys (id), operation TEXT NOT NULL,
     granted INTEGER NOT NULL, refused INTEGER NOT NULL, PRIMARY KEY (key_id, day, operation)
   ) STRICT, WITHOUT ROWID;`,

  // Anybody can have links for a new password made: they must not make the next one slower.
  `CREATE INDEX links_by_person ON links (person_id);
   CREATE INDEX resets_by_expiry ON links (expires_at) WHERE purpose = 'reset';`,
];

/** A change waits this long for another process to finish its own. */
export const BUSY_MS = 5000;

/** A connection of its own to the store at `file`, in WAL mode and of the newest schema. */
export function openStoreFile(file: string): DatabaseSync {
  return openSqliteFile(
    file,
    (opened) => {
      opened.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON');
      migrate(opened, file, SCHEMA);
    },
    BUSY_MS,
  );
}
