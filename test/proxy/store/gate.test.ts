/** The guarantees of every form of the gate: which keys are admitted, and exact limits. */
import fc from 'fast-check';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Clock } from '../../../pipeline/lib/clock.ts';
import { openSharedGate } from '../../../proxy/cluster/shared-gate.ts';
import { backendsOf, DEFAULT_LIMITS } from '../../../proxy/server/backends.ts';
import type { AccountStore } from '../../../proxy/store/account-store.ts';
import type { Admission, DefaultLimits, Gate } from '../../../proxy/store/gate.ts';
import { mintKey } from '../../../proxy/store/key-format.ts';
import { BACKENDS, removeServersAtEnd, type StoreUrls } from '../../support/proxy/backends.ts';
import { openStore } from '../../support/proxy/open-store.ts';
import { giveKey, PATIENT } from '../../support/proxy/service.ts';

removeServersAtEnd();

const START = Date.parse('2026-03-10T12:00:00Z');

describe.each(BACKENDS.filter((backend) => !backend.skip))('$name', ({ name, newStore }) => {
  let now: number;
  let at: StoreUrls;
  beforeEach(async () => {
    now = START;
    at = await newStore();
  });

  const clock: Clock = { wallMs: () => now, steadyMs: () => now - START + 1000 };

  async function open(limits: Partial<DefaultLimits> = {}): Promise<{ store: AccountStore; gate: Gate }> {
    const store = await openStore(at.store, at.limits);
    const defaults = { perMinute: 5, perMonth: 1_000_000, ...limits };
    const report = () => {};
    // Redis's clock cannot be set, so the limits use the test's.
    const gate =
      at.limits !== DEFAULT_LIMITS
        ? await openSharedGate({ store, url: at.limits, report, clock: () => now * 1000, times: PATIENT, ...defaults })
        : await backendsOf(at).openGate(store, { clock, report, ...defaults });
    onTestFinished(async () => {
      await gate.close();
      await store.close();
    });
    return { store, gate };
  }
  const admit = async (gate: Gate, key: string): Promise<Admission> => {
    const admitted = await gate.admit(key, now);
    if (!admitted || 'retrySeconds' in admitted) throw new Error(`not admitted: ${JSON.stringify(admitted)}`);
    return admitted;
  };
  const granted = async (gate: Gate, key: string, times: number): Promise<number> => {
    const all = await Promise.all(Array.from({ length: times }, () => admit(gate, key)));
    return all.filter(({ verdict }) => verdict.refusedBy === null).length;
  };

  describe('keys', () => {
    test('a change to a key or account takes effect from the next request on', async () => {
      const { store, gate } = await open({ perMinute: 100 });
      const { id, key } = await giveKey(store, { scopes: ['forecasts'], kind: 'test' });
      const isAdmitted = async () => (await gate.admit(key, now)) !== null;
      const first = await admit(gate, key);
      expect(first.holder).toMatchObject({ keyId: id, kind: 'test', scopes: ['forecasts'] });
      for (const [change, admitted] of [
        [() => store.changeAccount('ministry', 'suspend', 1), false],
        [() => store.changeAccount('ministry', 'suspend', 1), false],
        [() => store.changeAccount('ministry', 'reinstate', 1), true],
        [() => store.setLimits('ministry', { perMinute: 70 }), true],
        [() => store.revokeKey(id, 1), false],
        [() => store.revokeKey(id, 1), false],
      ] as const) {
        await change();
        expect([change.toString(), await isAdmitted()]).toEqual([change.toString(), admitted]);
      }
      const { key: second } = await giveKey(store);
      expect(await granted(gate, second, 1)).toBe(1);
      await store.changeAccount('ministry', 'remove', 2);
      expect(await gate.admit(second, now)).toBeNull();
    });

    test('an unknown key is refused, however often it is tried, until it is created', async () => {
      const { store, gate } = await open();
      const key = mintKey('malaria', 'live');
      for (let i = 0; i < 3; i++) expect(await gate.admit(key, now)).toBeNull();
      await store.createAccount('organisation', 'acme', 1);
      await store.createKey(
        { owner: 'acme', name: 'n', kind: 'live', scopes: ['forecasts'], expiresAt: null, secret: key },
        1,
      );
      expect((await admit(gate, key)).holder.scopes).toEqual(['forecasts']);
    });

    test('expiry is exact to the millisecond, even for a key already seen', async () => {
      const { store, gate } = await open();
      const { key } = await giveKey(store, { expiresAt: START + 5000, now: 1000 });
      now = START + 4999;
      expect(await granted(gate, key, 1)).toBe(1);
      now = START + 5000;
      expect(await gate.admit(key, now)).toBeNull();
    });
  });

  test('requests are counted by day for each key, and by month for the owner', async () => {
    const { store, gate } = await open({ perMinute: 100 });
    const { id, key } = await giveKey(store);
    const { id: owner } = (await store.findAccount('ministry'))!;
    const { usage } = store;
    const row = { key_id: id, operation: 'periods', refused: 1 };
    for (const day of ['2025-01-01', '2026-03-09', '2026-03-10', '2026-03-10']) {
      await usage.add([{ ...row, day, granted: 2, at: 1 }]);
    }
    expect(await usage.listUsage(owner, '2000-01-01')).toEqual([
      { ...row, day: '2026-03-09', granted: 2, key_name: 'test', kind: 'live' },
      { ...row, day: '2026-03-10', granted: 4, refused: 2, key_name: 'test', kind: 'live' },
    ]);
    now = Date.now();
    expect(await gate.monthUsed(owner)).toBe(0);
    await granted(gate, key, 3);
    expect(await gate.monthUsed(owner)).toBe(3);
  });

  describe('the minute', () => {
    // A single machine has a steady clock; see the tests of the SQLite limiter.
    if (name !== 'SQLite')
      test("if Redis's clock is set back, its minutes wait until it has caught up", async () => {
        const { store, gate } = await open();
        const { key } = await giveKey(store, { kind: 'test' });
        expect(await granted(gate, key, 9)).toBe(5);
        now -= 3_600_000;
        expect(await granted(gate, key, 9)).toBe(0);
        now = START + 59_999;
        expect(await granted(gate, key, 9)).toBe(0);
        now = START + 60_000;
        expect(await granted(gate, key, 9)).toBe(5);
      });

    test('at most N requests are granted in any 60 seconds, the next exactly when the oldest expires', async () => {
      const { store, gate } = await open();
      const { key } = await giveKey(store, { kind: 'test' });
      expect(await granted(gate, key, 2)).toBe(2);
      now += 30_000;
      expect(await granted(gate, key, 9)).toBe(3);
      expect((await admit(gate, key)).verdict).toEqual({
        refusedBy: 'minute',
        minute: { limit: 5, remaining: 0, resetSeconds: 30 },
        month: null,
      });
      now += 29_999;
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

    test('never grants more or less than N in a span, compared with a naive model', async () => {
      const { store, gate } = await open();
      const step = fc.record({ wait: fc.integer({ min: 0, max: 20_000 }), ask: fc.integer({ min: 1, max: 8 }) });
      let run = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 1, max: 30 }),
          fc.array(step, { maxLength: 25 }),
          async (perMinute, steps) => {
            const owner = `owner ${run++}`;
            const { key } = await giveKey(store, { owner, kind: 'test' });
            await store.setLimits(owner, { perMinute });
            let grants: number[] = [];
            for (const { wait, ask } of steps) {
              now += wait;
              grants = grants.filter((time) => now - time < 60_000);
              const room = perMinute - grants.length;
              const got = await granted(gate, key, ask);
              expect(got).toBe(Math.min(ask, room));
              grants.push(...Array.from({ length: got }, () => now));
            }
          },
        ),
        { numRuns: 25 },
      );
    });

    test('a lowered limit takes effect at once and reports when requests will be granted again', async () => {
      const { store, gate } = await open();
      const { key } = await giveKey(store, { kind: 'test' });
      await granted(gate, key, 2);
      now += 10_000;
      await granted(gate, key, 3);
      await store.setLimits('ministry', { perMinute: 2 });
      expect((await admit(gate, key)).verdict).toMatchObject({
        refusedBy: 'minute',
        minute: { limit: 2, remaining: 0, resetSeconds: 60 },
      });
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
        minute: { limit: 1000, remaining: 800, resetSeconds: 60 },
        month: {
          limit: 250,
          remaining: 0,
          resetSeconds: (Date.UTC(2026, 3) - START) / 1000,
          windowSeconds: 31 * 86_400,
        },
      });
    });

    test('starts again at 00:00 UTC on the first', async () => {
      const { store, gate } = await open(generous);
      const { key } = await giveKey(store);
      now = Date.parse('2026-03-31T23:59:59.500Z');
      expect(await granted(gate, key, 300)).toBe(250);
      expect((await admit(gate, key)).verdict.month?.resetSeconds).toBe(1);
      now += 500;
      expect(await granted(gate, key, 300)).toBe(250);
    });

    test('a refusal by either limit charges neither', async () => {
      const { store, gate } = await open({ perMinute: 3, perMonth: 5 });
      const { key } = await giveKey(store);
      expect(await granted(gate, key, 50)).toBe(3);
      now += 60_000;
      expect(await granted(gate, key, 50)).toBe(2);
      now += 60_000;
      const { verdict } = await admit(gate, key);
      expect([verdict.refusedBy, verdict.minute.remaining]).toEqual(['month', 3]);
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
});
