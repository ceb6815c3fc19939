import { expect, test } from 'vitest';
import { minimiseBoundedSquares } from '../../../../pipeline/lib/numerics/bounded-squares.ts';
import { minimiseSquares } from '../../../../pipeline/lib/numerics/levenberg-marquardt.ts';
import { randomStream } from '../../../../pipeline/lib/numerics/random.ts';

const rosenbrock = ([x, y]: readonly number[]) => [10 * (y! - x! ** 2), 1 - x!];

test("Rosenbrock's valley is followed to (1, 1) from the usual start", () => {
  const { parameters, sumOfSquares: squares, converged } = minimiseSquares(rosenbrock, [-1.2, 1]);
  expect(converged).toBe(true);
  expect(parameters[0]).toBeCloseTo(1, 6);
  expect(parameters[1]).toBeCloseTo(1, 6);
  expect(squares).toBeLessThan(1e-12);
});

test('the fitted line is the least-squares line: y = 1/3 + x for (0,0) (1,2) (2,2)', () => {
  // Means 1 and 4/3; slope = Σ dx dy / Σ dx² = (4/3 + 0 + 2/3) / 2 = 1; intercept 4/3 − 1.
  const y = [0, 2, 2];
  const { parameters, sumOfSquares: squares } = minimiseSquares(([a, b]) => y.map((v, x) => a! + b! * x - v), [7, -3], {
    tolerance: 1e-15,
  });
  // Sums of squares are equal in double precision within about √ε of the least.
  expect(parameters[0]).toBeCloseTo(1 / 3, 7);
  expect(parameters[1]).toBeCloseTo(1, 7);
  expect(squares).toBeCloseTo(1 / 9 + 4 / 9 + 1 / 9, 10);
});

test('the sum never rises, however few iterations; a step to NaN is rejected', () => {
  let last = Number.POSITIVE_INFINITY;
  for (let iterations = 1; iterations <= 20; iterations++) {
    const { sumOfSquares: squares } = minimiseSquares(rosenbrock, [-1.2, 1], { iterations });
    expect(squares).toBeLessThanOrEqual(last);
    last = squares;
  }
  // From 9 the full Gauss-Newton step overshoots to −27, where the root is not defined.
  const { parameters } = minimiseSquares(([x]) => [Math.sqrt(x!) - 0.01], [9]);
  expect(parameters[0]).toBeCloseTo(1e-4, 5);
  expect(() => minimiseSquares(() => [Number.NaN], [0])).toThrow(/not finite/);
});

test('a bounded search stays within bounds, finds the lowest of several valleys and is reproducible', () => {
  const wavy = ([x]: readonly number[]) => [Math.sin(3 * x!) + 0.3 * (x! - 4)];
  const search = () =>
    minimiseBoundedSquares(wavy, [{ low: 2, high: 6 }], { starts: 12, random: randomStream(1, 'wavy') });
  expect(search().sumOfSquares).toBeLessThan(1e-10);
  expect(search()).toEqual(search());
  const pushed = minimiseBoundedSquares(([x]) => [x! - 50], [{ low: 1, high: 20, log: true }], {
    starts: 2,
    random: randomStream(1, 'b'),
  });
  expect(pushed.parameters[0]).toBeLessThanOrEqual(20);
  expect(pushed.parameters[0]).toBeGreaterThan(19.9);
});
