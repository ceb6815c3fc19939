/** Publishing to another directory and to object storage: proxies find complete versions there, also after a kill. */
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, expect, inject, test, vi } from 'vitest';
import type { Manifest } from '../../../pipeline/contract/manifest.ts';
import { sha256 } from '../../../pipeline/lib/hash.ts';
import { randomStream } from '../../../pipeline/lib/numerics/random.ts';
import { currentVersion } from '../../../pipeline/release/current.ts';
import { listReleases } from '../../../pipeline/release/list.ts';
import { publishVersion } from '../../../pipeline/release/publish.ts';
import { readReleases } from '../../../pipeline/release/release-records.ts';
import { buildHere, overwrite, publishedTiny } from '../../support/built-tiny.ts';
import { hashTree, run, start, temporary } from '../../support/command-line.ts';
import { type S3Server, startS3 } from '../../support/proxy/s3-server.ts';
import { giveKey, startService } from '../../support/proxy/service.ts';
import { runHere } from '../../support/run-here.ts';
import { writeTiny } from '../../support/tiny-country.ts';

const KILLS = 50;
const first = currentVersion(inject('builtTiny'))!;
let second = '';
let out = '';
let base = '';
beforeAll(async () => {
  base = publishedTiny();
  rmSync(path.join(base, 'cache'), { recursive: true });
  cpSync(path.join(inject('builtTiny'), 'cache'), path.join(base, 'cache'), { recursive: true });
  second = (await buildHere(writeTiny().directory, base, { updatedAt: '2031-01-01T00:00:00Z' })).model_version;
});
beforeEach(() => {
  out = path.join(temporary(), 'build');
  cpSync(base, out, { recursive: true, verbatimSymlinks: true });
});

test('another directory gets the same bytes and its own current and history; the build directory stays unchanged', async () => {
  const there = path.join(temporary(), 'srv');
  const { code, stdout } = await runHere(['publish', first, '--out', out, '--to', there, '--by', 'Ada']);
  expect([code, stdout]).toEqual([0, `Published ${first}: ${there}\n`]);
  expect(currentVersion(there)).toBe(first);
  expect(hashTree(path.join(there, 'current'))).toEqual(hashTree(path.join(out, 'snapshots', first)));
  await publishVersion(out, { to: there });
  expect([currentVersion(there), currentVersion(out)]).toEqual([second, first]);
  expect(listReleases(there).releases).toMatchObject([
    { model_version: second, replaces: first, to: 'current', status: 'published' },
    { model_version: first, replaces: null, to: 'current', by: 'Ada' },
  ]);
  expect(readReleases(out).map(({ model_version, to }) => [model_version, to])).toEqual([
    [first, 'current'],
    [first, there],
    [second, there],
  ]);
  // The other directory is rolled back by itself.
  await publishVersion(there, { version: first });
  expect(currentVersion(there)).toBe(first);
  expect((await runHere(['publish', '--out', out, '--to', out])).code).toBe(2);
});

test('a damaged version is not copied', async () => {
  const there = path.join(temporary(), 'srv');
  await publishVersion(out, { version: first, to: there });
  overwrite(path.join(out, 'snapshots', second), 'tables/README.md', 'other');
  await expect(publishVersion(out, { to: there, approve: 'anyway' })).rejects.toThrow(/must not be published/);
  expect(currentVersion(there)).toBe(first);
  expect(readdirSync(path.join(there, 'snapshots'))).toEqual([first]);
});

const URL = 's3://data/malaria/prod';
const ROOT = 'data/malaria/prod';
let storage: S3Server;
beforeEach(async () => {
  storage = await startS3();
  vi.stubEnv('AWS_ENDPOINT_URL_S3', storage.endpoint);
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'writer');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await storage.close();
});
const pointer = () => storage.objects.get(`${ROOT}/current`)?.toString().trim();

/** Checks every file that the current manifest lists, as a proxy would fetch it. @returns the current version */
function expectComplete(): string | undefined {
  const target = pointer();
  if (target === undefined) return undefined;
  const manifest: Manifest = JSON.parse(storage.objects.get(`${ROOT}/${target}/manifest.json`)!.toString());
  for (const [name, { sha256: hash }] of Object.entries(manifest.files))
    expect(sha256(storage.objects.get(`${ROOT}/${target}/${name}`)!), name).toBe(hash);
  return manifest.model_version;
}

test('object storage gets files, manifest, then current; a proxy serves the version and switches to the next', async () => {
  await publishVersion(out, { version: first, to: URL });
  const order = storage.put.filter((name) => !name.startsWith(`${ROOT}/releases/`));
  expect(order.slice(-2)).toEqual([`${ROOT}/snapshots/${first}/manifest.json`, `${ROOT}/current`]);
  expect(expectComplete()).toBe(first);
  const copies = mkdtempSync(path.join(tmpdir(), 'malaria-copies-'));
  const service = await startService({ snapshot: `${URL}/`, snapshotCopies: copies });
  const { key } = await giveKey(service.store);
  const served = async () => (await service.get('/v1/periods', key)).headers.get('model-version');
  expect(await served()).toBe(first);
  await publishVersion(out, { to: URL, by: 'Ada' });
  await vi.waitFor(async () => expect(await served()).toBe(second), { timeout: 30_000 });
  expect(readReleases(out).at(-1)).toMatchObject({
    to: URL,
    replaces: first,
    by: 'Ada',
    changes: { scores_compared: 72 },
  });
  // The replaced version is still served, also by a proxy that has to fetch it first.
  const fresh = await startService({ snapshot: URL, snapshotCopies: path.join(temporary(), 'copies') });
  for (const { get, store } of [service, fresh]) {
    const { key: own } = await giveKey(store);
    const before = () => get(`/v1/versions/${first}/periods`, own);
    await vi.waitFor(async () => expect((await before()).status).toBe(200), { timeout: 30_000 });
    expect((await before()).headers.get('deprecation')).toMatch(/^@\d+$/);
    expect((await get(`/v1/versions/${first}/diff/${second}`, own)).status).toBe(200);
  }
  // A rollback writes only the release index and the pointer.
  storage.put.length = 0;
  await publishVersion(out, { version: first, to: URL });
  const releases = `${ROOT}/releases/`;
  expect(storage.put.filter((name) => !name.startsWith(releases))).toEqual([`${ROOT}/current`]);
  expect(storage.put.slice(-2)).toEqual([`${releases}${first}/index/manifest.json`, `${ROOT}/current`]);
  expect(currentVersion(out)).toBe(first);
});

test('storage that answers nothing ends a publication, as a failure that may pass', async () => {
  vi.stubEnv('AWS_MAX_ATTEMPTS', '1');
  await publishVersion(out, { version: first, to: URL });
  storage.fault(() => true);
  const { code, stderr } = await runHere(['publish', '--out', out, '--to', URL]);
  expect([code, stderr]).toEqual([3, expect.stringMatching(/current: TimeoutError.*10000 ms.*is unchanged\n$/)]);
  // So does storage that stops answering on the way.
  storage.fault((name) => name.endsWith('.parquet'));
  const onTheWay = await runHere(['publish', '--out', out, '--to', URL]);
  expect([onTheWay.code, onTheWay.stderr]).toEqual([3, expect.stringMatching(/parquet: TimeoutError/)]);
  storage.fault(null);
  expect(expectComplete()).toBe(first);
});

/**
 * Sends requests to a proxy over the storage until the returned function is called, which returns its answers by
 * version.
 */
async function readAllTheWhile() {
  const copies = mkdtempSync(path.join(tmpdir(), 'malaria-copies-'));
  const service = await startService({ snapshot: `${URL}/`, snapshotCopies: copies });
  const { key } = await giveKey(service.store);
  const read = new Map<string, Set<string>>();
  let reading = true;
  const reader = (async () => {
    while (reading) {
      for (const route of ['/v1/periods', '/v1/risk/lgas?state=AB']) {
        const answer = await service.get(route, key);
        const line = `${answer.status} ${route} ${await answer.text()}`;
        const version = answer.headers.get('model-version')!;
        read.set(version, (read.get(version) ?? new Set()).add(line));
      }
      await setTimeout(500);
    }
  })();
  return async () => {
    reading = false;
    await reader;
    return read;
  };
}

test(`killed at ${KILLS} moments of publishing to object storage, it leaves the old version or the new, also for a proxy that reads meanwhile`, async () => {
  await publishVersion(out, { version: first, to: URL });
  const stopReading = await readAllTheWhile();
  const { uniform: random } = randomStream(20261122, 'kills');
  const files = Object.keys(
    JSON.parse(readFileSync(path.join(out, 'snapshots', second, 'manifest.json'), 'utf8')).files,
  );
  const seen = new Set<string>();
  for (let i = 0; i < KILLS; i++) {
    for (const name of [...storage.objects.keys()].filter((key) => key.includes(second))) storage.objects.delete(name);
    storage.objects.set(`${ROOT}/current`, Buffer.from(`snapshots/${first}`));
    storage.put.length = 0;
    const { child, ended } = start(['publish', second, '--out', out, '--to', URL]);
    // The first two kills are at the very end: at the manifest and at the pointer.
    const at = i < 2 ? files.length + 1 + i : Math.floor(random() * files.length);
    storage.fault(() => {
      if (storage.put.length >= at) child.kill('SIGKILL');
      return false;
    });
    const { signal } = await ended;
    storage.fault(null);
    const current = expectComplete();
    expect([first, second]).toContain(current);
    seen.add(`${signal} ${current === first ? 'old' : 'new'}`);
  }
  expect(seen).toContain('SIGKILL old');
  const read = await stopReading();
  for (const [version, answers] of read) {
    expect([first, second]).toContain(version);
    // One answer to each route, at any stage of the publication.
    expect(answers.size, [...answers].join('\n')).toBe(2);
    for (const answer of answers) expect(answer).toMatch(/^200 /);
  }
  expect(read.has(first)).toBe(true);
  await publishVersion(out, { version: second, to: URL });
  expect(expectComplete()).toBe(second);
  expect(readReleases(out).filter(({ status }) => status === 'started')).toEqual([]);
});

test('if storage is unreachable, refuses, or was published to meanwhile, publish prints one line and changes nothing', async () => {
  await publishVersion(out, { version: first, to: URL });
  const attempt = async (expected: RegExp, env: Record<string, string> = {}) => {
    const { code, stderr } = await run(['publish', '--out', out, '--to', URL], { env });
    expect(stderr).toMatch(expected);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(expectComplete()).toBe(first);
    return code;
  };
  expect(await attempt(/AccessDenied.*expected access to read and write there/, { AWS_ACCESS_KEY_ID: 'reader' })).toBe(
    2,
  );
  const gone = await attempt(/the published version there is unchanged/, {
    AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:9',
    AWS_MAX_ATTEMPTS: '1',
  });
  storage.fault((name) => {
    // Another publication rewrites the pointer, to the same version, while the files are uploaded.
    if (name.endsWith(`${second}/manifest.json`))
      storage.objects.set(`${ROOT}/current`, Buffer.from(`snapshots/${first}\n`));
    return false;
  });
  expect([gone, await attempt(/another version was published there in the meantime/)]).toEqual([3, 3]);
  expect(existsSync(path.join(out, 'releases'))).toBe(true);
  const noRegion = /Region (is missing|not accepted).*; expected access to read and write there \(AWS_REGION/;
  expect(await attempt(noRegion, { AWS_REGION: '' })).toBe(2);
  expect((await runHere(['publish', '--out', out, '--to', 's3://'])).stderr).toMatch(
    /--to: found s3:\/\/, expected s3:\/\/BUCKET/,
  );
});
