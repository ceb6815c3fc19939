import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { UsageRow } from '../../../proxy/store/row-types.ts';
import { UsageCounter } from '../../../proxy/store/usage-counts.ts';
import { BACKENDS, type Backend } from '../../support/proxy/backends.ts';
import { openStore } from '../../support/proxy/open-store.ts';
import { giveKey } from '../../support/proxy/service.ts';

const DAY_MS = 86_400_000;
const MIDNIGHT = Date.parse('2026-11-21');

async function setUp({ newStore }: Backend) {
  const { store: url } = await newStore();
  const store = await openStore(url);
  const { usage } = store;
  onTestFinished(() => store.close());
  const { id: live } = await giveKey(store);
  const { id: other } = await giveKey(store, { owner: 'other', kind: 'test' });
  const owner = (await store.findAccount('ministry'))!.id;
  let now = MIDNIGHT - 5;
  const counter = new UsageCounter(usage);
  const count = (key: string, operation: string, isRefused: boolean) =>
    counter.count(key, operation, isRefused ? 'refused' : 'granted', now);
  const listed = async (from = '2000-01-01') =>
    (await usage.listUsage(owner, from)).map(({ day, operation, granted, refused }) => [
      day,
      operation,
      granted,
      refused,
    ]);
  return {
    store,
    usage,
    url,
    counter,
    count,
    live,
    other,
    listed,
    set: (ms: number) => {
      now = ms;
    },
  };
}

describe.each(BACKENDS.filter((backend) => !backend.skip))('$name', (backend) => {
  test('requests are counted by UTC day and operation, separately for each owner, and batches add up', async () => {
    const { counter, count, live, other, listed, set } = await setUp(backend);
    for (let i = 0; i < 3; i++) count(live, 'periods', false);
    count(live, 'risk-lgas', true);
    count(other, 'periods', false);
    set(MIDNIGHT);
    count(live, 'periods', false);
    await counter.flush();
    await counter.flush();
    count(live, 'periods', false);
    await counter.flush();
    expect(await listed()).toEqual([
      ['2026-11-20', 'periods', 3, 0],
      ['2026-11-20', 'risk-lgas', 0, 1],
      ['2026-11-21', 'periods', 2, 0],
    ]);
    expect(await listed('2026-11-21')).toEqual([['2026-11-21', 'periods', 2, 0]]);
  });

  test('errors are counted by code and operation, separately for each owner, and batches add up', async () => {
    const { usage, store, counter, live, other } = await setUp(backend);
    const owner = (await store.findAccount('ministry'))!.id;
    const fail = (key: string, operation: string, code: string) => counter.count(key, operation, code, MIDNIGHT);
    for (const [key, operation, code] of [
      [live, 'risk-lgas', 'UNKNOWN_STATE'],
      [live, 'risk-lgas', 'UNKNOWN_STATE'],
      [live, 'none', 'NOT_FOUND'],
      [other, 'risk-lgas', 'UNKNOWN_STATE'],
    ] as const) {
      fail(key, operation, code);
      await counter.flush();
    }
    const listed = await usage.listErrors(owner, '2026-11-21');
    expect(listed.map(({ operation, code, count }) => [operation, code, Number(count)])).toEqual([
      ['risk-lgas', 'UNKNOWN_STATE', 2],
      ['none', 'NOT_FOUND', 1],
    ]);
    expect(await usage.listErrors(owner, '2026-11-22')).toEqual([]);
  });

  test('the time at which a key was last used is written with its counts, and never goes back', async () => {
    const { store, counter, count, live, set } = await setUp(backend);
    const noted = async () => (await store.listKeys('ministry'))[0]!.key.last_used_at;
    expect(await noted()).toBeNull();
    for (const [at, last] of [
      [7000.5, 7000],
      [6000, 7000],
      [9000, 9000],
    ] as const) {
      set(at);
      count(live, 'periods', at === 6000);
      count(live, 'risk-lgas', false);
      await counter.flush();
      expect(await noted()).toBe(last);
    }
  });

  test('counts that could not be written are kept, and written once the store works again', async () => {
    const { usage, live, listed } = await setUp(backend);
    let isGone = true;
    const counter = new UsageCounter({
      add: async (rows) => (isGone ? Promise.reject(new Error('gone')) : usage.add(rows)),
    });
    for (isGone of [true, true, false]) {
      counter.count(live, 'periods', 'granted', MIDNIGHT);
      await counter.flush().catch((error) => expect(error.message).toBe('gone'));
    }
    expect(await listed()).toEqual([['2026-11-21', 'periods', 3, 0]]);
  });

  test('counts more than 400 days old are deleted', async () => {
    const { counter, count, live, listed, set } = await setUp(backend);
    count(live, 'periods', false);
    await counter.flush();
    set(MIDNIGHT + 401 * DAY_MS);
    count(live, 'periods', false);
    await counter.flush();
    expect((await listed()).map(([day]) => day)).toEqual(['2027-12-27']);
  });
});

test('counts that cannot be written while another process is writing are kept for the next time', async () => {
  const { url, counter, count, live, listed } = await setUp(BACKENDS[0]!);
  const busy = new DatabaseSync(url.replace('sqlite:', ''));
  busy.exec('BEGIN IMMEDIATE');
  count(live, 'periods', false);
  await expect(counter.flush()).rejects.toThrow(/locked/);
  busy.exec('ROLLBACK');
  busy.close();
  count(live, 'periods', false);
  await counter.flush();
  expect(await listed()).toEqual([['2026-11-20', 'periods', 2, 0]]);
});

test('many rows are written in several batches, and a failing batch loses none', async () => {
  const batches: number[] = [];
  let fails = 1;
  const store = {
    add(rows: readonly UsageRow[]) {
      if (batches.length === 1 && fails-- > 0) throw new Error('full');
      batches.push(rows.length);
    },
  };
  const counter = new UsageCounter(store as never);
  for (let i = 0; i < 1200; i++) counter.count(`key_${i}`, 'periods', 'granted', MIDNIGHT);
  await expect(counter.flush()).rejects.toThrow('full');
  await counter.flush();
  expect(batches).toEqual([500, 500, 200]);
});
