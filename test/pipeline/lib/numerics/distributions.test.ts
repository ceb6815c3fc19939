import { expect, test } from 'vitest';
import {
  drawBeta,
  drawBetaBinomial,
  drawBinomial,
  drawClusterPrevalence,
  drawGamma,
  drawIndex,
  drawNegativeBinomial,
  drawPoisson,
} from '../../../../pipeline/lib/numerics/distributions.ts';
import { type Random, randomStream } from '../../../../pipeline/lib/numerics/random.ts';

const N = 40_000;

/**
 * Mean and variance within five standard errors; `kurtosis` (4th central moment over variance²) bounds the variance's.
 */
function expectMoments(draw: (random: Random) => number, mean: number, variance: number, kurtosis: number) {
  const random = randomStream(11, `moments ${mean} ${variance}`);
  const x = Array.from({ length: N }, () => draw(random));
  const m = x.reduce((s, v) => s + v, 0) / N;
  const v = x.reduce((s, value) => s + (value - m) ** 2, 0) / N;
  expect(Math.abs(m - mean)).toBeLessThan(5 * Math.sqrt(variance / N));
  expect(Math.abs(v / variance - 1)).toBeLessThan(5 * Math.sqrt((kurtosis - 1) / N));
}

test.each([0.3, 1, 4.5, 200])('gamma with shape %d', (a) => {
  expectMoments((r) => drawGamma(r, a), a, a, 3 + 6 / a);
});

test('beta(2, 5): mean 2/7, variance 10 / (49 · 8)', () => {
  expectMoments((r) => drawBeta(r, 2, 5), 2 / 7, 10 / 392, 3);
});

test.each([
  [1, 0.3],
  [20, 0.05],
  [33, 0.5],
  [5000, 0.02],
  [5000, 0.97],
])('binomial of %d trials, chance %d', (n, p) => {
  const v = n * p * (1 - p);
  expectMoments((r) => drawBinomial(r, n, p), n * p, v, 3 + (1 - 6 * p * (1 - p)) / v);
});

test('binomial by halving has the textbook probabilities for 40 trials: chi-square over 9 bins, 1 in 10,000', () => {
  const [n, p] = [40, 0.1];
  const counts = new Array<number>(9).fill(0);
  const random = randomStream(5, 'binomial shape');
  for (let i = 0; i < N; i++) counts[Math.min(8, drawBinomial(random, n, p))]! += 1;
  let chi2 = 0;
  let probability = (1 - p) ** n;
  let below = 0;
  for (let k = 0; k < 9; k++) {
    const expected = N * (k < 8 ? probability : 1 - below);
    chi2 += (counts[k]! - expected) ** 2 / expected;
    below += probability;
    probability *= ((n - k) / (k + 1)) * (p / (1 - p));
  }
  expect(chi2).toBeLessThan(31.8);
});

test('binomial with no trials, probability 0 and probability 1', () => {
  const random = randomStream(1, 'edges');
  expect(drawBinomial(random, 0, 0.5)).toBe(0);
  expect(drawBinomial(random, 1000, 0)).toBe(0);
  expect(drawBinomial(random, 1000, 1)).toBe(1000);
  expect(() => drawBinomial(random, 1.5, 0.5)).toThrow('1.5 trials');
  expect(() => drawBinomial(random, 5, 1.5)).toThrow('chance 1.5, expected 0 to 1');
});

test.each([0.2, 7, 31.9, 900])('Poisson with mean %d', (mean) => {
  expectMoments((r) => drawPoisson(r, mean), mean, mean, 3 + 1 / mean);
});

test('Poisson with mean 0 is 0', () => expect(drawPoisson(randomStream(1, 'zero'), 0)).toBe(0));

test('negative binomial: variance mean + mean² / size', () => {
  expectMoments((r) => drawNegativeBinomial(r, 50, 10), 50, 50 + 250, 3.7);
});

test('the prevalence of a cluster has mean .2 and variance .2 · .8 · rho', () => {
  expectMoments((r) => drawClusterPrevalence(r, 0.2, 0.1), 0.2, 0.016, 4);
});

test.each([0, 0.12])(
  'beta-binomial of 15 trials with probability .2 and overdispersion %d has the variance of the formula',
  (rho) => {
    expectMoments((r) => drawBetaBinomial(r, 15, 0.2, rho), 3, 15 * 0.2 * 0.8 * (1 + 14 * rho), 3.5);
  },
);

test('beta-binomial with probability 0 and 1; overdispersion near 1 gives all or nothing', () => {
  const random = randomStream(3, 'edges');
  expect(drawBetaBinomial(random, 10, 0, 0.1)).toBe(0);
  expect(drawBetaBinomial(random, 10, 1, 0.1)).toBe(10);
  expectMoments((r) => drawBetaBinomial(r, 10, 0.3, 1 - 1e-9), 3, 100 * 0.21, 2);
});

test('indices are drawn with weights 1, 0, 3', () => {
  const random = randomStream(2, 'index');
  const counts = [0, 0, 0];
  for (let i = 0; i < N; i++) counts[drawIndex(random, [1, 1, 4])]! += 1;
  expect(counts[1]).toBe(0);
  expect(Math.abs(counts[0]! / N - 0.25)).toBeLessThan(5 * Math.sqrt((0.25 * 0.75) / N));
});
