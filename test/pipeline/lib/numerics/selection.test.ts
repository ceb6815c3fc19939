import { expect, test } from 'vitest';
import { quantile } from '../../../../pipeline/lib/numerics/quantiles.ts';
import { randomStream } from '../../../../pipeline/lib/numerics/random.ts';
import { quickselect, selectQuantiles } from '../../../../pipeline/lib/numerics/selection.ts';

test('the k-th smallest value is the one at index k after sorting, and separates smaller from larger values', () => {
  const random = randomStream(1, 'selection');
  for (let n = 1; n < 60; n++) {
    // few distinct values, so that many are equal
    const values = Float64Array.from({ length: n }, () => (n % 2 ? random.normal() : Math.floor(3 * random.uniform())));
    const sorted = values.slice().sort();
    for (let k = 0; k < n; k++) {
      const own = values.slice();
      expect(quickselect(own, k)).toBe(sorted[k]);
      expect(Math.max(...own.subarray(0, k))).toBeLessThanOrEqual(sorted[k]!);
      expect(Math.min(...own.subarray(k))).toBe(sorted[k]);
      expect(own.sort()).toEqual(sorted);
    }
  }
});

test('quantiles are those of sorted values', () => {
  const random = randomStream(2, 'selection');
  for (const n of [1, 2, 21, 40, 41, 1000]) {
    const values = Float64Array.from({ length: n }, () => random.normal());
    const sorted = values.slice().sort();
    const shares = [0, 0.025, 0.05, 0.25, 0.5, 0.95, 1];
    expect(selectQuantiles(values, shares)).toEqual(shares.map((share) => quantile(sorted, share)));
  }
});

test("quantiles are those of R's type 7", () => {
  expect(selectQuantiles(Float64Array.of(4, 1, 3, 2), [0, 0.25, 0.5, 1])).toEqual([1, 1.75, 2.5, 4]);
  expect(selectQuantiles(Float64Array.of(7), [0.05, 0.95])).toEqual([7, 7]);
});
