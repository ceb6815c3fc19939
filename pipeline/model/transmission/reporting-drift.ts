import { choleskyDense, solveLower, solveUpper } from '../../lib/numerics/dense.ts';

/** Months between the knots of reporting. */
export const KNOT_MONTHS = 3;
/** Variance of a month's scatter divided by the variance of a step from knot to knot. */
export const STIFFNESS = 1;

export interface DriftFit {
  /** ln of the share reported (up to the model's scale) for every month, including those left out. */
  drift: number[];
  /** The drift's terms in the sum of squares: √stiffness × each step from knot to knot. */
  steps: number[];
}

/**
 * A slowly drifting reporting fraction: its logarithm is linear between knots three months apart, and a random walk
 * over the knots, with steps of the same variance as a month's scatter. Given ln(reported / modelled) of the months in
 * use, it is estimated by penalised least squares, min Σ (d − B a)² + stiffness Σ (aₖ₊₁ − aₖ)² (Eilers & Marx 1996), in
 * closed form, so that it adds nothing to the search for the model's parameters.
 * @param used whether each month is in use; at least one is
 */
export function driftSmoother(used: readonly boolean[]): (differences: readonly number[]) => DriftFit {
  const n = used.length;
  const knots = Math.ceil((n - 1) / KNOT_MONTHS) + 1;
  const share = (t: number) => (t % KNOT_MONTHS) / KNOT_MONTHS;
  const knot = (t: number) => Math.floor(t / KNOT_MONTHS);

  const normal = new Float64Array(knots * knots);
  const add = (i: number, j: number, value: number) => {
    normal[i * knots + j]! += value;
  };
  for (let t = 0; t < n; t++) {
    if (!used[t]) continue;
    const k = knot(t);
    const w = share(t);
    add(k, k, (1 - w) ** 2);
    if (w > 0) {
      add(k + 1, k, w * (1 - w));
      add(k + 1, k + 1, w ** 2);
    }
  }
  for (let k = 0; k + 1 < knots; k++) {
    add(k, k, STIFFNESS);
    add(k + 1, k + 1, STIFFNESS);
    add(k + 1, k, -STIFFNESS);
  }
  const factor = choleskyDense(normal, knots);
  if (!factor) throw new RangeError(`reporting drift: found none of ${n} months in use, expected one or more`);

  return (differences) => {
    const a = new Float64Array(knots);
    for (let t = 0; t < n; t++) {
      if (!used[t]) continue;
      const w = share(t);
      a[knot(t)]! += (1 - w) * differences[t]!;
      if (w > 0) a[knot(t) + 1]! += w * differences[t]!;
    }
    solveUpper(factor, knots, solveLower(factor, knots, a));
    const logShare = (t: number) => (1 - share(t)) * a[knot(t)]! + (share(t) > 0 ? share(t) * a[knot(t) + 1]! : 0);
    return {
      drift: Array.from({ length: n }, (_, t) => logShare(t)),
      steps: Array.from({ length: knots - 1 }, (_, k) => Math.sqrt(STIFFNESS) * (a[k + 1]! - a[k]!)),
    };
  };
}
