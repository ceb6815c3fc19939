import { choleskyDense, solveLower, solveUpper } from './dense.ts';
import { dot } from './dense-products.ts';

export interface LeastSquares {
  parameters: number[];
  /** Sum of squared residuals. */
  squares: number;
  iterations: number;
  /** False if the limit of iterations was reached. */
  converged: boolean;
}

/** Step of the forward differences, in units of max(1, |p|). */
const DIFFERENCE = 1e-7;

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
  { iterations: limit = 60, tolerance = 1e-9 } = {},
): LeastSquares {
  const n = start.length;
  let p = [...start];
  let r = residuals(p);
  let squares = sumOfSquares(r);
  if (!Number.isFinite(squares)) throw new RangeError(`residuals at the start ${start.join(', ')} are not finite`);
  let lambda = 1e-3;
  let growth = 2;

  for (let iterations = 1; iterations <= limit; iterations++) {
    const columns = jacobianColumns(residuals, p, r);
    const gradient = columns.map((column) => dot(column, r));
    const normal = new Float64Array(n * n);
    for (let i = 0; i < n; i++) for (let j = 0; j <= i; j++) normal[i * n + j] = dot(columns[i]!, columns[j]!);
    const diagonal = Array.from({ length: n }, (_, i) => Math.max(normal[i * n + i]!, 1e-12));

    for (;;) {
      const damped = normal.slice();
      for (let i = 0; i < n; i++) damped[i * n + i]! += lambda * diagonal[i]!;
      const factor = choleskyDense(damped, n);
      if (factor) {
        const step = solveUpper(
          factor,
          n,
          solveLower(
            factor,
            n,
            Float64Array.from(gradient, (g) => -g),
          ),
        );
        // gain predicted by the linear model: δᵀ(λ D δ − Jᵀr)
        const promised = step.reduce((sum, d, i) => sum + d * (lambda * diagonal[i]! * d - gradient[i]!), 0);
        if (!(promised > tolerance * squares)) return { parameters: p, squares, iterations, converged: true };
        const trial = p.map((value, i) => value + step[i]!);
        const trialResiduals = residuals(trial);
        const trialSquares = sumOfSquares(trialResiduals);
        if (trialSquares < squares) {
          const gained = squares - trialSquares;
          p = trial;
          r = trialResiduals;
          squares = trialSquares;
          lambda = Math.max(lambda * Math.max(1 / 3, 1 - (2 * (gained / promised) - 1) ** 3), 1e-15);
          growth = 2;
          if (gained <= tolerance * squares) return { parameters: p, squares, iterations, converged: true };
          break;
        }
      }
      lambda *= growth;
      growth *= 2;
      if (lambda > 1e15) return { parameters: p, squares, iterations, converged: true };
    }
  }
  return { parameters: p, squares, iterations: limit, converged: false };
}

function jacobianColumns(
  residuals: (parameters: readonly number[]) => ArrayLike<number>,
  p: readonly number[],
  r: ArrayLike<number>,
): Float64Array[] {
  return p.map((value, j) => {
    const h = DIFFERENCE * Math.max(1, Math.abs(value));
    const moved = residuals(p.map((v, k) => (k === j ? v + h : v)));
    return Float64Array.from(r, (v, i) => (moved[i]! - v) / h);
  });
}

function sumOfSquares(r: ArrayLike<number>): number {
  return dot(r, r);
}
