/**
 * Several proxies with one PostgreSQL and one Redis, while these are stopped, killed, paused, emptied, replaced and cut
 * off. The tests assert at every step what must never happen, but not how long things take.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@redis/client';
import { afterEach, beforeEach, describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { openLink } from '../../../proxy/cluster/link.ts';
import { epochKey, keyKey } from '../../../proxy/cluster/names.ts';
import { openPostgres } from '../../../proxy/cluster/postgres.ts';
import { openSharedGate } from '../../../proxy/cluster/shared-gate.ts';
import type { GateTimes } from '../../../proxy/cluster/times.ts';
import { type AccountStore, storeIn } from '../../../proxy/store/account-store.ts';
import type { Gate } from '../../../proxy/store/gate.ts';
import { hashKey, mintKey } from '../../../proxy/store/key-format.ts';
import { rowsIn } from '../../support/proxy/backends.ts';
import {
  missingServers,
  type RealServer,
  startPostgres,
  startRedis,
  startRelay,
} from '../../support/proxy/real-servers.ts';
import { giveKey } from '../../support/proxy/service.ts';

/**
 * A minute of two seconds and a lease of one, so that what really takes a minute and a half is soon over. On a busy
 * machine the lease runs out now and then: then nobody is admitted, and clients retry.
 */
const QUICK: GateTimes = {
  leaseMs: 1000,
  marginMs: 100,
  beatMs: 100,
  deadlineMs: 10_000,
  confirmMs: 60_000,
  minuteMs: 2000,
};
const WAIT = { timeout: 60_000, interval: 20 };

describe.skipIf(missingServers.length > 0)('several proxies during outages', () => {
  let postgres: RealServer;
  let redis: RealServer;
  beforeEach(async () => {
    [postgres, redis] = await Promise.all([startPostgres(inject('postgres')!.data), startRedis()]);
  });
  afterEach(async () => {
    await Promise.all([postgres.remove(), redis.remove()]);
  });

  /** The store of one process. If `redisUrl` is null, it cannot pass changes on to Redis itself. */
  function openAccounts(redisUrl: string | null = redis.url, times: Partial<GateTimes> = {}): AccountStore {
    const store = storeIn(openPostgres(postgres.url, redisUrl, { ...QUICK, ...times }));
    onTestFinished(() => store.database.close());
    return store;
  }
  interface Proxy {
    gate: Gate;
    store: AccountStore;
    reports: string[];
  }
  async function openProxy(
    options: { url?: string; perMinute?: number; perMonth?: number; times?: Partial<GateTimes> } = {},
  ): Promise<Proxy> {
    const { url = redis.url, perMinute = 100_000, perMonth = 100_000, times = {} } = options;
    const reports: string[] = [];
    const store = openAccounts(url);
    const report = (line: string) => void reports.push(line);
    const gate = await openSharedGate({ store, url, perMinute, perMonth, report, times: { ...QUICK, ...times } });
    onTestFinished(() => gate.close());
    return { gate, store, reports };
  }
  const ask = async ({ gate }: Proxy, key: string): Promise<'granted' | 'refused' | 'nobody' | 'unavailable'> => {
    const admitted = await gate.admit(key, Date.now());
    if (!admitted) return 'nobody';
    if ('retrySeconds' in admitted) {
      expect(admitted.retrySeconds).toBeGreaterThan(0);
      return 'unavailable';
    }
    return admitted.verdict.refusedBy === null ? 'granted' : 'refused';
  };
  const until = (proxy: Proxy, key: string, answer: string) =>
    vi.waitFor(async () => expect(await ask(proxy, key)).toBe(answer), WAIT);
  /** The answer of `proxy` once it is available. */
  const settled = (proxy: Proxy, key: string) =>
    vi.waitFor(async () => {
      const answer = await ask(proxy, key);
      expect(answer).not.toBe('unavailable');
      return answer;
    }, WAIT);

  test('limits of minute and month are exact across four proxies', async () => {
    const times = { leaseMs: 60_000, deadlineMs: 60_000, minuteMs: 3_600_000 };
    const proxies = await Promise.all(
      Array.from({ length: 4 }, () => openProxy({ perMinute: 300, perMonth: 500, times })),
    );
    const keys: string[] = [];
    for (const owner of ['both', 'both', 'trial']) {
      const { key } = await giveKey(proxies[0]!.store, { owner, kind: owner === 'trial' ? 'test' : 'live' });
      keys.push(key);
    }
    const counts = await Promise.all(
      keys.map(async (key) => {
        const answers = Array.from({ length: 1000 }, (_, i) => ask(proxies[i % 4]!, key));
        return (await Promise.all(answers)).filter((answer) => answer === 'granted').length;
      }),
    );
    expect(counts[0]! + counts[1]!).toBe(500);
    expect(Math.max(counts[0]!, counts[1]!)).toBeLessThanOrEqual(300);
    expect(counts[2]).toBe(300);
  });

  test('a change that only the proxies copy to Redis is in force when the command returns', async () => {
    const proxies = [await openProxy(), await openProxy()];
    const writer = openAccounts(null);
    for (let i = 0; i < 5; i++) {
      const { id, key } = await giveKey(writer);
      for (const proxy of proxies) expect(await settled(proxy, key)).toBe('granted');
      await writer.revokeKey(id, Date.now());
      for (const proxy of proxies) expect(await settled(proxy, key)).toBe('nobody');
    }
  });

  test('a change whose writer dies before Redis has it is in force soon after', async () => {
    const proxy = await openProxy();
    const { id, key } = await giveKey(proxy.store);
    expect(await settled(proxy, key)).toBe('granted');
    const dying = openPostgres(postgres.url, null);
    onTestFinished(() => dying.close());
    void storeIn({ ...dying, confirm: () => new Promise(() => {}) }).revokeKey(id, Date.now());
    await until(proxy, key, 'nobody');
  });

  test('a copy that was read before a change does not replace it', async () => {
    const proxy = await openProxy();
    const { id, key } = await giveKey(proxy.store);
    expect(await settled(proxy, key)).toBe('granted');
    await proxy.store.revokeKey(id, Date.now());
    const link = await openLink(redis.url, 1000);
    onTestFinished(() => link.close());
    const [epoch] = await rowsIn(postgres.url, 'SELECT token FROM redis_epoch');
    const token = String(epoch!.token);
    await link.run('put', [epochKey(token), keyKey(token, hashKey(key))], [1, 'until', 'never']);
    expect(await settled(proxy, key)).toBe('nobody');
  });

  test('when Redis is killed under load, no more is granted than minute and month allow, and service resumes', async () => {
    const [perMinute, perMonth] = [40, 1000];
    const proxies = [await openProxy({ perMinute, perMonth }), await openProxy({ perMinute, perMonth })];
    const { key } = await giveKey(proxies[0]!.store);
    const grants: { from: number; to: number }[] = [];
    let lives = 0;
    let stop = false;
    const client = async (proxy: Proxy) => {
      while (!stop) {
        const from = performance.now();
        if ((await ask(proxy, key)) === 'granted') grants.push({ from, to: performance.now() });
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    };
    const clients = Promise.all([0, 1, 2, 3].map((i) => client(proxies[i % 2]!)));
    for (; lives < 3; lives++) {
      const before = grants.length;
      await vi.waitFor(() => expect(grants.length).toBeGreaterThanOrEqual(before + perMinute), WAIT);
      await redis.kill();
      await redis.start();
    }
    const before = grants.length;
    await vi.waitFor(() => expect(grants.length).toBeGreaterThan(before), WAIT);
    stop = true;
    await clients;
    // Any request that was sent and answered within a span shorter than the minute was granted within it.
    for (const { from } of grants) {
      const within = grants.filter((other) => other.from >= from && other.to < from + QUICK.minuteMs);
      expect(within.length).toBeLessThanOrEqual(perMinute);
    }
    expect(grants.length).toBeLessThanOrEqual(perMonth);
    // Each kill costs a block of 1%, and the answers on their way to each of the four clients.
    const rest = perMonth - grants.length - lives * (perMonth / 100 + 4);
    await proxies[0]!.store.setLimits('ministry', { perMinute: 100_000 });
    let more = 0;
    while ((await settled(proxies[0]!, key)) === 'granted') more++;
    expect(more).toBeGreaterThanOrEqual(rest);
    expect(more + grants.length).toBeLessThanOrEqual(perMonth);
  });

  test('a Redis restored with older data does not accept a revoked key again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'malaria-rdb-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const client = createClient({ url: redis.url });
    client.on('error', () => {});
    await client.connect();
    onTestFinished(() => client.destroy());
    const proxy = await openProxy({ perMonth: 100 });
    const { id, key } = await giveKey(proxy.store);
    const { key: other } = await giveKey(proxy.store, { owner: 'other' });
    expect(await settled(proxy, other)).toBe('granted');
    expect(await settled(proxy, key)).toBe('granted');
    await client.sendCommand(['SAVE']);
    const { dir } = (await client.configGet('dir')) as { dir: string };
    cpSync(join(dir, 'dump.rdb'), join(folder, 'dump.rdb'));
    await proxy.store.revokeKey(id, Date.now());
    for (let i = 0; i < 60; i++) expect(await settled(proxy, other)).toBe('granted');
    await redis.kill();
    cpSync(join(folder, 'dump.rdb'), join(dir, 'dump.rdb'));
    await redis.start();
    const revoked: string[] = [];
    await vi.waitFor(async () => {
      const answers = [await ask(proxy, key), await ask(proxy, other)];
      revoked.push(answers[0]!);
      expect(answers[1]).toBe('granted');
    }, WAIT);
    expect(revoked).not.toContain('granted');
    expect(await settled(proxy, key)).toBe('nobody');
    let granted = 62;
    while ((await settled(proxy, other)) === 'granted') granted++;
    // Either a block of 1 was lost, or none was open.
    expect([99, 100]).toContain(granted);
  });

  test('a Redis emptied while it is running does not grant the minute again', async () => {
    const proxy = await openProxy({ perMinute: 10, times: { minuteMs: 60_000 } });
    const { key } = await giveKey(proxy.store, { kind: 'test' });
    for (let i = 0; i < 10; i++) expect(await settled(proxy, key)).toBe('granted');
    const client = createClient({ url: redis.url });
    await client.connect();
    await client.flushAll();
    client.destroy();
    // Until the next epoch begins, and then for a minute of 60 s, of which this test checks one second.
    await vi.waitFor(async () => {
      const admitted = await proxy.gate.admit(key, Date.now());
      expect((admitted as { retrySeconds: number }).retrySeconds).toBeGreaterThan(30);
    }, WAIT);
    await vi.waitFor(() => expect(proxy.gate.unavailable()).toMatch(/nothing is granted for another [3-6]\d s/), WAIT);
    for (let i = 0; i < 20; i++) expect(await ask(proxy, key)).toBe('unavailable');
  });

  test.each([
    ['flushed its scripts', ['SCRIPT', 'FLUSH'], null],
    ['is full', ['CONFIG', 'SET', 'maxmemory', '1'], ['CONFIG', 'SET', 'maxmemory', '0']],
    ['was demoted', ['REPLICAOF', '127.0.0.1', '1'], ['REPLICAOF', 'NO', 'ONE']],
  ])('a Redis that %s makes the proxy unready at once, and is used again', async (_name, harm, repair) => {
    const proxy = await openProxy({ times: { leaseMs: 60_000, beatMs: 50 } });
    const { key } = await giveKey(proxy.store);
    expect(await settled(proxy, key)).toBe('granted');
    const client = createClient({ url: redis.url });
    client.on('error', () => {});
    await client.connect();
    onTestFinished(() => client.destroy());
    await client.sendCommand(harm);
    if (repair) {
      await vi.waitFor(() => expect(proxy.gate.unavailable()).toContain('Redis'), { timeout: 10_000 });
      await client.sendCommand(repair);
    }
    await until(proxy, key, 'granted');
    expect(proxy.gate.unavailable()).toBeNull();
  });

  test('while Redis hangs nobody is admitted, and a revocation is acknowledged once that is certain', async () => {
    const proxy = await openProxy({ times: { deadlineMs: 1000 } });
    const { id, key } = await giveKey(proxy.store);
    expect(await settled(proxy, key)).toBe('granted');
    redis.pause();
    expect(await ask(proxy, key)).toBe('unavailable');
    expect(await ask(proxy, key)).toBe('unavailable');
    const writer = openAccounts(redis.url, { deadlineMs: 1000 });
    await writer.revokeKey(id, Date.now());
    redis.resume();
    for (let i = 0; i < 50; i++) {
      expect(['unavailable', 'nobody']).toContain(await ask(proxy, key));
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await until(proxy, key, 'nobody');
    expect(proxy.reports).toContain('keys and limits: available again');
  });

  test('without PostgreSQL the keys in Redis are served until the lease runs out, and nobody after that', async () => {
    const proxy = await openProxy({ times: { leaseMs: 8000, deadlineMs: 1000 } });
    const { id, key } = await giveKey(proxy.store);
    const { key: unseen } = await giveKey(proxy.store, { owner: 'other' });
    expect(await settled(proxy, key)).toBe('granted');
    await postgres.kill();
    expect(await settled(proxy, key)).toBe('granted');
    expect(await ask(proxy, unseen)).toBe('unavailable');
    await expect(async () => proxy.store.revokeKey(id, Date.now())).rejects.toThrow(
      /^store: PostgreSQL cannot be used/,
    );
    expect(proxy.gate.unavailable()).toBeNull();
    await until(proxy, key, 'unavailable');
    expect(proxy.gate.unavailable()).toMatch(/PostgreSQL cannot be used/);
    await postgres.start();
    await until(proxy, key, 'granted');
    await vi.waitFor(() => expect(proxy.gate.unavailable()).toBeNull(), WAIT);
    await until(proxy, unseen, 'granted');
    await proxy.store.revokeKey(id, Date.now());
    expect(await settled(proxy, key)).toBe('nobody');
  });

  test('Redis has all keys before it decides: an unseen key works and a forged one is refused without PostgreSQL', async () => {
    const writer = openAccounts();
    const { key } = await giveKey(writer, { kind: 'test' });
    const proxy = await openProxy({ times: { leaseMs: 60_000, deadlineMs: 2000 } });
    await postgres.kill();
    expect(await ask(proxy, mintKey('malaria', 'live'))).toBe('nobody');
    expect(await ask(proxy, key)).toBe('granted');
  });

  test('an epoch of a version that copied keys one by one is completed before it continues', async () => {
    const first = await openProxy({ times: { leaseMs: 60_000 } });
    const { key } = await giveKey(first.store, { kind: 'test' });
    const [epoch] = await rowsIn(postgres.url, 'SELECT token FROM redis_epoch');
    const token = String(epoch!.token);
    const client = createClient({ url: redis.url });
    await client.connect();
    await client.del(keyKey(token, hashKey(key)));
    await client.hDel(epochKey(token), 'complete');
    client.destroy();
    expect(await ask(await openProxy(), key)).toBe('granted');
  });

  test('no request waits for a hanging PostgreSQL', async () => {
    const proxy = await openProxy({ times: { leaseMs: 60_000, deadlineMs: 2000 } });
    const { key } = await giveKey(proxy.store);
    const { key: unseen } = await giveKey(proxy.store, { owner: 'other' });
    expect(await settled(proxy, key)).toBe('granted');
    postgres.pause();
    expect(await settled(proxy, key)).toBe('granted');
    expect(await ask(proxy, unseen)).toBe('unavailable');
    postgres.resume();
    await until(proxy, unseen, 'granted');
  });

  test('a proxy cut off from Redis admits nobody, the others continue, and changes reach both', async () => {
    const relay = await startRelay(redis.port);
    onTestFinished(relay.close);
    const cut = await openProxy({ url: `redis://127.0.0.1:${relay.port}`, times: { deadlineMs: 1000 } });
    const connected = await openProxy();
    const { id, key } = await giveKey(connected.store);
    const { key: other } = await giveKey(connected.store);
    for (const proxy of [cut, connected]) expect(await settled(proxy, key)).toBe('granted');
    for (const sever of [relay.cut, relay.stall]) {
      sever();
      expect([await ask(cut, other), await settled(connected, other)]).toEqual(['unavailable', 'granted']);
      // The other proxy passes the change on, since this one is cut off from Redis.
      await cut.store.setLimits('ministry', { perMinute: 50_000 });
      relay.heal();
      await until(cut, other, 'granted');
    }
    relay.cut();
    await cut.store.revokeKey(id, Date.now());
    expect(await settled(connected, key)).toBe('nobody');
    relay.heal();
    await until(cut, key, 'nobody');
  });

  test('of two Redis servers the one with the lease decides, and the other once the lease has run out', async () => {
    const second = await startRedis();
    onTestFinished(() => second.remove());
    const times = { leaseMs: 6000, deadlineMs: 1000 };
    const first = await openProxy({ perMinute: 10, times });
    const { key } = await giveKey(first.store, { kind: 'test' });
    for (let i = 0; i < 10; i++) await ask(first, key);
    const stray = await openProxy({ url: second.url, perMinute: 10, times });
    for (let i = 0; i < 5; i++) {
      expect(await ask(stray, key)).toBe('unavailable');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    // The first Redis is gone from here on: its proxy may not continue, and the other begins after a quiet minute.
    const { id, key: revoked } = await giveKey(first.store, { kind: 'test' });
    expect(await settled(first, revoked)).toBe('granted');
    redis.pause();
    await openAccounts(redis.url, times).revokeKey(id, Date.now());
    await until(stray, key, 'granted');
    redis.resume();
    expect(await settled(stray, revoked)).toBe('nobody');
    for (let i = 0; i < 10; i++) expect(['unavailable', 'nobody']).toContain(await ask(first, revoked));
    expect(await ask(first, key)).toBe('unavailable');
  });

  test('a Redis that may evict keys, a replica, or none at all is refused in one line', async () => {
    const db = () => openAccounts();
    const open = (url: string) =>
      openSharedGate({ store: db(), url, perMinute: 1, perMonth: 1, report: () => {}, times: QUICK });
    const evicting = await startRedis('--maxmemory', '10mb', '--maxmemory-policy', 'allkeys-lru');
    onTestFinished(() => evicting.remove());
    await expect(open(evicting.url)).rejects.toThrow(
      /^limits: Redis cannot be used: its maxmemory-policy is allkeys-lru/,
    );
    const replica = await startRedis('--replicaof', '127.0.0.1', String(redis.port));
    onTestFinished(() => replica.remove());
    await expect(open(replica.url)).rejects.toThrow(/it is a replica; give the address of the primary/);
    await expect(open('redis://:secret@127.0.0.1:1')).rejects.toThrow(
      /^limits: Redis cannot be used: [^\n]*ECONNREFUSED/,
    );
    await expect(open('redis://:secret@host:port')).rejects.toThrow(/^limits: expected redis:/);
    await postgres.stop();
    await expect(open(redis.url)).rejects.toThrow(/^store: PostgreSQL cannot be used: [^\n]*ECONNREFUSED/);
  });
});
