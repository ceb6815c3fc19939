/**
 * Sends mangled requests to a real process for three seconds, or PROXY_FUZZ_SECONDS if set. There must be no 5xx, no
 * crash, no file except the snapshot's, and no key in any line that it writes. PROXY_FUZZ_SEED repeats a run.
 */
import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { OPERATIONS } from '../../../pipeline/contract/operations.ts';
import { randomStream } from '../../../pipeline/lib/numerics/random.ts';
import { serveCli } from '../../support/proxy/cli-process.ts';
import { fixtureFiles, makeBuild } from '../../support/proxy/fixture.ts';
import { openStore } from '../../support/proxy/open-store.ts';
import { exchange, portOf } from '../../support/proxy/raw-client.ts';
import { giveKey } from '../../support/proxy/service.ts';

const SECONDS = Number(process.env.PROXY_FUZZ_SECONDS ?? 3);
const SEED = Number(process.env.PROXY_FUZZ_SEED ?? 1);
const AT_ONCE = 24;
const SECRET = 'never-to-be-served';
const EXPECTED = new Set([200, 204, 206, 304, 400, 401, 403, 404, 405, 408, 416, 429, 431]);

/** Returns a generator of the bytes for one connection: mostly nearly valid requests, mangled in places. */
function mangler(random: () => number, keys: readonly string[]) {
  const below = (n: number) => Math.floor(random() * n);
  const pick = <T>(from: readonly T[]): T => from[below(from.length)]!;
  const chance = (share: number) => random() < share;
  const bytes = (n: number) => {
    // The parser rejects bytes that a header may not contain, so most are printable.
    const [from, to] = chance(0.1) ? [0, 256] : [33, 127];
    return Array.from({ length: n }, () => String.fromCharCode(from + below(to - from))).join('');
  };
  const state = () =>
    pick(['KN', 'LA', 'AB', 'kn', 'ZZ', '', '%4b%4e', 'K%00N', '../KN', '%ff', 'KN&state=LA', bytes(3)]);
  const period = () =>
    pick(['2023-12', '2023-06', '2024-02', '2024-13', '2023-1', '', '2023-12%0a', '0000-00', '9'.repeat(50)]);
  const months = () => pick(['1', '4', '5', '04', '+4', '4.0', '%34', '', 'NaN', '-1', '1e0']);
  const underEarlier = (path: string) =>
    path.replace('/v1', `/v1/versions/${pick(['fixture-00000001', 'fixture-00000002', '..-00000001', bytes(9)])}`);
  const target = () => {
    const path = chance(0.8)
      ? pick([(path: string) => path, underEarlier])(pick(OPERATIONS).path)
      : pick([
          '/',
          '*',
          '',
          '//',
          '/v1/../../secret.json',
          '/%2e%2e/secret.json',
          'http://x/v1/periods',
          'x:y',
          '/secret.json',
          '/v1/versions',
          '/v1/versions/fixture-00000001/diff/fixture-00000001',
          `/v1/versions/${bytes(below(20))}-00000001/periods`,
          `/v1/versions/${'a-00000001'.repeat(below(900))}/periods`,
          '/v1/versions/../snapshots-00000001/secret.json',
          '/v1/periods.json',
          `/${'a/'.repeat(below(4000))}`,
        ]);
    const query = Array.from({ length: below(4) }, () =>
      pick([
        () => `state=${state()}`,
        () => `period=${period()}`,
        () => `months=${months()}`,
        () => `lga=${pick(['NGKN001', 'ngkn001', 'NGKN%30%301', '../NGKN001', bytes(5)])}`,
        () => '&'.repeat(below(50)),
        () => `x=${bytes(below(20))}`,
      ]),
    );
    return path + (query.length ? `?${query.map((part) => part()).join('&')}` : '');
  };
  const header = (): string =>
    pick([
      () => `X-Api-Key: ${pick(keys)}`,
      () => `Authorization: Bearer ${pick(keys)}`,
      () => `authorization:bearer   ${pick(keys)}`,
      () => `Authorization: ${bytes(below(60))}`,
      () => `Accept-Encoding: ${pick(['gzip', 'br', '*;q=0', 'gzip;q=', ';;,', 'identity;q=0,*', bytes(10)])}`,
      () => `Range: ${pick(['bytes=0-', 'bytes=3-9', 'bytes=-5', 'bytes=9-3', 'bytes=0-0,-1', 'bytes=-', bytes(8)])}`,
      () => `Range: bytes=${below(80)}-${'9'.repeat(below(400))}`,
      () => `If-Range: ${pick(['"x"', 'W/"x"', bytes(10)])}`,
      () => `If-None-Match: ${pick(['*', '"x"', 'W/""', bytes(10)])}`,
      () => `Connection: ${pick(['close', 'keep-alive', 'upgrade', 'TE'])}`,
      () => `Upgrade: ${pick(['websocket', 'h2c'])}`,
      () => `Expect: ${pick(['100-continue', 'x'])}`,
      () => `Transfer-Encoding: ${pick(['chunked', 'gzip', 'chunked, chunked', 'x'])}`,
      () => `Content-Length: ${pick(['0', '5', '-1', '5, 5', '99999999999999999999', '70000'])}`,
      () => `Origin: ${pick(['https://map.example.org', 'null', bytes(8)])}`,
      () => `Access-Control-Request-Method: GET`,
      () => `X-Forwarded-For: ${bytes(12)}`,
      () => `${bytes(below(8))}: ${bytes(below(30))}`,
      () => `X-Long: ${'z'.repeat(below(20_000))}`,
    ])();
  const request = () => {
    const line = `${pick(['GET', 'GET', 'GET', 'HEAD', 'POST', 'OPTIONS', 'CONNECT', 'PRI', 'TRACE', 'get', bytes(3)])} ${target()} HTTP/${chance(0.9) ? '1.1' : pick(['1.0', '2.0', '0.9', '1.1 '])}`;
    const host = chance(0.9) ? ['Host: x'] : [];
    const key = chance(0.6) ? [`X-Api-Key: ${pick(keys)}`] : [];
    const headers = [...host, ...key, ...Array.from({ length: below(4) }, header)];
    const body = chance(0.2) ? pick(['0\r\n\r\n', '5\r\nhello\r\n0\r\n\r\n', bytes(below(200)), 'hello']) : '';
    return `${[line, ...headers].join(chance(0.97) ? '\r\n' : '\n')}\r\n\r\n${body}`;
  };
  const mangle = (text: string) => {
    const at = below(text.length);
    return pick([
      () => text.slice(0, at) + bytes(1) + text.slice(at + 1),
      () => text.slice(0, at) + text.slice(at + below(10)),
      () => text.slice(0, at) + bytes(below(10)) + text.slice(at),
      () => text.slice(0, at),
    ])();
  };
  return () => {
    let text = Array.from({ length: 1 + below(4) }, request).join('');
    if (chance(0.2)) text = mangle(text);
    const at = below(text.length);
    return chance(0.3) ? [text.slice(0, at), text.slice(at)] : [text];
  };
}

test(`${SECONDS} s of mangled requests (seed ${SEED})`, { timeout: SECONDS * 1000 + 60_000 }, async () => {
  const { build, current, store, remove } = makeBuild();
  onTestFinished(remove);
  writeFileSync(join(build, 'secret.json'), SECRET);
  writeFileSync(join(build, 'snapshots', 'secret.json'), SECRET);
  const accounts = await openStore(store);
  const { key } = await giveKey(accounts);
  const { key: trial } = await giveKey(accounts, { kind: 'test', scopes: ['forecasts'] });
  const { key: revoked, id } = await giveKey(accounts);
  await accounts.revokeKey(id, Date.now());
  await accounts.close();
  const limits = ['--per-minute', '100000000', '--per-month', '100000000'];
  const cors = ['--cors-origin', 'https://map.example.org'];
  const serving = await serveCli(['--snapshot', current, '--store', store, '--log', ...limits, ...cors]);
  const isLeaked = watchFor(serving.child, [key, trial, revoked]);
  // Decoded as the answers are: byte by byte.
  const texts = fixtureFiles().map(({ text }) => Buffer.from(text).toString('latin1'));
  const files = new Set(texts.map(sha256));

  const next = mangler(randomStream(SEED, 'requests').uniform, [
    key,
    key,
    trial,
    revoked,
    key.slice(0, -1),
    key.toUpperCase(),
  ]);
  const counts = new Map<number, number>();
  const wrong: string[] = [];
  const until = performance.now() + SECONDS * 1000;
  let sent = 0;
  const client = async () => {
    while (performance.now() < until && wrong.length === 0) {
      const pieces = next();
      sent++;
      const { raw, answers } = await exchange(portOf(serving.url), pieces, { quietMs: 1000, end: true });
      // An answer to HEAD has a length but no body, so if there is one, answers cannot be separated by their lengths.
      const statuses = [...raw.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
      for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
      const bodies = pieces.join('').includes('HEAD') ? [] : answers.filter(({ status }) => status === 200);
      const plain = bodies.filter(({ headers }) => !/^content-encoding/im.test(headers));
      if (
        serving.child.exitCode !== null ||
        raw.includes(SECRET) ||
        statuses.some((status) => !EXPECTED.has(status)) ||
        plain.some(({ body }) => !files.has(sha256(body))) ||
        answers.some(({ status, body }) => status === 206 && !texts.some((text) => text.includes(body)))
      ) {
        wrong.push(JSON.stringify({ pieces, raw: raw.slice(0, 1000) }).slice(0, 3000));
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));
  if (wrong.length > 0) throw new Error(`${wrong[0]}\n${serving.read().stderr.slice(-3000)}`);
  const after = await fetch(`${serving.url}/v1/periods`, { headers: { 'x-api-key': key } });
  expect(after.status).toBe(200);
  expect(await serving.stop()).toBe(0);
  expect(isLeaked()).toBe(false);
  expect(serving.read().stderr).not.toMatch(/failed|Error/);
  // The run is meaningful only if some requests get past the parser and the check of the key.
  expect(counts.get(200)).toBeGreaterThan(0);
  expect(counts.get(401)).toBeGreaterThan(0);
  process.stdout.write(
    `fuzz: ${sent} connections, answers ${JSON.stringify(Object.fromEntries([...counts].sort()))}\n`,
  );
});

/** Returns a function that reports whether anything that `child` has written contains part of one of `keys`. */
function watchFor(child: ChildProcess, keys: readonly string[]): () => boolean {
  const secrets = keys.map((key) => key.slice(13, 30));
  let leaked = false;
  for (const output of [child.stdout!, child.stderr!]) {
    let last = '';
    output.on('data', (chunk: string) => {
      const text = last + chunk;
      leaked ||= secrets.some((secret) => text.includes(secret));
      last = text.slice(-40);
    });
  }
  return () => leaked;
}

function sha256(text: string): string {
  return createHash('sha256').update(text, 'latin1').digest('hex');
}
