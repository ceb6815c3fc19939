import { assertTested, likelihoodTerm, likelihoodTermSlopes, type Tested } from '../../lib/numerics/beta-binomial.ts';
import { entryPosition } from '../../lib/numerics/sparse-cholesky.ts';
import { expit, logit } from '../../lib/numerics/special.ts';
import type { Layout } from './latent.ts';
import type { Mesh } from './mesh.ts';
import { addRows, type Place, placeUnknowns, predict, type SurveyedPlace, surveyedPlace } from './places.ts';

/**
 * A survey result for a place: a point's surroundings, an LGA or a state, as cells with weights that sum to 1.
 *
 *   y ~ beta-binomial(n, p, ρ),   p = Σ_c ω_c expit(η_c)
 *
 * with η_c the linear predictor of cell c, the sum of its terms (terms.ts).
 */
export interface RiskObservation extends Tested, SurveyedPlace {
  name: string;
  /**
   * Whether the children share a location, so that ρ applies; false for an area's figure with an effective sample size.
   */
  clustered: boolean;
}

/** An observation with the unknowns that its mean prevalence depends on. */
interface Prepared {
  observation: RiskObservation;
  place: Place;
  unknowns: Int32Array;
  /** Positions in the pattern of the pairs of `unknowns`, lower triangle by rows. */
  entries: Int32Array;
  /** Reused by every evaluation, since allocating it would take a third of the time. */
  scratch: Linearised;
}

function prepareObservation(mesh: Mesh, layout: Layout, observation: RiskObservation): Prepared {
  assertTested(observation, observation.name);
  const place = surveyedPlace(mesh, layout, observation);
  const unknowns = placeUnknowns(place);
  const entries = new Int32Array((unknowns.length * (unknowns.length + 1)) / 2);
  let e = 0;
  for (let a = 0; a < unknowns.length; a++)
    for (let b = 0; b <= a; b++) entries[e++] = entryPosition(layout.symbolic.pattern, unknowns[a]!, unknowns[b]!);
  return { observation, place, unknowns, entries, scratch: blank(place, unknowns) };
}

/** Keeps prevalence off 0 and 1, by less than any count could detect. */
const clamp = (p: number) => Math.min(Math.max(p, 1e-300), 1 - 1e-16);

/** Derivatives of the likelihood at the mode that the gradient of the marginal likelihood needs (see marginal.ts). */
export interface Curvature {
  /** χ = ∂/∂x of ½ ln |A|, with A = Q + W. */
  half_log_determinant: Float64Array;
  /** Σ g ∂²η/∂x² v, the part of the second derivatives that W omits. */
  omitted(v: Float64Array): Float64Array;
  /** Derivative of ln p(y | x) − ½ ln |A| − v · ∂ ln p(y | x)/∂x by logit ρ of each round, at fixed x and v. */
  by_rho(v: Float64Array): Float64Array;
}

/** An observation's mean prevalence p at some x, and the derivatives of η = logit p. */
interface Linearised {
  p: number;
  /** J = ∂η/∂x, for its own unknowns. */
  jacobian: Float64Array;
  /** ω_c p_c (1 − p_c) of every cell, and its derivative by η_c. */
  slopes: Float64Array;
  bends: Float64Array;
}

const blank = (place: Place, unknowns: Int32Array): Linearised => ({
  p: 0,
  jacobian: new Float64Array(unknowns.length),
  slopes: new Float64Array(place.cells.length),
  bends: new Float64Array(place.cells.length),
});

/** J · v. */
function along(unknowns: Int32Array, jacobian: Float64Array, v: Float64Array): number {
  let sum = 0;
  for (let a = 0; a < unknowns.length; a++) sum += jacobian[a]! * v[unknowns[a]!]!;
  return sum;
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
  const whole = new Float64Array(layout.size);
  const observationRho = ({ observation }: Prepared, rho: number[]) =>
    observation.clustered ? rho[observation.round]! : 0;

  const linearise = ({ place, unknowns }: Prepared, x: Float64Array, to = blank(place, unknowns)): Linearised => {
    const { jacobian, slopes, bends } = to;
    predict(place, x, slopes);
    let mean = 0;
    for (let i = 0; i < slopes.length; i++) {
      const cellPrevalence = expit(slopes[i]!);
      mean += place.weights[i]! * cellPrevalence;
      slopes[i] = place.weights[i]! * cellPrevalence * (1 - cellPrevalence);
      bends[i] = slopes[i]! * (1 - 2 * cellPrevalence);
    }
    to.p = clamp(mean);
    const scale = 1 / (to.p * (1 - to.p));
    for (const k of unknowns) whole[k] = 0;
    addRows(place, slopes, whole);
    for (let a = 0; a < unknowns.length; a++) jacobian[a] = whole[unknowns[a]!]! * scale;
    return to;
  };

  /**
   * Adds factor × (∂²η/∂x²) v to `to`. With a_c = ∂η_c/∂x,
   *   ∂²p = Σ ω_c p_c (1 − p_c)(1 − 2p_c) a_c a_cᵀ,   ∂²η = ∂²p / (p(1 − p)) − (1 − 2p) J Jᵀ.
   */
  const addBend = (
    { place, unknowns }: Prepared,
    { p, jacobian, bends }: Linearised,
    factor: number,
    v: Float64Array,
    to: Float64Array,
  ) => {
    const factors = predict(place, v);
    for (let i = 0; i < bends.length; i++) factors[i]! *= (factor * bends[i]!) / (p * (1 - p));
    addRows(place, factors, to);
    const turn = factor * (1 - 2 * p) * along(unknowns, jacobian, v);
    for (let a = 0; a < unknowns.length; a++) to[unknowns[a]!]! -= turn * jacobian[a]!;
  };

  const likelihood = (
    rho: number[],
    x: Float64Array,
    gradient: Float64Array,
    precision: Float64Array,
    concave: boolean,
  ): number => {
    let value = 0;
    for (const one of prepared) {
      const { observation, unknowns, entries } = one;
      const { p, jacobian } = linearise(one, x, one.scratch);
      const term = likelihoodTerm(observation, logit(p), observationRho(one, rho));
      value += term.value;
      const curvature = concave ? Math.max(0, -term.hessian) : -term.hessian;
      let e = 0;
      for (let a = 0; a < unknowns.length; a++) {
        gradient[unknowns[a]!]! += jacobian[a]! * term.gradient;
        const weight = jacobian[a]! * curvature;
        for (let b = 0; b <= a; b++) precision[entries[e++]!]! += weight * jacobian[b]!;
      }
    }
    return value;
  };

  /** @param inverse entries of A⁻¹ in the pattern's order */
  const curvatureAt = (rho: number[], x: Float64Array, inverse: Float64Array): Curvature => {
    const half = new Float64Array(layout.size);
    const product = new Float64Array(layout.size);
    const locals = prepared.map((one) => {
      const { observation, unknowns, entries } = one;
      const local = linearise(one, x);
      const { p, jacobian } = local;
      const term = likelihoodTerm(observation, logit(p), observationRho(one, rho));
      const slope = likelihoodTermSlopes(observation, logit(p), observationRho(one, rho));
      // A⁻¹ J, for the observation's own unknowns
      for (const k of unknowns) product[k] = 0;
      let e = 0;
      for (let a = 0; a < unknowns.length; a++)
        for (let b = 0; b <= a; b++) {
          const z = inverse[entries[e++]!]!;
          product[unknowns[a]!]! += z * jacobian[b]!;
          if (b < a) product[unknowns[b]!]! += z * jacobian[a]!;
        }
      const variance = along(unknowns, jacobian, product);
      for (let a = 0; a < unknowns.length; a++) half[unknowns[a]!]! -= 0.5 * slope.third * variance * jacobian[a]!;
      addBend(one, local, -term.hessian, product, half);
      const by_rho = slope.value_by_rho + 0.5 * slope.hessian_by_rho * variance;
      return { local, gradient: term.gradient, by_rho, gradient_by_rho: slope.gradient_by_rho };
    });
    return {
      half_log_determinant: half,
      omitted: (v) => {
        const sum = new Float64Array(layout.size);
        for (const [k, one] of prepared.entries()) addBend(one, locals[k]!.local, locals[k]!.gradient, v, sum);
        return sum;
      },
      by_rho: (v) => {
        const sums = new Float64Array(layout.times.length);
        for (const [k, { observation, unknowns }] of prepared.entries()) {
          const { local, by_rho, gradient_by_rho } = locals[k]!;
          sums[observation.round]! += by_rho - gradient_by_rho * along(unknowns, local.jacobian, v);
        }
        return sums;
      },
    };
  };
  return { likelihood, curvatureAt };
}
