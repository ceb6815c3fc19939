import { expect, test } from 'vitest';
import {
  assertTestCounts,
  likelihoodTerm,
  likelihoodTermDerivatives,
  logChoose,
  logDensity,
} from '../../../../pipeline/lib/numerics/beta-binomial.ts';
import { expit, logit } from '../../../../pipeline/lib/numerics/special.ts';

test('densities of all integer counts sum to 1, with the mean and variance of the formula', () => {
  const [n, p, rho] = [14, 0.3, 0.12];
  const f = Array.from({ length: n + 1 }, (_, y) => Math.exp(logDensity({ examined: n, positive: y }, p, rho)));
  const mean = f.reduce((sum, v, y) => sum + v * y, 0);
  const variance = f.reduce((sum, v, y) => sum + v * (y - mean) ** 2, 0);
  expect(f.reduce((a, b) => a + b)).toBeCloseTo(1, 12);
  expect(mean).toBeCloseTo(n * p, 11);
  expect(variance).toBeCloseTo(n * p * (1 - p) * (1 + (n - 1) * rho), 10);
});

test('the density of one positive of two children agrees with a hand calculation', () => {
  // P = 2 p (1 − p) (1 − ρ)
  expect(Math.exp(logDensity({ examined: 2, positive: 1 }, 0.4, 0.25))).toBeCloseTo(2 * 0.4 * 0.6 * 0.75, 13);
});

test('the density without overdispersion is the binomial, and so is the limit', () => {
  const tested = { examined: 20, positive: 3 };
  const binomial = Math.log(1140) + 3 * Math.log(0.2) + 17 * Math.log(0.8);
  expect(logDensity(tested, 0.2, 0)).toBeCloseTo(binomial, 12);
  expect(logDensity(tested, 0.2, 1e-7)).toBeCloseTo(binomial, 4);
});

test('value, gradient and curvature of a term agree with the density and its finite differences', () => {
  for (const tested of [
    { examined: 12, positive: 0 },
    { examined: 12, positive: 12 },
    { examined: 7.5, positive: 2.123 },
  ])
    for (const rho of [0, 0.001, 0.117, 0.9])
      for (const eta of [-6, -1.2, 0.4, 5]) {
        const at = (x: number) => likelihoodTerm(tested, x, rho);
        const h = 1e-4;
        expect(at(eta).value + logChoose(tested)).toBeCloseTo(logDensity(tested, expit(eta), rho), 9);
        expect(at(eta).gradient).toBeCloseTo((at(eta + h).value - at(eta - h).value) / (2 * h), 5);
        expect(at(eta).hessian).toBeCloseTo((at(eta + h).gradient - at(eta - h).gradient) / (2 * h), 5);
      }
});

test('the derivatives of a term agree with its finite differences', () => {
  for (const tested of [
    { examined: 12, positive: 0 },
    { examined: 100, positive: 40 },
    { examined: 7.5, positive: 2.123 },
  ])
    for (const rho of [0, 0.02, 0.117, 0.6])
      for (const eta of [-3, -0.4, 1.2]) {
        const h = 1e-4;
        const own = likelihoodTermDerivatives(tested, eta, rho);
        const by = (of: (step: number) => number) => (of(h) - of(-h)) / (2 * h);
        const near = (value: number, difference: number) =>
          expect(Math.abs(value - difference)).toBeLessThan(1e-5 * Math.max(1, Math.abs(difference)));
        near(
          own.hessian_by_eta,
          by((s) => likelihoodTerm(tested, eta + s, rho).hessian),
        );
        const moved = (s: number) => likelihoodTerm(tested, eta, rho === 0 ? 0 : expit(logit(rho) + s));
        near(
          own.value_by_rho,
          by((s) => moved(s).value),
        );
        near(
          own.gradient_by_rho,
          by((s) => moved(s).gradient),
        );
        near(
          own.hessian_by_rho,
          by((s) => moved(s).hessian),
        );
      }
});

test('invalid counts are rejected', () => {
  expect(() => assertTestCounts({ examined: 0, positive: 0 }, 'cluster 7')).toThrow(
    'cluster 7: 0 children examined, expected more than 0',
  );
  expect(() => assertTestCounts({ examined: 5, positive: 6 }, 'cluster 7')).toThrow('6 positive of 5 examined');
  expect(() => assertTestCounts({ examined: 5, positive: Number.NaN }, 'cluster 7')).toThrow('NaN positive');
});
