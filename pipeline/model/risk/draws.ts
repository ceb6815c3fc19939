import type { Random } from '../../lib/numerics/random.ts';
import { solveBackward } from '../../lib/numerics/sparse-cholesky.ts';
import type { FitPoint, Posterior } from './fit.ts';

/** A joint posterior draw: the latent vector and the hyperparameters for which it was drawn. */
export interface Draw {
  x: Float64Array;
  point: FitPoint;
  /** The draw's own stream, for everything drawn after the latent vector. */
  random: Random;
}

/** A stream for each draw, so that a draw does not depend on the others. */
export type StreamForDraw = (draw: number) => Random;

/**
 * How many of `draws` each point gets: in proportion to its weight, with the remainder assigned to the largest
 * fractions.
 */
export function allocateDraws(weights: number[], draws: number): number[] {
  const counts = weights.map((w) => Math.floor(w * draws));
  const order = weights
    .map((w, k) => ({ k, rest: w * draws - counts[k]! }))
    .sort((a, b) => b.rest - a.rest || a.k - b.k);
  let remaining = draws - counts.reduce((a, b) => a + b, 0);
  for (const { k } of order) if (remaining-- > 0) counts[k]!++;
  return counts;
}

/** A batch of draws for one point of the hyperparameters: `count` of them, starting with number `first`. */
export interface DrawBatch {
  point: number;
  first: number;
  count: number;
}

/** All draws by point, in batches of at most `maxSize`. */
export function drawBatches(points: readonly { weight: number }[], draws: number, maxSize = draws): DrawBatch[] {
  const counts = allocateDraws(
    points.map(({ weight }) => weight),
    draws,
  );
  let next = 0;
  return counts.flatMap((count, point) => {
    const batches = Array.from({ length: Math.ceil(count / maxSize) }, (_, k) => {
      return { point, first: next + k * maxSize, count: Math.min(maxSize, count - k * maxSize) };
    });
    next += count;
    return batches;
  });
}

/** Draws from the posterior, including the uncertainty of the hyperparameters. */
export function* drawLatent(fit: Posterior, draws: number, streamForDraw: StreamForDraw): Generator<Draw> {
  for (const batch of drawBatches(fit.points, draws))
    yield* drawOneBatch(fit.points[batch.point]!, batch, streamForDraw);
}

/** The draws of one batch. */
export function* drawOneBatch(
  point: FitPoint,
  { first, count }: DrawBatch,
  streamForDraw: StreamForDraw,
): Generator<Draw> {
  const { factor, x: mode } = point.mode;
  for (let d = first; d < first + count; d++) {
    const random = streamForDraw(d);
    const x = solveBackward(
      factor,
      Float64Array.from(mode, () => random.normal()),
    );
    for (let i = 0; i < x.length; i++) x[i]! += mode[i]!;
    yield { x, point, random };
  }
}
