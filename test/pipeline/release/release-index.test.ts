/** The release index: versions and diffs, also after rollbacks, prunes and the end of promised times. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, inject, test } from 'vitest';
import { type ReleaseIndex, releaseIndexFile } from '../../../pipeline/contract/published.ts';
import type { Versions, VersionsDiff } from '../../../pipeline/contract/schemas.ts';
import { currentVersion } from '../../../pipeline/release/current.ts';
import { publishVersion } from '../../../pipeline/release/publish.ts';
import { releaseIndexFaults } from '../../../pipeline/release/verify-release-index.ts';
import { buildHere, copyBuild, publishedTiny } from '../../support/built-tiny.ts';
import { runHere } from '../../support/run-here.ts';
import { writeTiny } from '../../support/tiny-country.ts';

let base = '';
const first = currentVersion(inject('builtTiny'))!;
let second = '';
beforeAll(async () => {
  base = publishedTiny();
  second = (await buildHere(writeTiny().directory, base, { updatedAt: '2031-01-01T00:00:00Z' })).model_version;
});
const copy = () => copyBuild(base);
const read = (out: string, name: string) => readFileSync(path.join(out, 'releases', name), 'utf8');
const manifestIn = (out: string): ReleaseIndex => JSON.parse(read(out, releaseIndexFile(currentVersion(out)!)));
const versionsIn = (out: string): Versions => JSON.parse(read(out, manifestIn(out).answers['/v1/versions']!));
const faultsOf = (out: string) => releaseIndexFaults(path.join(out, 'snapshots', currentVersion(out)!));

test('a publication lists the current version, the replaced one with its end date, and the changes', async () => {
  const out = copy();
  expect(versionsIn(out)).toMatchObject({ current: first, versions: [{ model_version: first, status: 'current' }] });
  const options = [
    '--note',
    'Rain of <June> & July',
    '--keep-days',
    '10',
    '--by',
    'Ada',
    '--approve',
    'internal reason',
  ];
  expect((await runHere(['publish', '--out', out, ...options])).code).toBe(0);
  const listed = versionsIn(out);
  const [now, was] = listed.versions;
  expect(now).toMatchObject({ model_version: second, status: 'current', path: `/v1/versions/${second}`, sunset: null });
  expect(was).toMatchObject({ model_version: first, status: 'kept', path: `/v1/versions/${first}` });
  expect(Date.parse(was!.sunset!) - Date.parse(was!.replaced_at!)).toBe(10 * 86_400_000);
  expect(listed.releases[0]).toMatchObject({
    model_version: second,
    replaces: first,
    rollback: false,
    note: 'Rain of <June> & July',
    new_months: [],
    changed: ['model'],
    scores: { compared: 72, moved: 0 },
    diff: `/v1/versions/${first}/diff/${second}`,
  });
  const diff: VersionsDiff = JSON.parse(read(out, manifestIn(out).answers[listed.releases[0]!.diff!]!));
  expect(diff).toMatchObject({ from: first, to: second, all: { compared: 72, moved: 0 } });
  for (const secret of ['Ada', 'internal reason']) expect(JSON.stringify(listed)).not.toContain(secret);
  expect(await faultsOf(out)).toEqual([]);
});

test('a rollback is listed as such; a pruned version is marked as gone, and its history stays', async () => {
  const out = copy();
  await publishVersion(out);
  await publishVersion(out, { version: first });
  const third = (await buildHere(writeTiny().directory, out, { updatedAt: '2031-01-02T00:00:00Z' })).model_version;
  await publishVersion(out);
  expect(versionsIn(out).releases.map(({ model_version, rollback }) => [model_version, rollback])).toEqual([
    [third, false],
    [first, true],
    [second, false],
    [first, false],
  ]);
  expect(manifestIn(out).earlier.map(({ model_version }) => model_version)).toEqual([first, second]);
  rmSync(path.join(out, 'snapshots', second), { recursive: true });
  expect(await faultsOf(out)).toEqual([`snapshots/${second}: listed as kept, but missing`]);
  expect((await runHere(['releases', 'prune', '--keep', '9', '--out', out])).code).toBe(0);
  expect(manifestIn(out).earlier.map(({ model_version }) => model_version)).toEqual([first]);
  expect(versionsIn(out).versions.at(-1)).toMatchObject({ model_version: second, status: 'gone', path: null });
  expect(await faultsOf(out)).toEqual([]);
});

test('after its promised time a version is dropped by the next publication', async () => {
  const out = copy();
  await publishVersion(out, { keepDays: 1 });
  const name = manifestIn(out).answers['/v1/versions']!;
  const listed = versionsIn(out);
  listed.versions[1]!.sunset = '2026-01-01T00:00:00.000Z';
  rmSync(path.join(out, 'releases', name));
  writeFileSync(path.join(out, 'releases', name), JSON.stringify(listed));
  expect(await faultsOf(out)).toEqual([`releases/${name}: differs from its manifest`]);
  expect((await runHere(['verify', path.join(out, 'current')])).code).toBe(1);
  await buildHere(writeTiny().directory, out, { updatedAt: '2031-01-02T00:00:00Z' });
  await publishVersion(out);
  expect(versionsIn(out).versions.map(({ status }) => status)).toEqual(['current', 'kept', 'gone']);
});

test('without an earlier index, the index lists at least the replaced version', async () => {
  const out = copy();
  rmSync(path.join(out, 'releases', first, 'index'), { recursive: true });
  expect(await faultsOf(out)).toEqual([]);
  await publishVersion(out);
  expect(versionsIn(out).versions.map(({ model_version }) => model_version)).toEqual([second, first]);
  expect(versionsIn(out).releases).toHaveLength(1);
  expect(existsSync(path.join(out, 'releases', first, 'diff', `${second}.json.br`))).toBe(true);
});
