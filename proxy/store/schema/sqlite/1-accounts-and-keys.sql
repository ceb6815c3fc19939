-- Times are milliseconds since 1970 UTC.
CREATE TABLE accounts (
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
CREATE INDEX keys_by_hash_head ON keys (hash_head);
