-- Requests answered with an error, by its code.
CREATE TABLE usage_errors (
  day text NOT NULL, key_id text NOT NULL REFERENCES keys, operation text NOT NULL, code text NOT NULL,
  count bigint NOT NULL, PRIMARY KEY (key_id, day, operation, code)
);
-- Notices, each of which is mailed once.
CREATE TABLE notices (what text PRIMARY KEY, at bigint NOT NULL);
