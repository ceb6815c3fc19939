import type { Random } from '../../lib/numerics/random.ts';
import { solveBackward } from '../../lib/numerics/sparse-cholesky.ts';
import { expit } from '../../lib/numerics/special.ts';
import type { FitPoint, Posterior } from './fit.ts';
import type { Layout } from './latent.ts';
import type { Part, RiskObservation } from './likelihood.ts';
import type { Mesh } from './mesh.ts';

/** A joint posterior draw: the latent vector and the hyperparameters for which it was drawn. */
export interface Draw {
  x: Float64Array;
  point: FitPoint;
  /** The draw's own stream, for everything drawn after the latent vector. */
  random: Random;
}

/** A stream for each draw, so that a draw does not depend on the others. */
export type Streams = (draw: number) => Random;

/**
 * How many of `draws` each point gets: in proportion to its weight, with the remainder assigned to the largest
 * fractions.
 */
export function allocate(weights: number[], draws: number): number[] {
  const counts = weights.map((w) => Math.floor(w * draws));
  const order = weights
    .map((w, k) => ({ k, rest: w * draws - counts[k]! }))
    .sort((a, b) => b.rest - a.rest || a.k - b.k);
  let left = draws - counts.reduce((a, b) => a + b, 0);
  for (const { k } of order) if (left-- > 0) counts[k]!++;
  return counts;
}

/** A batch of draws for one point of the hyperparameters: `count` of them, starting with number `first`. */
export interface Share {
  point: number;
  first: number;
  count: number;
}

/** All draws by point, in batches of at most `most`. */
export function sharesOf(points: readonly { weight: number }[], draws: number, most = draws): Share[] {
  const counts = allocate(
    points.map(({ weight }) => weight),
    draws,
  );
  let next = 0;
  return counts.flatMap((count, point) => {
    const batches = Array.from({ length: Math.ceil(count / most) }, (_, k) => {
      return { point, first: next + k * most, count: Math.min(most, count - k * most) };
    });
    next += count;
    return batches;
  });
}

/** Draws from the posterior, including the uncertainty of the hyperparameters. */
export function* drawLatent(fit: Posterior, draws: number, streams: Streams): Generator<Draw> {
  for (const share of sharesOf(fit.points, draws)) yield* drawShare(fit.points[share.point]!, share, streams);
}

/** The draws of one batch. */
export function* drawShare(point: FitPoint, { first, count }: Share, streams: Streams): Generator<Draw> {
  const { factor, x: mode } = point.mode;
  for (let d = first; d < first + count; d++) {
    const random = streams(d);
    const x = solveBackward(
      factor,
      Float64Array.from(mode, () => random.normal()),
    );
    for (let i = 0; i < x.length; i++) x[i]! += mode[i]!;
    yield { x, point, random };
  }
}

/** The part of a cell's linear predictor that is constant over time: φ_cᵀβ + z(c). */
export function lastingPart({ cells, cell_nodes, cell_weights }: Mesh, layout: Layout, x: Float64Array, c: number) {
  let eta = 0;
  const F = cells.feature_count;
  for (let f = 0; f < F; f++) eta += cells.features[c * F + f]! * x[layout.beta(f)]!;
  for (let k = 0; k < 4; k++) eta += cell_weights[4 * c + k]! * x[layout.place(cell_nodes[4 * c + k]!)]!;
  return eta;
}

/** The field of change at an LGA's centre of population in a round: w_r(a). */
export function changeAt(
  { lga_nodes, lga_weights }: Mesh,
  layout: Layout,
  x: Float64Array,
  lga: number,
  round: number,
) {
  let w = 0;
  for (let k = 0; k < 4; k++) w += lga_weights[4 * lga + k]! * x[layout.change(lga_nodes[4 * lga + k]!, round)]!;
  return w;
}

/**
 * The part of the linear predictor that all cells of an LGA share in a round, without the season: μ_r + v_r + w_r + u.
 */
function sharedPart(mesh: Mesh, layout: Layout, x: Float64Array, lga: number, round: number) {
  const state = x[layout.state(mesh.state_of[lga]!, round)]!;
  return x[layout.mu(round)]! + state + changeAt(mesh, layout, x, lga, round) + x[layout.lga(lga)]!;
}

/**
 * Mean prevalence of a place (parts whose weights sum to 1) in a round, in the month of its `log_season` and `varying`,
 * by the score's test or by another test of the round.
 */
export function placePrevalence(
  mesh: Mesh,
  layout: Layout,
  x: Float64Array,
  { round, other_test }: Pick<RiskObservation, 'round' | 'other_test'>,
  parts: Part[],
): number {
  const offset = other_test ? x[layout.test(round)]! : 0;
  let mean = 0;
  for (const { lga, cells, weights, log_season, varying } of parts) {
    let common = sharedPart(mesh, layout, x, lga, round) + x[layout.gamma]! * log_season + offset;
    for (const [k, b] of layout.varying.entries()) common += x[b]! * varying[k]!;
    for (let i = 0; i < cells.length; i++)
      mean += weights[i]! * expit(common + lastingPart(mesh, layout, x, cells[i]!));
  }
  return mean;
}
