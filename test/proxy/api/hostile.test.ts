/** Hostile input from the internet must not bypass the key, reach files outside the snapshot, or impede others. */
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { AccessRecord } from '../../../proxy/api/observe.ts';
import { exchange, portOf } from '../../support/proxy/raw-client.ts';
import { atEndOfSuite, giveKey, type Service, startService } from '../../support/proxy/service.ts';

const SECRET = 'never-to-be-served';

let service: Service;
let key: string;
let port: number;

const atEnd = atEndOfSuite();
beforeAll(async () => {
  service = await startService({ fixture: { outlinePoints: 30_000 } }, atEnd);
  key = (await giveKey(service.store)).key;
  port = portOf(service.url);
  for (const place of ['secret.json', 'snapshots/secret.json', 'store/secret.json']) {
    writeFileSync(join(service.build, place), SECRET);
  }
});

const head = (line: string, ...headers: string[]) => `${[line, 'Host: x', ...headers].join('\r\n')}\r\n\r\n`;
const keyed = (line: string, ...headers: string[]) => head(line, `X-Api-Key: ${key}`, 'Connection: close', ...headers);
const ascii = (text: string) => text.replace(/[^\x21-\x7e]/gu, encodeURIComponent);
/** Number of open files of this process, if the system reports it. */
const openFiles = () => (process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0);
const statuses = async (text: string | string[], options = {}) =>
  (await exchange(port, text, options)).answers.map(({ status }) => status);

describe('paths', () => {
  const dot = fc.constantFrom(
    '.',
    '..',
    '%2e%2e',
    '%2E.',
    '%252e%252e',
    '..;',
    '.%00.',
    '%c0%ae%c0%ae',
    '\u2025',
    '...',
  );
  const slash = fc.constantFrom('/', '//', '%2f', '%2F', '%5c', '\\', '%252f', '/./', '%c0%af', '\uff0f');
  const word = fc.constantFrom(
    'v1',
    'periods',
    'periods.json',
    'secret.json',
    'snapshots',
    'manifest.json',
    'etc',
    'passwd',
    'proxy.sqlite',
    'store',
    'periods.json.gz',
    'v1%00',
    '%00',
    'C:',
    '~',
    'risk',
    'lgas',
    '2023-12',
    'KN.json',
    '',
  );
  const path = fc
    .array(fc.tuple(slash, fc.oneof(dot, word)), { minLength: 1, maxLength: 7 })
    .map((parts) => parts.flat().join(''))
    .filter((text) => text.startsWith('/') && !['/v1/periods', '/v1/risk/lgas'].includes(text));

  test('no trick with dots, slashes, encodings or NUL finds anything', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(path, { minLength: 20, maxLength: 20 }), async (paths) => {
        // Several on one connection; bytes beyond ASCII are not valid HTTP, so they are percent-encoded.
        const lines = paths.map((text) => head(`GET ${ascii(text)} HTTP/1.1`, `X-Api-Key: ${key}`));
        const { raw, answers } = await exchange(port, `${lines.join('')}${keyed('GET / HTTP/1.1')}`);
        expect(answers.map(({ status }) => status)).toEqual(Array(21).fill(404));
        expect(raw).not.toContain(SECRET);
      }),
      { numRuns: 25 },
    );
  });

  test('no such trick finds anything in parameters either', async () => {
    const value = fc.array(fc.oneof(dot, slash, word), { maxLength: 6 }).map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(value, fc.constantFrom('state', 'period', 'months'), async (text, name) => {
        const query = `state=${name === 'state' ? '' : 'KN&'}${name}=${text.replace('KN', '')}`.replace(
          'state=state',
          'state',
        );
        const target = `/v1/${name === 'months' ? 'forecasts' : 'risk'}/lgas?${ascii(query)}`;
        const { raw, answers } = await exchange(port, keyed(`GET ${target} HTTP/1.1`));
        expect([200, 400, 404]).toContain(answers[0]!.status);
        // It may be a valid period by chance; anything else is an error.
        if (answers[0]!.status === 200) expect(text).toBe('2023-12');
        expect(raw).not.toContain(SECRET);
      }),
      { numRuns: 60 },
    );
  });

  test.each([
    ['state[]=KN', 404],
    ['state[0]=KN', 404],
    ['state=KN&state[]=LA', 200],
    ['state=KN,LA', 404],
    ['state=KN;state=LA', 404],
    ['STATE=KN', 404],
    ['state=%4b%4E', 200],
    ['state=K%004e', 404],
    ['state=KN%0d%0aX-Injected:%201', 404],
    ['state=%ef%bc%ab%ef%bc%ae', 404],
    ['state=K%cc%81N', 404],
    ['state=\xef\xbc\xab', 400],
    ['%00state=KN', 404],
    ['state=KN&period=2023%2d12', 200],
    ['state=KN&period=2023-12%00', 400],
    ['state=KN&period=%d9%a2023-12', 400],
    ['state=KN&period[]=2023-12&period[]=2023-11', 400],
    ['__proto__=x&constructor=y&state=KN', 200],
  ])('%j is %i', async (query, status) => {
    const { raw } = await exchange(port, keyed(`GET /v1/risk/lgas?${query} HTTP/1.1`));
    expect(raw.slice(9, 12)).toBe(String(status));
    expect(raw.toLowerCase()).not.toContain('x-injected');
  });
});

describe('smuggling', () => {
  const inner = () => keyed('GET /v1/periods HTTP/1.1');

  test.each([
    ['two lengths', 'Content-Length: 0\r\nContent-Length: 5'],
    ['length and chunks', 'Content-Length: 4\r\nTransfer-Encoding: chunked'],
    ['chunks not last', 'Transfer-Encoding: chunked, identity'],
    ['chunks by another name', 'Transfer-Encoding: xchunked'],
    ['a list of lengths', 'Content-Length: 0, 5'],
    ['a signed length', 'Content-Length: +5'],
    ['a space before the colon', 'Content-Length : 5'],
    ['a folded header', 'X-A: b\r\n Content-Length: 5'],
    ['a name with NUL', 'X\x00A: b'],
    ['a value with NUL', 'X-A: b\x00c'],
    ['a bare CR', 'X-A: b\rX-C: d'],
    ['no colon', 'X-A'],
  ])('%s is refused, and what follows is not read as a request', async (_, header) => {
    const text = `${head('POST /v1/periods HTTP/1.1', `X-Api-Key: ${key}`, header)}0\r\n\r\n${inner()}`;
    const found = await statuses(text);
    expect(found).not.toContain(200);
    expect(found.at(-1)).toBe(400);
  });

  test.each([
    ['identity', 'POST /v1/periods HTTP/1.1', ['Host: x', 'Transfer-Encoding: identity']],
    ['an unknown coding', 'GET /v1/periods HTTP/1.1', ['Host: x', 'Transfer-Encoding: xchunked']],
    [
      'chunks twice',
      'POST /v1/periods HTTP/1.1',
      ['Host: x', 'Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'],
    ],
    ['chunks in HTTP/1.0', 'POST /v1/periods HTTP/1.0', ['Host: x', 'Transfer-Encoding: chunked']],
    ['HTTP/2.0', 'GET /v1/periods HTTP/2.0', ['Host: x']],
    ['no host', 'GET /v1/periods HTTP/1.1', []],
    ['two hosts', 'GET /v1/periods HTTP/1.1', ['Host: a', 'Host: b']],
    ['a host twice', 'GET /v1/periods HTTP/1.1', ['Host: a', 'hOST: a']],
    ['a host with a space', 'GET /v1/periods HTTP/1.1', ['Host: a b']],
    ['a host with a path', 'GET /v1/periods HTTP/1.1', ['Host: a/b']],
    ['a host with a user', 'GET /v1/periods HTTP/1.1', ['Host: u@a']],
    ['a port with letters', 'GET /v1/periods HTTP/1.1', ['Host: a:b']],
    ['a broken host in the target', 'GET http://[x/v1/periods HTTP/1.1', ['Host: x']],
    ['a user in the target', 'GET http://u@x/v1/periods HTTP/1.1', ['Host: x']],
    ['no host in the target', 'GET http:///v1/periods HTTP/1.1', ['Host: x']],
    ["HTTP/2's preface as a method", 'PRI /v1/periods HTTP/1.1', ['Host: x']],
    ['a method of RTSP', 'DESCRIBE /v1/periods RTSP/1.1', ['Host: x']],
  ])('%s is answered with a single 400', async (_, line, headers) => {
    const text = `${[line, ...headers, `X-Api-Key: ${key}`].join('\r\n')}\r\n\r\n`;
    const { raw, answers } = await exchange(port, `${text}0\r\n\r\n${inner()}${inner()}`);
    expect(answers.map(({ status }) => status)).toEqual([400]);
    expect(raw.match(/HTTP\/1\.1/g)).toHaveLength(1);
    const { code, request_id } = JSON.parse(answers[0]!.body);
    expect([code, answers[0]!.headers.includes(request_id)]).toEqual(['MALFORMED_REQUEST', true]);
  });

  test('a body is not read as a request, whatever it looks like', async () => {
    const body = inner();
    const sized = head('POST /v1/periods HTTP/1.1', 'Connection: close', `Content-Length: ${body.length}`) + body;
    expect(await statuses(sized)).toEqual([401]);
    const chunk = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    const chunked = head('GET /v1/periods HTTP/1.1', 'Connection: close', 'Transfer-Encoding: chunked') + chunk;
    expect(await statuses(chunked)).toEqual([401]);
  });

  test('neither the key of another request nor headers for overriding URLs or methods replace a key', async () => {
    const two =
      head('GET /v1/periods HTTP/1.1', `X-Api-Key: ${key}`) + head('GET /v1/periods HTTP/1.1', 'Connection: close');
    expect(await statuses(two)).toEqual([200, 401]);
    for (const header of [
      'X-Original-URL: /healthz',
      'X-Rewrite-URL: /',
      'X-HTTP-Method-Override: GET',
      'Forwarded: for=127.0.0.1',
    ])
      expect(await statuses(head('GET /v1/periods HTTP/1.1', header, 'Connection: close'))).toEqual([401]);
  });
});

test('a forged X-Forwarded-For changes nothing: limits apply to the key', async () => {
  const { key: narrow } = await giveKey(service.store, { owner: 'narrow' });
  await service.store.setLimits('narrow', { perMinute: 3 });
  const found: number[] = [];
  for (let i = 0; i < 6; i++) {
    const headers = [
      `X-Forwarded-For: 10.0.0.${i}`,
      `X-Real-IP: 10.0.1.${i}`,
      `X-Api-Key: ${narrow}`,
      'Connection: close',
    ];
    found.push(...(await statuses(head('GET /v1/periods HTTP/1.1', ...headers))));
  }
  expect(found).toEqual([200, 200, 200, 429, 429, 429]);
});

test('headers that are too large or too many are refused', async () => {
  expect(await statuses(keyed('GET /v1/periods HTTP/1.1', `X: ${'y'.repeat(20_000)}`))).toEqual([431]);
  expect(await statuses(keyed(`GET /${'y'.repeat(20_000)} HTTP/1.1`))).toEqual([431]);
  expect(await statuses(keyed('GET /v1/periods HTTP/1.1', ...Array(5000).fill('a: b')))).toEqual([431]);
  // Many headers within the bounds do not hide the key.
  expect(await statuses(keyed('GET /v1/periods HTTP/1.1', ...Array(500).fill('a: b')))).toEqual([200]);
});

test('a thousand requests at once on one connection are all answered, in order', async () => {
  const paths = Array.from({ length: 999 }, (_, i) => (i % 3 ? '/v1/periods' : `/nothing/${i}`));
  const text = paths.map((path) => head(`GET ${path} HTTP/1.1`, `X-Api-Key: ${key}`)).join('');
  const found = await statuses(text + keyed('GET /v1/periods HTTP/1.1'));
  expect(found).toEqual([...paths.map((_, i) => (i % 3 ? 200 : 404)), 200]);
});

test('CONNECT, which has no path, ends the connection unanswered', async () => {
  const own = await startService();
  const { key: ownKey } = await giveKey(own.store);
  const text = head('CONNECT x:1 HTTP/1.1', `X-Api-Key: ${ownKey}`) + 'whatever'.repeat(100);
  const found = await Promise.all(Array.from({ length: 20 }, () => exchange(portOf(own.url), text)));
  expect(found.map(({ raw }) => raw)).toEqual(Array(20).fill(''));
  const started = performance.now();
  await own.close();
  expect(performance.now() - started).toBeLessThan(5000);
});

describe('a large file, read from disk', () => {
  const large = () => head('GET /v1/boundaries/states HTTP/1.1', `X-Api-Key: ${key}`);
  let whole: number;

  beforeAll(async () => {
    const { answers } = await exchange(port, keyed('GET /v1/boundaries/states HTTP/1.1'));
    whole = answers[0]!.body.length;
    expect(whole).toBeGreaterThan(1 << 20);
  });

  test.each([
    ['input that is not HTTP', [], 'GARBAGE\r\n\r\n', [200, 400]],
    ['headers without an end', [], `GET / HTTP/1.1\r\nX: ${'y'.repeat(20_000)}`, [200, 431]],
    ['another request after Connection: close', ['Connection: close'], head('GET / HTTP/1.1'), [200]],
  ])('is not mixed up with %s behind it', async (_, headers, behind, statuses) => {
    const request = head('GET /v1/boundaries/states HTTP/1.1', `X-Api-Key: ${key}`, ...headers);
    const { raw, answers } = await exchange(port, request + behind);
    expect(answers.map(({ status }) => status)).toEqual(statuses);
    const [first, second] = answers;
    const rest = second ? second.headers.length + 4 + second.body.length : 0;
    expect(raw.length).toBe(first!.headers.length + 4 + whole + rest);
  });

  test('requested by clients that disconnect at once ends nothing and leaves no file open', async () => {
    const before = openFiles();
    for (let i = 0; i < 60; i++) await exchange(port, large(), { quietMs: 1 + (i % 4) });
    await vi.waitFor(() => expect(openFiles()).toBeLessThanOrEqual(before));
    const { answers } = await exchange(port, keyed('GET /v1/boundaries/states HTTP/1.1'));
    expect(answers.map(({ status, body }) => [status, body.length])).toEqual([[200, whole]]);
  });
});

test('a file that can be opened but not examined is a 503, is closed, and is served again once the snapshot is checked', async () => {
  const before = openFiles();
  const handle = await open(import.meta.filename);
  const stat = vi.spyOn(Object.getPrototypeOf(handle), 'stat').mockRejectedValueOnce(new Error('ESTALE'));
  await handle.close();
  const own = await startService({ fixture: { outlinePoints: 30_000 } });
  const { key: ownKey } = await giveKey(own.store);
  const { answers } = await exchange(portOf(own.url), keyed('GET /v1/boundaries/states HTTP/1.1').replace(key, ownKey));
  stat.mockRestore();
  expect(answers.map(({ status }) => status)).toEqual([503]);
  const reports = [/^request [\w-]+ failed: ESTALE$/, /^now serving fixture-/].map((line) =>
    expect.stringMatching(line),
  );
  await vi.waitFor(() => expect(own.reports).toEqual(reports), { timeout: 10_000 });
  await own.close();
  // A file left open would end the process when it is collected.
  await vi.waitFor(() => expect(openFiles()).toBeLessThanOrEqual(before));
});

test('input that is not HTTP is counted and logged', async () => {
  const records: AccessRecord[] = [];
  const own = await startService({ log: (record) => records.push(record) });
  await exchange(portOf(own.url), 'GARBAGE\r\n\r\n');
  await exchange(portOf(own.url), 'GET / HTTP/1.1\r\n\r\n');
  const { answers } = await exchange(portOf(own.url), head('GET / HTTP/1.1', `X: ${'y'.repeat(20_000)}`));
  expect(records.map(({ operation, status, error }) => [operation, status, error])).toEqual([
    ['none', 400, 'MALFORMED_REQUEST'],
    ['none', 400, 'MALFORMED_REQUEST'],
    ['none', 431, 'HEADERS_TOO_LARGE'],
  ]);
  expect(answers[0]!.headers).toContain(records[2]!.request_id);
  expect(JSON.parse(answers[0]!.body)).toMatchObject({ status: 431, code: 'HEADERS_TOO_LARGE' });
  const metrics = await (await fetch(`${own.opsUrl}/metrics`)).text();
  expect(metrics).toContain('malaria_requests_total{operation="none",status="400",key_kind="none"} 2');
  expect(metrics).toContain('malaria_requests_total{operation="none",status="431",key_kind="none"} 1');
});

test('an answer whose client did not wait for it is counted and logged as such', async () => {
  const records: AccessRecord[] = [];
  const own = await startService({ fixture: { outlinePoints: 30_000 }, log: (record) => records.push(record) });
  const { key: ownKey } = await giveKey(own.store);
  for (let i = 0; i < 3; i++) {
    const socket = connect(portOf(own.url), '127.0.0.1');
    socket.write(head('GET /v1/boundaries/states HTTP/1.1', `X-Api-Key: ${ownKey}`).repeat(8));
    socket.once('readable', () => setTimeout(() => socket.destroy(), 30));
    await new Promise((resolve) => socket.on('close', resolve).on('error', () => {}));
  }
  // The first of each may fit into the system's buffers, and so count as sent.
  await vi.waitFor(() => expect(records).toHaveLength(24), { timeout: 10_000 });
  expect(records.filter(({ status }) => status === 499).length).toBeGreaterThanOrEqual(12);
  expect(records.at(-1)).toMatchObject({ operation: 'boundaries-states', key_kind: 'live' });
  expect(own.reports).toEqual([]);
});

test('HTTP/1.0 need not name its host', async () => {
  expect(await statuses(`GET /v1/periods HTTP/1.0\r\nX-Api-Key: ${key}\r\n\r\n`)).toEqual([200]);
});

test('a request that arrives byte by byte is answered', async () => {
  expect(await statuses([...keyed('GET /v1/periods HTTP/1.1')], { pauseMs: 1 })).toEqual([200]);
});

test('a request with a long body is answered, then cut off', async () => {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  let sent = 0;
  socket.on('data', (chunk) => {
    answer += chunk.toString('latin1');
  });
  const closed = new Promise((resolve) => socket.on('close', resolve));
  socket.on('error', () => {});
  socket.write(head('POST /v1/periods HTTP/1.1', `X-Api-Key: ${key}`, 'Content-Length: 1000000000'));
  const block = Buffer.alloc(1 << 16);
  const push = () => {
    while (!socket.destroyed && socket.write(block)) sent += block.length;
  };
  socket.on('drain', push);
  push();
  await closed;
  expect(answer.slice(9, 12)).toBe('405');
  // The bytes in the system's own buffers do not count.
  expect(sent).toBeLessThan(50_000_000);
});

describe('bounds', () => {
  test('slow headers, idle and silent connections are closed; others are served meanwhile', async () => {
    const bounds = { headersMs: 400, requestMs: 600, idleMs: 500 };
    const strict = await startService({ bounds });
    const { key: own } = await giveKey(strict.store);
    const at = portOf(strict.url);
    const slow = exchange(at, [...'GET /v1/periods HTTP/1.1\r\nHost: x\r\nX-Slow: aaaaaaaaaaaaaaaaaaaa'], {
      pauseMs: 40,
    });
    const slowBody = exchange(at, `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n1`);
    const mute = exchange(at, '');
    const idle = exchange(at, `GET /v1/periods HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${own}\r\n\r\n`);
    const others = await Promise.all(Array.from({ length: 20 }, () => strict.get('/v1/periods', own)));
    expect(others.every(({ status }) => status === 200)).toBe(true);
    expect((await slow).answers.map(({ status }) => status)).toEqual([408]);
    expect((await mute).answers.map(({ status }) => status)).toEqual([408]);
    expect((await idle).answers.map(({ status }) => status)).toEqual([200]);
    // Answered before its body arrived, because it has no key, and then cut off.
    expect((await slowBody).answers[0]!.status).toBe(401);
  }, 20_000);

  test('a client that does not read its answer is cut off, and delays nobody', async () => {
    const strict = await startService({ fixture: { outlinePoints: 30_000 }, bounds: { readingMs: 700 } });
    const { key: own } = await giveKey(strict.store);
    const sockets = Array.from({ length: 10 }, () => connect(portOf(strict.url), '127.0.0.1'));
    const closed = sockets.map((socket) => new Promise((resolve) => socket.on('close', resolve).on('error', () => {})));
    for (const socket of sockets) {
      socket.pause();
      socket.write(head('GET /v1/boundaries/states HTTP/1.1', `X-Api-Key: ${own}`).repeat(20));
    }
    // A small answer: on a busy machine even an honest reader may need longer for a large one than is allowed here.
    expect((await strict.get('/v1/periods', own)).status).toBe(200);
    await vi.waitFor(async () => {
      const metrics = await (await fetch(`${strict.opsUrl}/metrics`)).text();
      expect(Number(/^malaria_connections (\d+)$/m.exec(metrics)![1])).toBeLessThanOrEqual(1);
    }, 8000);
    for (const socket of sockets) socket.destroy();
    await Promise.all(closed);
    expect(strict.reports).toEqual([]);
  }, 20_000);

  test('thousands of idle connections leave room for requests, and connections over the limit are refused', async () => {
    const crowded = await startService({ bounds: { connections: 2000 } });
    const { key: own } = await giveKey(crowded.store);
    const sockets = Array.from({ length: 1990 }, () => connect(portOf(crowded.url), '127.0.0.1').on('error', () => {}));
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
    expect((await crowded.get('/v1/periods', own)).status).toBe(200);
    const more = Array.from({ length: 30 }, () => exchange(portOf(crowded.url), '', { quietMs: 1000 }));
    const turnedAway = (await Promise.all(more)).filter(({ raw }) => raw === '').length;
    expect(turnedAway).toBeGreaterThan(0);
    for (const socket of sockets) socket.destroy();
    await vi.waitFor(async () => expect((await crowded.get('/v1/periods', own)).status).toBe(200));
  }, 30_000);
});

test('after all of this the service has reported nothing', async () => {
  expect((await service.get('/v1/periods', key)).status).toBe(200);
  expect(service.reports).toEqual([]);
});

test('input that arrives while an answer is being sent truncates nothing: a body, or data after an upgrade', async () => {
  // Small enough for the system to buffer all of it for a client that does not read yet.
  const own = await startService({ fixture: { outlinePoints: 5000 } });
  const ownKey = (await giveKey(own.store)).key;
  const whole = (await (await own.get('/v1/boundaries/states', ownKey)).arrayBuffer()).byteLength;
  expect(whole).toBeGreaterThan(200_000);
  for (const [asking, later] of [
    ['Content-Length: 5', 'hello'],
    ['Upgrade: h2c\r\nConnection: Upgrade', 'PRI * HTTP/2.0\r\n\r\n'],
  ]) {
    const socket = connect(portOf(own.url), '127.0.0.1');
    const parts: Buffer[] = [];
    socket.on('data', (part: Buffer) => parts.push(part));
    socket.on('error', () => {});
    socket.pause();
    socket.write(head('GET /v1/boundaries/states HTTP/1.1', `X-Api-Key: ${ownKey}`, asking!));
    await pause(200);
    socket.write(later!);
    await pause(50);
    socket.resume();
    await once(socket, 'close');
    const answer = Buffer.concat(parts);
    expect([asking, answer.length - answer.indexOf('\r\n\r\n') - 4]).toEqual([asking, whole]);
  }
  await own.close();
});
