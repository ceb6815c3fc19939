-- Requests by UTC day, key and operation: those granted, and those refused by a limit.
CREATE TABLE usage (
  day TEXT NOT NULL, key_id TEXT NOT NULL REFERENCES keys (id), operation TEXT NOT NULL,
  granted INTEGER NOT NULL, refused INTEGER NOT NULL, PRIMARY KEY (key_id, day, operation)
) STRICT, WITHOUT ROWID;
