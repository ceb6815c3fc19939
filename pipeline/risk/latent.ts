import { orderByDegree } from '../numerics/minimum-degree.ts';
import { analyse, entryOf, patternOf, type Symbolic } from '../numerics/sparse-cholesky.ts';
import { logDeterminantOfMatern, precisionOf, scaleOf } from './matern-lattice.ts';
import type { Mesh } from './mesh.ts';

/**
 * The latent vector of the risk model and its Gaussian prior.
 *
 *   β  covariates (standardised)              N(0, 0.5²)
 *   γ  season exponent                        N(mean, sd²), given
 *   μ  nation at the rounds                   Brownian motion over years from N(0, 1.6²) at the first
 *   z  place, lasting                         Matérn(range, σ_place)
 *   w  place × round                          Matérn(range_change, σ_change) × Ornstein-Uhlenbeck(τ)
 *   v  state × round                          N(0, σ_state²) × Ornstein-Uhlenbeck(τ)
 *
 * An Ornstein-Uhlenbeck process correlates rounds t years apart by exp(−t/τ).
 */
export interface Hyperparameters {
  sigma_place: number;
  range_km: number;
  sigma_change: number;
  sigma_state: number;
  /** Years. */
  tau_years: number;
  /**
   * Overdispersion of each round that has clusters: the correlation between two children of a cluster, or of whatever
   * stands for one. By round, because a cell may pool several clusters in one round and be a single one in another.
   */
  rho: number[];
}

/** Fixed, not fitted. */
export interface Constants {
  season_exponent: { mean: number; sd: number };
  /** Drift of the national level: logit per root year. Three steps between rounds cannot identify it. */
  nation_drift: number;
  /** Range of changes: weather and campaigns act over regions. */
  range_change_km: number;
}

const NATION_SD = 1.6;
const COVARIATE_SD = 0.5;

/** The position of each unknown in the latent vector, in its order of elimination. */
export interface Layout {
  size: number;
  /** Years of the rounds, ascending. */
  times: number[];
  beta(feature: number): number;
  gamma: number;
  mu(round: number): number;
  place(node: number): number;
  change(node: number, round: number): number;
  state(state: number, round: number): number;
  symbolic: Symbolic;
}

/**
 * Orders the unknowns and finds their pattern.
 * @param rows the unknowns that each observation sees, as numbered by `unordered`
 */
export function indexUnknowns(mesh: Mesh, times: number[], rows: (unordered: Numbering) => Iterable<number[]>): Layout {
  const unordered = numberUnknowns(mesh, times);
  const { size } = unordered;
  const cliques = [...rows(unordered), ...priorCliques(mesh, times, unordered)];
  const neighbours = Array.from({ length: size }, () => new Set<number>());
  for (const clique of cliques) for (const i of clique) for (const j of clique) neighbours[i]!.add(j);
  const order = orderByDegree(neighbours, unordered.global);
  const at = new Int32Array(size);
  order.forEach((i, k) => {
    at[i] = k;
  });
  const symbolic = analyse(
    patternOf(
      size,
      cliques.map((clique) => clique.map((i) => at[i]!)),
    ),
  );
  return {
    size,
    times,
    beta: (f) => at[unordered.beta(f)]!,
    gamma: at[unordered.gamma]!,
    mu: (r) => at[unordered.mu(r)]!,
    place: (k) => at[unordered.place(k)]!,
    change: (k, r) => at[unordered.change(k, r)]!,
    state: (s, r) => at[unordered.state(s, r)]!,
    symbolic,
  };
}

/** Unknowns block by block. */
export function numberUnknowns(mesh: Mesh, times: number[]) {
  const R = times.length;
  const F = mesh.cells.feature_count;
  const P = mesh.place.lattice.nx * mesh.place.lattice.ny;
  const C = mesh.change.lattice.nx * mesh.change.lattice.ny;
  const size = F + 1 + R + P + C * R + mesh.states * R;
  return {
    size,
    global: Array.from({ length: F + 1 + R }, (_, i) => i),
    beta: (f: number) => f,
    gamma: F,
    mu: (r: number) => F + 1 + r,
    place: (k: number) => F + 1 + R + k,
    change: (k: number, r: number) => F + 1 + R + P + k * R + r,
    state: (s: number, r: number) => F + 1 + R + P + C * R + s * R + r,
  };
}
export type Numbering = ReturnType<typeof numberUnknowns>;

function* priorCliques(mesh: Mesh, times: number[], at: Numbering): Generator<number[]> {
  const { place, change } = mesh;
  for (let e = 0; e < place.stencil.i.length; e++) yield [at.place(place.stencil.i[e]!), at.place(place.stencil.j[e]!)];
  for (let r = 0; r < times.length; r++)
    for (const q of [r, r + 1].filter((v) => v < times.length)) {
      yield [at.mu(r), at.mu(q)];
      for (let s = 0; s < mesh.states; s++) yield [at.state(s, r), at.state(s, q)];
      for (let e = 0; e < change.stencil.i.length; e++) {
        yield [at.change(change.stencil.i[e]!, r), at.change(change.stencil.j[e]!, q)];
        yield [at.change(change.stencil.i[e]!, q), at.change(change.stencil.j[e]!, r)];
      }
    }
}

/** Entries of a tridiagonal precision over the rounds, and its log determinant. */
export interface OverRounds {
  diagonal: number[];
  /** Between round r and r + 1. */
  beside: number[];
  log_determinant: number;
}

/** Unit-variance Ornstein-Uhlenbeck process at `times`: a chain of regressions with φ = exp(−Δt/τ). */
export function ornsteinUhlenbeck(times: number[], tau: number): OverRounds {
  const diagonal = times.map(() => 0);
  const beside: number[] = [];
  let log_determinant = 0;
  diagonal[0] = 1;
  for (let r = 0; r + 1 < times.length; r++) {
    const phi = Math.exp(-(times[r + 1]! - times[r]!) / tau);
    const precision = 1 / (1 - phi * phi);
    diagonal[r]! += phi * phi * precision;
    diagonal[r + 1]! += precision;
    beside.push(-phi * precision);
    log_determinant += Math.log(precision);
  }
  return { diagonal, beside, log_determinant };
}

/** Brownian motion of `drift` per root year from N(0, sd²) at the first round. */
export function brownian(times: number[], sd: number, drift: number): OverRounds {
  const diagonal = times.map(() => 0);
  const beside: number[] = [];
  diagonal[0] = 1 / (sd * sd);
  let log_determinant = Math.log(diagonal[0]!);
  for (let r = 0; r + 1 < times.length; r++) {
    const precision = 1 / (drift * drift * (times[r + 1]! - times[r]!));
    diagonal[r]! += precision;
    diagonal[r + 1]! += precision;
    beside.push(-precision);
    log_determinant += Math.log(precision);
  }
  return { diagonal, beside, log_determinant };
}

/** A function from hyperparameters to the prior's precision values in the pattern's order, its log determinant and mean. */
export function preparePrior(mesh: Mesh, layout: Layout, constants: Constants) {
  const { symbolic, size, times } = layout;
  const R = times.length;
  const F = mesh.cells.feature_count;
  const entry = (i: number, j: number) => entryOf(symbolic.pattern, i, j);
  const { place, change } = mesh;
  const placeEntry = Int32Array.from(place.stencil.i, (i, e) =>
    entry(layout.place(i), layout.place(place.stencil.j[e]!)),
  );
  // for each pair of rounds r ≤ q at most one apart: stencil (i, j) across them, both ways round
  const changeEntry = times.flatMap((_, r) =>
    [r, r + 1]
      .filter((q) => q < R)
      .map((q) => ({
        r,
        q,
        to: Int32Array.from(change.stencil.i, (i, e) =>
          entry(layout.change(i, r), layout.change(change.stencil.j[e]!, q)),
        ),
        fro: Int32Array.from(change.stencil.i, (i, e) =>
          entry(layout.change(i, q), layout.change(change.stencil.j[e]!, r)),
        ),
      })),
  );
  const mean = new Float64Array(size);
  mean[layout.gamma] = constants.season_exponent.mean;

  return (h: Hyperparameters) => {
    const precision = new Float64Array(symbolic.pattern.row.length);
    let log_determinant = 0;
    const addChain = (over: OverRounds, at: (r: number) => number, scale: number) => {
      for (let r = 0; r < R; r++) precision[entry(at(r), at(r))]! += over.diagonal[r]! * scale;
      for (let r = 0; r + 1 < R; r++) precision[entry(at(r), at(r + 1))]! += over.beside[r]! * scale;
      log_determinant += over.log_determinant + R * Math.log(scale);
    };

    for (let f = 0; f < F; f++) precision[entry(layout.beta(f), layout.beta(f))] = 1 / COVARIATE_SD ** 2;
    precision[entry(layout.gamma, layout.gamma)] = 1 / constants.season_exponent.sd ** 2;
    log_determinant -= 2 * F * Math.log(COVARIATE_SD) + 2 * Math.log(constants.season_exponent.sd);
    addChain(brownian(times, NATION_SD, constants.nation_drift), layout.mu, 1);

    const overYears = ornsteinUhlenbeck(times, h.tau_years);
    for (let s = 0; s < mesh.states; s++) addChain(overYears, (r) => layout.state(s, r), h.sigma_state ** -2);

    const placeScale = scaleOf(place, h.range_km, h.sigma_place);
    precisionOf(place, placeScale).forEach((q, e) => {
      precision[placeEntry[e]!]! += q;
    });
    log_determinant += logDeterminantOfMatern(place, placeScale);

    const changeScale = scaleOf(change, constants.range_change_km, h.sigma_change);
    const spatial = precisionOf(change, changeScale);
    for (const { r, q, to, fro } of changeEntry) {
      const factor = r === q ? overYears.diagonal[r]! : overYears.beside[r]!;
      for (let e = 0; e < spatial.length; e++) {
        precision[to[e]!]! += factor * spatial[e]!;
        if (r !== q && change.stencil.i[e] !== change.stencil.j[e]) precision[fro[e]!]! += factor * spatial[e]!;
      }
    }
    const nodes = change.lattice.nx * change.lattice.ny;
    log_determinant += R * logDeterminantOfMatern(change, changeScale) + nodes * overYears.log_determinant;
    return { precision, log_determinant, mean };
  };
}
