/** Files of a build's directory that were cut short: each is named, with what to do, and is no fault of the program. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { currentVersion } from '../../../pipeline/release/current.ts';
import { publishedTiny } from '../../support/built-tiny.ts';
import { runHere } from '../../support/run-here.ts';

/** A published build of which a file ends where `end` says. */
function cutShort(name: (version: string) => string, end: number): string {
  const out = publishedTiny();
  const file = path.join(out, name(currentVersion(out)!));
  writeFileSync(file, readFileSync(file).subarray(0, end));
  return out;
}

test.each<[what: string, name: (version: string) => string, commands: string[][], message: RegExp]>([
  [
    'a manifest',
    (version) => `snapshots/${version}/manifest.json`,
    [['show', 'risk'], ['query'], ['review'], ['publish']],
    /manifest\.json: found a damaged file \(.+\), expected JSON; .*copy it again from a backup/,
  ],
  [
    'the record of a publication',
    () => 'releases/000001.json',
    [
      ['releases', 'list'],
      ['releases', 'prune', '--keep', '1'],
    ],
    /releases\/000001\.json: found a damaged file \(.+\), expected JSON; copy it from a backup, or move it away/,
  ],
  [
    'a table',
    (version) => `snapshots/${version}/tables/risk_lgas.parquet`,
    [
      ['show', 'risk', '--state', 'AB'],
      ['query', 'FROM risk_lgas'],
    ],
    /tables\/risk_lgas\.parquet: found a damaged table, .*copy a version's again from a backup/,
  ],
])('%s', async (_, name, commands, message) => {
  const out = cutShort(name, 100);
  for (const command of commands) {
    const { code, stderr } = await runHere([...command, '--out', out]);
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
  }
});

test('the list of builds without a whole line, and a lock that is no database', async () => {
  const out = cutShort(() => 'releases/candidates.jsonl', 30);
  const version = currentVersion(out)!;
  expect((await runHere(['review', '--out', out])).stderr).toContain(
    `found no candidate in its list of builds, expected one; name a version, such as ${version}`,
  );
  writeFileSync(path.join(out, 'releases/lock.sqlite'), 'something else '.repeat(100));
  const { code, stderr } = await runHere(['publish', version, '--out', out]);
  expect(stderr).toMatch(
    /releases\/lock\.sqlite: file is not a database, expected an empty SQLite database; .*remove it/,
  );
  expect(code).toBe(2);
});
