import { expect, test } from 'vitest';
import { expit, logit } from '../../../../../pipeline/lib/numerics/special.ts';
import { clustersToHalve } from '../../../../../pipeline/publish/report/shared/spread.ts';

/** The range of a posterior that is normal on the logit scale. */
const posterior = (score: number, sd: number) => ({
  score,
  low: expit(logit(score) - 1.645 * sd),
  high: expit(logit(score) + 1.645 * sd),
});

test('the number of clusters that halves a range is that of the posterior after them', () => {
  // p (1 − p) = .16 and v = (1 + 14 × .1) / (15 × .16) = 1, so that σ = .5 needs 12.
  expect(clustersToHalve(posterior(0.2, 0.5), { children: 15, rho: 0.1 })).toBe(12);
  for (const [score, sd, children, rho] of [
    [0.05, 0.8, 20, 0.05],
    [0.4, 0.3, 8, 0.2],
  ] as const) {
    const clusters = clustersToHalve(posterior(score, sd), { children, rho });
    const variance = (1 + (children - 1) * rho) / (children * score * (1 - score));
    const after = (n: number) => Math.sqrt(1 / (1 / sd ** 2 + n / variance));
    expect(after(clusters)).toBeLessThanOrEqual(sd / 2 + 1e-9);
    expect(after(clusters - 1)).toBeGreaterThan(sd / 2);
  }
});
