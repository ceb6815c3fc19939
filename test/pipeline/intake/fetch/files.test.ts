import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { RemoteFile } from '../../../../pipeline/intake/fetch/download.ts';
import { fetchFile } from '../../../../pipeline/intake/fetch/files.ts';
import { sha256 } from '../../../../pipeline/lib/hash.ts';
import { temporary } from '../../../support/command-line.ts';
import { runHere } from '../../../support/run-here.ts';
import { sourceIn, writeTiny } from '../../../support/tiny-country.ts';

const DATA = Buffer.from(Array.from({ length: 50_000 }, (_, i) => (i * 7) % 251));
const HALF = DATA.subarray(0, 20_000);
const TAG = '"v1"';

/** How the server answers the next requests; the last entry is used for all that follow. */
type Answer = (request: IncomingMessage, response: ServerResponse) => void;
let answers: Answer[] = [];
let asked: { url: string; range: string | undefined; ifRange: string | undefined }[] = [];
const server = createServer((request, response) => {
  asked.push({
    url: request.url!,
    range: request.headers.range,
    ifRange: request.headers['if-range'] as string | undefined,
  });
  (answers.length > 1 ? answers.shift()! : answers[0]!)(request, response);
});
let base = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** A correct server that supports ranges. */
const honest: Answer = (request, response) => {
  const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
  const goesOn = start > 0 && [undefined, TAG].includes(request.headers['if-range'] as string | undefined);
  const body = goesOn ? DATA.subarray(start) : DATA;
  response.writeHead(goesOn ? 206 : 200, {
    'content-length': body.length,
    etag: TAG,
    ...(goesOn ? { 'content-range': `bytes ${start}-${DATA.length - 1}/${DATA.length}` } : {}),
  });
  response.end(body);
};
/** Sends half of what it announced and then does `then`. */
const half =
  (then: (response: ServerResponse) => void, headers = {}): Answer =>
  (_, response) => {
    response.writeHead(200, { 'content-length': DATA.length, etag: TAG, ...headers });
    response.write(HALF, () => setTimeout(() => then(response), 200));
  };
const status =
  (code: number, headers = {}): Answer =>
  (_, response) =>
    response.writeHead(code, headers).end('an error page');
const complete =
  (body: Buffer, headers = {}): Answer =>
  (_, response) =>
    response.writeHead(200, headers).end(body);

let rawData = '';
beforeEach(() => {
  rawData = temporary();
  asked = [];
});
const wanted = (more: Partial<RemoteFile> = {}): RemoteFile => ({
  path: 'climate/rain.bin',
  url: `${base}/rain.bin`,
  sha256: sha256(DATA),
  bytes: DATA.length,
  ...more,
});
const get = (sequence: Answer[], more: Partial<RemoteFile> = {}) => {
  answers = sequence;
  return fetchFile(wanted(more), rawData, { silence_ms: 1000, attempts: 3, pause_ms: 1 });
};
const target = () => path.join(rawData, 'climate/rain.bin');
const beside = () => (existsSync(path.dirname(target())) ? readdirSync(path.dirname(target())) : []);

test('a file arrives complete and is not fetched twice', async () => {
  expect(await get([honest])).toMatchObject({ status: 'fetched', what: '50000 bytes' });
  expect(readFileSync(target()).equals(DATA)).toBe(true);
  expect(await get([honest])).toMatchObject({ status: 'there already' });
  expect(asked).toHaveLength(1);
  expect(beside()).toEqual(['rain.bin']);
});

describe('an interrupted download', () => {
  test.each([
    ['continues where it stopped after a lost connection', half((response) => response.destroy())],
    ['continues where it stopped after the server stalled', half(() => {})],
  ])('%s', async (_, first) => {
    expect(await get([first, honest])).toMatchObject({ status: 'fetched' });
    expect(asked.map(({ range }) => range)).toEqual([undefined, 'bytes=20000-']);
    expect(asked[1]!.ifRange).toBe(TAG);
    expect(readFileSync(target()).equals(DATA)).toBe(true);
  });

  test('continues in a later run', async () => {
    const cut = half((response) => response.destroy());
    const dead: Answer = (request) => request.socket.destroy();
    expect(await get([cut, dead])).toMatchObject({ status: 'failed', what: expect.stringMatching(/^no connection/) });
    expect(existsSync(target())).toBe(false);
    expect(await get([honest])).toMatchObject({ status: 'fetched' });
    expect(asked.at(-1)!.range).toBe('bytes=20000-');
  });

  test('starts again if the server has another version by then', async () => {
    const other: Answer = (_, response) =>
      response.writeHead(200, { etag: '"v2"', 'content-length': DATA.length }).end(DATA);
    expect(await get([half((response) => response.destroy()), other])).toMatchObject({ status: 'fetched' });
    expect(readFileSync(target()).equals(DATA)).toBe(true);
  });

  test('starts again if there is neither a tag nor a hash to tell versions apart', async () => {
    const untagged = half((response) => response.destroy(), { etag: '' });
    await get([untagged, honest], { sha256: undefined });
    expect(asked.map(({ range }) => range)).toEqual([undefined, undefined]);
  });

  test('discards a part that is longer than the file (416), and starts again', async () => {
    mkdirSync(path.dirname(target()), { recursive: true });
    writeFileSync(`${target()}.part`, Buffer.concat([DATA, HALF]));
    expect(await get([status(416), honest])).toMatchObject({ status: 'fetched' });
    expect(readFileSync(target()).equals(DATA)).toBe(true);
  });

  test('is finished if the part is already complete (416)', async () => {
    mkdirSync(path.dirname(target()), { recursive: true });
    writeFileSync(`${target()}.part`, DATA);
    expect(await get([status(416)])).toMatchObject({ status: 'fetched' });
  });
});

describe('a server that answers wrongly leaves no file behind', () => {
  const flipped = Buffer.from(DATA);
  flipped[99]! ^= 1;
  test.each<[string, Answer[], RegExp, Partial<RemoteFile>?]>([
    ['wrong bytes', [complete(flipped)], /found SHA-256 \w+ in what was sent, expected the catalog's/],
    [
      'another length',
      [complete(HALF, { 'content-length': HALF.length })],
      /the server has 20000 bytes, expected the catalog's 50000/,
    ],
    [
      'more than the catalog says, without a length',
      [complete(Buffer.concat([DATA, DATA]), { 'transfer-encoding': 'chunked' })],
      /sent more than 50000 bytes/,
    ],
    [
      'always the first half',
      [half((response) => response.destroy(), { 'accept-ranges': 'none' })],
      /connection|ended/,
    ],
    ['an error page', [status(404)], /the server answered 404, expected the file/],
    ['always 500', [status(500)], /the server answered 500, expected the file/],
    [
      'another range than requested',
      [half((r) => r.destroy()), status(206, { 'content-range': 'bytes 0-9/50000' })],
      /the server sent bytes 0-9\/50000, expected bytes 20000-/,
    ],
    [
      'endless redirects',
      [(q, r) => r.writeHead(302, { location: `${base}${q.url}x` }).end()],
      /more than 5 redirects/,
    ],
    [
      'a redirect to a file',
      [status(302, { location: 'file:///etc/passwd' })],
      /found the address file:\/\/\/etc\/passwd, expected http or https/,
    ],
    ['a redirect to nowhere', [status(302)], /302 without a Location header/],
    ['a compressed answer', [complete(DATA, { 'content-encoding': 'gzip' })], /sent it in gzip|no connection/],
  ])('%s', async (_, sequence, expected, more) => {
    const outcome = await get(sequence, more);
    expect(outcome.status).toBe('failed');
    expect(outcome.what).toMatch(expected);
    expect(existsSync(target())).toBe(false);
  });

  test('a server that stalls for ever is reported as silent', async () => {
    const outcome = await get([(_, response) => void response.writeHead(200)]);
    expect(outcome).toMatchObject({ status: 'failed', what: 'the server was silent for 1 s after 0 bytes' });
  });
});

test('a server error is followed by another attempt', async () => {
  expect(await get([status(503), status(500), honest])).toMatchObject({ status: 'fetched' });
});

test.each([
  ['a public address', 'http://8.8.8.8/rain.bin', 'http://127.0.0.1:1/', 'loopback'],
  ['a public address', 'http://8.8.8.8/rain.bin', 'http://[::ffff:192.168.0.1]/', 'private'],
  ['a public address', 'http://8.8.8.8/rain.bin', 'http://169.254.169.254/latest/', 'linkLocal'],
  ['a private address', 'http://10.0.0.1/rain.bin', 'http://localhost:1/', 'loopback'],
])('no redirect is followed from %s (%s) to %s', async (_, url, location, kind) => {
  const asked = vi.fn(async () => new Response(null, { status: 302, headers: { location } }));
  vi.stubGlobal('fetch', asked);
  onTestFinished(() => void vi.unstubAllGlobals());
  const outcome = await fetchFile(wanted({ url }), rawData, { attempts: 1 });
  expect(outcome).toMatchObject({
    status: 'failed',
    what: expect.stringContaining(`redirected to a ${kind} address`),
    try_again: false,
  });
  expect(asked).toHaveBeenCalledTimes(1);
});

test('redirects are followed, relative ones too', async () => {
  const away: Answer = (_, response) => response.writeHead(307, { location: '/moved/rain.bin' }).end();
  expect(await get([away, honest])).toMatchObject({ status: 'fetched' });
  expect(asked.map(({ url }) => url)).toEqual(['/rain.bin', '/moved/rain.bin']);
});

describe('only http addresses and paths inside the directory are accepted', () => {
  test.each(['file:///etc/passwd', 'ftp://example.org/x', 'data:text/plain,x', 'not an address'])('%s', async (url) => {
    const outcome = await get([honest], { url });
    expect(outcome).toMatchObject({ status: 'failed', what: expect.stringContaining('expected http or https') });
    expect(asked).toEqual([]);
  });

  test.each(['../out.bin', '/elsewhere/out.bin', 'a/../../out.bin', '.'])('path %s', async (name) => {
    const outcome = await get([honest], { path: name });
    expect(outcome).toMatchObject({ status: 'failed', what: expect.stringContaining('expected one inside it') });
    expect(asked).toEqual([]);
  });

  test('a link that leads out of the directory', async () => {
    const outside = temporary();
    symlinkSync(outside, path.join(rawData, 'climate'));
    expect(await get([honest])).toMatchObject({ status: 'failed', what: expect.stringContaining('leaves') });
    expect(readdirSync(outside)).toEqual([]);
  });
});

test('a different file of the same name is left alone', async () => {
  mkdirSync(path.dirname(target()));
  writeFileSync(target(), 'mine');
  expect(await get([honest])).toMatchObject({
    status: 'failed',
    what: expect.stringContaining("differs from the catalog's"),
  });
  expect(readFileSync(target(), 'utf8')).toBe('mine');
});

test('the command fetches files with a url and says how to obtain the others', async () => {
  const surveys = Buffer.from('year,month\n');
  const { directory } = writeTiny((country) => {
    sourceIn(country, 'surveys').files = [
      { path: 'deep/surveys.csv', url: `${base}/surveys.csv`, rows: 1, sha256: sha256(surveys) },
    ];
    sourceIn(country, 'cases').access = 'ask the ministry';
  });
  answers = [complete(surveys)];
  const fetched = await runHere(['fetch', '--country', directory]);
  expect(fetched.stdout).toMatch(/^deep\/surveys\.csv: fetched, 11 bytes$/m);
  expect(fetched.stdout).toMatch(/^cases: no url in the catalog; ask the ministry$/m);
  expect(fetched.code).toBe(0);
  expect(readFileSync(path.join(directory, 'deep/surveys.csv'), 'utf8')).toBe('year,month\n');
  answers = [status(404)];
  const again = await runHere([
    'fetch',
    '--country',
    directory,
    '--raw-data',
    temporary(),
    '--json',
    '--only',
    'surveys',
  ]);
  expect(again.code).toBe(1);
  expect(JSON.parse(again.stdout)).toMatchObject({ path: 'deep/surveys.csv', status: 'failed' });
});
