import { expect, test } from 'vitest';
import { choleskyDense, invertDense, logDeterminant } from '../../../../pipeline/lib/numerics/dense.ts';
import { randomStream } from '../../../../pipeline/lib/numerics/random.ts';
import {
  analysePattern,
  cliquePattern,
  entryPosition,
  factorise,
  solveBackward,
  solveForward,
} from '../../../../pipeline/lib/numerics/sparse-cholesky.ts';
import {
  bilinearWeights,
  drawMatern,
  latticeAround,
  maternLogDeterminant,
  maternPrecision,
  maternScale,
  prepareMaternField,
} from '../../../../pipeline/model/risk/matern-lattice.ts';

const matern = prepareMaternField({ x: 0, y: 0, spacing_km: 20, nx: 21, ny: 17 });
const n = 21 * 17;
const scale = maternScale(matern, 100, 0.7);
const dense = new Float64Array(n * n);
maternPrecision(matern, scale).forEach((q, e) => {
  dense[matern.stencil.i[e]! * n + matern.stencil.j[e]!] = q;
  dense[matern.stencil.j[e]! * n + matern.stencil.i[e]!] = q;
});
const factor = choleskyDense(dense, n)!;
const covariance = invertDense(factor, n);
const middle = (17 >> 1) * 21 + (21 >> 1);

test('the middle node has the requested standard deviation', () => {
  expect(covariance[middle * n + middle]).toBeCloseTo(0.7 ** 2, 12);
});

test('the correlation follows the Matérn function of smoothness 1', () => {
  const fine = prepareMaternField({ x: 0, y: 0, spacing_km: 10, nx: 61, ny: 61 });
  const { i, j } = fine.stencil;
  const symbolic = analysePattern(
    cliquePattern(
      61 * 61,
      Array.from(i, (v, e) => [v, j[e]!]),
    ),
  );
  const values = new Float64Array(symbolic.pattern.row.length);
  maternPrecision(fine, maternScale(fine, 100, 1)).forEach((q, e) => {
    values[entryPosition(symbolic.pattern, i[e]!, j[e]!)] = q;
  });
  const unit = new Float64Array(61 * 61);
  const centre = 30 * 61 + 30;
  unit[centre] = 1;
  const sparse = factorise(symbolic, values)!;
  const column = solveBackward(sparse, solveForward(sparse, unit));
  // κd K1(κd) with κ = √8/100 per km at 20, 50 and 100 km, by scipy.special.k1; ten nodes per range are this accurate
  for (const [steps, expected] of [
    [2, 0.7977],
    [5, 0.4443],
    [10, 0.1397],
  ] as const)
    expect(Math.abs(column[centre + steps]! / column[centre]! - expected)).toBeLessThan(0.03);
});

test('the log determinant from the cosines equals that of the matrix', () => {
  expect(maternLogDeterminant(matern, scale)).toBeCloseTo(logDeterminant(factor, n), 8);
});

test('draws have the covariance of the precision matrix', () => {
  const random = randomStream(1, 'field');
  let [own, across] = [0, 0];
  const draws = 2000;
  for (let d = 0; d < draws; d++) {
    const z = drawMatern(matern, scale, random);
    own += z[middle]! ** 2 / draws;
    across += (z[middle]! * z[middle + 3]!) / draws;
  }
  // four standard errors of a variance and a covariance from 2000 draws
  expect(Math.abs(own - 0.49)).toBeLessThan(4 * 0.49 * Math.sqrt(2 / draws));
  expect(Math.abs(across - covariance[middle * n + middle + 3]!)).toBeLessThan(4 * 0.49 * Math.sqrt(2 / draws));
});

test('interpolation is exact for a plane, also at the far edge, and rejects a point outside the lattice', () => {
  const lattice = latticeAround([0, 100], [10, 50], 20, 40);
  for (const [x, y] of [
    [0, 10],
    [33, 47],
    [140, 90],
  ] as const) {
    const { nodes, weights } = bilinearWeights(lattice, x, y);
    const value = nodes.reduce((sum, k, m) => {
      const px = lattice.x + (k % lattice.nx) * 20;
      const py = lattice.y + Math.floor(k / lattice.nx) * 20;
      return sum + weights[m]! * (2 * px - 3 * py);
    }, 0);
    expect(value).toBeCloseTo(2 * x - 3 * y, 10);
  }
  expect(() => bilinearWeights(lattice, 500, 0)).toThrow('outside the lattice');
});
