/** Versions over HTTP: the list, earlier versions by their own paths, diffs; nothing without a key and its scopes. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Check } from 'typebox/value';
import { beforeAll, expect, test, vi } from 'vitest';
import { OPERATIONS } from '../../../pipeline/contract/operations.ts';
import { Versions, VersionsDiff } from '../../../pipeline/contract/schemas.ts';
import { releaseFilesIn } from '../../../pipeline/release/release-files.ts';
import { refreshReleaseIndex } from '../../../pipeline/release/release-index.ts';
import { openReleases } from '../../../proxy/snapshot/releases.ts';
import { versionOf } from '../../support/proxy/fixture.ts';
import { atEndOfSuite, codeOf, giveKey, type Service, startService } from '../../support/proxy/service.ts';
import { publishRelease } from '../../support/proxy/versions.ts';

const [ONE, TWO, THREE] = ['00000001', '00000002', '00000003'].map((release) => versionOf(release)) as [
  string,
  string,
  string,
];
let service: Service;
let key: string;
const atEnd = atEndOfSuite();
beforeAll(async () => {
  service = await startService({}, atEnd);
  key = (await giveKey(service.store)).key;
  await publishRelease(service.build, '00000002', '00000001', { earlier: true });
  await publishRelease(service.build, '00000003', '00000002', { keepDays: 30, note: 'Better rain' });
  await vi.waitFor(async () =>
    expect((await service.get('/v1/periods', key)).headers.get('model-version')).toBe(THREE),
  );
});

test('the list reports which version is current and which are kept, the diff what changed', async () => {
  const list = await service.get('/v1/versions', key);
  const listed = (await list.json()) as Versions;
  expect([list.status, list.headers.get('model-version'), Check(Versions, listed)]).toEqual([200, null, true]);
  expect(listed.versions.map(({ model_version, status }) => [model_version, status])).toEqual([
    [THREE, 'current'],
    [TWO, 'kept'],
    [ONE, 'kept'],
  ]);
  expect(listed.releases[0]).toMatchObject({ note: 'Better rain', scores: { moved: 7 } });
  const diff = await service.get(listed.releases[0]!.diff!, key);
  expect([diff.status, Check(VersionsDiff, await diff.json())]).toEqual([200, true]);
  const again = await service.get('/v1/versions', key, { headers: { 'if-none-match': list.headers.get('etag')! } });
  expect(again.status).toBe(304);
});

test("a version's own paths answer as the plain ones did, and announce its replacement and its end", async () => {
  for (const path of ['/periods', '/risk/lgas?state=LA&period=2023-07', '/boundaries/states']) {
    const now = await service.get(`/v1${path}`, key);
    const same = await service.get(`/v1/versions/${THREE}${path}`, key);
    expect([same.status, same.headers.get('deprecation')]).toEqual([200, null]);
    expect([await same.text(), same.headers.get('etag')]).toEqual([await now.text(), now.headers.get('etag')]);
    const before = await service.get(`/v1/versions/${TWO}${path}`, key);
    expect(before.headers.get('model-version')).toBe(TWO);
    expect(before.headers.get('deprecation')).toBe(`@${Date.parse('2026-03-01T00:00:00Z') / 1000}`);
    expect(before.headers.get('sunset')).toBe('Tue, 31 Mar 2026 00:00:00 GMT');
    expect(before.headers.get('etag')).toBe(entryOf(TWO, path));
    const unchanged = { 'if-none-match': before.headers.get('etag')! };
    const again = await service.get(`/v1/versions/${TWO}${path}`, key, { headers: unchanged });
    expect([again.status, again.headers.get('sunset')]).toEqual([304, before.headers.get('sunset')]);
    expect(before.status).toBe(200);
  }
  expect((await service.get(`/v1/versions/${ONE}/periods`, key)).headers.get('sunset')).toBeNull();
});

/** The ETag of the coding that fetch gets. */
function entryOf(version: string, path: string): string | undefined {
  const { files } = JSON.parse(readFileSync(join(service.build, 'snapshots', version, 'manifest.json'), 'utf8'));
  const name = { '/periods': 'v1/periods.json', '/boundaries/states': 'v1/boundaries/states.json' }[path];
  const file = name ?? 'v1/risk/lgas/2023-07/LA.json';
  const codings = ['.br', '.gz', ''].map((ending) => files[file + ending]);
  return codings.reduce((a, b) => (b.bytes < a.bytes ? b : a)).etag;
}

test('an operation, month or state that the version lacks gives the usual error', async () => {
  for (const [path, status, code] of [
    [`/v1/versions/${TWO}/places`, 404, 'NOT_FOUND'],
    [`/v1/versions/${TWO}/risk/lgas?state=XX`, 404, 'UNKNOWN_STATE'],
    [`/v1/versions/${TWO}/risk/lgas?state=KN&period=2030-01`, 404, 'PERIOD_NOT_AVAILABLE'],
    ['/v1/versions/fixture-99999999/periods', 404, 'UNKNOWN_VERSION'],
    [`/v1/versions/${ONE}/diff/${THREE}`, 404, 'UNKNOWN_VERSION'],
    [`/v1/versions/${THREE}/diff/${TWO}`, 404, 'UNKNOWN_VERSION'],
    ['/v1/versions/:version/periods', 404, 'UNKNOWN_VERSION'],
    ['/v1/versions/newest/periods', 404, 'UNKNOWN_VERSION'],
    ['/v1/versions/', 404, 'NOT_FOUND'],
    [`/v1/versions/${TWO}`, 404, 'NOT_FOUND'],
    [`/v1/versions/${TWO}/versions`, 404, 'NOT_FOUND'],
    [`/v1/versions/${TWO}/versions/${TWO}/periods`, 404, 'NOT_FOUND'],
    ['/v1/versions/..%2f..%2fsnapshots-00000000/periods', 404, 'NOT_FOUND'],
    [`/v1/versions/../${TWO}/periods`, 404, 'NOT_FOUND'],
  ] as const) {
    const response = await service.get(path, key);
    expect([path, response.status, ((await response.json()) as { code: string }).code]).toEqual([path, status, code]);
  }
});

test('a key and its scopes are required as usual', async () => {
  const diff = `/v1/versions/${TWO}/diff/${THREE}`;
  for (const path of ['/v1/versions', diff, `/v1/versions/${TWO}/periods`]) {
    expect((await service.get(path)).status).toBe(401);
    expect((await service.get(path, key, { method: 'POST' })).status).toBe(405);
  }
  const outlines = (await giveKey(service.store, { scopes: ['lga_boundaries'] })).key;
  expect((await service.get('/v1/versions', outlines)).status).toBe(200);
  expect((await service.get(diff, outlines)).status).toBe(403);
  for (const { path, scopes } of OPERATIONS) {
    const { status } = await service.get(path.replace('/v1/', `/v1/versions/${ONE}/`), outlines);
    const isAllowed = scopes.every((scope) => scope === 'lga_boundaries');
    expect([path, status === 403]).toEqual([path, !isAllowed]);
  }
});

test('a version removed by hand is left out, a pruned one listed as gone, a damaged index refused', async () => {
  const own = await startService();
  const { key: mine } = await giveKey(own.store);
  await publishRelease(own.build, '00000002', '00000001');
  const statusOf = async (path: string) => (await own.get(path, mine)).status;
  await vi.waitFor(async () => expect(await statusOf(`/v1/versions/${TWO}/periods`)).toBe(200));
  rmSync(join(own.build, 'snapshots', ONE), { recursive: true });
  expect(await statusOf(`/v1/versions/${ONE}/periods`), 'before the proxy has checked again').toBe(404);
  await refreshReleaseIndex(releaseFilesIn(own.build), TWO, new Date().toISOString());
  const list = async () => (await own.get('/v1/versions', mine)).json();
  await vi.waitFor(async () => expect(await list()).toMatchObject({ versions: [{}, { status: 'gone' }] }));
  expect(await statusOf(`/v1/versions/${ONE}/periods`)).toBe(404);
  expect(own.reports.filter((line) => !/^now serving|ENOENT/.test(line))).toEqual([]);

  await publishRelease(own.build, '00000003', '00000002');
  await vi.waitFor(async () => expect(await statusOf(`/v1/versions/${THREE}/periods`)).toBe(200));
  const file = join(own.build, 'snapshots', TWO, 'v1/periods.json');
  const text = readFileSync(file, 'utf8').replace('2024', '2042');
  rmSync(file);
  writeFileSync(file, text);
  // An error, never wrong bytes: no part of a short file is sent until all of it has been checked.
  const identity = { headers: { 'accept-encoding': 'identity' } };
  const damaged = await own.get(`/v1/versions/${TWO}/periods`, mine, identity);
  expect([damaged.status, await codeOf(damaged)]).toEqual([503, 'DATA_DAMAGED']);
  expect((await fetch(`${own.opsUrl}/readyz`)).status, 'the current version is intact').toBe(200);

  const folder = join(own.build, 'releases', THREE, 'index');
  writeFileSync(
    join(folder, 'changed'),
    readFileSync(join(folder, 'manifest.json'), 'utf8').replace(/"bytes":\d/, '"bytes":9'),
  );
  renameSync(join(folder, 'changed'), join(folder, 'manifest.json'));
  await vi.waitFor(() => expect(own.reports.at(-1)).toMatch(/refused the snapshot .* bytes, the manifest says/));
  expect(await statusOf('/v1/versions')).toBe(200);
});

test('a version that was already served is not read again', async () => {
  const directory = join(service.build, 'snapshots', THREE);
  const known = await openReleases(directory, () => {});
  const again = await openReleases(directory, () => {}, known);
  for (const version of [ONE, TWO]) expect(again.versions.get(version)).toBe(known.versions.get(version));
  expect((await openReleases(directory, () => {})).versions.get(ONE)).not.toBe(known.versions.get(ONE));
});

test('a folder with nothing but a snapshot has no list of versions', async () => {
  const alone = await startService();
  const { key: mine } = await giveKey(alone.store);
  expect((await alone.get('/v1/versions', mine)).status).toBe(404);
  expect((await alone.get(`/v1/versions/${ONE}/periods`, mine)).status).toBe(200);
});
