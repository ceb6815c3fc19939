import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addGrants, countOf, createLog, dropOld, grantAt } from '../../../proxy/limits/sliding-log.ts';

test('the log agrees with a plain list of times for any sequence of requests', () => {
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
        // Some are added one by one, the rest at once, as after a restart.
        const apart = Math.min(burst, 3);
        for (let i = 0; i < apart; i++) addGrants(log, now);
        if (burst > apart) addGrants(log, now, burst - apart);
        for (let i = 0; i < burst; i++) model.push(now);
        expect(Array.from({ length: countOf(log) }, (_, i) => grantAt(log, i))).toEqual(model);
        expect(grantAt(log, countOf(log))).toBeUndefined();
      }
    }),
  );
});

test('a request leaves the log after exactly one span', () => {
  const log = createLog();
  addGrants(log, 5);
  dropOld(log, 1004, 1000);
  expect(countOf(log)).toBe(1);
  dropOld(log, 1005, 1000);
  expect(countOf(log)).toBe(0);
});

test('a long log frees its memory', () => {
  const log = createLog();
  for (let i = 0; i < 5000; i++) addGrants(log, i);
  dropOld(log, 5500, 1000);
  expect([countOf(log), log.times.length]).toEqual([499, 499]);
  dropOld(log, 10_000, 1000);
  expect(log).toEqual(createLog());
});
