import type { Factor, SymbolicAnalysis } from './sparse-cholesky.ts';
import { factorise, factorLogDeterminant, solveBackward, solveForward } from './sparse-cholesky.ts';

/** A latent vector x with a Gaussian prior, and a likelihood. */
export interface LatentModel {
  symbolic: SymbolicAnalysis;
  mean: Float64Array;
  /** Prior precision in the pattern's order, and its log determinant. */
  precision: Float64Array;
  log_determinant: number;
  /**
   * Returns ln p(y | x); adds its gradient to `gradient` and minus its second derivatives to `precision`.
   * With `concaveOnly`, observations whose curvature has the wrong sign are left out of `precision`.
   */
  likelihood(x: Float64Array, gradient: Float64Array, precision: Float64Array, concaveOnly: boolean): number;
}

export interface Mode {
  x: Float64Array;
  /** Factor of the posterior precision at the mode. */
  factor: Factor;
  /** Laplace's approximation of ln p(y). */
  log_marginal: number;
  steps: number;
}

/**
 * Laplace's approximation of a latent Gaussian model (Rue, Martino & Chopin 2009, J. R. Stat. Soc. B 71:319):
 *
 *   ln p(y) ≈ ln p(y | x̂) − ½ (x̂ − x₀)ᵀ Q (x̂ − x₀) + ½ ln |Q| − ½ ln |Q + W|,   W = −∂² ln p(y | x̂)
 *
 * with x₀ the prior mean and x̂ the mode, found by Newton's method with step halving.
 * @param similarFactor the factor of a similar model's precision: steps with it are cheap and come first while they
 *   converge well
 * @param tolerance squared Newton decrement (twice the remaining gain in ln p) at which the mode counts as found. The
 *   error of the determinant is of the order of its square root, so it must be far below the error allowed in the
 *   marginal likelihood: 1e-15 for 1e-8, 1e-9 for 1e-5
 * @returns null if no mode is found within 60 steps
 */
export function findMode(
  model: LatentModel,
  start: Float64Array,
  { similarFactor = null, tolerance = 1e-15 }: { similarFactor?: Factor | null; tolerance?: number } = {},
): Mode | null {
  const { symbolic, mean, log_determinant } = model;
  const evaluate = (x: Float64Array, concaveOnly: boolean) => {
    const precision = model.precision.slice();
    const deviation = x.map((v, i) => v - mean[i]!);
    const gradient = multiplySymmetric(symbolic, model.precision, deviation);
    let value = 0;
    for (let i = 0; i < x.length; i++) {
      value -= 0.5 * deviation[i]! * gradient[i]!;
      gradient[i] = -gradient[i]!;
    }
    value += model.likelihood(x, gradient, precision, concaveOnly);
    return { x, value, gradient, precision };
  };

  let current = evaluate(start, false);
  if (similarFactor) current = iterateWithFactor(current, similarFactor, tolerance / 10, (x) => evaluate(x, false));
  let previousDecrement = Number.POSITIVE_INFINITY;
  for (let steps = 0; steps < 60; steps++) {
    const factor = factorise(symbolic, current.precision) ?? factorise(symbolic, evaluate(current.x, true).precision);
    if (!factor) return null;
    const { step, decrement } = newtonStep(factor, current.gradient);
    const refined =
      decrement < CLOSE_DECREMENT && decrement >= tolerance
        ? iterateWithFactor(current, factor, tolerance, (x) => evaluate(x, false))
        : current;
    if (refined !== current) {
      current = refined;
      continue;
    }
    // further steps would only change rounding errors
    if (decrement < CLOSE_DECREMENT) {
      const log_marginal = current.value + 0.5 * log_determinant - 0.5 * factorLogDeterminant(factor);
      return { x: current.x, factor, log_marginal, steps };
    }
    let stepLength = 1;
    const isSlow = decrement > SLOW_RATIO * previousDecrement;
    let candidate = isSlow
      ? takeNewtonStep(current, step, decrement, (x) => evaluate(x, false))
      : evaluate(moveAlong(current.x, step, stepLength), false);
    while (!(candidate.value >= current.value - 1e-10) && stepLength > 1e-4) {
      stepLength /= 2;
      candidate = evaluate(moveAlong(current.x, step, stepLength), false);
    }
    current = candidate;
    previousDecrement = decrement;
  }
  return null;
}

/** Squared Newton decrement below which steps with a fixed factor converge to the mode. */
const CLOSE_DECREMENT = 1e-3;
/** Steps are slow if a step leaves more than this share of the squared Newton decrement. */
const SLOW_RATIO = 0.3;

function newtonStep(factor: Factor, gradient: Float64Array) {
  const step = solveBackward(factor, solveForward(factor, gradient.slice()));
  let decrement = 0;
  for (let i = 0; i < step.length; i++) decrement += step[i]! * gradient[i]!;
  return { step, decrement };
}

interface EvaluatedPoint {
  x: Float64Array;
  value: number;
  gradient: Float64Array;
}

function iterateWithFactor<P extends EvaluatedPoint>(
  start: P,
  factor: Factor,
  tolerance: number,
  evaluate: (x: Float64Array) => P,
): P {
  let current = start;
  let { step, decrement } = newtonStep(factor, current.gradient);
  while (decrement >= tolerance) {
    const candidate = takeNewtonStep(current, step, decrement, evaluate);
    const next = newtonStep(factor, candidate.gradient);
    if (!(next.decrement < decrement)) break;
    const isSlow = next.decrement > SLOW_RATIO * decrement;
    current = candidate;
    ({ step, decrement } = next);
    if (isSlow) break;
  }
  return current;
}

/**
 * The point reached by a full step or, if the slope along the step has changed sign there, the zero of the slope by the
 * secant method. With a curvature that omits terms (where an area's mean prevalence is far from its cells'), full steps
 * could oscillate about the mode for ever.
 */
function takeNewtonStep<P extends EvaluatedPoint>(
  current: P,
  step: Float64Array,
  slope: number,
  evaluate: (x: Float64Array) => P,
): P {
  const candidate = evaluate(moveAlong(current.x, step, 1));
  const slopeAfter = step.reduce((sum, v, i) => sum + v * candidate.gradient[i]!, 0);
  return slopeAfter < -slope / 4 ? evaluate(moveAlong(current.x, step, slope / (slope - slopeAfter))) : candidate;
}

function moveAlong(x: Float64Array, step: Float64Array, stepLength: number): Float64Array {
  return x.map((v, i) => v + stepLength * step[i]!);
}

/** A v for a symmetric A stored as its lower triangle. */
export function multiplySymmetric({ pattern }: SymbolicAnalysis, a: Float64Array, v: Float64Array): Float64Array {
  const product = new Float64Array(pattern.n);
  for (let j = 0; j < pattern.n; j++) {
    const diagonalEntry = pattern.start[j]!;
    let sum = a[diagonalEntry]! * v[j]!;
    for (let e = diagonalEntry + 1; e < pattern.start[j + 1]!; e++) {
      const i = pattern.row[e]!;
      sum += a[e]! * v[i]!;
      product[i]! += a[e]! * v[j]!;
    }
    product[j]! += sum;
  }
  return product;
}
