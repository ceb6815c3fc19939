import { hash } from 'node:crypto';
import { appendFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Manifest, strongEtag } from '../../../pipeline/contract/manifest.ts';
import { openSnapshot } from '../../../proxy/snapshot/snapshot.ts';
import { BACKENDS } from '../../support/proxy/backends.ts';
import { makeBuild, publish, versionOf, writeSnapshot } from '../../support/proxy/fixture.ts';
import { portOf } from '../../support/proxy/raw-client.ts';
import { giveKey, serveBuild, startService } from '../../support/proxy/service.ts';

const readyz = async (opsUrl: string) => (await (await fetch(`${opsUrl}/readyz`)).json()) as Record<string, unknown>;

test('snapshots published under load are picked up without a dropped or mixed answer', async () => {
  const service = await startService();
  const { key } = await giveKey(service.store);
  let stop = false;
  const seen = new Set<string>();
  let answers = 0;
  const client = async () => {
    while (!stop) {
      const response = await service.get('/v1/periods', key);
      const body = (await response.json()) as { model_version: string };
      expect(response.status).toBe(200);
      expect(response.headers.get('model-version')).toBe(body.model_version);
      seen.add(body.model_version);
      answers++;
    }
  };
  const clients = Promise.all(Array.from({ length: 8 }, client));
  for (const release of ['00000002', '00000003', '00000004']) {
    const target = join('snapshots', versionOf(release));
    writeSnapshot(join(service.build, target), { release });
    publish(service.build, target);
    await vi.waitFor(() => expect(seen).toContain(versionOf(release)), { timeout: 10_000 });
  }
  stop = true;
  await clients;
  expect(seen.size).toBe(4);
  expect(answers).toBeGreaterThan(8);
});

/** The answers that arrive on `socket`; an answer to HEAD must not be a 200. */
async function* answersOn(socket: Socket): AsyncGenerator<{ head: string; body: Buffer }> {
  let rest = Buffer.alloc(0);
  for await (const part of socket) {
    rest = Buffer.concat([rest, part]);
    for (;;) {
      const end = rest.indexOf('\r\n\r\n') + 4;
      const head = rest.toString('latin1', 0, end);
      const length = head.startsWith('HTTP/1.1 200') ? Number(/^content-length: (\d+)$/im.exec(head)![1]) : 0;
      if (end < 4 || rest.length < end + length) break;
      yield { head, body: rest.subarray(end, end + length) };
      rest = rest.subarray(end + length);
    }
  }
  expect(rest.length).toBe(0);
}

describe.each(BACKENDS.filter((backend) => !backend.skip))('$name', ({ newStore }) => {
  test('with snapshots published between requests on one connection, each answer is complete and of one version', async () => {
    // Large enough for the outlines to be read from disk.
    const fixture = { outlinePoints: 20_000 };
    const service = await startService({ fixture, ...(await newStore()) });
    const { key } = await giveKey(service.store);
    const ask = (line: string, coding = 'identity') =>
      `${line} HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\nAccept-Encoding: ${coding}\r\n\r\n`;
    const [periods, states] = [ask('GET /v1/periods'), ask('GET /v1/boundaries/states')];
    const round = [periods, states, ask('GET /v1/context/states', 'gzip'), states, ask('HEAD /x'), periods];
    const socket = connect(portOf(service.url), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.write(round.join('').repeat(3));
    let awaited = round.length * 3;
    let isDone = false;
    const found: string[] = [];
    const releases = ['00000002', '00000003', '00000004'];
    for await (const { head, body } of answersOn(socket)) {
      awaited--;
      if (body.length === 0) {
        expect(head).toMatch(/^HTTP\/1\.1 404 /);
        continue;
      }
      const version = /^model-version: (.*)$/im.exec(head)![1]!;
      const text = String(/^content-encoding: gzip/im.test(head) ? gunzipSync(body) : body);
      const { model_version, source } = JSON.parse(text);
      expect(model_version ?? (source.note ?? source).replace('made up, ', '')).toBe(version);
      expect(/^etag: (.*)$/im.exec(head)![1]).toBe(strongEtag(hash('sha256', body)));
      const isNew = !found.includes(version);
      found.push(version);
      const release = releases[0];
      if (isNew && release) {
        releases.shift();
        const target = join('snapshots', versionOf(release));
        writeSnapshot(join(service.build, target), { ...fixture, release });
        publish(service.build, target);
      } else if (isNew) isDone = true;
      if (isDone && awaited === 0) socket.end();
      if (!isDone && awaited <= round.length * 2) {
        socket.write(round.join(''));
        awaited += round.length;
      }
    }
    expect(awaited).toBe(0);
    expect(found).toEqual(found.toSorted());
    expect(new Set(found)).toEqual(new Set(['00000001', '00000002', '00000003', '00000004'].map(versionOf)));
    expect(service.reports.filter((line) => !line.startsWith('now serving'))).toEqual([]);
  });
});

test('a damaged snapshot is refused and reported, the old one is kept, and the next intact one picked up', async () => {
  const service = await startService();
  const { key } = await giveKey(service.store);
  const served = async () => (await service.get('/v1/periods', key)).headers.get('model-version');

  const bad = join(service.build, 'snapshots', versionOf('00000002'));
  writeSnapshot(bad, { release: '00000002' });
  const damaged = join(bad, 'v1/risk/lgas/2023-09/KN.json.br');
  const bytes = readFileSync(damaged);
  bytes[10]! ^= 1;
  writeFileSync(damaged, bytes);
  publish(service.build, bad);
  await vi.waitFor(async () => expect((await readyz(service.opsUrl)).refused_snapshot).not.toBeNull());
  expect(await readyz(service.opsUrl)).toMatchObject({
    status: 'ready',
    model_version: versionOf(),
    refused_snapshot: { reason: expect.stringContaining('v1/risk/lgas/2023-09/KN.json.br has SHA-256') },
  });
  expect(await served()).toBe(versionOf());
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(service.reports.filter((line) => line.startsWith('refused'))).toHaveLength(1);

  const good = join(service.build, 'snapshots', versionOf('00000003'));
  writeSnapshot(good, { release: '00000003' });
  publish(service.build, good);
  await vi.waitFor(async () => expect(await served()).toBe(versionOf('00000003')));
  expect((await readyz(service.opsUrl)).refused_snapshot).toBeNull();
});

test('a link that is missing for a while has no effect', async () => {
  const service = await startService();
  const { key } = await giveKey(service.store);
  rmSync(join(service.build, 'current'));
  await vi.waitFor(() => expect(service.reports.join()).toContain('ENOENT'));
  expect((await service.get('/v1/periods', key)).status).toBe(200);
  publish(service.build, join('snapshots', versionOf()));
  await vi.waitFor(async () => expect((await readyz(service.opsUrl)).refused_snapshot).toBeNull());
});

test('a plain directory can be served, and replaced by another', async () => {
  const { build, store, remove } = makeBuild();
  const directory = join(build, 'snapshots', versionOf());
  const service = await serveBuild({ build, snapshot: directory, store });
  const { key } = await giveKey(service.store);
  writeSnapshot(join(build, 'new'), { release: '00000002' });
  renameSync(directory, join(build, 'old'));
  renameSync(join(build, 'new'), directory);
  await vi.waitFor(async () =>
    expect((await service.get('/v1/periods', key)).headers.get('model-version')).toBe(versionOf('00000002')),
  );
  await service.close();
  remove();
});

test.each<[string, (directory: string, manifest: Manifest) => unknown, RegExp]>([
  ['a missing file', (d) => rmSync(join(d, 'v1/periods.json.gz')), /v1\/periods\.json\.gz is missing/],
  [
    'a longer file',
    (d) => appendFileSync(join(d, 'v1/periods.json'), ' '),
    /v1\/periods\.json has \d+ bytes, the manifest says/,
  ],
  ['no manifest', (d) => rmSync(join(d, 'manifest.json')), /manifest\.json cannot be read/],
  ['half a manifest', (d) => writeFileSync(join(d, 'manifest.json'), '{'), /manifest\.json cannot be read/],
  ['another format', (_, m) => Object.assign(m, { format: 2 }), /manifest\.json: \/format/],
  [
    'a file not listed',
    (_, m) => delete m.files['v1/context/lgas/AB.json.br'],
    /does not list v1\/context\/lgas\/AB\.json\.br/,
  ],
  [
    'a path out of the snapshot',
    (_, m) => Object.assign(m.files, { '../secret': m.files['v1/periods.json'] }),
    /not a plain relative path/,
  ],
  ['a foreign ETag', (_, m) => Object.assign(m.files['v1/periods.json']!, { etag: `"${'0'.repeat(32)}"` }), /ETag/],
  ['a state without files', (_, m) => m.coverage.states.push('ZZ'), /does not list v1\/risk\/lgas\/2023-06\/ZZ\.json/],
])('%s is detected', async (_, damage, message) => {
  const { current, remove } = makeBuild();
  try {
    const manifest = JSON.parse(readFileSync(join(current, 'manifest.json'), 'utf8')) as Manifest;
    const before = JSON.stringify(manifest);
    damage(current, manifest);
    if (JSON.stringify(manifest) !== before) writeFileSync(join(current, 'manifest.json'), JSON.stringify(manifest));
    await expect(openSnapshot(current)).rejects.toThrow(message);
  } finally {
    remove();
  }
});
