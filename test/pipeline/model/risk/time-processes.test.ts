import { expect, test } from 'vitest';
import {
  brownian,
  conditionalAt,
  dampedDrift,
  ornsteinUhlenbeck,
  precisionAt,
  sumKernels,
} from '../../../../pipeline/model/risk/time-processes.ts';

test('an Ornstein-Uhlenbeck process between two times is the regression on its neighbours by normal equations', () => {
  const r = (t: number) => Math.exp(-t / 4);
  const [ab, bc, ac] = [r(2), r(3), r(5)];
  const whole = 1 - ac * ac;
  const [before, after] = [(ab - ac * bc) / whole, (bc - ac * ab) / whole];
  const { weights, deviation, root } = conditionalAt(ornsteinUhlenbeck(4), [2010, 2015], [2012]);
  expect(weights[0]).toBeCloseTo(before, 12);
  expect(weights[1]).toBeCloseTo(after, 12);
  expect(deviation[0]! ** 2).toBeCloseTo(1 - before * ab - after * bc, 12);
  expect(root[0]).toBeCloseTo(deviation[0]!, 7);
});

test('a level with Brownian motion is linear between rounds, constant beyond, and widens in both directions', () => {
  const kernel = sumKernels({ scale: 1.6, kernel: () => 1 }, { scale: 0.2, kernel: brownian(2010) });
  const { weights, deviation } = conditionalAt(kernel, [2010, 2015], [2006, 2010, 2012, 2019]);
  const expected = [1, 0, 1, 0, 0.6, 0.4, 0, 1];
  expected.forEach((w, k) => {
    expect(weights[k]).toBeCloseTo(w, 6);
  });
  [0.2 * 2, 0, 0.2 * Math.sqrt(1.2), 0.2 * 2].forEach((sd, k) => {
    expect(deviation[k]).toBeCloseTo(sd, 6);
  });
});

test('a damped drift continues in its direction, more and more slowly', () => {
  const kernel = sumKernels({ scale: 1.6, kernel: () => 1 }, { scale: 1, kernel: dampedDrift(2010, 5) });
  const { weights } = conditionalAt(kernel, [2010, 2015], [2016, 2020, 2040]);
  // of a fall by 1 in five years; the slope at the end is known to be about 0.2 a year
  const further = [0, 1, 2].map((k) => weights[2 * k + 1]! - 1);
  expect(further[0]).toBeGreaterThan(0.1);
  expect(further[0]).toBeLessThan(0.2);
  expect(further[1]).toBeGreaterThan(2 * further[0]!);
  expect(further[2]).toBeLessThan(1.7 * further[1]!);
});

test('a damped drift has the variance of an integral, the same on both sides of its origin, and the sides are correlated', () => {
  const kernel = dampedDrift(2000, 3);
  // ∫∫ exp(−|a − b|/3) over a square of 2 years
  const variance = 2 * 9 * (2 / 3 + Math.exp(-2 / 3) - 1);
  expect(kernel(2002, 2002)).toBeCloseTo(variance, 12);
  expect(kernel(1998, 1998)).toBeCloseTo(variance, 12);
  expect(kernel(1998, 2002)).toBeCloseTo(-9 * (1 - Math.exp(-2 / 3)) ** 2, 12);
  expect(kernel(2000, 2002)).toBeCloseTo(0, 12);
});

test('the conditional covariance between months is that of the process minus the part explained by the rounds', () => {
  const kernel = sumKernels({ scale: 0.5, kernel: ornsteinUhlenbeck(3) }, { scale: 0.1, kernel: dampedDrift(2014, 5) });
  const [known, at] = [
    [2010.8, 2015.8, 2018.8],
    [2012, 2013, 2016.5, 2018.8, 2020],
  ];
  const { weights, root } = conditionalAt(kernel, known, at);
  const { precision } = precisionAt(kernel, known);
  at.forEach((s, i) => {
    at.forEach((t, j) => {
      let left = kernel(s, t);
      known.forEach((a, p) => {
        known.forEach((b, q) => {
          left -= kernel(s, a) * precision[p * 3 + q]! * kernel(b, t);
        });
      });
      let product = 0;
      for (let k = 0; k < 5; k++) product += root[i * 5 + k]! * root[j * 5 + k]!;
      expect(Math.abs(product - left)).toBeLessThan(1e-8);
    });
    const mean = known.reduce((sum, _, r) => sum + weights[i * 3 + r]! * (r + 1), 0);
    const byHand = known.reduce(
      (sum, a, p) => sum + known.reduce((own, _, q) => own + kernel(s, a) * precision[p * 3 + q]! * (q + 1), 0),
      0,
    );
    expect(mean).toBeCloseTo(byHand, 9);
  });
});
