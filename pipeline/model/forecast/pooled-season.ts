import { choleskyDense, solveCholesky } from '../../lib/numerics/dense.ts';

/** Sets effects of months without data, and the mean of all effects, which is not identified, to 0. */
const RIDGE = 1e-6;

/**
 * Effects of the twelve calendar months on logarithms of cases, January first, with mean 0: least squares over the
 * given areas, with an effect for each area and year.
 * @param first `monthIndex` of the first month of `y`
 */
export function pooledSeason(areas: readonly { y: Float64Array }[], first: number): Float64Array {
  const matrix = new Float64Array(144);
  const rightSide = new Float64Array(12);
  for (let m = 0; m < 12; m++) matrix[m * 13] = RIDGE;
  for (const { y } of areas) {
    for (let yearStart = -(first % 12); yearStart < y.length; yearStart += 12) {
      const months = Array.from({ length: 12 }, (_, m) => m).filter(
        (m) => yearStart + m >= 0 && !Number.isNaN(y[yearStart + m] ?? Number.NaN),
      );
      const mean = months.reduce((sum, m) => sum + y[yearStart + m]!, 0) / months.length;
      for (const m of months) {
        rightSide[m]! += y[yearStart + m]! - mean;
        matrix[m * 13]! += 1;
        for (const n of months) matrix[m * 12 + n]! -= 1 / months.length;
      }
    }
  }
  return solveCholesky(choleskyDense(matrix, 12)!, 12, rightSide);
}
