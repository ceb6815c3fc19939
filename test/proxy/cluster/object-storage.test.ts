import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { mirrorSnapshots } from '../../../proxy/cluster/object-storage.ts';
import { parseS3 } from '../../../proxy/snapshot/s3-url.ts';
import { versionOf, writeSnapshot } from '../fixture.ts';
import { type S3Server, startS3 } from '../s3-server.ts';
import { giveKey, startService } from '../service.ts';

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

/** Uploads a snapshot and lets `current` name it, as README.md tells operators to. */
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
  const opened = await mirrorSnapshots(URL, copies(), { pollMs: 20, retryMs, report: (line) => reports.push(line) });
  onTestFinished(() => opened.close());
  return { ...opened, reports };
}

test('a proxy serves what the bucket names as current, and takes up what is published next', async () => {
  publish('00000001');
  const service = await startService({ snapshot: URL, snapshotCopies: copies() });
  const { key } = await giveKey(service.store);
  const served = async () => (await service.get('/v1/periods', key)).headers.get('model-version');
  expect(await served()).toBe(versionOf('00000001'));
  publish('00000002');
  await vi.waitFor(async () => expect(await served()).toBe(versionOf('00000002')), { timeout: 30_000 });
  expect(service.reports).toContainEqual(expect.stringContaining(`now serving ${versionOf('00000002')}`));
});

test('what is damaged, missing or half there is not taken up, and told of once', async () => {
  publish('00000001');
  const { path, refused, reports } = await mirror();
  const before = readlinkSync(path);
  const file = `${ROOT}/snapshots/${versionOf('00000002')}/v1/periods.json`;
  for (const [damage, reason] of [
    [(bytes: Buffer) => Buffer.from(bytes).fill(32, 5, 6), /v1\/periods\.json has SHA-256 \w+, the manifest says/],
    [(bytes: Buffer) => bytes.subarray(1), /v1\/periods\.json has \d+ bytes, the manifest says/],
    [(bytes: Buffer) => Buffer.concat([bytes, bytes]), /v1\/periods\.json has more than the \d+ bytes/],
    [() => null, /v1\/periods\.json: NoSuchKey/],
  ] as const) {
    publish('00000002');
    const whole = storage.objects.get(file)!;
    const damaged = damage(whole);
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

test('storage that is gone costs nothing while there is a copy, after a restart too', async () => {
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

test('an unchanged snapshot is asked for by name alone, and copies long gone by are removed', async () => {
  for (const release of ['00000001', '00000002', '00000003']) {
    publish(release);
    const { path, close } = await mirror();
    expect(readlinkSync(path)).toContain(release);
    await close();
  }
  expect(readdirSync(join(copies(), 'snapshots')).sort()).toEqual([versionOf('00000002'), versionOf('00000003')]);
  storage.asked.length = 0;
  await mirror();
  await vi.waitFor(() => expect(storage.asked.length).toBeGreaterThan(5));
  // Once, after a restart, for what is told of versions.
  expect(storage.asked.filter((name) => name !== `${ROOT}/current`)).toHaveLength(1);
});

test.each([
  ['nothing', null, /no snapshot from s3:\/\/data\/malaria\/prod: .*current: NoSuchKey/],
  ['a way out', '../../etc', /does not contain snapshots\/VERSION/],
  ['a way out below', 'snapshots/../x-00000001', /does not contain snapshots\/VERSION/],
  ['no such snapshot', `snapshots/${versionOf('0000000a')}`, /NoSuchKey/],
])('a bucket that holds %s is refused with one line', async (_, pointer, message) => {
  if (pointer !== null) storage.objects.set(`${ROOT}/current`, Buffer.from(pointer));
  await expect(mirror()).rejects.toThrow(message);
  expect(existsSync(join(copies(), 'current'))).toBe(false);
});

test('a manifest that leads out of its snapshot is refused', async () => {
  publish('00000001');
  const name = `${ROOT}/snapshots/${versionOf('00000001')}/manifest.json`;
  const manifest = JSON.parse(String(storage.objects.get(name)));
  manifest.files['../../../out'] = manifest.files['v1/periods.json'];
  storage.objects.set(name, Buffer.from(JSON.stringify(manifest)));
  await expect(mirror()).rejects.toThrow(/not a plain relative path/);
});

test('addresses', () => {
  expect(parseS3('s3://data')).toEqual({ bucket: 'data', prefix: '' });
  expect(parseS3('s3://data/a/b/')).toEqual({ bucket: 'data', prefix: 'a/b/' });
  expect(parseS3('build/current')).toBeNull();
  for (const wrong of ['s3://', 's3:/data', 's3://A_B/x']) expect(() => parseS3(wrong)).toThrow(/expected s3:/);
});
