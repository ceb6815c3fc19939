import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addGrants, createLog, dropOld, grantAt } from '../../../proxy/limits/sliding-log.ts';

test('agrees with a plain list of times, whatever comes when', () => {
  // Short waits fill the ring while it goes round, so that it grows wherever it begins.
  const wait = fc.oneof({ weight: 9, arbitrary: fc.nat(40) }, { weight: 1, arbitrary: fc.nat(1000) });
  const steps = fc.array(fc.tuple(wait, fc.nat(30)), { size: 'max', maxLength: 150 });
  fc.assert(
    fc.property(steps, (waits) => {
      const log = createLog();
      let model: number[] = [];
      let now = 0;
      for (const [wait, burst] of waits) {
        now += wait;
        dropOld(log, now, 1000);
        model = model.filter((time) => now - time < 1000);
        // Some one by one, the rest at once, as after a restart.
        const apart = Math.min(burst, 3);
        for (let i = 0; i < apart; i++) addGrants(log, now);
        if (burst > apart) addGrants(log, now, burst - apart);
        for (let i = 0; i < burst; i++) model.push(now);
        expect(Array.from({ length: log.count }, (_, i) => grantAt(log, i))).toEqual(model);
        expect(grantAt(log, log.count)).toBeUndefined();
      }
    }),
  );
});

test('a request leaves exactly one span after it', () => {
  const log = createLog();
  addGrants(log, 5);
  dropOld(log, 1004, 1000);
  expect(log.count).toBe(1);
  dropOld(log, 1005, 1000);
  expect(log.count).toBe(0);
});

test('a large ring is given back once empty', () => {
  const log = createLog();
  for (let i = 0; i < 5000; i++) addGrants(log, i);
  expect(log.times.length).toBe(8192);
  dropOld(log, 10_000, 1000);
  expect(log.times.length).toBe(16);
});

test('requests of one moment take one place, however many they are', () => {
  const log = createLog();
  for (let i = 0; i < 5000; i++) addGrants(log, Math.floor(i / 1000));
  expect([log.count, log.times.length]).toEqual([5000, 16]);
  expect([0, 999, 1000, 4999].map((index) => grantAt(log, index))).toEqual([0, 0, 1, 4]);
});
