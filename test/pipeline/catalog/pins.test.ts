import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readCountry } from '../../../pipeline/catalog/country.ts';
import { acceptCommand, unpinnedFiles } from '../../../pipeline/catalog/pins.ts';
import { sha256 } from '../../../pipeline/lib/hash.ts';
import { hashRawFiles } from '../../../pipeline/release/raw-hashes.ts';
import { writeTiny } from '../../support/tiny-country.ts';

test('files that match their pins are used; a changed one is refused with the command that accepts it', async () => {
  const { directory, files } = writeTiny();
  const country = readCountry(directory);
  const raw = await hashRawFiles(country);
  expect(raw['nets.csv']).toBe(sha256(String(files['nets.csv'])));
  expect(unpinnedFiles(country.sources, raw)).toEqual([]);

  for (const name of ['nets.csv', 'cases.csv']) appendFileSync(path.join(directory, name), ' ');
  await expect(hashRawFiles(country)).rejects.toThrow(
    `cases.csv: found a file that differs from its SHA-256 in sources.json (and 1 more), expected the file that was accepted (if this is a copy that broke off, copy it again); to accept this one: malaria-risk catalog update cases --country ${directory} --accept REASON`,
  );
  const found = await hashRawFiles(country, true);
  expect(unpinnedFiles(country.sources, found)).toEqual([
    { source: 'cases', path: 'cases.csv', found: found['cases.csv'], pinned: raw['cases.csv'] },
    { source: 'itn_use', path: 'nets.csv', found: found['nets.csv'], pinned: raw['nets.csv'] },
  ]);
});

test('a file without a pin is refused', async () => {
  const { directory } = writeTiny();
  const file = path.join(directory, 'sources.json');
  const catalog = JSON.parse(readFileSync(file, 'utf8'));
  delete catalog.sources[2].files[0].sha256;
  writeFileSync(file, JSON.stringify(catalog));
  await expect(hashRawFiles(readCountry(directory))).rejects.toThrow(
    /^people\.tif: found a file without a SHA-256 in sources\.json, expected the file that was accepted .*; to accept this one: malaria-risk catalog update population /,
  );
});

test('the command that accepts a file is quoted for a shell', () => {
  expect(acceptCommand({ directory: 'raw-data/nigeria', rawData: "../it's here" }, 'cases')).toBe(
    "malaria-risk catalog update cases --country raw-data/nigeria --raw-data '../it'\\''s here' --accept REASON",
  );
});
