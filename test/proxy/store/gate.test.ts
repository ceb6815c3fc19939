/** The guarantees of the gate on both stores: which keys are admitted, and exact limits. */
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { sql } from 'kysely';
import pg from 'pg';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Clock } from '../../../pipeline/lib/clock.ts';
import { accountStatus, keyStatus } from '../../../proxy/store/account-rules.ts';
import type { AccountStore } from '../../../proxy/store/account-store.ts';
import type { Admission, DefaultLimits } from '../../../proxy/store/admission.ts';
import type { Admitter } from '../../../proxy/store/database.ts';
import { type Gate, openGate } from '../../../proxy/store/gate.ts';
import { mintKey } from '../../../proxy/store/key-format.ts';
import { BACKENDS, rowsIn, type StoreUrls } from '../../support/proxy/backends.ts';
import { openStore } from '../../support/proxy/open-store.ts';
import { giveKey } from '../../support/proxy/service.ts';

const START = Date.parse('2026-03-10T12:00:00Z');

/**
 * Gives sessions in the PostgreSQL database at `url` a clock that tests set, functions which they find before the
 * server's own. @returns the URL of such sessions, and what sets the clock
 */
async function withClock(url: string): Promise<{ store: string; setClock: (ms: number) => Promise<unknown> }> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query(`CREATE SCHEMA test_clock; CREATE TABLE test_clock.clock AS SELECT ${START}::bigint AS ms;
    CREATE FUNCTION test_clock.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
      AS 'SELECT to_timestamp(ms / 1000.0) FROM test_clock.clock';
    CREATE FUNCTION test_clock.statement_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
      AS 'SELECT test_clock.clock_timestamp()'; CREATE SCHEMA ours`);
  const search = encodeURIComponent('-c search_path=ours,test_clock,pg_catalog');
  return {
    store: `${url}?options=${search}`,
    setClock: (ms) => client.query('UPDATE test_clock.clock SET ms = $1', [ms]),
  };
}

describe.each(BACKENDS.filter((backend) => !backend.skip))('$name', ({ name, newStore }) => {
  let now: number;
  let at: StoreUrls;
  let setClock: ((ms: number) => Promise<unknown>) | null;
  beforeEach(async () => {
    now = START;
    at = await newStore();
    setClock = null;
    if (name === 'PostgreSQL') ({ setClock, ...at } = await withClock(at.store));
  });
  const clock: Clock = { wallMs: () => now };

  test('a clock that was set back is reported until it has caught up, and requests go on', async () => {
    const store = await openStore(at.store);
    const lines: string[] = [];
    const report = (line: string, cause: string) => lines.push(`${cause}: ${line}`);
    const gate = await openGate(store.database, { perMinute: 5, perMonth: 100, clock, report });
    onTestFinished(async () => {
      gate.close();
      await store.close();
    });
    const probeAt = async (ms: number) => {
      now = ms;
      await setClock?.(ms);
      expect(await gate.whyUnavailable()).toBeNull();
      return lines.splice(0);
    };
    expect(await probeAt(START)).toEqual([]);
    expect(await probeAt(START - 59_000), 'clocks of several machines differ a little').toEqual([]);
    expect(await probeAt(START - 3_600_000)).toEqual([expect.stringMatching(/^clock: clock: 3600 s behind /)]);
    expect(await probeAt(START - 120_000)).toHaveLength(1);
    expect(await probeAt(START + 1000)).toEqual([]);
  });

  test('a clock that is set right after it ran ahead is reported, though nobody asks for the readiness', async () => {
    const store = await openStore(at.store);
    const lines: string[] = [];
    const report = (line: string) => lines.push(line);
    now = START + 3_600_000;
    await setClock?.(now);
    const options = { perMinute: 5, perMonth: 100, clock, report };
    const first = await openGate(store.database, options);
    // A gate that was opened a moment ago remembers it already.
    await vi.waitFor(async () => {
      expect((await sql`SELECT 1 FROM probe`.execute(store.database.db)).rows).toHaveLength(1);
    });
    first.close();
    const gate = await openGate(store.database, { ...options, clockCheckMs: 20 });
    onTestFinished(async () => {
      gate.close();
      await store.close();
    });
    now = START;
    await setClock?.(now);
    // The first may be of the check at the start.
    await vi.waitFor(() => expect(lines.length).toBeGreaterThan(1));
    for (const line of lines) expect(line).toMatch(/^clock: 3600 s behind /);
  });

  /** Opens the gate as another process would. */
  async function open(limits: Partial<DefaultLimits> = {}): Promise<{ store: AccountStore; gate: Gate }> {
    const store = await openStore(at.store);
    const defaults = { perMinute: 5, perMonth: 1_000_000, ...limits };
    const opened = await openGate(store.database, { ...defaults, clock, report: () => {} });
    onTestFinished(async () => {
      opened.close();
      await store.close();
    });
    let told = { ms: START, done: Promise.resolve<unknown>(null) };
    const admitNow: Gate['admit'] = async (key) => {
      if (setClock && told.ms !== now) told = { ms: now, done: setClock(now) };
      await told.done;
      return opened.admit(key);
    };
    return { store, gate: { ...opened, admit: admitNow } };
  }
  const admit = async (gate: Gate, key: string): Promise<Admission> => {
    const admitted = await gate.admit(key);
    if (!admitted || admitted === 'unavailable') throw new Error(`not admitted: ${JSON.stringify(admitted)}`);
    return admitted;
  };
  const granted = async (gate: Gate, key: string, times: number): Promise<number> => {
    let count = 0;
    // A hundred at once: PostgreSQL decides a key's requests one after the other, on a busy machine perhaps 500 a
    // second.
    for (let left = times; left > 0; left -= 100) {
      const all = await Promise.all(Array.from({ length: Math.min(left, 100) }, () => admit(gate, key)));
      count += all.filter(({ verdict }) => verdict.refusedBy === null).length;
    }
    return count;
  };

  describe('keys', () => {
    test('a change to a key or account takes effect from the next request on, in every process', async () => {
      const { store, gate } = await open({ perMinute: 100 });
      const { gate: other } = await open({ perMinute: 100 });
      const { id, key } = await giveKey(store, { scopes: ['forecasts'], kind: 'test' });
      const first = await admit(gate, key);
      expect(first.holder).toMatchObject({ keyId: id, kind: 'test', scopes: ['forecasts'] });
      for (const [change, admitted] of [
        [() => store.changeAccount('ministry', 'suspend', 1), false],
        [() => store.changeAccount('ministry', 'reinstate', 1), true],
        [() => store.setLimits('ministry', { perMinute: 70 }), true],
        [() => store.revokeKey(id, 1), false],
      ] as const) {
        await change();
        for (const each of [gate, other]) {
          expect([change.toString(), (await each.admit(key)) !== null]).toEqual([change.toString(), admitted]);
        }
      }
      const { key: second } = await giveKey(store);
      expect([await granted(gate, second, 1), await granted(other, second, 1)]).toEqual([1, 1]);
      await store.changeAccount('ministry', 'remove', 2);
      for (const each of [gate, other]) expect(await each.admit(second)).toBeNull();
    });

    test('a key is admitted exactly if its status and that of its account are active', async () => {
      const { store, gate } = await open({ perMinute: 1_000_000 });
      const { db } = store.database;
      const { id, key } = await giveKey(store);
      const time = fc.constantFrom(null, START - 1, START, START + 1);
      await fc.assert(
        fc.asyncProperty(
          fc.record({ revoked_at: time, expires_at: time }),
          fc.record({ unlocked_at: time, suspended_at: time, removed_at: time }),
          fc.constantFrom('organisation', 'researcher'),
          async (ofKey, ofAccount, kind) => {
            const account = { ...ofAccount, kind } as const;
            await db.updateTable('keys').set(ofKey).where('id', '=', id).execute();
            await db.updateTable('accounts').set(account).where('name', '=', 'ministry').execute();
            const isActive = keyStatus(ofKey, now) === 'active' && accountStatus(account) === 'active';
            expect((await gate.admit(key)) !== null).toBe(isActive);
          },
        ),
        { numRuns: 300 },
      );
    });

    test('a forged or mistyped key does not reach the store; one with a good tag does, and is unknown', async () => {
      const store = await openStore(at.store);
      onTestFinished(() => store.close());
      const { key } = await giveKey(store);
      let asked = 0;
      const database: typeof store.database = {
        ...store.database,
        openAdmitter(options) {
          const admitter = store.database.openAdmitter(options);
          const decide: Admitter['decide'] = (hash) => {
            asked++;
            return admitter.decide(hash);
          };
          return { decide, probe: () => admitter.probe(), close: () => admitter.close() };
        },
      };
      const limits = { perMinute: 5, perMonth: 5 };
      const gate = await openGate(database, { ...limits, clock, report: () => {} });
      onTestFinished(gate.close);
      const mistyped = `${key.slice(0, 20)}${key[20] === 'x' ? 'y' : 'x'}${key.slice(21)}`;
      for (const wrong of ['', 'nonsense', mistyped, mintKey('malaria', 'live', randomBytes(32))]) {
        expect(await gate.admit(wrong)).toBeNull();
      }
      expect(asked).toBe(0);
      const [secret] = await store.tagSecrets(now);
      expect(await gate.admit(mintKey('malaria', 'live', secret!))).toBeNull();
      expect(await gate.admit(key)).toMatchObject({ verdict: { refusedBy: null } });
      expect(asked).toBe(2);
    });

    test('with a new secret for tags, keys made before work until the stated time, and new ones from the start', async () => {
      const { store, gate } = await open({ perMinute: 1000 });
      const { key: old } = await giveKey(store, { now });
      await store.changeTagSecret(START + 60_000, now);
      const { key: between } = await giveKey(store, { now });
      now += 30_000;
      const { key: fresh } = await giveKey(store, { now });
      for (const key of [old, between]) expect(await granted(gate, key, 1)).toBe(1);
      // Noticed by a gate that was open before.
      await expect.poll(() => gate.admit(fresh), { timeout: 20_000 }).not.toBeNull();
      now = START + 60_000;
      for (const key of [old, between]) expect(await gate.admit(key)).toBeNull();
      expect(await granted(gate, fresh, 1)).toBe(1);
      expect((await store.tagSecrets(now)).length).toBe(1);
    });
  });

  test('requests are counted by day for each key, and by month for the owner', async () => {
    const { store, gate } = await open({ perMinute: 100 });
    const { id, key } = await giveKey(store);
    const { id: owner } = (await store.findAccount('ministry'))!;
    const { usage } = store;
    const row = { key_id: id, operation: 'periods' };
    for (const day of ['2025-01-01', '2026-03-09', '2026-03-10', '2026-03-10']) {
      const outcomes = [
        ['granted', 2],
        ['refused', 1],
      ] as const;
      await usage.add(outcomes.map(([outcome, count]) => ({ ...row, day, outcome, count, lastAt: 1 })));
    }
    expect(await usage.listUsage(owner, '2000-01-01')).toEqual([
      { ...row, day: '2026-03-09', granted: 2, refused: 1, key_name: 'test', kind: 'live' },
      { ...row, day: '2026-03-10', granted: 4, refused: 2, key_name: 'test', kind: 'live' },
    ]);
    expect(await usage.grantedInMonth(owner, now)).toBe(0);
    await granted(gate, key, 3);
    expect(await usage.grantedInMonth(owner, now)).toBe(3);
    expect(await usage.grantedInMonth(owner, Date.parse('2026-04-01'))).toBe(0);
  });

  describe('the minute', () => {
    test('at most N requests are granted in any 60 seconds, and the next at most a second after the oldest leaves', async () => {
      const { store, gate } = await open();
      const { key } = await giveKey(store, { kind: 'test' });
      now = START + 900;
      expect(await granted(gate, key, 2)).toBe(2);
      now = START + 30_000;
      expect(await granted(gate, key, 9)).toBe(3);
      expect((await admit(gate, key)).verdict).toEqual({
        refusedBy: 'minute',
        minute: { limit: 5, remaining: 0, resetSeconds: 31 },
        month: null,
      });
      now = START + 60_999;
      expect(await granted(gate, key, 9)).toBe(0);
      now += 1;
      expect(await granted(gate, key, 9)).toBe(2);
    });

    test('applies to each key separately, test or live', async () => {
      const { store, gate } = await open();
      const [{ key: a }, { key: b }] = [await giveKey(store, { kind: 'test' }), await giveKey(store)];
      expect(await granted(gate, a, 9)).toBe(5);
      expect(await granted(gate, b, 9)).toBe(5);
    });

    test('agrees with a plain list of grants in decision, remainder and reset while limits change', async () => {
      const { store, gate } = await open();
      const wait = fc.oneof(fc.constantFrom(0, 1, 59_999, 60_000, 61_000), fc.integer({ min: 0, max: 20_000 }));
      const limit = fc.integer({ min: 1, max: 12 });
      const step = fc.record({ wait, ask: fc.integer({ min: 1, max: 8 }), limit: fc.option(limit) });
      let run = 0;
      await fc.assert(
        fc.asyncProperty(limit, fc.array(step, { maxLength: 20 }), async (first, steps) => {
          const owner = `owner ${run++}`;
          const { key } = await giveKey(store, { owner, kind: 'test' });
          let perMinute = first;
          await store.setLimits(owner, { perMinute });
          const grants: number[] = [];
          for (const { wait, ask, limit: changed } of steps) {
            now += wait;
            if (changed !== null) {
              perMinute = changed;
              await store.setLimits(owner, { perMinute });
            }
            const leavesAt = (time: number) => (Math.floor(time / 1000) + 61) * 1000;
            for (let i = 0; i < ask; i++) {
              const counted = grants.filter((time) => now < leavesAt(time));
              const isGranted = counted.length < perMinute;
              if (isGranted) {
                counted.push(now);
                grants.push(now);
              }
              const leaves = leavesAt(counted[Math.max(0, counted.length - perMinute)]!);
              expect((await admit(gate, key)).verdict).toEqual({
                refusedBy: isGranted ? null : 'minute',
                minute: {
                  limit: perMinute,
                  remaining: Math.max(0, perMinute - counted.length),
                  resetSeconds: Math.ceil((leaves - now) / 1000),
                },
                month: null,
              });
            }
          }
        }),
        { numRuns: 30 },
      );
    });

    test('if the clock is set back, nothing is granted twice, and the minute waits until it has caught up', async () => {
      const { store, gate } = await open();
      const { key } = await giveKey(store, { kind: 'test' });
      expect(await granted(gate, key, 9)).toBe(5);
      for (const back of [START - 3_600_000, START - 1, START + 60_999]) {
        now = back;
        expect(await granted(gate, key, 9)).toBe(0);
      }
      now = START + 61_000;
      expect(await granted(gate, key, 3)).toBe(3);
      now = START;
      expect(await granted(gate, key, 9), 'what is granted now counts at the latest second').toBe(2);
      now = START + 121_999;
      expect(await granted(gate, key, 9)).toBe(0);
    });
  });

  describe('the month', () => {
    const generous = { perMinute: 1000, perMonth: 250 };

    test('applies to all live keys of the owner together, and is exact', async () => {
      const { store, gate } = await open(generous);
      const [{ key: a }, { key: b }] = [await giveKey(store), await giveKey(store)];
      const { key: trial } = await giveKey(store, { kind: 'test' });
      const { key: other } = await giveKey(store, { owner: 'other' });
      expect(await granted(gate, a, 200)).toBe(200);
      expect(await granted(gate, b, 200)).toBe(50);
      expect(await granted(gate, trial, 10)).toBe(10);
      expect(await granted(gate, other, 10)).toBe(10);
      expect((await admit(gate, a)).verdict).toEqual({
        refusedBy: 'month',
        minute: { limit: 1000, remaining: 800, resetSeconds: 61 },
        month: {
          limit: 250,
          remaining: 0,
          resetSeconds: (Date.UTC(2026, 3) - START) / 1000,
          windowSeconds: 31 * 86_400,
        },
      });
    });

    test('starts again at 00:00 UTC on the first, and not again if the clock is set back', async () => {
      const { store, gate } = await open(generous);
      const { key } = await giveKey(store);
      now = Date.parse('2026-03-31T23:59:59.500Z');
      expect(await granted(gate, key, 200)).toBe(200);
      expect((await admit(gate, key)).verdict.month).toMatchObject({ remaining: 49, resetSeconds: 1 });
      now += 500;
      expect(await granted(gate, key, 300)).toBe(250);
      now -= 500;
      expect((await admit(gate, key)).verdict).toMatchObject({ refusedBy: 'month', month: { remaining: 0 } });
    });

    test('a refusal by either limit charges neither, and if both refuse, the month is named', async () => {
      const { store, gate } = await open({ perMinute: 3, perMonth: 5 });
      const { key } = await giveKey(store);
      expect(await granted(gate, key, 50)).toBe(3);
      now += 61_000;
      expect(await granted(gate, key, 50)).toBe(2);
      now += 61_000;
      const { verdict } = await admit(gate, key);
      expect([verdict.refusedBy, verdict.minute.remaining]).toEqual(['month', 3]);
      await store.setLimits('ministry', { perMonth: 8 });
      expect(await granted(gate, key, 50)).toBe(3);
      expect((await admit(gate, key)).verdict.refusedBy, 'both').toBe('month');
    });

    test('changes to the allowance take effect at once', async () => {
      const { store, gate } = await open({ perMinute: 10_000, perMonth: 10_000 });
      const { key } = await giveKey(store);
      expect(await granted(gate, key, 100)).toBe(100);
      for (const [perMonth, more] of [
        [99, 0],
        [101, 1],
        [300, 199],
      ] as const) {
        await store.setLimits('ministry', { perMonth });
        expect(await granted(gate, key, 500)).toBe(more);
      }
      await store.setLimits('ministry', { perMonth: null });
      expect(await granted(gate, key, 10)).toBe(10);
    });
  });

  test('minute and month are exact over several processes that decide at once', async () => {
    const all = await Promise.all(Array.from({ length: 4 }, () => open({ perMinute: 300, perMonth: 500 })));
    const { store } = all[0]!;
    const [a, b] = [await giveKey(store, { owner: 'both' }), await giveKey(store, { owner: 'both' })];
    const trial = await giveKey(store, { owner: 'trial', kind: 'test' });
    const counts = await Promise.all(
      [a, b, trial].map(async ({ key }) => {
        let [asked, count] = [0, 0];
        const client = async (gate: Gate) => {
          while (asked++ < 600) {
            const isGranted = await granted(gate, key, 1);
            count += isGranted;
          }
        };
        await Promise.all(Array.from({ length: 32 }, (_, i) => client(all[i % all.length]!.gate)));
        return count;
      }),
    );
    expect(counts[0]! + counts[1]!).toBe(500);
    expect(Math.max(counts[0]!, counts[1]!)).toBeLessThanOrEqual(300);
    expect(counts[2]).toBe(300);
    // What is counted is what was granted.
    const { id: owner } = (await store.findAccount('both'))!;
    expect(await store.usage.grantedInMonth(owner, now)).toBe(500);
    const seconds = await rowsIn(at.store, 'SELECT key_id, granted FROM seconds');
    expect(Object.fromEntries(seconds.map(({ key_id, granted }) => [String(key_id), Number(granted)]))).toEqual({
      [a.id]: counts[0],
      [b.id]: counts[1],
      [trial.id]: counts[2],
    });
  });

  test('a key leaves at most 61 rows, however long it is used', async () => {
    const { store, gate } = await open({ perMinute: 1000 });
    const { key } = await giveKey(store, { kind: 'test' });
    for (let i = 0; i < 300; i++) {
      now += 1000;
      expect(await granted(gate, key, 1)).toBe(1);
    }
    expect((await rowsIn(at.store, 'SELECT * FROM seconds')).length).toBe(61);
    expect((await admit(gate, key)).verdict.minute.remaining).toBe(1000 - 62);
  });
});
