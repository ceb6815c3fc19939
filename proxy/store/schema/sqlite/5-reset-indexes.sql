-- Anybody can request links for a new password, so these must not slow down later ones.
CREATE INDEX links_by_person ON links (person_id);
CREATE INDEX resets_by_expiry ON links (expires_at) WHERE purpose = 'reset';
