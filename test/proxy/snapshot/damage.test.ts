/** A file of the current snapshot is damaged while it is served, or before: what clients and operators see. */
import {
  appendFileSync,
  closeSync,
  openSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { ServerOptions } from '../../../proxy/server/server.ts';
import { makeBuild, publish, versionOf } from '../../support/proxy/fixture.ts';
import { codeOf, giveKey, type Service, serveBuild, startService } from '../../support/proxy/service.ts';
import { publishRelease } from '../../support/proxy/versions.ts';

/** Large enough for the outlines to be read from disk. */
const LARGE = { outlinePoints: 30_000 };
const OUTLINES = 'v1/boundaries/states.json';
const [ONE, TWO, THREE] = ['00000001', '00000002', '00000003'] as const;

const fileOf = (build: string, release: string, name = OUTLINES) => join(build, 'snapshots', versionOf(release), name);

function overwrite(file: string) {
  const handle = openSync(file, 'r+');
  writeSync(handle, 'x', 100);
  closeSync(handle);
}

async function operatorSees({ opsUrl }: Service) {
  const ready = await fetch(`${opsUrl}/readyz`);
  const metrics = await (await fetch(`${opsUrl}/metrics`)).text();
  const value = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(metrics)![1]);
  return {
    ready: ready.status,
    ...((await ready.json()) as { reason: string; model_version: string; refused_snapshot: { reason: string } | null }),
    available: value('malaria_available'),
    damaged: value('malaria_snapshot_damaged'),
    refused: value('malaria_snapshot_refused'),
    failures: value('malaria_failures_total\\{cause="snapshot"\\}'),
  };
}

const ask = (service: Service, key: string, path = '/v1/boundaries/states') =>
  service.get(path, key, { headers: { 'accept-encoding': 'identity' } });
const servedBy = async (service: Service, key: string) =>
  (await service.get('/v1/periods', key)).headers.get('model-version');

/** A build with the versions ONE and TWO, the latter current. */
async function twoVersions(): Promise<ReturnType<typeof makeBuild>> {
  const made = makeBuild(LARGE);
  onTestFinished(made.remove);
  await publishRelease(made.build, TWO, ONE, LARGE);
  return made;
}
const serve = ({ build, current, store }: ReturnType<typeof makeBuild>, options: Partial<ServerOptions> = {}) =>
  serveBuild({ build, snapshot: current, store }, options);

test('a damaged file is a 503, makes the proxy unready and is named in the log, until it is mended', async () => {
  const service = await startService({ fixture: LARGE });
  const { key } = await giveKey(service.store);
  const file = fileOf(service.build, ONE);
  const bytes = readFileSync(file);
  expect(await operatorSees(service)).toMatchObject({ ready: 200, available: 1, damaged: 0, failures: 0 });

  truncateSync(file, 1000);
  for (let i = 0; i < 3; i++) {
    const answer = await ask(service, key);
    expect([answer.status, answer.headers.get('retry-after'), await codeOf(answer)]).toEqual([
      503,
      '5',
      'DATA_DAMAGED',
    ]);
  }
  const seen = await operatorSees(service);
  expect(seen).toMatchObject({ ready: 503, available: 0, damaged: 1, reason: expect.stringContaining(OUTLINES) });
  expect(seen.failures).toBeGreaterThanOrEqual(3);
  expect(service.reports).toEqual([expect.stringMatching(/states\.json has 1000 bytes, the manifest says \d+/)]);
  expect((await ask(service, key, '/v1/periods')).status, 'intact files are still sent').toBe(200);

  writeFileSync(file, bytes);
  const mended = await ask(service, key);
  expect([mended.status, (await mended.arrayBuffer()).byteLength]).toEqual([200, bytes.length]);
  expect(await operatorSees(service)).toMatchObject({ ready: 200, available: 1, damaged: 0 });
});

test('other bytes of the same length cut one answer short, and are a 503 from then on', async () => {
  const service = await startService({ fixture: LARGE });
  const { key } = await giveKey(service.store);
  overwrite(fileOf(service.build, ONE));
  await expect((await ask(service, key)).arrayBuffer()).rejects.toThrow();
  expect(await codeOf(await ask(service, key))).toBe('DATA_DAMAGED');
  expect(await operatorSees(service)).toMatchObject({ ready: 503, damaged: 1 });
});

test('damage is found before any client asks for the file', async () => {
  const service = await startService({ fixture: LARGE, fileCheckMs: 100 });
  overwrite(fileOf(service.build, ONE));
  await vi.waitFor(async () => expect(await operatorSees(service)).toMatchObject({ ready: 503, damaged: 1 }));
  await vi.waitFor(() => expect(service.reports).toEqual([expect.stringContaining(OUTLINES)]));
});

test('with --fall-back the version before is served until the damaged one is mended', async () => {
  const made = await twoVersions();
  const service = await serve(made, { fallBack: true });
  const { key } = await giveKey(service.store);
  const file = fileOf(made.build, TWO);
  const bytes = readFileSync(file);
  expect(await servedBy(service, key)).toBe(versionOf(TWO));

  truncateSync(file, 1000);
  expect((await ask(service, key)).status).toBe(503);
  await vi.waitFor(async () => expect(await servedBy(service, key)).toBe(versionOf(ONE)));
  const before = await ask(service, key);
  expect([before.status, before.headers.get('deprecation')]).toEqual([200, null]);
  expect(await operatorSees(service)).toMatchObject({
    ready: 200,
    available: 1,
    damaged: 0,
    refused: 1,
    model_version: versionOf(ONE),
    refused_snapshot: { reason: expect.stringContaining(`${OUTLINES} has 1000 bytes`) },
  });
  expect(service.reports).toContainEqual(expect.stringMatching(new RegExp(`^now serving ${versionOf(ONE)} from `)));

  // The version is published anew, as the operator's page says.
  writeFileSync(file, bytes);
  publish(made.build, join('snapshots', versionOf(ONE)));
  await vi.waitFor(async () => expect((await operatorSees(service)).refused).toBe(0));
  publish(made.build, join('snapshots', versionOf(TWO)));
  await vi.waitFor(async () => expect(await servedBy(service, key)).toBe(versionOf(TWO)));
});

test.each<[string, (build: string) => void]>([
  ['a file is damaged', (build) => appendFileSync(fileOf(build, TWO, 'v1/periods.json'), ' ')],
  ['the whole version is missing', (build) => rmSync(join(build, 'snapshots', versionOf(TWO)), { recursive: true })],
])('a proxy that starts when %s refuses to, and with --fall-back serves the version before', async (_, harm) => {
  const made = await twoVersions();
  harm(made.build);
  await expect(serve(made)).rejects.toThrow(/^the snapshot at .* is damaged: /);
  const service = await serve(made, { fallBack: true });
  const { key } = await giveKey(service.store);
  expect(await servedBy(service, key)).toBe(versionOf(ONE));
  expect(await operatorSees(service)).toMatchObject({ ready: 200, refused: 1, model_version: versionOf(ONE) });
});

test('a version that was rolled back from, or a candidate, is never served instead', async () => {
  const made = await twoVersions();
  // THREE is published and rolled back from: what was current before TWO is ONE.
  await publishRelease(made.build, THREE, TWO, LARGE);
  await publishRelease(made.build, TWO, THREE, LARGE);
  truncateSync(fileOf(made.build, TWO), 1000);
  const service = await serve(made, { fallBack: true });
  const { key } = await giveKey(service.store);
  expect(await servedBy(service, key)).toBe(versionOf(ONE));
  await service.close();

  const alone = makeBuild(LARGE);
  onTestFinished(alone.remove);
  await publishRelease(alone.build, TWO, null, LARGE);
  truncateSync(fileOf(alone.build, TWO), 1000);
  await expect(serve(alone, { fallBack: true })).rejects.toThrow(
    /cannot fall back: no other version was current before/,
  );
});
