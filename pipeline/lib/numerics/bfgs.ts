import { dot } from './dense-products.ts';
import type { Minimum } from './nelder-mead.ts';

export interface BfgsOptions {
  /** Estimated width of f along each parameter, where f rises by a half. Sets the first steps. */
  widths: number[];
  /** A better estimate, if available: the inverse of f's second derivatives, in rows. */
  inverseHessian?: number[][];
  /** The gradient of f at x, the point at which f was last evaluated; by default forward differences are used. */
  computeGradient?: (x: number[]) => number[];
  /** Step of the forward differences. */
  differenceStep?: number;
  /** Stops once a step would gain less than this. */
  tolerance?: number;
  /** Longest step along any parameter. */
  longestStep?: number;
  maxIterations?: number;
}

/** Minimises a smooth f of few parameters by BFGS (Nocedal & Wright 2006, ch. 6) with step halving. */
export function minimiseBfgs(
  f: (x: number[]) => number,
  start: number[],
  {
    widths,
    inverseHessian: givenInverse,
    computeGradient: givenGradient,
    differenceStep = 1e-3,
    tolerance = 1e-3,
    longestStep = 1,
    maxIterations = 40,
  }: BfgsOptions,
): Minimum {
  let evaluations = 0;
  const value = (x: number[]) => {
    evaluations++;
    return f(x);
  };
  const gradientAt = (x: number[], valueAtX: number) =>
    givenGradient?.(x) ??
    x.map((_, i) => (value(x.map((v, j) => (i === j ? v + differenceStep : v))) - valueAtX) / differenceStep);

  let x = start;
  let currentValue = value(x);
  let gradient = gradientAt(x, currentValue);
  const startingInverse = givenInverse ?? widths.map((v, i) => widths.map((_, j) => (i === j ? v * v : 0)));
  let inverseHessian = startingInverse;
  for (let iteration = 0; iteration < maxIterations; iteration++) {
    let step = inverseHessian.map((row) => -dot(row, gradient));
    if (dot(step, gradient) >= 0) {
      inverseHessian = startingInverse;
      step = inverseHessian.map((row) => -dot(row, gradient));
    }
    if (-dot(step, gradient) < 2 * tolerance) break;
    const longest = Math.max(...step.map(Math.abs));
    if (longest > longestStep) step = step.map((v) => (v * longestStep) / longest);

    let candidateValue = value(x.map((v, i) => v + step[i]!));
    let halvings = 0;
    while (!(candidateValue < currentValue + 1e-4 * dot(step, gradient)) && halvings++ < 12) {
      step = step.map((v) => v / 2);
      candidateValue = value(x.map((v, i) => v + step[i]!));
    }
    if (!(candidateValue < currentValue)) break;
    x = x.map((v, i) => v + step[i]!);
    currentValue = candidateValue;
    const next = gradientAt(x, currentValue);
    const y = next.map((g, i) => g - gradient[i]!);
    gradient = next;
    const sy = dot(step, y);
    if (sy <= 1e-12) continue;
    const H = inverseHessian;
    const Hy = H.map((row) => dot(row, y));
    const scale = (1 + dot(y, Hy) / sy) / sy;
    inverseHessian = H.map((row, i) =>
      row.map((h, j) => h + scale * step[i]! * step[j]! - (Hy[i]! * step[j]! + step[i]! * Hy[j]!) / sy),
    );
  }
  return { x, value: currentValue, evaluations };
}

/** The points reached from x by a step h along each axis. */
export const forwardPoints = (x: readonly number[], h: number): number[][] =>
  x.map((_, j) => x.map((v, k) => (k === j ? v + h : v)));

/**
 * Second derivatives at x, in rows, from forward differences of the gradient with step `h`, which is also about the
 * error.
 * @param centreGradient gradient at x
 * @param gradients gradients at the points of `forwardPoints`, in their order
 */
export function finiteDifferenceHessian(
  centreGradient: readonly number[],
  gradients: readonly (readonly number[])[],
  h: number,
): Float64Array {
  const n = centreGradient.length;
  return Float64Array.from({ length: n * n }, (_, k) => {
    const [i, j] = [Math.floor(k / n), k % n];
    return (gradients[i]![j]! - centreGradient[j]! + gradients[j]![i]! - centreGradient[i]!) / (2 * h);
  });
}
