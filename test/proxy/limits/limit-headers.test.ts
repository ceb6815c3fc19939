import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decimal, limitLines } from '../../../proxy/limits/limit-headers.ts';

test('whatever was written before, the policy is that of the verdict', () => {
  const standing = fc.record({ limit: fc.integer({ min: 1, max: 3 }), remaining: fc.nat(3), resetSeconds: fc.nat(3) });
  const seconds = fc.constantFrom(2_592_000, 2_678_400);
  const month = fc.tuple(standing, seconds).map(([months, windowSeconds]) => ({ ...months, windowSeconds }));
  const verdict = fc.record({ refusedBy: fc.constant(null), minute: standing, month: fc.option(month) });
  fc.assert(
    fc.property(fc.array(verdict, { minLength: 20, maxLength: 20 }), (verdicts) => {
      for (const each of verdicts) {
        const { minute: m, month: M } = each;
        expect(limitLines(each).split('\r\n')).toEqual([
          `ratelimit-policy: "minute";q=${m.limit};w=60${M ? `, "month";q=${M.limit};w=${M.windowSeconds}` : ''}`,
          `ratelimit: "minute";r=${m.remaining};t=${m.resetSeconds}${M ? `, "month";r=${M.remaining};t=${M.resetSeconds}` : ''}`,
          '',
        ]);
      }
    }),
  );
});

test('a count is written as any number is', () => {
  const counts = fc.oneof(fc.nat(2000), fc.maxSafeNat(), fc.constantFrom(999_999, 1_000_000, 1_000_001));
  fc.assert(fc.property(counts, (n) => decimal(n) === String(n)));
});
