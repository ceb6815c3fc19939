-- The store in SQLite; postgres.sql has the same tables in the same order. Times are milliseconds since 1970 UTC.
CREATE TABLE store (version INTEGER NOT NULL) STRICT;

CREATE TABLE accounts (
  id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, kind TEXT NOT NULL CHECK (kind IN ('organisation', 'researcher')),
  created_at INTEGER NOT NULL, unlocked_at INTEGER, suspended_at INTEGER, removed_at INTEGER,
  per_minute INTEGER, per_month INTEGER
) STRICT;
-- `start` is the first characters of a key, by which people recognise it in a list.
CREATE TABLE keys (
  id TEXT PRIMARY KEY, owner_id TEXT NOT NULL REFERENCES accounts (id), name TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('live', 'test')), scopes TEXT NOT NULL, hash BLOB NOT NULL UNIQUE,
  start TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER, revoked_at INTEGER, created_by TEXT
) STRICT;
CREATE INDEX keys_by_owner ON keys (owner_id);
CREATE TABLE key_uses (key_id TEXT PRIMARY KEY REFERENCES keys (id), last_used_at INTEGER NOT NULL) STRICT;
-- Secrets with which the tags of keys are made. A tag is good until its secret's `until`, or for ever if that is null.
CREATE TABLE tag_secrets (secret BLOB PRIMARY KEY, created_at INTEGER NOT NULL, until INTEGER) STRICT;

-- Granted requests: of each key by second, each second in the slot `second % 61`, so that a key has 61 rows at most and
-- none is ever deleted; and of each owner's live keys by UTC month (YYYY-MM).
CREATE TABLE seconds (
  key_id TEXT NOT NULL REFERENCES keys (id), slot INTEGER NOT NULL, second INTEGER NOT NULL, granted INTEGER NOT NULL,
  PRIMARY KEY (key_id, slot)
) STRICT, WITHOUT ROWID;
CREATE TABLE months (
  owner_id TEXT NOT NULL REFERENCES accounts (id), month TEXT NOT NULL, granted INTEGER NOT NULL,
  PRIMARY KEY (owner_id, month)
) STRICT, WITHOUT ROWID;
-- Written to find out whether the store can be written.
CREATE TABLE probe (id INTEGER PRIMARY KEY, at INTEGER NOT NULL) STRICT;

-- Requests by UTC day, key, operation and outcome: 'granted', 'refused' by a limit, or the code of an error. A request
-- that was answered with an error counts under its code as well.
CREATE TABLE usage (
  day TEXT NOT NULL, key_id TEXT NOT NULL REFERENCES keys (id), operation TEXT NOT NULL, outcome TEXT NOT NULL,
  count INTEGER NOT NULL, PRIMARY KEY (key_id, day, operation, outcome)
) STRICT;
-- For the deletion of old days.
CREATE INDEX usage_by_day ON usage (day);
-- Notices, each of which is mailed once.
CREATE TABLE notices (what TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;

-- People who sign in to the dashboard. Those on the service team have no account; tokens are stored only as hashes.
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
-- Anybody can request links for a new password, so the indexes must keep these from slowing down later ones.
CREATE TABLE links (
  id TEXT PRIMARY KEY, hash BLOB NOT NULL UNIQUE, purpose TEXT NOT NULL CHECK (purpose IN ('invitation', 'reset')),
  person_id TEXT REFERENCES people (id), email TEXT NOT NULL, role TEXT, account_id TEXT REFERENCES accounts (id),
  created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, used_at INTEGER
) STRICT;
CREATE INDEX links_by_person ON links (person_id);
CREATE INDEX invitations_by_email ON links (email) WHERE purpose = 'invitation';
CREATE INDEX resets_by_expiry ON links (expires_at) WHERE purpose = 'reset';
-- `confirmed_at` is when the person last gave the password or a code in the session.
CREATE TABLE sessions (
  hash BLOB PRIMARY KEY, person_id TEXT NOT NULL REFERENCES people (id), factor_due INTEGER NOT NULL,
  created_at INTEGER NOT NULL, seen_at INTEGER NOT NULL, confirmed_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_by_person ON sessions (person_id);
CREATE INDEX sessions_by_age ON sessions (created_at);
CREATE TABLE browsers (
  hash BLOB NOT NULL, person_id TEXT NOT NULL REFERENCES people (id), seen_at INTEGER NOT NULL,
  PRIMARY KEY (hash, person_id)
) STRICT;
CREATE INDEX browsers_by_person ON browsers (person_id);
CREATE INDEX browsers_by_age ON browsers (seen_at);
CREATE TABLE attempts (what BLOB PRIMARY KEY, count INTEGER NOT NULL, until INTEGER NOT NULL) STRICT;
CREATE INDEX attempts_by_end ON attempts (until);

CREATE TABLE audit (
  id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL,
  actor_id TEXT, actor TEXT NOT NULL, by_service INTEGER NOT NULL,
  account_id TEXT, action TEXT NOT NULL, subject TEXT NOT NULL, detail TEXT NOT NULL
) STRICT;
CREATE INDEX audit_by_account ON audit (account_id, id);
CREATE TRIGGER audit_is_kept BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_stands BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
-- REPLACE deletes the row in its way without the trigger for DELETE.
CREATE TRIGGER audit_grows BEFORE INSERT ON audit WHEN EXISTS (SELECT 1 FROM audit WHERE id = NEW.id)
  BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
