-- The first characters of a key, by which people recognise it in a list; unknown for keys created earlier.
ALTER TABLE keys ADD COLUMN start TEXT;
