-- The tables, in the dialect of PostgreSQL; database.ts translates it for SQLite. Times are milliseconds since 1970 UTC.
-- `schema_hash` tells apart schemas of the same number.
CREATE TABLE store (version bigint NOT NULL, schema_hash text NOT NULL);

CREATE TABLE accounts (
  id text PRIMARY KEY, name text NOT NULL UNIQUE, kind text NOT NULL CHECK (kind IN ('organisation', 'researcher')),
  created_at bigint NOT NULL, unlocked_at bigint, suspended_at bigint, removed_at bigint,
  per_minute bigint, per_month bigint
);
-- `start` is the first characters of a key, by which people recognise it in a list.
CREATE TABLE keys (
  id text PRIMARY KEY, owner_id text NOT NULL REFERENCES accounts (id), name text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('live', 'test')), scopes text NOT NULL, hash bytea NOT NULL UNIQUE,
  start text NOT NULL, created_at bigint NOT NULL, expires_at bigint, revoked_at bigint, created_by text
);
CREATE INDEX keys_by_owner ON keys (owner_id);
CREATE TABLE key_uses (key_id text PRIMARY KEY REFERENCES keys (id), last_used_at bigint NOT NULL);
-- Secrets with which the tags of keys are made. A tag is good until its secret's `until`, or for ever if that is null.
CREATE TABLE tag_secrets (secret bytea PRIMARY KEY, created_at bigint NOT NULL, until bigint);

-- Granted requests: of each key by second, each second in the slot `second % 61`, so that a key has 61 rows at most and
-- none is ever deleted; and of each owner's live keys by UTC month (YYYY-MM). Pages of PostgreSQL keep room to update
-- rows in place.
CREATE TABLE seconds (
  key_id text NOT NULL REFERENCES keys (id), slot bigint NOT NULL, second bigint NOT NULL, granted bigint NOT NULL,
  PRIMARY KEY (key_id, slot)
) WITH (fillfactor = 50);
CREATE TABLE months (
  owner_id text NOT NULL REFERENCES accounts (id), month text NOT NULL, granted bigint NOT NULL,
  PRIMARY KEY (owner_id, month)
) WITH (fillfactor = 50);
-- Written to find out whether the store can be written.
CREATE TABLE probe (id bigint PRIMARY KEY, at bigint NOT NULL);

-- Requests by UTC day, key, operation and outcome: 'granted', 'refused' by a limit, or the code of an error. A request
-- that was answered with an error counts under its code as well.
CREATE TABLE usage (
  day text NOT NULL, key_id text NOT NULL REFERENCES keys (id), operation text NOT NULL, outcome text NOT NULL,
  count bigint NOT NULL, PRIMARY KEY (key_id, day, operation, outcome)
);
-- For the deletion of old days.
CREATE INDEX usage_by_day ON usage (day);
-- Notices, each of which is mailed once.
CREATE TABLE notices (what text PRIMARY KEY, at bigint NOT NULL);

-- People who sign in to the dashboard. Those on the service team have no account; tokens are stored only as hashes.
CREATE TABLE people (
  id text PRIMARY KEY, email text NOT NULL, name text NOT NULL,
  role text NOT NULL CHECK (role IN ('service', 'administrator', 'member', 'researcher')),
  account_id text REFERENCES accounts (id), password_hash text NOT NULL,
  factor_secret text, factor_step bigint NOT NULL DEFAULT 0,
  created_at bigint NOT NULL, removed_at bigint,
  CHECK ((role = 'service') = (account_id IS NULL))
);
CREATE UNIQUE INDEX people_by_email ON people (email) WHERE removed_at IS NULL;
CREATE INDEX people_by_account ON people (account_id);
CREATE TABLE recovery_codes (
  person_id text NOT NULL REFERENCES people (id), hash bytea NOT NULL, PRIMARY KEY (person_id, hash)
);
-- Anybody can request links for a new password, so the indexes must keep these from slowing down later ones.
CREATE TABLE links (
  id text PRIMARY KEY, hash bytea NOT NULL UNIQUE, purpose text NOT NULL CHECK (purpose IN ('invitation', 'reset')),
  person_id text REFERENCES people (id), email text NOT NULL, role text, account_id text REFERENCES accounts (id),
  created_at bigint NOT NULL, expires_at bigint NOT NULL, used_at bigint
);
CREATE INDEX links_by_person ON links (person_id);
CREATE INDEX invitations_by_email ON links (email) WHERE purpose = 'invitation';
CREATE INDEX resets_by_expiry ON links (expires_at) WHERE purpose = 'reset';
-- `confirmed_at` is when the person last gave the password or a code in the session.
CREATE TABLE sessions (
  hash bytea PRIMARY KEY, person_id text NOT NULL REFERENCES people (id), factor_due boolean NOT NULL,
  created_at bigint NOT NULL, seen_at bigint NOT NULL, confirmed_at bigint NOT NULL
);
CREATE INDEX sessions_by_person ON sessions (person_id);
CREATE INDEX sessions_by_age ON sessions (created_at);
CREATE TABLE browsers (
  hash bytea NOT NULL, person_id text NOT NULL REFERENCES people (id), seen_at bigint NOT NULL,
  PRIMARY KEY (hash, person_id)
);
CREATE INDEX browsers_by_person ON browsers (person_id);
CREATE INDEX browsers_by_age ON browsers (seen_at);
CREATE TABLE attempts (what bytea PRIMARY KEY, count bigint NOT NULL, until bigint NOT NULL);
CREATE INDEX attempts_by_end ON attempts (until);

CREATE TABLE audit (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at bigint NOT NULL,
  actor_id text, actor text NOT NULL, by_service boolean NOT NULL,
  account_id text, action text NOT NULL, subject text NOT NULL, detail text NOT NULL
);
CREATE INDEX audit_by_account ON audit (account_id, id);
