-- People who sign in to the dashboard. Those on the service team have no account; tokens are stored only as hashes.
ALTER TABLE keys ADD COLUMN created_by TEXT;
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
CREATE TRIGGER audit_stands BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
