import { orderByDegree } from '../../lib/numerics/minimum-degree.ts';
import { analyse, entryOf, patternOf, type Symbolic } from '../../lib/numerics/sparse-cholesky.ts';
import type { Hyperparameters } from './hyperparameters.ts';
import { logDeterminantOfMatern, precisionOf, scaleOf } from './matern-lattice.ts';
import type { Mesh } from './mesh.ts';
import { brownian, dampedDrift, type Kernel, ornsteinUhlenbeck, precisionAt, sumOf } from './over-time.ts';

/**
 * The latent vector of the risk model and its Gaussian prior.
 *
 *   β  covariates (standardised)              N(0, 0.5²)
 *   b  covariates by month (standardised)     N(0, 0.5²)
 *   γ  season exponent                        N(mean, sd²), fixed
 *   μ  nation by round                        N(0, 1.6²) + Brownian motion + damped drift
 *   z  persistent spatial field               Matérn(range, σ_place)
 *   u  persistent LGA effect                  N(0, σ_lga²)
 *   w  field of change, by round              Matérn(range_change, σ_change) × Ornstein-Uhlenbeck(τ)
 *   v  state by round                         Ornstein-Uhlenbeck(σ_state, τ_state) + damped drift(σ_slope)
 *   δ  offset of another test, by round       N(mean, sd²), fixed
 */
/** Parameters of the prior that are fixed, not estimated. */
export interface Constants {
  season_exponent: { mean: number; sd: number };
  /** Logit of prevalence by another test minus that by the score's; null if all rows are by the score's. */
  test_offset: { mean: number; sd: number } | null;
  /** Brownian drift of the national level, logit per root year. Three steps between rounds cannot identify it. */
  nation_drift: number;
  /** Standard deviation of the national slope, logit per year. */
  nation_slope: number;
  /** Years for which national and state slopes keep their direction. */
  slope_years: number;
  /** Range of the field of change: weather and campaigns act over regions. */
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
  /** Coefficients of the covariates by month. */
  varying: number[];
  mu(round: number): number;
  /** Offset of a round with rows by another test. */
  test(round: number): number;
  place(node: number): number;
  lga(lga: number): number;
  change(node: number, round: number): number;
  state(state: number, round: number): number;
  symbolic: Symbolic;
}

/**
 * Orders the unknowns and finds the pattern of their precision matrix.
 * @param otherTests rounds with rows by another test
 * @param varying number of covariates by month
 * @param rows the unknowns that each observation depends on, as numbered by `unordered`
 */
export function indexUnknowns(
  mesh: Mesh,
  times: number[],
  otherTests: readonly number[],
  varying: number,
  rows: (unordered: Numbering) => Iterable<number[]>,
): Layout {
  const unordered = numberUnknowns(mesh, times, otherTests, varying);
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
    varying: unordered.varying.map((i) => at[i]!),
    mu: (r) => at[unordered.mu(r)]!,
    test: (r) => at[unordered.test(r)]!,
    place: (k) => at[unordered.place(k)]!,
    lga: (a) => at[unordered.lga(a)]!,
    change: (k, r) => at[unordered.change(k, r)]!,
    state: (s, r) => at[unordered.state(s, r)]!,
    symbolic,
  };
}

/** Numbers the unknowns block by block. */
export function numberUnknowns(mesh: Mesh, times: number[], otherTests: readonly number[], varying: number) {
  const R = times.length;
  const F = mesh.cells.feature_count;
  const P = mesh.place.lattice.nx * mesh.place.lattice.ny;
  const C = mesh.change.lattice.nx * mesh.change.lattice.ny;
  const first = { place: F + 1 + R, change: F + 1 + R + P, state: F + 1 + R + P + C * R };
  const lga = first.state + mesh.states * R;
  const test = lga + mesh.state_of.length;
  const byMonth = test + otherTests.length;
  const size = byMonth + varying;
  return {
    size,
    global: [
      ...Array.from({ length: F + 1 + R }, (_, i) => i),
      ...Array.from({ length: size - test }, (_, i) => test + i),
    ],
    beta: (f: number) => f,
    gamma: F,
    varying: Array.from({ length: varying }, (_, k) => byMonth + k),
    mu: (r: number) => F + 1 + r,
    test: (r: number) => test + otherTests.indexOf(r),
    place: (k: number) => first.place + k,
    change: (k: number, r: number) => first.change + k * R + r,
    state: (s: number, r: number) => first.state + s * R + r,
    lga: (a: number) => lga + a,
  };
}
export type Numbering = ReturnType<typeof numberUnknowns>;

function* priorCliques(mesh: Mesh, times: number[], at: Numbering): Generator<number[]> {
  const { place, change } = mesh;
  for (let e = 0; e < place.stencil.i.length; e++) yield [at.place(place.stencil.i[e]!), at.place(place.stencil.j[e]!)];
  yield times.map((_, r) => at.mu(r));
  for (let s = 0; s < mesh.states; s++) yield times.map((_, r) => at.state(s, r));
  for (let r = 0; r < times.length; r++)
    for (const q of [r, r + 1].filter((v) => v < times.length))
      for (let e = 0; e < change.stencil.i.length; e++) {
        yield [at.change(change.stencil.i[e]!, r), at.change(change.stencil.j[e]!, q)];
        yield [at.change(change.stencil.i[e]!, q), at.change(change.stencil.j[e]!, r)];
      }
}

/** Covariances in time of the national level, a state's departure and the field of change. */
export function kernelsOf(times: readonly number[], constants: Constants, hyperparameters: Hyperparameters) {
  const [first, last] = [times[0]!, times.at(-1)!];
  const { nation_drift, nation_slope, slope_years } = constants;
  const level: Kernel = () => 1;
  return {
    nation: sumOf(
      { scale: NATION_SD, kernel: level },
      { scale: nation_drift, kernel: brownian(first) },
      { scale: nation_slope, kernel: dampedDrift(first, slope_years) },
    ),
    // the drift starts in the middle, so that persistent differences between states are left to z and u
    state: sumOf(
      { scale: hyperparameters.sigma_state, kernel: ornsteinUhlenbeck(hyperparameters.tau_state_years) },
      { scale: hyperparameters.sigma_slope, kernel: dampedDrift((first + last) / 2, slope_years) },
    ),
    change: ornsteinUhlenbeck(hyperparameters.tau_years),
  };
}

/**
 * The prior mean, and a function `at` from hyperparameters to the prior's precision values in the pattern's order,
 * their log determinant and the mean.
 */
export function preparePrior(mesh: Mesh, layout: Layout, constants: Constants, otherTests: readonly number[] = []) {
  const { symbolic, size, times } = layout;
  const R = times.length;
  const F = mesh.cells.feature_count;
  const lgas = mesh.state_of.length;
  const entry = (i: number, j: number) => entryOf(symbolic.pattern, i, j);
  const { place, change } = mesh;
  const placeEntry = Int32Array.from(place.stencil.i, (i, e) =>
    entry(layout.place(i), layout.place(place.stencil.j[e]!)),
  );
  // for each pair of rounds r ≤ q at most one apart: positions of stencil (i, j) between them, in both orders
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
  for (const r of otherTests) mean[layout.test(r)] = constants.test_offset!.mean;

  const at = (hyperparameters: Hyperparameters) => {
    const precision = new Float64Array(symbolic.pattern.row.length);
    let log_determinant = 0;
    const kernels = kernelsOf(times, constants, hyperparameters);
    const overTime = (kernel: Kernel, at: (r: number) => number) => {
      const own = precisionAt(kernel, times);
      for (let r = 0; r < R; r++)
        for (let q = 0; q <= r; q++) precision[entry(at(r), at(q))]! += own.precision[r * R + q]!;
      log_determinant += own.log_determinant;
    };

    for (let f = 0; f < F; f++) precision[entry(layout.beta(f), layout.beta(f))] = 1 / COVARIATE_SD ** 2;
    for (const b of layout.varying) precision[entry(b, b)] = 1 / COVARIATE_SD ** 2;
    precision[entry(layout.gamma, layout.gamma)] = 1 / constants.season_exponent.sd ** 2;
    log_determinant -=
      2 * (F + layout.varying.length) * Math.log(COVARIATE_SD) + 2 * Math.log(constants.season_exponent.sd);
    for (const r of otherTests) {
      precision[entry(layout.test(r), layout.test(r))] = constants.test_offset!.sd ** -2;
      log_determinant -= 2 * Math.log(constants.test_offset!.sd);
    }
    overTime(kernels.nation, layout.mu);
    for (let s = 0; s < mesh.states; s++) overTime(kernels.state, (r) => layout.state(s, r));
    for (let a = 0; a < lgas; a++) precision[entry(layout.lga(a), layout.lga(a))]! += hyperparameters.sigma_lga ** -2;
    log_determinant -= 2 * lgas * Math.log(hyperparameters.sigma_lga);

    const placeScale = scaleOf(place, hyperparameters.range_km, hyperparameters.sigma_place);
    precisionOf(place, placeScale).forEach((q, e) => {
      precision[placeEntry[e]!]! += q;
    });
    log_determinant += logDeterminantOfMatern(place, placeScale);

    const overYears = precisionAt(kernels.change, times);
    const changeScale = scaleOf(change, constants.range_change_km, hyperparameters.sigma_change);
    const spatial = precisionOf(change, changeScale);
    for (const { r, q, to, fro } of changeEntry) {
      const factor = overYears.precision[r * R + q]!;
      for (let e = 0; e < spatial.length; e++) {
        precision[to[e]!]! += factor * spatial[e]!;
        if (r !== q && change.stencil.i[e] !== change.stencil.j[e]) precision[fro[e]!]! += factor * spatial[e]!;
      }
    }
    const nodes = change.lattice.nx * change.lattice.ny;
    log_determinant += R * logDeterminantOfMatern(change, changeScale) + nodes * overYears.log_determinant;
    return { precision, log_determinant, mean };
  };
  return { at, mean };
}
