import { type LeastSquares, minimiseSquares } from './levenberg-marquardt.ts';
import type { Random } from './random.ts';

/** A parameter's interval; `log` searches it on the log scale. */
export interface Bounds {
  low: number;
  high: number;
  log?: boolean;
}

/**
 * Minimises Σ r² over parameters held inside their intervals by a logistic map, from `starts` points drawn evenly from
 * the middle four fifths of each; the lowest sum wins, the earliest of equals. An iteration limit bounds each start.
 */
export function minimiseBounded(
  residuals: (parameters: readonly number[]) => ArrayLike<number>,
  bounds: readonly Bounds[],
  { starts, random, iterations = 40 }: { starts: number; random: Random; iterations?: number },
): LeastSquares {
  const inside = (free: readonly number[]) => free.map((x, j) => intoInterval(1 / (1 + Math.exp(-x)), bounds[j]!));
  let best: LeastSquares | null = null;
  for (let k = 0; k < Math.max(1, starts); k++) {
    const start = bounds.map(() => {
      const share = 0.1 + 0.8 * random.uniform();
      return Math.log(share / (1 - share));
    });
    const found = minimiseSquares((free) => residuals(inside(free)), start, { iterations, tolerance: 1e-7 });
    if (best === null || found.squares < best.squares) best = found;
  }
  return { ...best!, parameters: inside(best!.parameters) };
}

/** The point at `share` (0-1) of the interval. */
function intoInterval(share: number, { low, high, log }: Bounds): number {
  return log ? low * (high / low) ** share : low + (high - low) * share;
}
