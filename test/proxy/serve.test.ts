/** `serve` as a process: what it prints, refuses, survives and keeps secret. */
import { exec } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import type { LimitChange } from '../../proxy/store/account-store.ts';
import { runHere, serveCli } from '../support/proxy/cli-process.ts';
import { type FixtureOptions, makeBuild, versionOf } from '../support/proxy/fixture.ts';
import { createStore, openStore } from '../support/proxy/open-store.ts';
import { exchange, portOf, splitAnswers } from '../support/proxy/raw-client.ts';
import { missingServers, startPostgres } from '../support/proxy/real-servers.ts';
import { giveKey } from '../support/proxy/service.ts';

function setUp(options?: FixtureOptions) {
  const { build, current, store, remove } = makeBuild(options);
  onTestFinished(remove);
  return { build, current, store, args: ['--snapshot', current, '--store', store] };
}

/** A fixture and a store with one key, whose owner has `limits` of its own. */
async function setUpWithKey(limits?: LimitChange, options?: FixtureOptions) {
  const created = setUp(options);
  const accounts = await openStore(created.store);
  const { key } = await giveKey(accounts);
  if (limits) await accounts.setLimits('ministry', limits);
  await accounts.close();
  return { ...created, key };
}

const ask = (url: string, key: string, path = '/v1/periods') => fetch(url + path, { headers: { 'x-api-key': key } });
const granted = async (url: string, key: string, times: number) => {
  let count = 0;
  for (let i = 0; i < times; i++) if ((await ask(url, key)).status === 200) count++;
  return count;
};

test('after SIGKILL, SIGTERM and SIGINT not a single request of minute or month is lost', async () => {
  const { args, key } = await setUpWithKey({ perMinute: 70, perMonth: 65 });
  let total = 0;
  for (const signal of ['SIGKILL', 'SIGTERM', 'SIGINT'] as const) {
    const serving = await serveCli(args);
    total += await granted(serving.url, key, 15);
    expect(await serving.stop(signal)).toBe(signal === 'SIGKILL' ? null : 0);
  }
  const last = await serveCli(args);
  expect(total + (await granted(last.url, key, 40))).toBe(65);
});

test('on stopping, the counts wait for another process that is writing', async () => {
  const { args, store, key } = await setUpWithKey();
  const serving = await serveCli(args);
  expect(await granted(serving.url, key, 3)).toBe(3);
  const busy = new DatabaseSync(store.replace('sqlite:', ''));
  onTestFinished(() => busy.close());
  busy.exec('BEGIN IMMEDIATE');
  const stopped = serving.stop();
  await pause(1500);
  busy.exec('ROLLBACK');
  expect(await stopped).toBe(0);
  expect(busy.prepare('SELECT count(*) AS n FROM key_uses').get()).toEqual({ n: 1 });
  expect(busy.prepare("SELECT sum(count) AS n FROM usage WHERE outcome = 'granted'").get()).toEqual({ n: 3 });
});

test('counts that cannot be written on stopping are reported', async () => {
  const { args, store, key } = await setUpWithKey();
  const serving = await serveCli(args);
  expect(await granted(serving.url, key, 3)).toBe(3);
  const busy = new DatabaseSync(store.replace('sqlite:', ''));
  onTestFinished(() => busy.close());
  busy.exec('BEGIN IMMEDIATE');
  expect(await serving.stop()).toBe(1);
  expect(serving.read().stderr).toContain(
    'stopping failed: usage not written: store: SQLite cannot be used: database is locked',
  );
});

test.skipIf(missingServers.length > 0)(
  'on stopping while PostgreSQL hangs, waiting requests are refused and the problem is reported',
  async () => {
    const { current } = setUp();
    const postgres = await startPostgres(inject('postgres')!.data);
    onTestFinished(() => postgres.remove());
    const accounts = await openStore(postgres.url);
    const { key } = await giveKey(accounts);
    await accounts.close();
    const serving = await serveCli(['--snapshot', current, '--store', postgres.url]);
    expect(await granted(serving.url, key, 3)).toBe(3);
    postgres.pause();
    const text = `GET /v1/periods HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\n\r\n`;
    const waiting = [1, 2, 3].map(() => exchange(portOf(serving.url), text, { quietMs: 60_000 }));
    await vi.waitFor(async () => {
      const metrics = await (await fetch(`${serving.opsUrl}/metrics`)).text();
      expect(Number(/^malaria_connections (\d+)$/m.exec(metrics)![1])).toBeGreaterThanOrEqual(3);
    }, 20_000);
    const stopped = serving.stop();
    // They were answered, and not cut off at the end of the time for draining.
    for (const { answers } of await Promise.all(waiting)) expect(answers.map(({ status }) => status)).toEqual([503]);
    expect(await stopped).toBe(1);
    const { stderr } = serving.read();
    expect(stderr).toMatch(/^malaria-proxy: stopping: finishing requests in flight$/m);
    expect(stderr).toMatch(/^malaria-proxy: keys and limits: .*no answer within 1000 ms$/m);
    expect(stderr).toMatch(/^malaria-proxy: stopping failed: usage not written: store: PostgreSQL cannot be used/m);
  },
);

test('a log that is no longer read, or cannot be written, delays no request', async () => {
  const { args, key } = await setUpWithKey();
  const serving = await serveCli([...args, '--log']);
  serving.child.stdout!.destroy();
  for (let i = 0; i < 5; i++) {
    expect((await ask(serving.url, key)).status).toBe(200);
    await pause(20);
  }
  await vi.waitFor(() => expect(serving.read().stderr).toContain('log lines are lost: write EPIPE'));
  serving.child.stderr!.destroy();
  expect((await ask(serving.url, key)).status).toBe(200);
  expect(await serving.stop()).toBe(0);
});

test('of a flood without keys the log has the first hundred of the minute', async () => {
  const { args } = await setUpWithKey();
  const serving = await serveCli([...args, '--log']);
  const answers = await Promise.all(Array.from({ length: 150 }, () => fetch(`${serving.url}/v1/periods`)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
  expect(await serving.stop()).toBe(0);
  expect(serving.read().stdout.match(/"status":401/g)).toHaveLength(100);
});

test('a log whose reader hangs delays neither requests nor stopping', async () => {
  const { args, key } = await setUpWithKey();
  const serving = await serveCli([...args, '--log', '--per-minute', '1000000']);
  serving.child.stdout!.pause();
  const exited = once(serving.child, 'exit');
  // Half a megabyte, more than pipe and reader can buffer.
  const text = `GET /v1/periods HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\n\r\n`.repeat(3000);
  const { answers } = await exchange(portOf(serving.url), text, { end: true });
  expect(answers.length).toBe(3000);
  serving.child.kill('SIGTERM');
  expect((await exited)[0]).toBe(0);
});

test('two servers on one SQLite file count together, and obey the same revocations', async () => {
  const { args, build, current, store, key } = await setUpWithKey({ perMinute: 300, perMonth: 200 });
  // The second under another name of the same file.
  symlinkSync(join(build, 'store', 'proxy.sqlite'), join(build, 'link.sqlite'));
  const named = ['--snapshot', current, '--store', `sqlite:${join(build, 'link.sqlite')}`];
  const both = [await serveCli(args), await serveCli(named)];
  const clients = Array.from({ length: 16 }, (_, i) => granted(both[i % 2]!.url, key, 20));
  expect((await Promise.all(clients)).reduce((sum, count) => sum + count, 0)).toBe(200);
  const accounts = await openStore(store);
  onTestFinished(() => accounts.close());
  for (let i = 0; i < 10; i++) {
    const { id, key: short } = await giveKey(accounts, { kind: 'test' });
    for (const { url } of both) expect((await ask(url, short)).status).toBe(200);
    await accounts.revokeKey(id, Date.now());
    for (const { url } of both) expect((await ask(url, short)).status).toBe(401);
  }
});

test('a stopping server reports it on the ops port and finishes requests in flight', async () => {
  const { build, args, key } = await setUpWithKey({}, { outlinePoints: 250_000 });
  const serving = await serveCli(args);
  const answer = await fetch(`${serving.url}/v1/boundaries/states`, {
    headers: { 'x-api-key': key, 'accept-encoding': 'identity' },
  });
  const reader = answer.body!.getReader();
  let bytes = (await reader.read()).value!.length;
  const stopped = serving.stop();
  await vi.waitFor(async () => expect((await fetch(`${serving.opsUrl}/readyz`)).status).toBe(503));
  expect((await ask(serving.url, key)).headers.get('connection')).toBe('close');
  for (let part = await reader.read(); !part.done; part = await reader.read()) bytes += part.value.length;
  const manifest = JSON.parse(readFileSync(join(build, 'current/manifest.json'), 'utf8'));
  expect(bytes).toBe(manifest.files['v1/boundaries/states.json'].bytes);
  expect(await stopped).toBe(0);
  await expect(ask(serving.url, key)).rejects.toThrow();
});

test('a stopping server sends all answers, even to a client that has not read them yet', async () => {
  const { args, key } = await setUpWithKey({}, { outlinePoints: 10_000 });
  const serving = await serveCli(args);
  const idle = await ask(serving.url, key);
  expect(idle.status).toBe(200);
  const socket = connect(Number(new URL(serving.url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const closed = once(socket, 'close');
  socket.write(`GET /v1/boundaries/states HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\n\r\n`.repeat(20));
  await once(socket, 'readable');
  let raw = (socket.read() as Buffer).toString('latin1');
  const stopped = serving.stop();
  await vi.waitFor(async () => expect((await fetch(`${serving.opsUrl}/readyz`)).status).toBe(503));
  // Longer than new requests are accepted.
  await pause(300);
  socket.on('data', (chunk: Buffer) => {
    raw += chunk.toString('latin1');
  });
  await closed;
  expect(splitAnswers(raw).map(({ status, body }) => [status, body.endsWith(']}')])).toEqual(
    Array(20).fill([200, true]),
  );
  expect(await stopped).toBe(0);
});

test.each(['replaced', 'removed'])(
  'the server stops if the file of its store is %s, since it would miss revocations',
  async (what) => {
    const { args, build, store } = setUp();
    await createStore(store);
    const serving = await serveCli(args);
    const file = join(build, 'store', 'proxy.sqlite');
    renameSync(file, `${file}-away`);
    if (what === 'replaced') writeFileSync(file, '');
    const [code] = await once(serving.child, 'close');
    expect([code, serving.read().stderr]).toEqual([
      1,
      expect.stringContaining('was removed, or replaced by another file; stopping'),
    ]);
  },
);

test('--first-key creates a key that works, and the previous one no longer works', async () => {
  const { args } = setUp();
  const first = await serveCli([...args, '--first-key']);
  expect(first.key).toMatch(/^malaria_test_/);
  await first.stop();
  const second = await serveCli([...args, '--first-key']);
  expect((await ask(second.url, first.key!)).status).toBe(401);
  expect((await ask(second.url, second.key!, '/v1/boundaries/states')).status).toBe(200);
  await second.stop();
});

test('plain output reports what is served and where, and its curl line works', async () => {
  const { args } = setUp();
  const { spawn } = await import('node:child_process');
  const root = join(import.meta.dirname, '..', '..');
  const child = spawn(
    join(root, 'node_modules/.bin/node'),
    [join(root, 'proxy/cli/program.ts'), 'serve', ...args, '--port', '0', '--ops-port', '0', '--first-key'],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  for await (const chunk of child.stdout) {
    output += chunk;
    if (output.includes('curl') && output.endsWith('\n\n')) break;
  }
  expect(output).toContain(`serving ${versionOf()}: 3 states, 2023-06 to 2023-12, forecast to 2024-04`);
  const line = output.split('\n').find((text) => text.trim().startsWith('curl '))!;
  const { stdout } = await promisify(exec)(line);
  expect(JSON.parse(stdout)).toMatchObject({ period: '2023-12', state_code: 'KN' });
});

test('no key appears in the log, on either output, or in any file of the store', async () => {
  const { args, build, key } = await setUpWithKey();
  const serving = await serveCli([...args, '--log']);
  await ask(serving.url, key, `/v1/risk/lgas?state=KN&api_key=${key}`);
  await ask(serving.url, `${key}x`, `/${key}`);
  await fetch(`${serving.url}/%`, { headers: { authorization: `Bearer ${key}` } });
  const metrics = await (await fetch(`${serving.opsUrl}/metrics`)).text();
  await serving.stop();
  const { stdout, stderr } = serving.read();
  const lines = stdout
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line));
  expect(lines.map(({ operation, status, error }) => [operation, status, error])).toEqual([
    ['risk-lgas', 200, null],
    ['none', 401, 'INVALID_KEY'],
    ['none', 404, 'NOT_FOUND'],
  ]);
  expect(Object.keys(lines[0]).sort()).toEqual([
    'error',
    'key_id',
    'key_kind',
    'level',
    'ms',
    'operation',
    'request_id',
    'status',
    'time',
  ]);
  const files = readdirSync(join(build, 'store')).map((name) => readFileSync(join(build, 'store', name), 'latin1'));
  expect(files.length).toBeGreaterThan(0);
  for (const text of [stdout, stderr, metrics, ...files]) expect(text).not.toContain(key.slice(13, 30));
  expect(metrics).toContain('malaria_requests_total{operation="risk-lgas",status="200",key_kind="live"} 1');
  expect(metrics).toContain('malaria_requests_total{operation="none",status="401",key_kind="none"} 1');
  expect(metrics).toContain(`malaria_snapshot_info{model_version="${versionOf()}"} 1`);
});

test('health and readiness are served on the ops port only', async () => {
  const { args, store } = setUp();
  await createStore(store);
  const serving = await serveCli(args, { MALARIA_LOG: 'false' });
  expect((await fetch(`${serving.opsUrl}/healthz`)).status).toBe(200);
  expect((await fetch(`${serving.opsUrl}/readyz`)).status).toBe(200);
  expect((await fetch(`${serving.opsUrl}/v1/periods`)).status).toBe(404);
  expect((await fetch(`${serving.url}/healthz`)).status).toBe(401);
  expect(serving.read().stdout.trim().split('\n').length).toBe(1);
});

test('problems on start-up are reported in one clear line, with exit code 2', async () => {
  const { args, current, store } = setUp();
  await createStore(store);
  const taken = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void taken.close());
  await new Promise((resolve) => taken.once('listening', resolve));
  const port = String((taken.address() as AddressInfo).port);
  const free = ['--port', '0', '--ops-port', '0'];
  for (const [more, message] of [
    [[...args, '--port', port, '--ops-port', '0'], `port ${port} on 127.0.0.1 is already in use`],
    [[...args, ...free, '--host', '192.0.2.1'], 'port 0 on 192.0.2.1 cannot be used: no address of this machine'],
    [[...args, '--port', '0', '--ops-port', port], `ops port ${port} on 127.0.0.1 is already in use`],
    [[...args, ...free, '--port', '99999'], 'whole number from 0 to 65535'],
    [
      ['--snapshot', `${current}-not`, '--store', store, ...free],
      'run `malaria-risk build --country DIR --publish` first',
    ],
    [[...args, ...free, '--cors-origin', 'example.org/'], 'expected an origin'],
    [[...args, ...free, '--log', '0'], 'expected true or false'],
  ] as const) {
    const done = await runHere(['serve', ...more]);
    expect([done.code, done.stdout]).toEqual([2, '']);
    expect(done.stderr).toContain(message);
    expect(done.stderr.trim().split('\n')).toHaveLength(1);
  }
  for (const value of ['', '0', 'yes']) {
    const { code, stderr } = await runHere(['serve', ...args, ...free], { MALARIA_LOG: value });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/MALARIA_LOG.*expected true or false/)]);
  }
  const nothing = [`sqlite:${join(current, '..', 'never')}`, `${current}-not`] as const;
  expect((await runHere(['serve', '--store', nothing[0], '--snapshot', nothing[1], ...free])).code).toBe(2);
  expect(existsSync(join(current, '..', 'never'))).toBe(false);
  rmSync(join(current, 'v1/periods.json'));
  const damaged = await runHere(['serve', ...args, ...free]);
  expect([damaged.code, damaged.stderr]).toEqual([
    2,
    expect.stringContaining('is damaged: v1/periods.json is missing'),
  ]);
});
