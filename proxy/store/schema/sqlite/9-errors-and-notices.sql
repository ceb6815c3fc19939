-- Requests answered with an error, by its code.
CREATE TABLE usage_errors (
  day TEXT NOT NULL, key_id TEXT NOT NULL REFERENCES keys (id), operation TEXT NOT NULL, code TEXT NOT NULL,
  count INTEGER NOT NULL, PRIMARY KEY (key_id, day, operation, code)
) STRICT, WITHOUT ROWID;
-- Notices, each of which is mailed once.
CREATE TABLE notices (what TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
