-- Counts the changes to a row, as in PostgreSQL.
ALTER TABLE accounts ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
ALTER TABLE keys ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
