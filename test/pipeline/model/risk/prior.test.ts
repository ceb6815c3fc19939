import { expect, test } from 'vitest';
import { choleskyDense, invertDense } from '../../../../pipeline/lib/numerics/dense.ts';
import { fromTheta, thetaLogPrior } from '../../../../pipeline/model/risk/hyperparameters.ts';

const logit = (p: number) => Math.log(p / (1 - p));
const CENTRE = [...[0.7, 250, 0.3, 0.3, 0.3, 0.05, 5, 5].map(Math.log), ...[0.1, 0.1, 0.1].map(logit)];
const moved = (by: Record<number, number>) => thetaLogPrior(fromTheta(CENTRE.map((v, i) => v + (by[i] ?? 0))));

/** Share of the prior's mass below `at` on the search scale of parameter `i`, by the trapezium rule. */
function shareBelow(i: number, at: number): number {
  const [low, high, steps] = [-14, 14, 28000];
  let [below, total] = [0, 0];
  for (let k = 0; k <= steps; k++) {
    const t = low + ((high - low) * k) / steps;
    const density = Math.exp(moved({ [i]: t - CENTRE[i]! }) - moved({}));
    total += density;
    if (t < at) below += density;
  }
  return below / total;
}

test('the priors have the documented tail probabilities', () => {
  // the grid is accurate to 1e-3 of the mass
  expect(1 - shareBelow(0, Math.log(2))).toBeCloseTo(0.05, 3);
  expect(shareBelow(1, Math.log(75))).toBeCloseTo(0.05, 3);
  expect(1 - shareBelow(2, Math.log(1))).toBeCloseTo(0.05, 3);
  expect(1 - shareBelow(3, Math.log(1))).toBeCloseTo(0.05, 3);
  expect(1 - shareBelow(4, Math.log(1))).toBeCloseTo(0.05, 3);
  expect(1 - shareBelow(5, Math.log(0.2))).toBeCloseTo(0.05, 3);
  expect(shareBelow(6, Math.log(2))).toBeCloseTo(0.1, 3);
  expect(shareBelow(7, Math.log(1))).toBeCloseTo(0.1, 3);
});

test('the priors have the medians of an exponential (standard deviations), its inverse (range) and its inverse square (time)', () => {
  expect(shareBelow(0, Math.log((2 * Math.LN2) / Math.log(20)))).toBeCloseTo(0.5, 3);
  expect(shareBelow(1, Math.log((75 * Math.log(20)) / Math.LN2))).toBeCloseTo(0.5, 2);
  expect(shareBelow(6, Math.log(2 * (Math.log(10) / Math.LN2) ** 2))).toBeCloseTo(0.5, 2);
});

test('overdispersions of the rounds are normal around 0.1 on the logit scale, variance 1.25, correlation 0.8', () => {
  const h = 0.5;
  const precision = new Float64Array(9);
  for (let i = 0; i < 3; i++)
    for (let j = 0; j < 3; j++) {
      const at = (a: number, b: number) => moved(i === j ? { [8 + i]: a + b } : { [8 + i]: a, [8 + j]: b });
      // exact for a quadratic
      precision[i * 3 + j] = -(at(h, h) - at(h, -h) - at(-h, h) + at(-h, -h)) / (4 * h * h);
    }
  const covariance = invertDense(choleskyDense(precision, 3)!, 3);
  for (let i = 0; i < 3; i++)
    for (let j = 0; j < 3; j++) expect(covariance[i * 3 + j]).toBeCloseTo(i === j ? 1.25 : 1, 6);
  expect(moved({ 8: 1e-3 })).toBeLessThan(moved({}));
  expect(moved({ 8: -1e-3 })).toBeLessThan(moved({}));
});
