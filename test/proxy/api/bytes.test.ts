import { createHash } from 'node:crypto';
import { appendFileSync, closeSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';
import { get as httpGet, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import type { Manifest } from '../../../pipeline/contract/manifest.ts';
import { OPERATIONS } from '../../../pipeline/contract/operations.ts';
import { exchange, portOf } from '../../support/proxy/raw-client.ts';
import { giveKey, startService } from '../../support/proxy/service.ts';

/** Sends a request whose answer the client does not decode. */
function rawGet(
  url: string,
  headers: Record<string, string>,
): Promise<{ status: number; headers: IncomingHttpHeaders; bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    httpGet(url, { headers, agent: false }, (response) => {
      const { statusCode, headers: found } = response;
      buffer(response).then((bytes) => resolve({ status: statusCode!, headers: found, bytes }), reject);
    }).on('error', reject);
  });
}

test("each coding is exactly the file on disk, with the manifest's ETag", async () => {
  // The outlines of the states are too large to be held in memory here, and are read from disk.
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
    // The tag of one coding does not match another.
    const [plain] = tags;
    const other = await rawGet(service.url + path, {
      'x-api-key': key,
      'accept-encoding': 'br',
      'if-none-match': plain!,
    });
    expect([tags.size, other.status]).toEqual([3, 200]);
  }
});

test('every operation answers with its media type', async () => {
  const service = await startService();
  const { key } = await giveKey(service.store);
  const types = new Set<string | null>();
  for (const { id, path, type, file, response: schema } of OPERATIONS) {
    const response = await service.get(`${path}?state=KN&lga=NGKN001`, key);
    expect([id, response.status, response.headers.get('content-type')]).toEqual([id, 200, type]);
    types.add(response.headers.get('content-type'));
    if (schema) expect(await response.json()).toBeTypeOf('object');
    else expect(await response.text()).toBe(`${file} of fixture-00000001\n`);
  }
  expect([...types].sort()).toEqual([
    'application/geo+json',
    'application/gzip',
    'application/json',
    'application/vnd.apache.parquet',
    'text/csv; charset=utf-8',
  ]);
});

test('a table can be requested completely, in parts or compressed; a part beyond its end is a 416', async () => {
  const service = await startService();
  const { key } = await giveKey(service.store);
  const path = '/v1/tables/risk_lgas.csv';
  const ask = (headers: Record<string, string>, to = path) =>
    rawGet(service.url + to, { 'x-api-key': key, 'accept-encoding': 'identity', ...headers });
  const whole = await ask({});
  const size = whole.bytes.length;
  expect([whole.status, whole.headers['accept-ranges'], Number(whole.headers['content-length'])]).toEqual([
    200,
    'bytes',
    size,
  ]);
  const part = await ask({ range: 'bytes=7-15' });
  expect([part.status, part.headers['content-range'], part.headers['content-length']]).toEqual([
    206,
    `bytes 7-15/${size}`,
    '9',
  ]);
  expect(part.bytes).toEqual(whole.bytes.subarray(7, 16));
  expect(part.headers.etag).toBe(whole.headers.etag);
  // Like a download that resumes where it was interrupted.
  const rest = await ask({ range: 'bytes=16-', 'if-range': whole.headers.etag! });
  expect([rest.status, rest.bytes]).toEqual([206, whole.bytes.subarray(16)]);
  const other = await ask({ range: 'bytes=16-', 'if-range': '"of another file"' });
  expect([other.status, other.bytes]).toEqual([200, whole.bytes]);

  const beyond = await ask({ range: `bytes=${size}-` });
  expect([beyond.status, beyond.headers['content-range']]).toEqual([416, `bytes */${size}`]);
  expect(JSON.parse(beyond.bytes.toString()).code).toBe('RANGE_NOT_SATISFIABLE');

  const packed = await ask({ range: 'bytes=0-3', 'accept-encoding': 'gzip' });
  expect([packed.status, packed.headers['content-encoding'], packed.headers['accept-ranges']]).toEqual([
    200,
    'gzip',
    undefined,
  ]);
  // Parquet is already compressed.
  const parquet = await ask({ 'accept-encoding': 'gzip, br', range: 'bytes=0-3' }, '/v1/tables/risk_lgas.parquet');
  expect([parquet.status, parquet.headers['content-encoding'], parquet.bytes.length]).toEqual([206, undefined, 4]);
  // Only tables support ranges.
  expect((await ask({ range: 'bytes=0-3' }, '/v1/periods')).status).toBe(200);
});

test('a part of a file too large to be held in memory is exact, and the complete file is checked', async () => {
  const service = await startService({ fixture: { tableBytes: 3 << 20 } });
  const { key } = await giveKey(service.store);
  const file = join(service.build, 'current/tables/risk_lgas.csv');
  const bytes = readFileSync(file);
  const ask = (range: string) =>
    rawGet(`${service.url}/v1/tables/risk_lgas.csv`, { 'x-api-key': key, range, 'accept-encoding': 'identity' });
  for (const [start, end] of [
    [0, 0],
    [1_000_000, 2_000_000],
    [bytes.length - 5, bytes.length - 1],
  ] as const) {
    const part = await ask(`bytes=${start}-${end}`);
    expect([part.status, part.bytes.equals(bytes.subarray(start, end + 1))]).toEqual([206, true]);
  }
  // Once a byte outside the requested part has changed, the part is cut short all the same.
  const handle = openSync(file, 'r+');
  writeSync(handle, 'X', 10);
  closeSync(handle);
  await expect(ask('bytes=1000000-2000000')).rejects.toThrow(/aborted/);
  expect(service.reports.join()).toContain('does not match its manifest');
});

test('a large file whose length has changed since it was checked is a 503, not a wrong answer', async () => {
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
  expect(await status()).toBe(503);
  expect(service.reports).toEqual([expect.stringMatching(/states\.json has 1000 bytes, the manifest says \d+$/)]);
  appendFileSync(file, Buffer.alloc(3 << 20));
  expect(await status()).toBe(503);
  expect((await service.get('/v1/periods', key, plain)).status).toBe(200);
});

test('a large file with other bytes of the same length is cut short, never sent completely', async () => {
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

test('a connection that stays open announces how long it may be idle, one that ends does not', async () => {
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
