import { expect, test } from 'vitest';
import { normalCdf, normalQuantile } from '../../../../pipeline/lib/numerics/normal.ts';

test('values of the standard normal agree with tables', () => {
  expect(normalCdf(0)).toBe(0.5);
  expect(normalCdf(1)).toBeCloseTo(0.8413447460685429, 14);
  expect(normalCdf(-2.5)).toBeCloseTo(0.006209665325776132, 14);
  expect(normalCdf(5)).toBeCloseTo(0.9999997133484281, 13);
  expect(normalQuantile(0.975)).toBeCloseTo(1.959963984540054, 12);
  expect(normalQuantile(0.05)).toBeCloseTo(-1.6448536269514722, 12);
  expect(normalQuantile(0.5)).toBeCloseTo(0, 12);
});
