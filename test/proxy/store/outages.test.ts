/**
 * Several proxies on one PostgreSQL, while it is stopped, killed, paused, full, read-only and cut off: never a grant
 * too many, never a revoked key admitted, 503 within a second, and back without a restart.
 */
import { spawnSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { beforeEach, describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../../pipeline/lib/clock.ts';
import type { AccountStore } from '../../../proxy/store/account-store.ts';
import { type Gate, openGate } from '../../../proxy/store/gate.ts';
import { rowsIn } from '../../support/proxy/backends.ts';
import { openStore } from '../../support/proxy/open-store.ts';
import { missingServers, type RealServer, startPostgres, startRelay } from '../../support/proxy/real-servers.ts';
import { giveKey } from '../../support/proxy/service.ts';

const WAIT = { timeout: 60_000, interval: 20 };
/** A request is answered within a second; the rest is for a busy machine. */
const IN_TIME_MS = 2000;

/** prlimit, part of util-linux, limits how much a process may write. */
const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0;

interface Proxy {
  gate: Gate;
  store: AccountStore;
  reports: string[];
}
type Outcome = 'granted' | 'refused' | 'nobody' | 'unavailable';

describe.skipIf(missingServers.length > 0)('several proxies during outages', () => {
  let postgres: RealServer;
  beforeEach(async () => {
    postgres = await startPostgres(inject('postgres')!.data);
    return () => postgres.remove();
  });

  async function openProxy(options: { url?: string; perMinute?: number; perMonth?: number } = {}): Promise<Proxy> {
    const { url = postgres.url, perMinute = 100_000, perMonth = 100_000 } = options;
    const store = await openStore(url);
    const reports: string[] = [];
    const report = (line: string) => void reports.push(line);
    const gate = await openGate(store.database, { perMinute, perMonth, clock: systemClock, report });
    onTestFinished(async () => {
      gate.close();
      await store.close();
    });
    return { gate, store, reports };
  }
  const ask = async ({ gate }: Proxy, key: string): Promise<Outcome> => {
    const from = performance.now();
    const admitted = await gate.admit(key);
    expect(performance.now() - from).toBeLessThan(IN_TIME_MS);
    if (!admitted) return 'nobody';
    if (admitted === 'unavailable') return 'unavailable';
    return admitted.verdict.refusedBy === null ? 'granted' : 'refused';
  };
  const until = (proxy: Proxy, key: string, outcome: Outcome) =>
    vi.waitFor(async () => expect(await ask(proxy, key)).toBe(outcome), WAIT);
  const sql = async (text: string) => {
    const client = new pg.Client({ connectionString: postgres.url });
    client.on('error', () => {});
    await client.connect();
    for (const statement of text.split(';')) await client.query(statement);
    await client.end();
  };

  test.each<[string, () => Promise<unknown> | unknown, () => Promise<unknown> | unknown]>([
    ['is restarted', () => postgres.stop(), () => postgres.start()],
    ['is killed', () => postgres.kill(), () => postgres.start()],
    ['hangs', () => postgres.pause(), () => postgres.resume()],
    [
      'becomes read-only',
      () => sql('ALTER SYSTEM SET default_transaction_read_only = on; SELECT pg_reload_conf()').then(() => pause(200)),
      () =>
        sql(
          'SET default_transaction_read_only = off; ALTER SYSTEM RESET default_transaction_read_only; SELECT pg_reload_conf()',
        ),
    ],
  ])('when PostgreSQL %s, requests are a 503 in time and work again by themselves', async (_name, harm, repair) => {
    const proxies = [await openProxy(), await openProxy()];
    const { key } = await giveKey(proxies[0]!.store);
    const { id, key: revoked } = await giveKey(proxies[0]!.store);
    for (const proxy of proxies) for (const each of [key, revoked]) expect(await ask(proxy, each)).toBe('granted');
    await proxies[1]!.store.revokeKey(id, Date.now());
    await harm();
    for (const proxy of proxies) {
      await until(proxy, key, 'unavailable');
      for (let i = 0; i < 3; i++) {
        expect(['unavailable', 'nobody']).toContain(await ask(proxy, revoked));
        expect(await ask(proxy, key)).toBe('unavailable');
      }
      expect(await proxy.gate.whyUnavailable()).toMatch(/^keys and limits: store: PostgreSQL cannot be used: /);
    }
    await repair();
    for (const proxy of proxies) {
      await until(proxy, key, 'granted');
      expect(await ask(proxy, revoked)).toBe('nobody');
      expect(await proxy.gate.whyUnavailable()).toBeNull();
    }
  });

  test('a proxy that is cut off from PostgreSQL admits nobody, and the others continue', async () => {
    const relay = await startRelay(postgres.port);
    onTestFinished(relay.close);
    const cut = await openProxy({ url: postgres.url.replace(String(postgres.port), String(relay.port)) });
    const connected = await openProxy();
    const { id, key } = await giveKey(connected.store);
    for (const sever of [relay.cut, relay.stall]) {
      for (const proxy of [cut, connected]) await until(proxy, key, 'granted');
      sever();
      expect([await ask(cut, key), await ask(connected, key)]).toEqual(['unavailable', 'granted']);
      relay.heal();
    }
    relay.cut();
    await connected.store.revokeKey(id, Date.now());
    expect(await ask(connected, key)).toBe('nobody');
    relay.heal();
    await until(cut, key, 'nobody');
  });

  test.skipIf(!hasPrlimit)('on a full disk requests are a 503, and work again once there is space', async () => {
    const proxy = await openProxy({ perMinute: 50 });
    const { key } = await giveKey(proxy.store, { kind: 'test' });
    expect(await ask(proxy, key)).toBe('granted');
    postgres.fillDisk();
    await until(proxy, key, 'unavailable');
    for (let i = 0; i < 5; i++) expect(await ask(proxy, key)).toBe('unavailable');
    expect(await proxy.gate.whyUnavailable()).toMatch(/^keys and limits: store: PostgreSQL cannot be used: /);
    // Without its log PostgreSQL stops, and its supervisor starts it again.
    await postgres.kill();
    await postgres.start();
    await until(proxy, key, 'granted');
    expect(await proxy.gate.whyUnavailable()).toBeNull();
  });

  test('when PostgreSQL is killed under load, minute and month grant no more than they allow', async () => {
    const [perMinute, perMonth] = [150, 400];
    const proxies = [await openProxy({ perMinute, perMonth }), await openProxy({ perMinute, perMonth })];
    const keys = [await giveKey(proxies[0]!.store), await giveKey(proxies[0]!.store), await giveKey(proxies[0]!.store)];
    const grants = keys.map(() => 0);
    let stop = false;
    const client = async (i: number) => {
      while (!stop) {
        const which = i % keys.length;
        if ((await ask(proxies[i % 2]!, keys[which]!.key)) === 'granted') grants[which]!++;
        await pause(2);
      }
    };
    const clients = Promise.all(Array.from({ length: 6 }, (_, i) => client(i)));
    const total = () => grants.reduce((sum, count) => sum + count, 0);
    for (const wanted of [60, 140, 250]) {
      await vi.waitFor(() => expect(total()).toBeGreaterThan(wanted), WAIT);
      await postgres.kill();
      await postgres.start();
    }
    await vi.waitFor(() => expect(total()).toBeGreaterThan(perMonth - 20), WAIT);
    await pause(500);
    stop = true;
    await clients;
    // A grant whose answer was lost with the server counts, but was not received.
    expect(total()).toBeLessThanOrEqual(perMonth);
    for (const count of grants) expect(count).toBeLessThanOrEqual(perMinute);
    const { id } = (await proxies[0]!.store.findAccount('ministry'))!;
    const used = await proxies[0]!.store.usage.grantedInMonth(id, Date.now());
    expect([used >= total(), used <= perMonth]).toEqual([true, true]);
    const counted = await rowsIn(postgres.url, 'SELECT sum(granted)::int AS n FROM seconds');
    expect(counted[0]!.n, 'both or neither').toBe(used);
  });

  test('limits are exact whatever the isolation level that the server has by default', async () => {
    await sql("ALTER SYSTEM SET default_transaction_isolation = 'repeatable read'; SELECT pg_reload_conf()");
    await pause(200);
    const proxies = [await openProxy({ perMonth: 100 }), await openProxy({ perMonth: 100 })];
    const keys = [await giveKey(proxies[0]!.store), await giveKey(proxies[0]!.store)];
    const asked = proxies.flatMap((proxy) =>
      keys.flatMap(({ key }) => Array.from({ length: 40 }, () => ask(proxy, key))),
    );
    const outcomes = await Promise.all(asked);
    expect(outcomes.filter((outcome) => outcome === 'granted').length).toBe(100);
    expect(outcomes.filter((outcome) => outcome === 'refused').length).toBe(60);
  });

  test('while somebody holds the rows of one owner, others are served, and what was given up is not charged', async () => {
    const proxy = await openProxy();
    const [stuck, other] = [
      await giveKey(proxy.store, { owner: 'stuck' }),
      await giveKey(proxy.store, { owner: 'other' }),
    ];
    for (const { key } of [stuck, other]) expect(await ask(proxy, key)).toBe('granted');
    // More keys than there are connections.
    const more = await Promise.all(Array.from({ length: 12 }, () => giveKey(proxy.store, { owner: 'stuck' })));
    for (const { key } of more) expect(await ask(proxy, key)).toBe('granted');
    const { id } = (await proxy.store.findAccount('stuck'))!;
    const holder = new pg.Client({ connectionString: postgres.url });
    // The server is killed first if the test fails.
    holder.on('error', () => {});
    await holder.connect();
    onTestFinished(() => holder.end());
    await holder.query('BEGIN');
    await holder.query('SELECT * FROM months WHERE owner_id = $1 FOR UPDATE', [id]);
    // A steady stream, so that some are being decided when the row is released.
    const given: Promise<Outcome>[] = [];
    const keys = [stuck, ...more].map(({ key }) => key);
    const stream = setInterval(() => given.push(ask(proxy, keys[given.length % keys.length]!)), 5);
    onTestFinished(() => clearInterval(stream));
    for (let i = 0; i < 90; i++) {
      expect(await ask(proxy, other.key)).toBe('granted');
      await pause(20);
    }
    clearInterval(stream);
    await holder.query('COMMIT');
    const outcomes = await Promise.all(given);
    expect(outcomes.filter((outcome) => outcome === 'unavailable').length).toBeGreaterThan(40);
    await pause(1000);
    const granted = outcomes.filter((outcome) => outcome === 'granted').length;
    expect(await proxy.store.usage.grantedInMonth(id, Date.now())).toBe(1 + more.length + granted);
  });

  test('a proxy that may not decide requests is not ready', async () => {
    const first = await openProxy();
    const { key } = await giveKey(first.store);
    await sql(`CREATE ROLE guest LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO guest;
      GRANT INSERT, UPDATE ON probe TO guest; REVOKE SELECT ON keys FROM guest`);
    const guest = await openProxy({ url: postgres.url.replace('malaria@', 'guest@') });
    expect(await ask(guest, key)).toBe('unavailable');
    expect(await guest.gate.whyUnavailable()).toContain('permission denied');
    expect(await first.gate.whyUnavailable()).toBeNull();
  });
});
