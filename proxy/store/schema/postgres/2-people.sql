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
CREATE TABLE links (
  id text PRIMARY KEY, hash bytea NOT NULL UNIQUE, purpose text NOT NULL CHECK (purpose IN ('invitation', 'reset')),
  person_id text REFERENCES people (id), email text NOT NULL, role text, account_id text REFERENCES accounts (id),
  created_at bigint NOT NULL, expires_at bigint NOT NULL, used_at bigint
);
CREATE INDEX links_by_person ON links (person_id);
CREATE INDEX invitations_by_email ON links (email) WHERE purpose = 'invitation';
CREATE INDEX resets_by_expiry ON links (expires_at) WHERE purpose = 'reset';
CREATE TABLE sessions (
  hash bytea PRIMARY KEY, person_id text NOT NULL REFERENCES people (id), factor_due boolean NOT NULL,
  created_at bigint NOT NULL, seen_at bigint NOT NULL
);
CREATE INDEX sessions_by_person ON sessions (person_id);
CREATE INDEX sessions_by_age ON sessions (created_at);
CREATE TABLE browsers (
  hash bytea NOT NULL, person_id text NOT NULL REFERENCES people (id), seen_at bigint NOT NULL,
  PRIMARY KEY (hash, person_id)
);
CREATE INDEX browsers_by_person ON browsers (person_id);
CREATE INDEX browsers_by_age ON browsers (seen_at);
-- Lost if the server crashes, so that attempts never wait for the disk.
CREATE UNLOGGED TABLE attempts (what bytea PRIMARY KEY, count int NOT NULL, until bigint NOT NULL);
CREATE INDEX attempts_by_end ON attempts (until);
CREATE FUNCTION take_attempts(asked bytea[], most int[], spans bigint[], moment bigint) RETURNS bigint
  LANGUAGE plpgsql AS $$
  DECLARE wait bigint;
  BEGIN
    SELECT max(a.until - moment) INTO wait FROM unnest(asked, most) t (what, most) JOIN attempts a USING (what)
      WHERE a.until > moment AND a.count >= t.most;
    IF wait IS NOT NULL THEN RETURN wait; END IF;
    -- Lock all rows asked for, in one order, restarting expired windows; then check again.
    INSERT INTO attempts AS a (what, count, until)
      SELECT t.what, 0, moment + t.span FROM unnest(asked, spans) t (what, span) ORDER BY t.what
      ON CONFLICT ON CONSTRAINT attempts_pkey DO UPDATE SET
        count = CASE WHEN a.until > moment THEN a.count ELSE 0 END,
        until = CASE WHEN a.until > moment THEN a.until ELSE excluded.until END;
    SELECT max(a.until - moment) INTO wait FROM unnest(asked, most) t (what, most) JOIN attempts a USING (what)
      WHERE a.count >= t.most;
    IF wait IS NULL THEN UPDATE attempts SET count = count + 1 WHERE what = ANY (asked);
    ELSE DELETE FROM attempts WHERE what = ANY (asked) AND count = 0;
    END IF;
    RETURN wait;
  END $$;
CREATE FUNCTION give_back_attempts(asked bytea[]) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM FROM attempts WHERE what = ANY (asked) ORDER BY what FOR UPDATE;
    DELETE FROM attempts WHERE what = ANY (asked) AND count <= 1;
    UPDATE attempts SET count = count - 1 WHERE what = ANY (asked);
  END $$;
CREATE TRIGGER audit_is_kept BEFORE TRUNCATE ON audit FOR EACH STATEMENT EXECUTE FUNCTION audit_stands();
