import { expect, test } from 'vitest';
import { countSite, divideGaussians, firstSite } from '../../../../pipeline/model/forecast/count-sites.ts';

/** Mean and variance of ∝ Poisson(count; exp η) N(η; rest), on a fine grid. */
function exactOf(count: number, rest: { mean: number; variance: number }) {
  const log = (x: number) => count * x - Math.exp(x) - (x - rest.mean) ** 2 / (2 * rest.variance);
  const grid = Array.from({ length: 16_001 }, (_, i) => -40 + i / 200);
  const peak = Math.max(...grid.map(log));
  const weights = grid.map((x) => Math.exp(log(x) - peak));
  const total = weights.reduce((a, b) => a + b);
  const mean = grid.reduce((sum, x, i) => sum + x * weights[i]!, 0) / total;
  return { mean, variance: grid.reduce((sum, x, i) => sum + (x - mean) ** 2 * weights[i]!, 0) / total };
}

test.each([
  [0, -4, 4],
  [0, 2, 0.5],
  [1, -1, 1],
  [7, 1, 2],
  [300, 5, 0.3],
  [4, 6, 0.1],
])(
  'with the rest, the site of %i cases has mean and variance of the exact posterior (rest %f, %f)',
  (count, mean, variance) => {
    const rest = { mean, variance };
    const site = countSite(count, rest);
    const exact = exactOf(count, rest);
    const both = 1 / (1 / site.variance + 1 / variance);
    expect(both / exact.variance).toBeCloseTo(1, 5);
    expect(both * (site.mean / site.variance + mean / variance)).toBeCloseTo(exact.mean, 5);
    const back = divideGaussians({ mean: exact.mean, variance: exact.variance }, site);
    expect(back.mean).toBeCloseTo(mean, 3);
    expect(back.variance).toBeCloseTo(variance, 3);
  },
);

test('a large count is its own logarithm, with a variance of 1 / count', () => {
  for (const site of [firstSite(40_000), countSite(40_000, { mean: 10, variance: 0.5 })]) {
    expect(site.mean).toBeCloseTo(Math.log(40_000), 4);
    expect(site.variance * 40_000).toBeCloseTo(1, 3);
  }
});

test('no case lowers the rate, the more the higher it was expected to be', () => {
  const shift = (mean: number) => {
    const site = countSite(0, { mean, variance: 1 });
    return (1 / (1 + 1 / site.variance)) * (site.mean / site.variance + mean) - mean;
  };
  expect(shift(-6)).toBeLessThan(0);
  expect(shift(-6)).toBeGreaterThan(-0.01);
  expect(shift(3)).toBeLessThan(-1.5);
});
