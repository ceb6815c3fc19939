import { expit, logit } from '../../lib/numerics/special.ts';

const NODE_COUNT = 6;
/** Length of a stored curve: middle and half length of its interval, then the polynomial's coefficients. */
export const CURVE_LENGTH = 2 + NODE_COUNT;

/**
 * Approximates shift ↦ Σ_c ω_c expit(lasting_c + shift) over an interval of shifts. The log odds of the mean are nearly
 * linear in the shift, so their difference from the shift is interpolated by a polynomial through six Chebyshev nodes
 * (error below 2e-5 over four logits).
 * @param odds exp(−lasting_c) of each cell, so that one exponential per cell serves all nodes
 * @param target receives the curve, from position `offset`
 */
export function fitCurve(
  odds: Float64Array,
  weights: Float64Array,
  [low, high]: readonly [number, number],
  target: Float32Array | Float64Array,
  offset: number,
): void {
  const middle = (low + high) / 2;
  const halfLength = Math.max((high - low) / 2, 1e-6);
  target.fill(0, offset, offset + CURVE_LENGTH);
  target[offset] = middle;
  target[offset + 1] = halfLength;
  for (let k = 0; k < NODE_COUNT; k++) {
    const angle = (Math.PI * (k + 0.5)) / NODE_COUNT;
    const node = middle + halfLength * Math.cos(angle);
    const expMinusNode = Math.exp(-node);
    let mean = 0;
    for (let i = 0; i < odds.length; i++) mean += weights[i]! / (1 + odds[i]! * expMinusNode);
    const value = logit(Math.min(Math.max(mean, 1e-300), 1 - 1e-15)) - node;
    for (let j = 0; j < NODE_COUNT; j++)
      target[offset + 2 + j]! += ((j === 0 ? 1 : 2) / NODE_COUNT) * value * Math.cos(j * angle);
  }
}

/** The mean prevalence at a shift, from the curve at position `offset` (Clenshaw's recurrence). */
export function curvePrevalence(curves: Float32Array | Float64Array, offset: number, shift: number): number {
  const t = (shift - curves[offset]!) / curves[offset + 1]!;
  let b1 = 0;
  let b2 = 0;
  for (let j = NODE_COUNT - 1; j > 0; j--) {
    const b = 2 * t * b1 - b2 + curves[offset + 2 + j]!;
    b2 = b1;
    b1 = b;
  }
  return expit(shift + t * b1 - b2 + curves[offset + 2]!);
}
