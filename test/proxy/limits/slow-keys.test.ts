/** Keys that are looked up across the network, each for as long as it takes, with limits that are counted here. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Holder } from '../../../proxy/accounts/key-reader.ts';
import { momentOf } from '../../../proxy/clock.ts';
import { type Admission, composeGate } from '../../../proxy/limits/gate.ts';
import { openSqliteLimiter } from '../../../proxy/limits/sqlite-limiter.ts';

const START = Date.parse('2026-03-10T12:00:00Z');
const HOLDER: Holder = { keyId: 'k', ownerId: 'o', kind: 'test', scopes: [], perMinute: null, perMonth: null };

/** What happens at `at`: a request whose key is found `lookUp` later, or a restart once all is answered. */
const step = fc.record({
  after: fc.integer({ min: 0, max: 20_000 }),
  lookUp: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 6000 })),
  restarts: fc.boolean(),
});

test('no span of 60 seconds holds more requests, asked and answered in it, than are allowed, across restarts too', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'malaria-slow-'));
  let run = 0;
  const property = fc.asyncProperty(
    fc.integer({ min: 1, max: 5 }),
    fc.array(step, { maxLength: 40 }),
    async (perMinute, steps) => {
      let now = 0;
      const clock = { wallMs: () => START + now, steadyMs: () => 1000 + now };
      const file = join(folder, String(run++));
      let waiting: { at: number; find: (holder: Holder) => void; answered: Promise<unknown> }[] = [];
      const grants: { asked: number; answered: number }[] = [];
      const open = () => {
        const limiter = openSqliteLimiter(file, clock);
        const identify = () =>
          new Promise<Holder>((resolve) => {
            find = resolve;
          });
        return composeGate({ identify }, limiter, { perMinute, perMonth: 1 }, clock);
      };
      let find: (holder: Holder) => void;
      let gate = open();
      const pass = async (until: number) => {
        for (;;) {
          const [first] = waiting.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at);
          if (!first) break;
          now = Math.max(now, first.at);
          waiting = waiting.filter((other) => other !== first);
          first.find(HOLDER);
          await first.answered;
        }
        if (Number.isFinite(until)) now = Math.max(now, until);
      };
      for (const { after, lookUp, restarts } of steps) {
        await pass(now + after);
        if (restarts) {
          await pass(Number.POSITIVE_INFINITY);
          await gate.close();
          gate = open();
        }
        const asked = now;
        const admitted = gate.admit('key', momentOf(clock)) as Promise<Admission>;
        const answered = admitted.then(({ verdict }) => {
          expect(verdict.minute.resetSeconds).toBeLessThanOrEqual(60);
          if (verdict.refusedBy === null) grants.push({ asked, answered: now });
        });
        waiting.push({ at: asked + lookUp, find: find!, answered });
      }
      await pass(Number.POSITIVE_INFINITY);
      await gate.close();
      for (const { asked: from } of grants) {
        const within = grants.filter(({ asked, answered }) => asked >= from && answered < from + 60_000);
        expect(within.length).toBeLessThanOrEqual(perMinute);
      }
    },
  );
  const ask = (after: number, { lookUp = 0, restarts = false } = {}) => ({ after, lookUp, restarts });
  // Asked first and found last: taken for the minute's latest, it would let all of the others go too soon.
  const overtaken = [ask(0, { lookUp: 5001 }), ask(5000), ask(0), ask(0), ask(0)];
  const minuteLater = [ask(55_001, { restarts: true }), ask(0), ask(0), ask(0), ask(0)];
  try {
    await fc.assert(property, { numRuns: 100, examples: [[5, [...overtaken, ...minuteLater]]] });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
