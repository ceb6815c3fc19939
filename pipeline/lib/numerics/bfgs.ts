import { dot } from './dense-products.ts';
import type { Minimum } from './nelder-mead.ts';

export interface BfgsOptions {
  /** Estimated width of f along each parameter, where f rises by a half. Sets the first steps. */
  spread: number[];
  /** A better estimate, if available: the inverse of f's second derivatives, in rows. */
  inverse?: number[][];
  /** The gradient of f at x, the point at which f was last evaluated; by default forward differences are used. */
  gradient?: (x: number[]) => number[];
  /** Step of the forward differences. */
  difference?: number;
  /** Stops once a step would gain less than this. */
  tolerance?: number;
  /** Longest step along any parameter. */
  reach?: number;
  limit?: number;
}

/** Minimises a smooth f of few parameters by BFGS (Nocedal & Wright 2006, ch. 6) with step halving. */
export function minimiseBfgs(
  f: (x: number[]) => number,
  start: number[],
  {
    spread,
    inverse: givenInverse,
    gradient: givenGradient,
    difference = 1e-3,
    tolerance = 1e-3,
    reach = 1,
    limit = 40,
  }: BfgsOptions,
): Minimum {
  let evaluations = 0;
  const value = (x: number[]) => {
    evaluations++;
    return f(x);
  };
  const gradientAt = (x: number[], valueAtX: number) =>
    givenGradient?.(x) ??
    x.map((_, i) => (value(x.map((v, j) => (i === j ? v + difference : v))) - valueAtX) / difference);

  let x = start;
  let current = value(x);
  let gradient = gradientAt(x, current);
  const guess = givenInverse ?? spread.map((v, i) => spread.map((_, j) => (i === j ? v * v : 0)));
  let inverse = guess;
  for (let iteration = 0; iteration < limit; iteration++) {
    let step = inverse.map((row) => -dot(row, gradient));
    if (dot(step, gradient) >= 0) {
      inverse = guess;
      step = inverse.map((row) => -dot(row, gradient));
    }
    if (-dot(step, gradient) < 2 * tolerance) break;
    const longest = Math.max(...step.map(Math.abs));
    if (longest > reach) step = step.map((v) => (v * reach) / longest);

    let candidate = value(x.map((v, i) => v + step[i]!));
    let halvings = 0;
    while (!(candidate < current + 1e-4 * dot(step, gradient)) && halvings++ < 12) {
      step = step.map((v) => v / 2);
      candidate = value(x.map((v, i) => v + step[i]!));
    }
    if (!(candidate < current)) break;
    x = x.map((v, i) => v + step[i]!);
    current = candidate;
    const next = gradientAt(x, current);
    const turn = next.map((g, i) => g - gradient[i]!);
    gradient = next;
    const sy = dot(step, turn);
    if (sy <= 1e-12) continue;
    const H = inverse;
    const Hy = H.map((row) => dot(row, turn));
    const scale = (1 + dot(turn, Hy) / sy) / sy;
    inverse = H.map((row, i) =>
      row.map((h, j) => h + scale * step[i]! * step[j]! - (Hy[i]! * step[j]! + step[i]! * Hy[j]!) / sy),
    );
  }
  return { x, value: current, evaluations };
}

/** The points reached from x by a step h along each axis. */
export const forwardPoints = (x: readonly number[], h: number): number[][] =>
  x.map((_, j) => x.map((v, k) => (k === j ? v + h : v)));

/**
 * Second derivatives at x, in rows, from forward differences of the gradient with step `h`, which is also about the
 * error.
 * @param centre gradient at x
 * @param slopes gradients at the points of `forwardPoints`, in their order
 */
export function finiteDifferenceHessian(
  centre: readonly number[],
  slopes: readonly (readonly number[])[],
  h: number,
): Float64Array {
  const n = centre.length;
  return Float64Array.from({ length: n * n }, (_, k) => {
    const [i, j] = [Math.floor(k / n), k % n];
    return (slopes[i]![j]! - centre[j]! + slopes[j]![i]! - centre[i]!) / (2 * h);
  });
}
