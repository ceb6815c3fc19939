/** Many requests at once on one connection, with every outcome: each gets its own answer, in order, to the byte. */
import { readdirSync, readlinkSync } from 'node:fs';
import { connect } from 'node:net';
import fc from 'fast-check';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { BACKENDS } from '../../support/proxy/backends.ts';
import { exchange, portOf } from '../../support/proxy/raw-client.ts';
import { atEndOfSuite, giveKey, type Service, startService } from '../../support/proxy/service.ts';

const ORIGIN = 'https://map.example.org';

let service: Service;
let port: number;
let keyed: string;
let etag: string;
let small: string;
let large: string;

const head = (line: string, ...headers: string[]) => `${[line, 'Host: x', ...headers].join('\r\n')}\r\n\r\n`;
const last = () => head('GET /v1/periods HTTP/1.1', keyed, 'Connection: close');

interface Case {
  text: () => string;
  status: number;
  /** Exactly this body, or a pattern in a problem document, or null for none, whatever the Content-Length. */
  body: () => string | RegExp | null;
}

const CASES: Record<string, Case> = {
  small: { text: () => head('GET /v1/periods HTTP/1.1', keyed), status: 200, body: () => small },
  large: { text: () => head('GET /v1/boundaries/states HTTP/1.1', keyed), status: 200, body: () => large },
  head: { text: () => head('HEAD /v1/periods HTTP/1.1', keyed), status: 200, body: () => null },
  headLarge: { text: () => head('HEAD /v1/boundaries/states HTTP/1.1', keyed), status: 200, body: () => null },
  headUnknown: { text: () => head('HEAD /nothing HTTP/1.1', keyed), status: 404, body: () => null },
  known: {
    text: () => head('GET /v1/periods HTTP/1.1', keyed, `If-None-Match: ${etag}`),
    status: 304,
    body: () => null,
  },
  preflight: {
    text: () => head('OPTIONS /v1/periods HTTP/1.1', `Origin: ${ORIGIN}`, 'Access-Control-Request-Method: GET'),
    status: 204,
    body: () => null,
  },
  nobody: { text: () => head('GET /v1/periods HTTP/1.1'), status: 401, body: () => /INVALID_KEY/ },
  twoKeys: {
    text: () => head('GET /v1/periods HTTP/1.1', keyed, `Authorization: ${keyed.replace('X-Api-Key:', 'Bearer')}x`),
    status: 401,
    body: () => /INVALID_KEY/,
  },
};

/** Checks the answers to `cases` at the start of `raw`, and returns the rest. */
function readAnswers(raw: string, cases: readonly Case[]): string {
  let rest = raw;
  for (const { status, body } of cases) {
    const end = rest.indexOf('\r\n\r\n');
    const headers = rest.slice(0, end);
    expect(headers.slice(0, 12)).toBe(`HTTP/1.1 ${status}`);
    rest = rest.slice(end + 4);
    const expected = body();
    if (expected === null) continue;
    const found = rest.slice(0, Number(/^content-length: (\d+)$/im.exec(headers)![1]));
    // Not `expect(found).toBe(expected)`, which would print megabytes on failure.
    if (typeof expected === 'string') expect(found === expected).toBe(true);
    else expect(found).toMatch(expected);
    rest = rest.slice(found.length);
  }
  return rest;
}

describe.each(BACKENDS.filter((backend) => !backend.skip))('$name', ({ newStore }) => {
  const atEnd = atEndOfSuite();
  beforeAll(async () => {
    const options = { fixture: { outlinePoints: 30_000 }, corsOrigin: [ORIGIN] };
    service = await startService({ ...options, ...(await newStore(atEnd)) }, atEnd);
    port = portOf(service.url);
    const { key } = await giveKey(service.store);
    keyed = `X-Api-Key: ${key}`;
    const plain = { headers: { 'accept-encoding': 'identity' } };
    const found = await service.get('/v1/periods', key, plain);
    etag = found.headers.get('etag')!;
    small = await found.text();
    large = await (await service.get('/v1/boundaries/states', key, plain)).text();
    expect(large.length).toBeGreaterThan(1 << 20);
  });

  test('requests with every outcome are answered in any order', async () => {
    const closings: Case[] = [
      { text: last, status: 200, body: () => small },
      // Anything that follows a body, or Expect, is ignored.
      ...['Content-Length: 5\r\n\r\nhello', 'Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n'].map(
        (rest) => ({
          text: () => `POST /v1/periods HTTP/1.1\r\nHost: x\r\n${keyed}\r\n${rest}${last()}`,
          status: 405,
          body: () => /METHOD_NOT_ALLOWED/,
        }),
      ),
      ...['x', '100-continue'].map((expected) => ({
        text: () => head('GET /v1/periods HTTP/1.1', keyed, `Expect: ${expected}`) + last(),
        status: 200,
        body: () => small,
      })),
    ];
    const name = fc.constantFrom(...Object.keys(CASES));
    await fc.assert(
      fc.asyncProperty(
        fc.array(name, { minLength: 2, maxLength: 12 }),
        fc.constantFrom(...closings),
        fc.boolean(),
        async (names, closing, inPieces) => {
          const cases = [...names.map((one) => CASES[one]!), closing];
          const texts = cases.map(({ text }) => text());
          const { raw } = await exchange(port, inPieces ? texts : texts.join(''), { pauseMs: inPieces ? 1 : 0 });
          expect(readAnswers(raw, cases)).toBe('');
        },
      ),
      { numRuns: 60, examples: closings.map((closing) => [Object.keys(CASES), closing, false]) },
    );
    expect(service.reports).toEqual([]);
  }, 60_000);

  test('complete requests are answered before input that is not HTTP', async () => {
    const cases = [CASES.small!, CASES.large!, CASES.nobody!, CASES.small!];
    const text = cases.map((one) => one.text()).join('');
    const broken: Case = { text: () => '', status: 400, body: () => /MALFORMED_REQUEST/ };
    expect(readAnswers((await exchange(port, `${text}GARBAGE\r\n\r\n`)).raw, [...cases, broken])).toBe('');
  });

  test('a request for an upgrade is answered and ends the connection, so nothing behind it is dropped silently', async () => {
    for (const upgrade of ['Upgrade: websocket\r\nConnection: Upgrade', 'Upgrade: h2c\r\nConnection: upgrade, x']) {
      const { raw, answers } = await exchange(port, head('GET /v1/periods HTTP/1.1', keyed, upgrade) + last());
      expect(answers.map(({ status }) => status)).toEqual([200]);
      expect(answers[0]!.headers.toLowerCase()).toContain('connection: close');
      expect(raw.toLowerCase()).not.toContain('keep-alive');
    }
  });

  test('a long body of or after a request with a large answer is cut off after the answer, not during it', async () => {
    const body = 'x'.repeat(300_000);
    const requestWithBody = (line: string) => head(line, keyed, `Content-Length: ${body.length}`) + body;
    const own = await exchange(port, requestWithBody('GET /v1/boundaries/states HTTP/1.1'));
    expect(readAnswers(own.raw, [CASES.large!])).toBe('');
    const behind = await exchange(port, CASES.large!.text() + requestWithBody('POST /v1/periods HTTP/1.1'));
    const refused: Case = { text: () => '', status: 405, body: () => /METHOD_NOT_ALLOWED/ };
    expect(readAnswers(behind.raw, [CASES.large!, refused])).toBe('');
  });

  test('clients that disconnect, in any way, while several large answers wait leave no file open', async () => {
    const pathOf = (fd: string) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`);
      } catch {
        return ''; // The one of the list itself.
      }
    };
    // Without sockets, of which the store may open more.
    const openFiles = () =>
      process.platform === 'linux' ? readdirSync('/proc/self/fd').filter((fd) => pathOf(fd).startsWith('/')).length : 0;
    const before = openFiles();
    for (const leave of ['destroy', 'resetAndDestroy'] as const) {
      for (let i = 0; i < 30; i++) {
        const socket = connect(port, '127.0.0.1').pause();
        const closed = new Promise((resolve) => socket.on('error', () => {}).on('close', resolve));
        socket.write(CASES.large!.text().repeat(4));
        setTimeout(() => socket[leave](), i % 15);
        await closed;
      }
    }
    await vi.waitFor(() => expect(openFiles()).toBeLessThanOrEqual(before));
    expect(service.reports).toEqual([]);
  });

  test('with live and test keys of owners with different limits in turn, each answer reports its own limits', async () => {
    const keys: { line: string; policy: RegExp }[] = [];
    for (const [owner, perMinute, perMonth] of [
      ['first', 11, 500],
      ['second', 12, 500],
      ['third', 12, 600],
    ] as const) {
      for (const kind of ['live', 'test'] as const) {
        const { key } = await giveKey(service.store, { owner, kind });
        const month = kind === 'live' ? `, "month";q=${perMonth};w=\\d{7}` : '';
        const policy = new RegExp(`^ratelimit-policy: "minute";q=${perMinute};w=60${month}$`, 'm');
        keys.push({ line: `X-Api-Key: ${key}`, policy });
      }
      await service.store.setLimits(owner, { perMinute, perMonth });
    }
    const order = Array.from({ length: 48 }, (_, i) => keys[(i * i + (i >> 3)) % keys.length]!);
    const text = order.map(({ line }) => head('GET /v1/periods HTTP/1.1', line)).join('');
    const { answers } = await exchange(port, text + last());
    for (const [i, { policy }] of order.entries()) {
      expect(answers[i]!.headers.replaceAll('\r', '')).toMatch(policy);
    }
  });
});
