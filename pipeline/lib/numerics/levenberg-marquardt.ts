import { choleskyDense, solveCholesky } from './dense.ts';
import { dot } from './dense-products.ts';

export interface LeastSquares {
  parameters: number[];
  /** Sum of squared residuals. */
  sumOfSquares: number;
  iterations: number;
  /** False if the limit of iterations was reached. */
  converged: boolean;
}

/** Step of the forward differences, in units of max(1, |p|). */
const DIFFERENCE_STEP = 1e-7;

/**
 * Minimises Σ rᵢ(p)² by Levenberg (1944) and Marquardt (1963): steps δ from (JᵀJ + λ diag(JᵀJ)) δ = −Jᵀr, with
 * Nielsen's rule for λ (1999, IMM-REP-1999-05). A step that does not lower the sum is never kept. The Jacobian is
 * computed by forward differences.
 * @param residuals returns the same number of residuals each time; a step to a point where one is not finite is
 *   rejected
 * @param tolerance stops when a step promises or gains less than this share of the sum
 * @throws RangeError if the residuals at `start` are not finite
 */
export function minimiseSquares(
  residuals: (parameters: readonly number[]) => ArrayLike<number>,
  start: readonly number[],
  { iterations: maxIterations = 60, tolerance = 1e-9 } = {},
): LeastSquares {
  const n = start.length;
  let p = [...start];
  let r = residuals(p);
  let sumOfSquares = dot(r, r);
  if (!Number.isFinite(sumOfSquares)) throw new RangeError(`residuals at the start ${start.join(', ')} are not finite`);
  let lambda = 1e-3;
  let lambdaGrowth = 2;

  for (let iterations = 1; iterations <= maxIterations; iterations++) {
    const columns = jacobianColumns(residuals, p, r);
    const gradient = columns.map((column) => dot(column, r));
    const normalMatrix = new Float64Array(n * n);
    for (let i = 0; i < n; i++) for (let j = 0; j <= i; j++) normalMatrix[i * n + j] = dot(columns[i]!, columns[j]!);
    const diagonal = Array.from({ length: n }, (_, i) => Math.max(normalMatrix[i * n + i]!, 1e-12));

    for (;;) {
      const dampedMatrix = normalMatrix.slice();
      for (let i = 0; i < n; i++) dampedMatrix[i * n + i]! += lambda * diagonal[i]!;
      const factor = choleskyDense(dampedMatrix, n);
      if (factor) {
        const opposite = Float64Array.from(gradient, (g) => -g);
        const step = solveCholesky(factor, n, opposite);
        // gain predicted by the linear model: δᵀ(λ D δ − Jᵀr)
        const predictedGain = step.reduce((sum, d, i) => sum + d * (lambda * diagonal[i]! * d - gradient[i]!), 0);
        if (!(predictedGain > tolerance * sumOfSquares))
          return { parameters: p, sumOfSquares, iterations, converged: true };
        const candidate = p.map((value, i) => value + step[i]!);
        const candidateResiduals = residuals(candidate);
        const candidateSum = dot(candidateResiduals, candidateResiduals);
        if (candidateSum < sumOfSquares) {
          const gain = sumOfSquares - candidateSum;
          p = candidate;
          r = candidateResiduals;
          sumOfSquares = candidateSum;
          lambda = Math.max(lambda * Math.max(1 / 3, 1 - (2 * (gain / predictedGain) - 1) ** 3), 1e-15);
          lambdaGrowth = 2;
          if (gain <= tolerance * sumOfSquares) return { parameters: p, sumOfSquares, iterations, converged: true };
          break;
        }
      }
      lambda *= lambdaGrowth;
      lambdaGrowth *= 2;
      if (lambda > 1e15) return { parameters: p, sumOfSquares, iterations, converged: true };
    }
  }
  return { parameters: p, sumOfSquares, iterations: maxIterations, converged: false };
}

function jacobianColumns(
  residuals: (parameters: readonly number[]) => ArrayLike<number>,
  p: readonly number[],
  r: ArrayLike<number>,
): Float64Array[] {
  return p.map((value, j) => {
    const h = DIFFERENCE_STEP * Math.max(1, Math.abs(value));
    const shiftedResiduals = residuals(p.map((v, k) => (k === j ? v + h : v)));
    return Float64Array.from(r, (v, i) => (shiftedResiduals[i]! - v) / h);
  });
}
