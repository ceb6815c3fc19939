import { expect, test } from 'vitest';
import { finiteDifferenceHessian, forwardPoints, minimiseBfgs } from '../../../../pipeline/lib/numerics/bfgs.ts';
import { minimiseNelderMead } from '../../../../pipeline/lib/numerics/nelder-mead.ts';

const rosenbrock = ([a, b]: number[]) => (1 - a!) ** 2 + 100 * (b! - a! ** 2) ** 2;

test('both optimisers find the minimum of a curved valley', () => {
  const quasiNewton = minimiseBfgs(rosenbrock, [-1.2, 1], {
    widths: [0.1, 0.1],
    differenceStep: 1e-7,
    tolerance: 1e-9,
    maxIterations: 200,
  });
  expect(quasiNewton.value).toBeLessThan(1e-5);
  const simplex = minimiseNelderMead(rosenbrock, [-1.2, 1], { tolerance: 1e-10, maxEvaluations: 1000 });
  expect(simplex.x[0]).toBeCloseTo(1, 3);
});

test('points that are worse or where f is NaN are never kept', () => {
  const f = ([x]: number[]) => (x! < 0 ? Number.NaN : (x! - 0.1) ** 2);
  expect(minimiseBfgs(f, [3], { widths: [10], longestStep: 100 }).value).toBeLessThan(8.5);
  expect(minimiseNelderMead(f, [3]).x[0]).toBeCloseTo(0.1, 1);
});

test('a known gradient makes differences unnecessary and leads to the same minimum', () => {
  let calls = 0;
  const counted = (x: number[]) => {
    calls++;
    return rosenbrock(x);
  };
  const slope = ([a, b]: number[]) => [-2 * (1 - a!) - 400 * a! * (b! - a! ** 2), 200 * (b! - a! ** 2)];
  const { x } = minimiseBfgs(counted, [-1.2, 1], {
    widths: [0.1, 0.1],
    computeGradient: slope,
    tolerance: 1e-12,
    maxIterations: 200,
  });
  expect(x[0]).toBeCloseTo(1, 5);
  expect(calls).toBeLessThan(100);
});

test('second derivatives from the gradient of a quadratic are exact', () => {
  const slope = ([x, y, z]: number[]) => [2 * x! + 3 * y!, 3 * x! - 0.5 * z!, -0.5 * y! + 4 * z!];
  const at = [0.3, -1, 2];
  const h = finiteDifferenceHessian(slope(at), forwardPoints(at, 0.1).map(slope), 0.1);
  [2, 3, 0, 3, 0, -0.5, 0, -0.5, 4].forEach((v, k) => {
    expect(h[k]).toBeCloseTo(v, 9);
  });
});
