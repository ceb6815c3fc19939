import { existsSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { parseS3Url } from '../../../pipeline/contract/published.ts';
import { SnapshotMirror } from '../../../proxy/snapshot/object-storage.ts';
import { openSource } from '../../../proxy/snapshot/sources.ts';
import { versionOf, writeSnapshot } from '../../support/proxy/fixture.ts';
import { type S3Server, startS3 } from '../../support/proxy/s3-server.ts';
import { giveKey, startService } from '../../support/proxy/service.ts';

const URL = 's3://data/malaria/prod';
const ROOT = 'data/malaria/prod';
let storage: S3Server;
let folder: string;
beforeEach(async () => {
  storage = await startS3();
  folder = mkdtempSync(join(tmpdir(), 'malaria-s3-'));
  vi.stubEnv('AWS_ENDPOINT_URL_S3', storage.endpoint);
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'reader');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  return async () => {
    vi.unstubAllEnvs();
    await storage.close();
    rmSync(folder, { recursive: true });
  };
});

/** Uploads a snapshot and makes `current` name it, as README.md describes for operators. */
function publish(release: string): void {
  const target = `snapshots/${versionOf(release)}`;
  const made = join(folder, 'made', release);
  writeSnapshot(made, { release });
  storage.upload(made, `${ROOT}/${target}`);
  storage.objects.set(`${ROOT}/current`, Buffer.from(`${target}\n`));
}
const copies = () => join(folder, 'copies');
async function mirror(retryMs = 20) {
  const reports: string[] = [];
  const opened = await SnapshotMirror.open(URL, copies(), {
    pollMs: 20,
    retryMs,
    report: (line) => reports.push(line),
  });
  onTestFinished(() => opened.close());
  return { path: opened.path, refused: () => opened.refusal(), close: () => opened.close(), reports };
}

test('a proxy serves the snapshot that the bucket names as current, and picks up the next one', async () => {
  publish('00000001');
  const service = await startService({ snapshot: URL, snapshotCopies: copies() });
  const { key } = await giveKey(service.store);
  const served = async () => (await service.get('/v1/periods', key)).headers.get('model-version');
  expect(await served()).toBe(versionOf('00000001'));
  publish('00000002');
  await vi.waitFor(async () => expect(await served()).toBe(versionOf('00000002')), { timeout: 30_000 });
  expect(service.reports).toContainEqual(expect.stringContaining(`now serving ${versionOf('00000002')}`));
});

test('a damaged or incomplete snapshot is not picked up, and is reported once', async () => {
  publish('00000001');
  // Each retry reports again: the next one comes long after the test has looked.
  const { path, refused, reports } = await mirror(1000);
  const before = readlinkSync(path);
  const file = `${ROOT}/snapshots/${versionOf('00000002')}/v1/periods.json`;
  for (const [damage, reason] of [
    [(bytes: Buffer) => Buffer.from(bytes).fill(32, 5, 6), /v1\/periods\.json has SHA-256 \w+, the manifest says/],
    [(bytes: Buffer) => bytes.subarray(1), /v1\/periods\.json has \d+ bytes, the manifest says/],
    [(bytes: Buffer) => Buffer.concat([bytes, bytes]), /v1\/periods\.json has more than the \d+ bytes/],
    [() => null, /v1\/periods\.json: NoSuchKey/],
  ] as const) {
    publish('00000002');
    const damaged = damage(storage.objects.get(file)!);
    if (damaged) storage.objects.set(file, damaged);
    else storage.objects.delete(file);
    await vi.waitFor(() => expect(refused()?.reason).toMatch(reason), { timeout: 30_000 });
    expect(readlinkSync(path)).toBe(before);
    expect(reports.filter((line) => reason.test(line))).toHaveLength(1);
  }
  publish('00000002');
  await vi.waitFor(() => expect(readlinkSync(path)).toBe(`snapshots/${versionOf('00000002')}`), { timeout: 30_000 });
  await vi.waitFor(() => expect(refused()).toBeNull());
  expect(readdirSync(copies()).sort()).toEqual(['current', 'snapshots']);
});

test('an outage of the storage has no effect while there is a copy, even after a restart', async () => {
  publish('00000001');
  const first = await mirror();
  storage.fault((_, response) => {
    response.destroy();
    return true;
  });
  await vi.waitFor(() => expect(first.refused()).not.toBeNull(), { timeout: 30_000 });
  await first.close();
  const second = await mirror();
  expect(readlinkSync(second.path)).toBe(`snapshots/${versionOf('00000001')}`);
  storage.fault(null);
  publish('00000002');
  await vi.waitFor(() => expect(readlinkSync(second.path)).toContain('00000002'), { timeout: 30_000 });
});

test.each([
  ['answers nothing', () => true],
  [
    'ends no answer',
    (_: string, response: ServerResponse) => {
      response.writeHead(200, { 'content-length': 100 }).write('snapshots/');
      return true;
    },
  ],
])('storage that %s ends neither the service nor a start, and is reported with its time', async (_, silent) => {
  vi.stubEnv('AWS_MAX_ATTEMPTS', '1');
  publish('00000001');
  const options = { snapshot: URL, snapshotCopies: copies() };
  const first = await startService(options);
  await first.close();
  storage.fault(silent);
  const begin = Date.now();
  const second = await startService(options);
  expect(Date.now() - begin).toBeLessThan(10_000);
  const seen = async () => {
    const metrics = await (await fetch(`${second.opsUrl}/metrics`)).text();
    const value = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)![1]);
    const ready = await fetch(`${second.opsUrl}/readyz`);
    const { model_version, refused_snapshot, confirmed_at } = (await ready.json()) as Record<string, any>;
    return {
      status: ready.status,
      version: model_version,
      reason: refused_snapshot?.reason,
      refused: value('malaria_snapshot_refused'),
      confirmed: [Date.parse(confirmed_at) / 1000, value('malaria_snapshot_confirmed_timestamp_seconds')],
    };
  };
  const meanwhile = await seen();
  await vi.waitFor(async () => expect((await seen()).refused).toBe(1), { timeout: 30_000, interval: 500 });
  expect(await seen()).toMatchObject({ status: 200, reason: expect.stringMatching(/current: .*10000 ms/) });
  expect((await seen()).confirmed).toEqual(meanwhile.confirmed);
  expect(meanwhile.confirmed[0]).toBe(meanwhile.confirmed[1]);
  expect(second.reports).toContainEqual(expect.stringContaining('cannot fetch a newer snapshot'));
  storage.fault(null);
  publish('00000002');
  const again = { version: versionOf('00000002'), refused: 0 };
  await vi.waitFor(async () => expect(await seen()).toMatchObject(again), { timeout: 60_000, interval: 500 });
  expect((await seen()).confirmed[0]).toBeGreaterThan(meanwhile.confirmed[0]!);
});

test('a start without a copy does not wait for ever for silent storage', async () => {
  vi.stubEnv('AWS_MAX_ATTEMPTS', '1');
  storage.fault(() => true);
  await expect(mirror()).rejects.toThrow(/no snapshot from s3:.*10000 ms/);
});

test('for an unchanged snapshot only `current` is requested, and old copies are removed', async () => {
  for (const release of ['00000001', '00000002', '00000003']) {
    publish(release);
    const { path, close } = await mirror();
    expect(readlinkSync(path)).toContain(release);
    await close();
  }
  expect(readdirSync(join(copies(), 'snapshots')).sort()).toEqual([versionOf('00000002'), versionOf('00000003')]);
  storage.requests.length = 0;
  await mirror();
  await vi.waitFor(() => expect(storage.requests.length).toBeGreaterThan(5));
  // One request, after a restart, is for the release index.
  expect(storage.requests.filter((name) => name !== `${ROOT}/current`)).toHaveLength(1);
});

test.each([
  ['nothing', null, /no snapshot from s3:\/\/data\/malaria\/prod: .*current: NoSuchKey/],
  ['a path out of the folder', '../../etc', /does not contain snapshots\/VERSION/],
  ['a path out of the folder of snapshots', 'snapshots/../x-00000001', /does not contain snapshots\/VERSION/],
  ['the name of a missing snapshot', `snapshots/${versionOf('0000000a')}`, /NoSuchKey/],
])('a bucket with %s is refused in one line', async (_, pointer, message) => {
  if (pointer !== null) storage.objects.set(`${ROOT}/current`, Buffer.from(pointer));
  await expect(mirror()).rejects.toThrow(message);
  expect(existsSync(join(copies(), 'current'))).toBe(false);
});

test('a manifest with a path out of its snapshot is refused', async () => {
  publish('00000001');
  const name = `${ROOT}/snapshots/${versionOf('00000001')}/manifest.json`;
  const manifest = JSON.parse(String(storage.objects.get(name)));
  manifest.files['../../../out'] = manifest.files['v1/periods.json'];
  storage.objects.set(name, Buffer.from(JSON.stringify(manifest)));
  await expect(mirror()).rejects.toThrow(/not a plain relative path/);
});

test('s3:// addresses are parsed into bucket and prefix', async () => {
  expect(parseS3Url('s3://data')).toEqual({ bucket: 'data', prefix: '' });
  expect(parseS3Url('s3://data/a/b/')).toEqual({ bucket: 'data', prefix: 'a/b/' });
  for (const snapshot of ['s3://', 's3:/data', 's3://A_B/x']) {
    const opening = openSource({ snapshot, snapshotCopies: folder, report: () => {} });
    await expect(opening).rejects.toThrow(/expected s3:/);
  }
});

test('the output of a build in place of its current snapshot is not called a damaged version', async () => {
  mkdirSync(join(folder, 'snapshots'), { recursive: true });
  const opening = openSource({ snapshot: folder, snapshotCopies: folder, report: () => {} });
  await expect(opening).rejects.toThrow(/found the --out of a build, expected a snapshot; give .*current/);
});
