import { choleskyDense, solveCholesky } from '../../lib/numerics/dense.ts';

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
 * @param isUsed whether each month is in use; at least one is
 */
export function driftSmoother(isUsed: readonly boolean[]): (logRatios: readonly number[]) => DriftFit {
  const n = isUsed.length;
  const knotCount = Math.ceil((n - 1) / KNOT_MONTHS) + 1;
  const knotWeight = (t: number) => (t % KNOT_MONTHS) / KNOT_MONTHS;
  const knotBefore = (t: number) => Math.floor(t / KNOT_MONTHS);

  const normalMatrix = new Float64Array(knotCount * knotCount);
  const addToNormal = (i: number, j: number, value: number) => {
    normalMatrix[i * knotCount + j]! += value;
  };
  for (let t = 0; t < n; t++) {
    if (!isUsed[t]) continue;
    const knotIndex = knotBefore(t);
    const weight = knotWeight(t);
    addToNormal(knotIndex, knotIndex, (1 - weight) ** 2);
    if (weight > 0) {
      addToNormal(knotIndex + 1, knotIndex, weight * (1 - weight));
      addToNormal(knotIndex + 1, knotIndex + 1, weight ** 2);
    }
  }
  for (let knotIndex = 0; knotIndex + 1 < knotCount; knotIndex++) {
    addToNormal(knotIndex, knotIndex, STIFFNESS);
    addToNormal(knotIndex + 1, knotIndex + 1, STIFFNESS);
    addToNormal(knotIndex + 1, knotIndex, -STIFFNESS);
  }
  const factor = choleskyDense(normalMatrix, knotCount);
  if (!factor) throw new RangeError(`reporting drift: found none of ${n} months in use, expected one or more`);

  return (logRatios) => {
    const knotValues = new Float64Array(knotCount);
    for (let t = 0; t < n; t++) {
      if (!isUsed[t]) continue;
      const weight = knotWeight(t);
      knotValues[knotBefore(t)]! += (1 - weight) * logRatios[t]!;
      if (weight > 0) knotValues[knotBefore(t) + 1]! += weight * logRatios[t]!;
    }
    solveCholesky(factor, knotCount, knotValues);
    const logShare = (t: number) =>
      (1 - knotWeight(t)) * knotValues[knotBefore(t)]! +
      (knotWeight(t) > 0 ? knotWeight(t) * knotValues[knotBefore(t) + 1]! : 0);
    return {
      drift: Array.from({ length: n }, (_, t) => logShare(t)),
      steps: Array.from(
        { length: knotCount - 1 },
        (_, knotIndex) => Math.sqrt(STIFFNESS) * (knotValues[knotIndex + 1]! - knotValues[knotIndex]!),
      ),
    };
  };
}
