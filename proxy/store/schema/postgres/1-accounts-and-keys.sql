-- Times are milliseconds since 1970 UTC, except leases, which go by PostgreSQL's own clock. `version` counts changes to
-- a row, under its lock, so that a copy never replaces a newer one. `told`, later renamed to
-- `redis_version`, is the version that Redis is known to have; proxies copy whatever it lacks (cluster/mirror.ts).
CREATE TABLE accounts (
  id text PRIMARY KEY, name text NOT NULL UNIQUE, kind text NOT NULL CHECK (kind IN ('organisation', 'researcher')),
  created_at bigint NOT NULL, unlocked_at bigint, suspended_at bigint, removed_at bigint,
  per_minute bigint, per_month bigint, version bigint NOT NULL DEFAULT 1, told bigint NOT NULL DEFAULT 1
);
CREATE INDEX accounts_untold ON accounts (id) WHERE told < version;
CREATE TABLE keys (
  id text PRIMARY KEY, owner_id text NOT NULL REFERENCES accounts (id), name text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('live', 'test')), scopes text NOT NULL,
  hash_head text NOT NULL, hash bytea NOT NULL UNIQUE,
  created_at bigint NOT NULL, expires_at bigint, revoked_at bigint, created_by text,
  version bigint NOT NULL DEFAULT 1, told bigint NOT NULL DEFAULT 0
);
CREATE INDEX keys_by_hash_head ON keys (hash_head);
CREATE INDEX keys_by_owner ON keys (owner_id);
CREATE INDEX keys_untold ON keys (id) WHERE told < version;
CREATE TABLE key_uses (key_id text PRIMARY KEY REFERENCES keys (id), last_used_at bigint NOT NULL);
CREATE TABLE usage (
  day text NOT NULL, key_id text NOT NULL REFERENCES keys (id), operation text NOT NULL,
  granted bigint NOT NULL, refused bigint NOT NULL, PRIMARY KEY (day, key_id, operation)
);
CREATE TABLE audit (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at bigint NOT NULL,
  actor_id text, actor text NOT NULL, by_service boolean NOT NULL,
  account_id text, action text NOT NULL, subject text NOT NULL, detail text NOT NULL
);
CREATE INDEX audit_by_account ON audit (account_id, id);
CREATE FUNCTION audit_stands() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'the audit log is append-only'; END $$;
CREATE TRIGGER audit_stands BEFORE UPDATE OR DELETE ON audit FOR EACH ROW EXECUTE FUNCTION audit_stands();
CREATE TABLE months (
  owner_id text NOT NULL REFERENCES accounts (id), month text NOT NULL,
  epoch bigint NOT NULL, base bigint NOT NULL, taken bigint NOT NULL, PRIMARY KEY (owner_id, month)
);
CREATE TABLE redis_epoch (
  single boolean PRIMARY KEY DEFAULT true CHECK (single),
  number bigint NOT NULL, token text NOT NULL, run_id text NOT NULL, leased_until timestamptz NOT NULL
);
