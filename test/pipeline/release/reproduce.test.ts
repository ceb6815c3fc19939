/** A version that was pruned is made again from its raw files. */
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { sha256 } from '../../../pipeline/lib/hash.ts';
import { currentVersion } from '../../../pipeline/release/current.ts';
import { pruneReleases } from '../../../pipeline/release/prune.ts';
import { publishVersion } from '../../../pipeline/release/publish.ts';
import { buildHere, publishedTiny } from '../../support/built-tiny.ts';
import { runHere } from '../../support/run-here.ts';
import { writeTiny } from '../../support/tiny-country.ts';

test('reproduce makes the same bytes from the raw files, also from a store by SHA-256 and after pruning', async () => {
  const { directory: country } = writeTiny();
  const out = publishedTiny();
  const version = currentVersion(out)!;
  await buildHere(country, out, { updatedAt: '2031-01-01T00:00:00Z' });
  await publishVersion(out);
  await pruneReleases(out, 1, Date.now() + 3_600_000);
  const store = path.join(out, 'raw');
  for (const name of readdirSync(country, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())) {
    const bytes = readFileSync(path.join(name.parentPath, name.name));
    cpSync(path.join(name.parentPath, name.name), path.join(store, sha256(bytes)));
  }
  const { code, stdout, stderr } = await runHere(['releases', 'reproduce', version, '--out', out]);
  expect(code, stderr).toBe(0);
  expect(stdout).toMatch(/ {2}[0-9a-f]{64} {2}surveys\.csv\n/);
  expect(stdout).toMatch(new RegExp(`${version}: all \\d{3,} files came out the same, byte for byte`));
});
