import { assertTested, likelihoodTerm, type Tested } from '../numerics/beta-binomial.ts';
import { entryOf } from '../numerics/sparse-cholesky.ts';
import { expit, logit } from '../numerics/special.ts';
import type { Layout, Numbering } from './latent.ts';
import type { Mesh } from './mesh.ts';

/**
 * What a survey says about a place: a point's surroundings, an LGA or a state, as cells with weights that sum to 1.
 *
 *   y ~ beta-binomial(n, p, ρ),   p = Σ_c weight_c expit(η_c)
 *   η_c = x_cᵀβ + z(c) + μ_r + w_r(LGA of c) + v_r(state of c) + γ · log s(LGA of c, month)
 */
export interface RiskObservation extends Tested {
  name: string;
  /** Index into the rounds' times. */
  round: number;
  cells: Int32Array;
  weights: Float64Array;
  /** ln of the seasonal index in the month of the survey, of each LGA. */
  log_season: ArrayLike<number>;
  /** Whether children share a place, so that ρ applies; false for an area's figure with an effective size. */
  clustered: boolean;
}

/** The cells of an observation that lie in one LGA. */
export interface Part {
  lga: number;
  cells: Int32Array;
  weights: Float64Array;
  log_season: number;
}

export function partsOf(mesh: Mesh, o: RiskObservation): Part[] {
  const lgas = [...new Set(Array.from(o.cells, (c) => mesh.cells.lga[c]!))].sort((a, b) => a - b);
  return lgas.map((lga) => {
    const at = Array.from(o.cells, (_, k) => k).filter((k) => mesh.cells.lga[o.cells[k]!] === lga);
    return {
      lga,
      cells: Int32Array.from(at, (k) => o.cells[k]!),
      weights: Float64Array.from(at, (k) => o.weights[k]!),
      log_season: o.log_season[lga]!,
    };
  });
}

/** The unknowns that an observation depends on, each once. */
export function unknownsOf(mesh: Mesh, at: Numbering, round: number, parts: Part[]): number[] {
  const seen = new Set<number>([at.gamma, at.mu(round)]);
  for (let f = 0; f < mesh.cells.feature_count; f++) seen.add(at.beta(f));
  for (const { lga, cells } of parts) {
    seen.add(at.state(mesh.state_of[lga]!, round));
    for (let k = 0; k < 4; k++) {
      seen.add(at.change(mesh.lga_nodes[4 * lga + k]!, round));
      for (const c of cells) seen.add(at.place(mesh.cell_nodes[4 * c + k]!));
    }
  }
  return [...seen];
}

interface Prepared {
  observation: RiskObservation;
  parts: {
    part: Part;
    /** Positions in `columns`: the four change nodes, the state, and four place nodes per cell. */
    change: number[];
    state: number;
    place: Int32Array;
  }[];
  columns: Int32Array;
  /** For the pairs of `columns`, lower triangle by rows: their position in the pattern. */
  entries: Int32Array;
}

/**
 * The likelihood of all observations, its gradient and its curvature.
 *
 * p is not a linear function of the unknowns. With η = logit p, J = ∂η/∂x is exact at every step, so the mode is too, and
 * the curvature omits ∂²η/∂x², as in iterated linearisation (Lindgren et al. 2024, arXiv:2407.00791, inlabru).
 * @throws RangeError for an observation without children or with a share outside 0 to 1
 */
export function prepareLikelihood(mesh: Mesh, layout: Layout, observations: RiskObservation[]) {
  const { cells, cell_nodes, cell_weights, lga_nodes, lga_weights, state_of } = mesh;
  const F = cells.feature_count;
  const prepared = observations.map((observation): Prepared => {
    assertTested(observation, observation.name);
    const parts = partsOf(mesh, observation);
    const r = observation.round;
    const columns = unknownsOf(mesh, layout as unknown as Numbering, r, parts).sort((a, b) => a - b);
    const where = new Map(columns.map((c, k) => [c, k]));
    const entries: number[] = [];
    for (let a = 0; a < columns.length; a++)
      for (let b = 0; b <= a; b++) entries.push(entryOf(layout.symbolic.pattern, columns[a]!, columns[b]!));
    return {
      observation,
      columns: Int32Array.from(columns),
      entries: Int32Array.from(entries),
      parts: parts.map((part) => ({
        part,
        change: [0, 1, 2, 3].map((k) => where.get(layout.change(lga_nodes[4 * part.lga + k]!, r))!),
        state: where.get(layout.state(state_of[part.lga]!, r))!,
        place: Int32Array.from({ length: 4 * part.cells.length }, (_, i) => {
          const c = part.cells[i >> 2]!;
          return where.get(layout.place(cell_nodes[4 * c + (i & 3)]!))!;
        }),
      })),
    };
  });
  const globals = prepared.map(({ columns, observation }) => {
    const where = new Map(Array.from(columns, (c, k): [number, number] => [c, k]));
    return {
      beta: Array.from({ length: F }, (_, f) => where.get(layout.beta(f))!),
      gamma: where.get(layout.gamma)!,
      mu: where.get(layout.mu(observation.round))!,
    };
  });
  const longest = prepared.reduce((m, o) => Math.max(m, o.columns.length), 0);

  /** Mean prevalence of an observation's place, and its derivatives by the unknowns in `row`. */
  const meanPrevalence = (k: number, x: Float64Array, row: Float64Array): number => {
    const { columns, parts } = prepared[k]!;
    const { beta, gamma, mu } = globals[k]!;
    row.fill(0, 0, columns.length);
    let mean = 0;
    let slope = 0;
    for (const { part, change, state, place } of parts) {
      let common = x[columns[mu]!]! + x[columns[state]!]! + x[columns[gamma]!]! * part.log_season;
      for (let m = 0; m < 4; m++) common += lga_weights[4 * part.lga + m]! * x[columns[change[m]!]!]!;
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
      row[gamma]! += partSlope * part.log_season;
      slope += partSlope;
    }
    row[mu]! += slope;
    return mean;
  };

  const likelihood = (
    rho: number[],
    x: Float64Array,
    gradient: Float64Array,
    precision: Float64Array,
    concave: boolean,
  ): number => {
    const row = new Float64Array(longest);
    let value = 0;
    for (let k = 0; k < prepared.length; k++) {
      const { observation, columns, entries } = prepared[k]!;
      const p = Math.min(Math.max(meanPrevalence(k, x, row), 1e-300), 1 - 1e-16);
      const term = likelihoodTerm(observation, logit(p), observation.clustered ? rho[observation.round]! : 0);
      value += term.value;
      const scale = 1 / (p * (1 - p));
      const curvature = concave ? Math.max(0, -term.hessian) : -term.hessian;
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
  return {
    likelihood,
    meanPrevalence: (k: number, x: Float64Array) => meanPrevalence(k, x, new Float64Array(longest)),
  };
}
