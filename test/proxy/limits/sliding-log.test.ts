import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addGrant, createLog, dropOld, grantAt } from '../../../proxy/limits/sliding-log.ts';

test('agrees with a plain list of times, whatever comes when', () => {
  const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 30 })), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(steps, (waits) => {
      const log = createLog();
      let model: number[] = [];
      let now = 0;
      for (const [wait, burst] of waits) {
        now += wait;
        dropOld(log, now, 1000);
        model = model.filter((time) => now - time < 1000);
        for (let i = 0; i < burst; i++) {
          addGrant(log, now);
          model.push(now);
        }
        expect(Array.from({ length: log.count }, (_, i) => grantAt(log, i))).toEqual(model);
        expect(grantAt(log, log.count)).toBeUndefined();
      }
    }),
  );
});

test('a request leaves exactly one span after it', () => {
  const log = createLog();
  addGrant(log, 5);
  dropOld(log, 1004, 1000);
  expect(log.count).toBe(1);
  dropOld(log, 1005, 1000);
  expect(log.count).toBe(0);
});

test('a large ring is given back once empty', () => {
  const log = createLog();
  for (let i = 0; i < 5000; i++) addGrant(log, i);
  expect(log.times.length).toBe(8192);
  dropOld(log, 10_000, 1000);
  expect(log.times.length).toBe(16);
});
