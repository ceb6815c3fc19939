import { expect, test } from 'vitest';
import { hessianOf, minimiseBfgs } from '../../../pipeline/numerics/bfgs.ts';
import { minimiseNelderMead } from '../../../pipeline/numerics/nelder-mead.ts';

const rosenbrock = ([a, b]: number[]) => (1 - a!) ** 2 + 100 * (b! - a! ** 2) ** 2;

test('both optimisers find the bottom of a curved valley', () => {
  const quasiNewton = minimiseBfgs(rosenbrock, [-1.2, 1], {
    spread: [0.1, 0.1],
    difference: 1e-7,
    tolerance: 1e-9,
    limit: 200,
  });
  expect(quasiNewton.value).toBeLessThan(1e-5);
  const simplex = minimiseNelderMead(rosenbrock, [-1.2, 1], { tolerance: 1e-10, limit: 1000 });
  expect(simplex.x[0]).toBeCloseTo(1, 3);
});

test('a worse point is never kept, nor one where f is not a number', () => {
  const f = ([x]: number[]) => (x! < 0 ? Number.NaN : (x! - 0.1) ** 2);
  expect(minimiseBfgs(f, [3], { spread: [10], reach: 100 }).value).toBeLessThan(8.5);
  expect(minimiseNelderMead(f, [3]).x[0]).toBeCloseTo(0.1, 1);
});

test('second derivatives of a quadratic are exact', () => {
  const h = hessianOf(([x, y, z]: number[]) => x! * x! + 3 * x! * y! - 0.5 * y! * z! + 2 * z! * z!, [0.3, -1, 2]);
  [2, 3, 0, 3, 0, -0.5, 0, -0.5, 4].forEach((v, k) => {
    expect(h[k]).toBeCloseTo(v, 9);
  });
});
