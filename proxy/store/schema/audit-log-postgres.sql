CREATE FUNCTION audit_stands() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'the audit log is append-only'; END $$;
CREATE TRIGGER audit_stands BEFORE UPDATE OR DELETE ON audit FOR EACH ROW EXECUTE FUNCTION audit_stands();
CREATE TRIGGER audit_is_kept BEFORE TRUNCATE ON audit FOR EACH STATEMENT EXECUTE FUNCTION audit_stands();
