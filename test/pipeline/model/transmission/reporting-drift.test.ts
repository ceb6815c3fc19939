import { expect, test } from 'vitest';
import { driftSmoother } from '../../../../pipeline/model/transmission/reporting-drift.ts';

const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);

test('a constant is reproduced exactly and without penalty', () => {
  const { drift, steps } = driftSmoother(new Array(20).fill(true))(new Array(20).fill(-1.5));
  for (const value of drift) expect(value).toBeCloseTo(-1.5, 10);
  for (const value of steps) expect(value).toBeCloseTo(0, 10);
});

test('a fit with two knots agrees with a hand calculation: months 0-3, knots at 0 and 3', () => {
  // d = (0, 0, 0, 1). Minimise Σ (d − (1−w)a − wb)² + (b − a)², w = 0, 1/3, 2/3, 1:
  // (14/9 + 1) a + (4/9 − 1) b = 0 and (4/9 − 1) a + (14/9 + 1) b = 1.
  const p = 23 / 9;
  const q = -5 / 9;
  const determinant = p * p - q * q;
  const { drift, steps } = driftSmoother(new Array(4).fill(true))([0, 0, 0, 1]);
  expect(drift[0]).toBeCloseTo(-q / determinant, 10);
  expect(drift[3]).toBeCloseTo(p / determinant, 10);
  expect(drift[1]).toBeCloseTo((2 * drift[0]! + drift[3]!) / 3, 10);
  expect(steps).toHaveLength(1);
  expect(steps[0]).toBeCloseTo(drift[3]! - drift[0]!, 10);
});

test('the fit is the minimum: any other drift of the same form has a larger sum', () => {
  const d = Array.from({ length: 25 }, (_, t) => Math.sin(t / 4) + ((t * 7) % 5) / 10);
  const { drift, steps } = driftSmoother(new Array(25).fill(true))(d);
  const cost = (at: readonly number[], moves: readonly number[]) =>
    sum(d.map((v, t) => (v - at[t]!) ** 2)) + sum(moves.map((v) => v ** 2));
  const least = cost(drift, steps);
  for (const knot of [0, 3, 8]) {
    const moved = drift.map((v, t) => v + 0.01 * Math.max(0, 1 - Math.abs(t - 3 * knot) / 3));
    const movedSteps = steps.map((v, k) => v + (k === knot - 1 ? 0.01 : k === knot ? -0.01 : 0));
    expect(cost(moved, movedSteps)).toBeGreaterThan(least);
  }
});

test('months left out are interpolated whatever their values; a record with no month in use is rejected', () => {
  const used = Array.from({ length: 30 }, (_, t) => t < 10 || t > 20);
  const clean = driftSmoother(used)(used.map((u) => (u ? 2 : 0)));
  for (const value of clean.drift) expect(value).toBeCloseTo(2, 10);
  expect(() => driftSmoother([false, false])).toThrow(/none of 2 months in use/);
});
