-- The first characters of a key, by which people recognise it in a list; unknown for keys made before.
ALTER TABLE keys ADD COLUMN start text;
