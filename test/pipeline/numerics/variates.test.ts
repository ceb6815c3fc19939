import { expect, test } from 'vitest';
import { randomStream } from '../../../pipeline/numerics/random.ts';
import { drawBetaBinomial, drawGamma } from '../../../pipeline/numerics/variates.ts';

const N = 20000;
const moments = (draw: () => number) => {
  const x = Array.from({ length: N }, draw);
  const mean = x.reduce((a, b) => a + b) / N;
  return { mean, variance: x.reduce((sum, v) => sum + (v - mean) ** 2, 0) / N };
};

test('gamma variates have mean and variance equal to their shape', () => {
  const random = randomStream(1, 'gamma');
  for (const a of [0.2, 1, 7.5]) {
    const { mean, variance } = moments(() => drawGamma(a, random));
    expect(Math.abs(mean - a)).toBeLessThan(4 * Math.sqrt(a / N));
    expect(variance / a).toBeCloseTo(1, 0);
  }
});

test('beta-binomial counts have the mean and variance of the formula', () => {
  const random = randomStream(2, 'count');
  const [n, p] = [15, 0.2];
  for (const rho of [0, 0.12]) {
    const { mean, variance } = moments(() => drawBetaBinomial(n, p, rho, random));
    const expected = n * p * (1 - p) * (1 + (n - 1) * rho);
    expect(Math.abs(mean - n * p)).toBeLessThan(4 * Math.sqrt(expected / N));
    expect(variance / expected).toBeGreaterThan(0.93);
    expect(variance / expected).toBeLessThan(1.07);
  }
  expect(drawBetaBinomial(10, 0, 0.1, random)).toBe(0);
});
