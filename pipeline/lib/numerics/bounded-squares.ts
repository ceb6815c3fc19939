import { type LeastSquares, minimiseSquares } from './levenberg-marquardt.ts';
import type { Random } from './random.ts';

/** A parameter's interval; with `log` it is searched on the log scale. */
export interface Bounds {
  low: number;
  high: number;
  log?: boolean;
}

export interface BoundedSearch {
  starts: number;
  random: Random;
  iterations?: number;
  firstStart?: readonly number[];
}

/**
 * Minimises Σ r² over parameters that a logistic map keeps within their intervals, from `starts` points drawn uniformly
 * from the middle four fifths of each. The lowest sum wins, or the earliest of equal ones. `iterations` limits each
 * start.
 * @param firstStart parameters of an additional start before the random ones
 */
export function minimiseBoundedSquares(
  residuals: (parameters: readonly number[]) => ArrayLike<number>,
  bounds: readonly Bounds[],
  { starts, random, iterations = 40, firstStart }: BoundedSearch,
): LeastSquares {
  const toParameters = (unconstrained: readonly number[]) =>
    unconstrained.map((x, j) => valueAtShare(1 / (1 + Math.exp(-x)), bounds[j]!));
  const logit = (share: number) => Math.log(share / (1 - share));
  let best: LeastSquares | null = null;
  const firstIndex = firstStart ? 0 : 1;
  for (let k = firstIndex; k <= Math.max(firstIndex, starts); k++) {
    const start = bounds.map((interval, j) =>
      k === 0 ? logit(shareOfInterval(firstStart![j]!, interval)) : logit(0.1 + 0.8 * random.uniform()),
    );
    const minimum = minimiseSquares((unconstrained) => residuals(toParameters(unconstrained)), start, {
      iterations,
      tolerance: 1e-7,
    });
    if (best === null || minimum.sumOfSquares < best.sumOfSquares) best = minimum;
  }
  return { ...best!, parameters: toParameters(best!.parameters) };
}

/** The point at `share` (0-1) of the interval. */
function valueAtShare(share: number, { low, high, log }: Bounds): number {
  return log ? low * (high / low) ** share : low + (high - low) * share;
}

/** Relative position of a value in the interval, 0-1, kept off the ends, where the search could not move. */
function shareOfInterval(value: number, { low, high, log }: Bounds): number {
  const share = log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
  return Math.min(0.99, Math.max(0.01, share));
}
