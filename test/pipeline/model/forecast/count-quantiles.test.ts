import { expect, test } from 'vitest';
import { normalQuantile } from '../../../../pipeline/lib/numerics/normal.ts';
import { logGamma } from '../../../../pipeline/lib/numerics/special.ts';
import { countQuantiles } from '../../../../pipeline/model/forecast/count-quantiles.ts';
import { percentIndex, QUANTILE_LEVELS } from '../../../../pipeline/model/forecast/forecast-scores.ts';

const logRates = (mean: number, sd: number) =>
  Float64Array.from(QUANTILE_LEVELS, (share) => mean + sd * normalQuantile(share));

/** Probabilities of at most 0, 1, … cases at a log-normal rate, summed over a fine grid. */
function exactChances(mean: number, sd: number, most: number): number[] {
  const nodes = Array.from({ length: 201 }, (_, i) => -6 + (12 * i) / 200);
  const rates = nodes.map((z) => Math.exp(mean + sd * z));
  const weights = nodes.map((z) => Math.exp((-z * z) / 2));
  const total = weights.reduce((a, b) => a + b);
  let sum = 0;
  return Array.from({ length: most + 1 }, (_, count) => {
    const factorial = logGamma(count + 1);
    for (const [i, rate] of rates.entries())
      sum += (weights[i]! / total) * Math.exp(count * (mean + sd * nodes[i]!) - rate - factorial);
    return sum;
  });
}

test.each([
  [-3, 0.5],
  [-1, 2],
  [0, 0.05],
  [1.5, 1],
  [3, 0.3],
  [3.4, 0.05],
  [4, 1.2],
  [5, 0.02],
])('quantiles are those of the exact mixture: rate exp(%f), standard deviation %f', (mean, sd) => {
  const chances = exactChances(mean, sd, 600);
  const quantiles = countQuantiles(logRates(mean, sd));
  for (const percent of [5, 10, 25, 50, 75, 90, 95]) {
    const found = quantiles[percentIndex(percent)]!;
    // the counts whose quantile this would be if the share were one percentage point lower or higher
    const [low, high] = [-0.01, 0.01].map((slack) => chances.findIndex((chance) => chance >= percent / 100 + slack));
    expect(found, `${percent}%`).toBeGreaterThanOrEqual(low! - 1);
    expect(found, `${percent}%`).toBeLessThanOrEqual(high! + 1);
    if (high! <= 30) expect(found, `${percent}%`).toBeGreaterThanOrEqual(low!);
    if (high! <= 30) expect(found, `${percent}%`).toBeLessThanOrEqual(high!);
  }
});

test('quantiles ascend, are whole numbers of 0 or more, and are 0 where no case is almost certain', () => {
  for (const mean of [-30, -5, -1, 1, 3, 3.5, 5, 8, 20])
    for (const sd of [0.01, 0.3, 1, 4]) {
      const quantiles = [...countQuantiles(logRates(mean, sd))];
      expect(quantiles.every((value, i) => Number.isInteger(value) && value >= (quantiles[i - 1] ?? 0))).toBe(true);
    }
  expect(countQuantiles(logRates(-30, 1)).every((value) => value === 0)).toBe(true);
});

test('at large counts, the noise of counting vanishes', () => {
  const quantiles = countQuantiles(logRates(12, 0.2));
  for (const [i, value] of logRates(12, 0.2).entries()) expect(Math.log(quantiles[i]!)).toBeCloseTo(value, 3);
});
