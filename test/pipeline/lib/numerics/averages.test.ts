import { expect, test } from 'vitest';
import { correlation, median } from '../../../../pipeline/lib/numerics/averages.ts';

test('median of odd, even and unsorted samples', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([10, 1, 2, 3])).toBe(2.5);
  expect(median([])).toBeNaN();
});

test('correlation agrees with a hand calculation, and is 0 for a constant series', () => {
  // Deviations (−1, 0, 1) and (−1, 1, 0): 1 / √(2 × 2).
  expect(correlation([1, 2, 3], [1, 3, 2])).toBeCloseTo(0.5, 12);
  expect(correlation([1, 2, 3], [-2, -4, -6])).toBeCloseTo(-1, 12);
  expect(correlation([1, 2, 3], [5, 5, 5])).toBe(0);
});
