import { createHash } from 'node:crypto';
import { appendFileSync, closeSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';
import { get as httpGet, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import type { Manifest } from '../../../pipeline/contract/manifest.ts';
import { OPERATIONS } from '../../../pipeline/contract/operations.ts';
import { exchange, portOf } from '../raw-client.ts';
import { giveKey, startService } from '../service.ts';

/** One request without the client's own decoding. */
function rawGet(
  url: string,
  headers: Record<string, string>,
): Promise<{ status: number; headers: IncomingHttpHeaders; bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    httpGet(url, { headers, agent: false }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      resolve({ status: response.statusCode!, headers: response.headers, bytes: Buffer.concat(chunks) });
    }).on('error', reject);
  });
}

test("each coding is the very file on disk, with the manifest's ETag", async () => {
  // The outlines of the states are too large to be held in memory here, and come off the disk.
  const service = await startService({ fixture: { outlinePoints: 40_000 } });
  const { key } = await giveKey(service.store);
  const manifest = JSON.parse(readFileSync(join(service.build, 'current/manifest.json'), 'utf8')) as Manifest;
  expect(manifest.files['v1/boundaries/states.json']!.bytes).toBeGreaterThan(1 << 20);
  for (const [path, file] of [
    ['/v1/risk/lgas?state=LA&period=2023-07', 'v1/risk/lgas/2023-07/LA.json'],
    ['/v1/boundaries/states', 'v1/boundaries/states.json'],
  ] as const) {
    const tags = new Set<string>();
    for (const [coding, suffix] of [
      ['identity', ''],
      ['gzip', '.gz'],
      ['br', '.br'],
    ] as const) {
      const { status, headers, bytes } = await rawGet(service.url + path, {
        'x-api-key': key,
        'accept-encoding': coding,
      });
      const entry = manifest.files[file + suffix]!;
      expect(status).toBe(200);
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(entry.sha256);
      expect(headers).toMatchObject({
        etag: entry.etag,
        'content-length': String(entry.bytes),
        vary: 'Accept-Encoding',
        'cache-control': 'private, no-cache',
        'model-version': manifest.model_version,
        'x-content-type-options': 'nosniff',
        'x-request-id': expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      });
      expect(headers['content-encoding']).toBe(coding === 'identity' ? undefined : coding);
      tags.add(entry.etag);

      const again = await rawGet(service.url + path, {
        'x-api-key': key,
        'accept-encoding': coding,
        'if-none-match': `"x", W/${entry.etag}`,
      });
      expect([again.status, again.bytes.length, again.headers.etag, again.headers.vary]).toEqual([
        304,
        0,
        entry.etag,
        'Accept-Encoding',
      ]);
    }
    // The tag of one coding does not stand for another.
    const [plain] = tags;
    const other = await rawGet(service.url + path, {
      'x-api-key': key,
      'accept-encoding': 'br',
      'if-none-match': plain!,
    });
    expect([tags.size, other.status]).toEqual([3, 200]);
  }
});

test('every operation answers, boundaries as GeoJSON and the rest as JSON', async () => {
  const service = await startService();
  const { key } = await giveKey(service.store);
  for (const operation of OPERATIONS) {
    const response = await service.get(`${operation.path}?state=KN`, key);
    const type = operation.id.startsWith('boundaries') ? 'application/geo+json' : 'application/json';
    expect([operation.id, response.status, response.headers.get('content-type')]).toEqual([operation.id, 200, type]);
    expect(await response.json()).toBeTypeOf('object');
  }
});

test('a client that leaves in the middle of a large file harms nobody', async () => {
  const service = await startService({ fixture: { outlinePoints: 40_000 } });
  const { key } = await giveKey(service.store);
  for (let i = 0; i < 5; i++) {
    await new Promise<void>((resolve) => {
      const request = httpGet(
        `${service.url}/v1/boundaries/states`,
        { headers: { 'x-api-key': key }, agent: false },
        (response) => {
          response.once('data', () => request.destroy());
          response.on('close', resolve);
          response.on('error', () => {});
        },
      );
    });
  }
  const whole = await service.get('/v1/boundaries/states', key);
  expect((await text(whole.body!)).length).toBeGreaterThan(1 << 20);
  expect(service.reports).toEqual([]);
});

test('a large file that has another length than when it was checked is a 500, not a wrong answer', async () => {
  const service = await startService({ fixture: { outlinePoints: 30_000 } });
  const { key } = await giveKey(service.store);
  const plain = { headers: { 'accept-encoding': 'identity' } };
  const status = async () => {
    const answer = await service.get('/v1/boundaries/states', key, plain);
    await answer.arrayBuffer();
    return answer.status;
  };
  expect(await status()).toBe(200);
  const file = join(service.current().directory, 'v1/boundaries/states.json');
  truncateSync(file, 1000);
  expect(await status()).toBe(500);
  expect(service.reports).toEqual([expect.stringMatching(/states\.json has 1000 bytes, the manifest says \d+$/)]);
  appendFileSync(file, Buffer.alloc(3 << 20));
  expect(await status()).toBe(500);
  expect((await service.get('/v1/periods', key, plain)).status).toBe(200);
});

test('a large file with other bytes of the same length is cut short, never sent whole', async () => {
  const service = await startService({ fixture: { outlinePoints: 30_000 } });
  const { key } = await giveKey(service.store);
  const file = join(service.current().directory, 'v1/boundaries/states.json');
  const handle = openSync(file, 'r+');
  writeSync(handle, 'x', 100);
  closeSync(handle);
  const plain = { headers: { 'accept-encoding': 'identity' } };
  const answer = await service.get('/v1/boundaries/states', key, plain);
  expect(answer.status).toBe(200);
  await expect(answer.arrayBuffer()).rejects.toThrow();
  expect(service.reports).toEqual([
    expect.stringMatching(/states\.json does not match its manifest; the answer was cut/),
  ]);
});

test('a connection that stays open tells how long it may be idle, one that ends does not', async () => {
  const service = await startService();
  const { key } = await giveKey(service.store);
  const ask = (more: string) => `GET /v1/periods HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\n${more}\r\n`;
  const { answers } = await exchange(portOf(service.url), ask('') + ask('Connection: close\r\n'));
  const about = answers.map(({ headers }) =>
    headers
      .toLowerCase()
      .match(/^(connection|keep-alive): .*$/gm)!
      .sort(),
  );
  expect(about).toEqual([['connection: keep-alive', 'keep-alive: timeout=65'], ['connection: close']]);
});
