-- Anybody can have links for a new password made: they must not make the next one slower.
CREATE INDEX links_by_person ON links (person_id);
CREATE INDEX resets_by_expiry ON links (expires_at) WHERE purpose = 'reset';
