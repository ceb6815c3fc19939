import { assertTested, likelihoodTerm, likelihoodTermSlopes, type Tested } from '../../lib/numerics/beta-binomial.ts';
import { entryOf } from '../../lib/numerics/sparse-cholesky.ts';
import { expit, logit } from '../../lib/numerics/special.ts';
import type { Layout, Numbering } from './latent.ts';
import type { Mesh } from './mesh.ts';

/**
 * A survey result for a place: a point's surroundings, an LGA or a state, as cells with weights that sum to 1.
 *
 *   y ~ beta-binomial(n, p, ρ),   p = Σ_c ω_c expit(η_c)
 *   η_c = φ_cᵀβ + φ_aqᵀb + z(c) + u_a + μ_r + w_r(a) + v_r(k) + γ ln S_am
 *
 * with a the LGA and k the state of cell c, q the month of the survey and m its month of the year; plus δ_r if it is by
 * a test other than the score's.
 */
export interface RiskObservation extends Tested {
  name: string;
  /** Index into the rounds' times. */
  round: number;
  cells: Int32Array;
  weights: Float64Array;
  /** ln of each LGA's seasonal index in the month of the survey. */
  log_season: ArrayLike<number>;
  /**
   * Each covariate by month: its values for the LGAs in the month of the survey. All observations have the same ones.
   */
  varying?: readonly ArrayLike<number>[];
  /**
   * Whether the children share a location, so that ρ applies; false for an area's figure with an effective sample size.
   */
  clustered: boolean;
  /** Whether the result is by a test other than the score's. */
  other_test?: boolean;
}

/** The cells of an observation that belong to one LGA. */
export interface Part {
  lga: number;
  cells: Int32Array;
  weights: Float64Array;
  log_season: number;
  varying: number[];
}

export function partsOf(mesh: Mesh, observation: RiskObservation): Part[] {
  const lgas = [...new Set(Array.from(observation.cells, (c) => mesh.cells.lga[c]!))].sort((a, b) => a - b);
  return lgas.map((lga) => {
    const at = Array.from(observation.cells, (_, k) => k).filter((k) => mesh.cells.lga[observation.cells[k]!] === lga);
    return {
      lga,
      cells: Int32Array.from(at, (k) => observation.cells[k]!),
      weights: Float64Array.from(at, (k) => observation.weights[k]!),
      log_season: observation.log_season[lga]!,
      varying: (observation.varying ?? []).map((values) => values[lga]!),
    };
  });
}

/** The unknowns that an observation depends on, each once. */
export function unknownsOf(
  mesh: Mesh,
  at: Omit<Numbering, 'global'>,
  { round, other_test }: Pick<RiskObservation, 'round' | 'other_test'>,
  parts: Part[],
): number[] {
  const seen = new Set<number>([at.gamma, ...at.varying, at.mu(round)]);
  if (other_test) seen.add(at.test(round));
  for (let f = 0; f < mesh.cells.feature_count; f++) seen.add(at.beta(f));
  for (const { lga, cells } of parts) {
    seen.add(at.state(mesh.state_of[lga]!, round));
    seen.add(at.lga(lga));
    for (let k = 0; k < 4; k++) {
      seen.add(at.change(mesh.lga_nodes[4 * lga + k]!, round));
      for (const c of cells) seen.add(at.place(mesh.cell_nodes[4 * c + k]!));
    }
  }
  return [...seen];
}

/** An observation with the positions, among its own `columns`, of the unknowns that its mean prevalence depends on. */
interface Prepared {
  observation: RiskObservation;
  parts: {
    part: Part;
    /** The four nodes of the field of change, the state, the LGA, and four nodes of the spatial field per cell. */
    change: number[];
    state: number;
    lga: number;
    place: Int32Array;
  }[];
  beta: number[];
  gamma: number;
  varying: number[];
  mu: number;
  /** Null for a row by the score's own test. */
  test: number | null;
  columns: Int32Array;
  /** Positions in the pattern of the pairs of `columns`, lower triangle by rows. */
  entries: Int32Array;
}

function prepareObservation(mesh: Mesh, layout: Layout, observation: RiskObservation): Prepared {
  assertTested(observation, observation.name);
  const parts = partsOf(mesh, observation);
  const r = observation.round;
  const columns = unknownsOf(mesh, layout, observation, parts).sort((a, b) => a - b);
  const where = new Map(columns.map((c, k) => [c, k]));
  const entries: number[] = [];
  for (let a = 0; a < columns.length; a++)
    for (let b = 0; b <= a; b++) entries.push(entryOf(layout.symbolic.pattern, columns[a]!, columns[b]!));
  return {
    observation,
    columns: Int32Array.from(columns),
    entries: Int32Array.from(entries),
    beta: Array.from({ length: mesh.cells.feature_count }, (_, f) => where.get(layout.beta(f))!),
    gamma: where.get(layout.gamma)!,
    varying: layout.varying.map((b) => where.get(b)!),
    mu: where.get(layout.mu(r))!,
    test: observation.other_test ? where.get(layout.test(r))! : null,
    parts: parts.map((part) => ({
      part,
      change: [0, 1, 2, 3].map((k) => where.get(layout.change(mesh.lga_nodes[4 * part.lga + k]!, r))!),
      state: where.get(layout.state(mesh.state_of[part.lga]!, r))!,
      lga: where.get(layout.lga(part.lga))!,
      place: Int32Array.from({ length: 4 * part.cells.length }, (_, i) => {
        const c = part.cells[i >> 2]!;
        return where.get(layout.place(mesh.cell_nodes[4 * c + (i & 3)]!))!;
      }),
    })),
  };
}

/** Keeps prevalence off 0 and 1, by less than any count could detect. */
const clamp = (p: number) => Math.min(Math.max(p, 1e-300), 1 - 1e-16);

/** Derivatives of the likelihood at the mode that the gradient of the marginal likelihood needs (see marginal.ts). */
export interface Curvature {
  /** χ = ∂/∂x of ½ ln |A|, with A = Q + W. */
  half_log_determinant: Float64Array;
  /** Σ g ∂²η/∂x² v, the part of the second derivatives that W omits. */
  omitted(v: Float64Array): Float64Array;
  /** Derivative of ln p(y | x) − ½ ln |A| by logit ρ of each round, at fixed x. */
  by_rho: Float64Array;
  /** v · ∂(∂ ln p(y | x)/∂x) by logit ρ of each round. */
  force_by_rho(v: Float64Array): Float64Array;
}

/**
 * The likelihood of all observations, its gradient and its curvature.
 *
 * p is not a linear function of the unknowns. With η = logit p, J = ∂η/∂x is exact at every step, and so is the mode;
 * the curvature omits ∂²η/∂x², as in iterated linearisation (Lindgren et al. 2024, arXiv:2407.00791, inlabru).
 * @throws RangeError if an observation has no children or a share outside 0 to 1
 */
export function prepareLikelihood(mesh: Mesh, layout: Layout, observations: RiskObservation[]) {
  const prepared = observations.map((observation) => prepareObservation(mesh, layout, observation));
  const longest = prepared.reduce((m, observation) => Math.max(m, observation.columns.length), 0);
  const rounds = layout.times.length;
  const rhoOf = ({ observation }: Prepared, rho: number[]) => (observation.clustered ? rho[observation.round]! : 0);

  const likelihood = (
    rho: number[],
    x: Float64Array,
    gradient: Float64Array,
    precision: Float64Array,
    concave: boolean,
  ): number => {
    const row = new Float64Array(longest);
    let value = 0;
    for (const one of prepared) {
      const p = clamp(meanPrevalence(mesh, one, x, row));
      const term = likelihoodTerm(one.observation, logit(p), rhoOf(one, rho));
      value += term.value;
      const scale = 1 / (p * (1 - p));
      const curvature = concave ? Math.max(0, -term.hessian) : -term.hessian;
      const { columns, entries } = one;
      let e = 0;
      for (let a = 0; a < columns.length; a++) {
        const ja = row[a]! * scale;
        gradient[columns[a]!]! += ja * term.gradient;
        const weight = ja * curvature * scale;
        for (let b = 0; b <= a; b++) precision[entries[e++]!]! += weight * row[b]!;
      }
    }
    return value;
  };

  /** @param inverse entries of A⁻¹ in the pattern's order */
  const curvatureAt = (rho: number[], x: Float64Array, inverse: Float64Array): Curvature => {
    const half = new Float64Array(layout.size);
    const byRho = new Float64Array(rounds);
    const [row, along, product] = [new Float64Array(longest), new Float64Array(longest), new Float64Array(longest)];
    // J of every observation, and the factors of ∂²η/∂x² v and of ∂(g J)/∂ρ
    const slopes = prepared.map((o) => {
      const { columns, entries, observation } = o;
      const n = columns.length;
      const p = clamp(meanPrevalence(mesh, o, x, row));
      const own = rhoOf(o, rho);
      const term = likelihoodTerm(observation, logit(p), own);
      const slope = likelihoodTermSlopes(observation, logit(p), own);
      const scale = 1 / (p * (1 - p));
      const jacobian = Float64Array.from({ length: n }, (_, a) => row[a]! * scale);
      along.fill(0, 0, n);
      let e = 0;
      for (let a = 0; a < n; a++) {
        for (let b = 0; b < a; b++) {
          const z = inverse[entries[e++]!]!;
          along[a]! += z * jacobian[b]!;
          along[b]! += z * jacobian[a]!;
        }
        along[a]! += inverse[entries[e++]!]! * jacobian[a]!;
      }
      let variance = 0;
      for (let a = 0; a < n; a++) variance += along[a]! * jacobian[a]!;
      const curvatures = cellCurvatures(mesh, o, x);
      multiplyByHessian(mesh, o, curvatures, along, product, jacobian, p);
      for (let a = 0; a < n; a++)
        half[columns[a]!]! -= 0.5 * slope.third * variance * jacobian[a]! + term.hessian * product[a]!;
      byRho[observation.round]! += slope.value_by_rho + 0.5 * slope.hessian_by_rho * variance;
      return { p, jacobian, curvatures, gradient: term.gradient, gradient_by_rho: slope.gradient_by_rho };
    });
    return {
      half_log_determinant: half,
      by_rho: byRho,
      omitted: (v) => {
        const sum = new Float64Array(layout.size);
        prepared.forEach((o, k) => {
          const { columns } = o;
          const { p, jacobian, curvatures, gradient } = slopes[k]!;
          for (let a = 0; a < columns.length; a++) along[a] = v[columns[a]!]!;
          multiplyByHessian(mesh, o, curvatures, along, product, jacobian, p);
          for (let a = 0; a < columns.length; a++) sum[columns[a]!]! += gradient * product[a]!;
        });
        return sum;
      },
      force_by_rho: (v) => {
        const sums = new Float64Array(rounds);
        prepared.forEach(({ columns, observation }, k) => {
          const { jacobian, gradient_by_rho } = slopes[k]!;
          let change = 0;
          for (let a = 0; a < columns.length; a++) change += jacobian[a]! * v[columns[a]!]!;
          sums[observation.round]! += gradient_by_rho * change;
        });
        return sums;
      },
    };
  };
  return { likelihood, curvatureAt };
}

/** The part of the linear predictor that is common to a part's cells. */
function commonPart(mesh: Mesh, o: Prepared, { part, change, state, lga }: Prepared['parts'][number], x: Float64Array) {
  const { columns, gamma, varying, mu, test } = o;
  let eta = x[columns[mu]!]! + x[columns[state]!]! + x[columns[lga]!]! + x[columns[gamma]!]! * part.log_season;
  for (let m = 0; m < 4; m++) eta += mesh.lga_weights[4 * part.lga + m]! * x[columns[change[m]!]!]!;
  for (let k = 0; k < varying.length; k++) eta += part.varying[k]! * x[columns[varying[k]!]!]!;
  if (test !== null) eta += x[columns[test]!]!;
  return eta;
}

/** Mean prevalence of an observation's place; writes its derivatives by the observation's unknowns into `row`. */
function meanPrevalence(mesh: Mesh, observation: Prepared, x: Float64Array, row: Float64Array): number {
  const { cells, cell_weights, lga_weights } = mesh;
  const { columns, beta, parts } = observation;
  const F = beta.length;
  row.fill(0, 0, columns.length);
  let mean = 0;
  let slope = 0;
  for (const own of parts) {
    const { part, change, state, lga, place } = own;
    const common = commonPart(mesh, observation, own, x);
    let partSlope = 0;
    for (let i = 0; i < part.cells.length; i++) {
      const c = part.cells[i]!;
      let eta = common;
      for (let f = 0; f < F; f++) eta += cells.features[c * F + f]! * x[columns[beta[f]!]!]!;
      for (let m = 0; m < 4; m++) eta += cell_weights[4 * c + m]! * x[columns[place[4 * i + m]!]!]!;
      const p = expit(eta);
      const d = part.weights[i]! * p * (1 - p);
      mean += part.weights[i]! * p;
      partSlope += d;
      for (let f = 0; f < F; f++) row[beta[f]!]! += d * cells.features[c * F + f]!;
      for (let m = 0; m < 4; m++) row[place[4 * i + m]!]! += d * cell_weights[4 * c + m]!;
    }
    for (let m = 0; m < 4; m++) row[change[m]!]! += partSlope * lga_weights[4 * part.lga + m]!;
    row[state]! += partSlope;
    row[lga]! += partSlope;
    row[observation.gamma]! += partSlope * part.log_season;
    for (let k = 0; k < observation.varying.length; k++) row[observation.varying[k]!]! += partSlope * part.varying[k]!;
    slope += partSlope;
  }
  row[observation.mu]! += slope;
  if (observation.test !== null) row[observation.test]! += slope;
  return mean;
}

/** ω_c p_c (1 − p_c)(1 − 2p_c) of every cell of an observation, part by part. */
function cellCurvatures(mesh: Mesh, o: Prepared, x: Float64Array): Float64Array {
  const { cells, cell_weights } = mesh;
  const { columns, beta, parts } = o;
  const F = beta.length;
  const curvatures = new Float64Array(parts.reduce((sum, { part }) => sum + part.cells.length, 0));
  let k = 0;
  for (const own of parts) {
    const { part, place } = own;
    const common = commonPart(mesh, o, own, x);
    for (let i = 0; i < part.cells.length; i++) {
      const c = part.cells[i]!;
      let eta = common;
      for (let f = 0; f < F; f++) eta += cells.features[c * F + f]! * x[columns[beta[f]!]!]!;
      for (let m = 0; m < 4; m++) eta += cell_weights[4 * c + m]! * x[columns[place[4 * i + m]!]!]!;
      const p = expit(eta);
      curvatures[k++] = part.weights[i]! * p * (1 - p) * (1 - 2 * p);
    }
  }
  return curvatures;
}

/**
 * Writes (∂²η/∂x²) v for an observation's own unknowns into `product`. With a_c = ∂η_c/∂x,
 *   ∂²p = Σ ω_c p_c (1 − p_c)(1 − 2p_c) a_c a_cᵀ,   ∂²η = ∂²p / (p(1 − p)) − (1 − 2p) ∂η ∂ηᵀ.
 */
function multiplyByHessian(
  mesh: Mesh,
  observation: Prepared,
  curvatures: Float64Array,
  v: Float64Array,
  product: Float64Array,
  jacobian: Float64Array,
  p: number,
): void {
  const { cells, cell_weights, lga_weights } = mesh;
  const { columns, beta, parts } = observation;
  const F = beta.length;
  product.fill(0, 0, columns.length);
  let total = 0;
  let k = 0;
  for (const { part, change, state, lga, place } of parts) {
    let common = v[observation.mu]! + v[state]! + v[lga]! + v[observation.gamma]! * part.log_season;
    for (let m = 0; m < 4; m++) common += lga_weights[4 * part.lga + m]! * v[change[m]!]!;
    for (let b = 0; b < observation.varying.length; b++) common += v[observation.varying[b]!]! * part.varying[b]!;
    if (observation.test !== null) common += v[observation.test]!;
    let sum = 0;
    for (let i = 0; i < part.cells.length; i++) {
      const c = part.cells[i]!;
      let step = common;
      for (let f = 0; f < F; f++) step += cells.features[c * F + f]! * v[beta[f]!]!;
      for (let m = 0; m < 4; m++) step += cell_weights[4 * c + m]! * v[place[4 * i + m]!]!;
      const d = curvatures[k++]! * step;
      sum += d;
      for (let f = 0; f < F; f++) product[beta[f]!]! += d * cells.features[c * F + f]!;
      for (let m = 0; m < 4; m++) product[place[4 * i + m]!]! += d * cell_weights[4 * c + m]!;
    }
    for (let m = 0; m < 4; m++) product[change[m]!]! += sum * lga_weights[4 * part.lga + m]!;
    product[state]! += sum;
    product[lga]! += sum;
    product[observation.gamma]! += sum * part.log_season;
    for (let b = 0; b < observation.varying.length; b++) product[observation.varying[b]!]! += sum * part.varying[b]!;
    total += sum;
  }
  product[observation.mu]! += total;
  if (observation.test !== null) product[observation.test]! += total;
  let along = 0;
  for (let a = 0; a < columns.length; a++) along += jacobian[a]! * v[a]!;
  const scale = 1 / (p * (1 - p));
  for (let a = 0; a < columns.length; a++) product[a] = product[a]! * scale - (1 - 2 * p) * along * jacobian[a]!;
}
