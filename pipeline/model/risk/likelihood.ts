import {
  assertTestCounts,
  likelihoodTerm,
  likelihoodTermDerivatives,
  type TestCounts,
} from '../../lib/numerics/beta-binomial.ts';
import { entryPosition } from '../../lib/numerics/sparse-cholesky.ts';
import { expit, logit } from '../../lib/numerics/special.ts';
import {
  addWeightedRows,
  evaluatePredictor,
  predictorUnknowns,
  type SurveyedCells,
  type SurveyPredictor,
  surveyPredictor,
} from './cell-predictors.ts';
import type { Layout } from './latent.ts';
import type { Mesh } from './mesh.ts';

/**
 * A survey result for a place: a point's surroundings, an LGA or a state, as cells with weights that sum to 1.
 *
 *   y ~ beta-binomial(n, p, ρ),   p = Σ_c ω_c expit(η_c)
 *
 * with η_c the linear predictor of cell c, the sum of its terms (terms.ts).
 */
export interface RiskObservation extends TestCounts, SurveyedCells {
  name: string;
  /**
   * Whether the children share a location, so that ρ applies; false for an area's figure with an effective sample size.
   */
  clustered: boolean;
}

/** An observation with the unknowns that its mean prevalence depends on. */
interface PreparedObservation {
  observation: RiskObservation;
  predictor: SurveyPredictor;
  unknowns: Int32Array;
  /** Positions in the pattern of the pairs of `unknowns`, lower triangle by rows. */
  entries: Int32Array;
  /** Reused by every evaluation, since allocating it would take a third of the time. */
  reused: Linearisation;
}

function prepareObservation(mesh: Mesh, layout: Layout, observation: RiskObservation): PreparedObservation {
  assertTestCounts(observation, observation.name);
  const predictor = surveyPredictor(mesh, layout, observation);
  const unknowns = predictorUnknowns(predictor);
  const entries = new Int32Array((unknowns.length * (unknowns.length + 1)) / 2);
  let entry = 0;
  for (let a = 0; a < unknowns.length; a++)
    for (let b = 0; b <= a; b++) entries[entry++] = entryPosition(layout.symbolic.pattern, unknowns[a]!, unknowns[b]!);
  return { observation, predictor, unknowns, entries, reused: emptyLinearisation(predictor, unknowns) };
}

/** Keeps prevalence off 0 and 1, by less than any count could detect. */
const clampPrevalence = (p: number) => Math.min(Math.max(p, 1e-300), 1 - 1e-16);

/** Derivatives of the likelihood at the mode that the gradient of the marginal likelihood needs (see marginal.ts). */
export interface Curvature {
  /** χ = ∂/∂x of ½ ln |A|, with A = Q + W. */
  half_log_determinant: Float64Array;
  /** Σ g ∂²η/∂x² v, the part of the second derivatives that W omits. */
  omittedProduct(v: Float64Array): Float64Array;
  /** Derivative of ln p(y | x) − ½ ln |A| − v · ∂ ln p(y | x)/∂x by logit ρ of each round, at fixed x and v. */
  by_rho(v: Float64Array): Float64Array;
}

/** An observation's mean prevalence p at some x, and the derivatives of η = logit p. */
interface Linearisation {
  p: number;
  /** J = ∂η/∂x, for its own unknowns. */
  jacobian: Float64Array;
  /** ω_c p_c (1 − p_c) of every cell, and its derivative by η_c. */
  slopes: Float64Array;
  slopeDerivatives: Float64Array;
}

const emptyLinearisation = (predictor: SurveyPredictor, unknowns: Int32Array): Linearisation => ({
  p: 0,
  jacobian: new Float64Array(unknowns.length),
  slopes: new Float64Array(predictor.cells.length),
  slopeDerivatives: new Float64Array(predictor.cells.length),
});

/** J · v. */
function jacobianProduct(unknowns: Int32Array, jacobian: Float64Array, v: Float64Array): number {
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
  const preparedObservations = observations.map((observation) => prepareObservation(mesh, layout, observation));
  const latentScratch = new Float64Array(layout.size);
  const observationRho = ({ observation }: PreparedObservation, rho: number[]) =>
    observation.clustered ? rho[observation.round]! : 0;

  const linearise = (
    { predictor, unknowns }: PreparedObservation,
    x: Float64Array,
    target = emptyLinearisation(predictor, unknowns),
  ): Linearisation => {
    const { jacobian, slopes, slopeDerivatives } = target;
    evaluatePredictor(predictor, x, slopes);
    let mean = 0;
    for (let i = 0; i < slopes.length; i++) {
      const cellPrevalence = expit(slopes[i]!);
      mean += predictor.weights[i]! * cellPrevalence;
      slopes[i] = predictor.weights[i]! * cellPrevalence * (1 - cellPrevalence);
      slopeDerivatives[i] = slopes[i]! * (1 - 2 * cellPrevalence);
    }
    target.p = clampPrevalence(mean);
    const scale = 1 / (target.p * (1 - target.p));
    for (const k of unknowns) latentScratch[k] = 0;
    addWeightedRows(predictor, slopes, latentScratch);
    for (let a = 0; a < unknowns.length; a++) jacobian[a] = latentScratch[unknowns[a]!]! * scale;
    return target;
  };

  /**
   * Adds factor × (∂²η/∂x²) v to `target`. With a_c = ∂η_c/∂x,
   *   ∂²p = Σ ω_c p_c (1 − p_c)(1 − 2p_c) a_c a_cᵀ,   ∂²η = ∂²p / (p(1 − p)) − (1 − 2p) J Jᵀ.
   */
  const addSecondDerivative = (
    { predictor, unknowns }: PreparedObservation,
    { p, jacobian, slopeDerivatives }: Linearisation,
    factor: number,
    v: Float64Array,
    target: Float64Array,
  ) => {
    const factors = evaluatePredictor(predictor, v);
    for (let i = 0; i < slopeDerivatives.length; i++) factors[i]! *= (factor * slopeDerivatives[i]!) / (p * (1 - p));
    addWeightedRows(predictor, factors, target);
    const correction = factor * (1 - 2 * p) * jacobianProduct(unknowns, jacobian, v);
    for (let a = 0; a < unknowns.length; a++) target[unknowns[a]!]! -= correction * jacobian[a]!;
  };

  const likelihood = (
    rho: number[],
    x: Float64Array,
    gradient: Float64Array,
    precision: Float64Array,
    concave: boolean,
  ): number => {
    let value = 0;
    for (const observed of preparedObservations) {
      const { observation, unknowns, entries } = observed;
      const { p, jacobian } = linearise(observed, x, observed.reused);
      const term = likelihoodTerm(observation, logit(p), observationRho(observed, rho));
      value += term.value;
      const curvature = concave ? Math.max(0, -term.hessian) : -term.hessian;
      let entry = 0;
      for (let a = 0; a < unknowns.length; a++) {
        gradient[unknowns[a]!]! += jacobian[a]! * term.gradient;
        const weight = jacobian[a]! * curvature;
        for (let b = 0; b <= a; b++) precision[entries[entry++]!]! += weight * jacobian[b]!;
      }
    }
    return value;
  };

  /** @param inverse entries of A⁻¹ in the pattern's order */
  const curvatureAt = (rho: number[], x: Float64Array, inverse: Float64Array): Curvature => {
    const logDetGradient = new Float64Array(layout.size);
    const product = new Float64Array(layout.size);
    const linearisations = preparedObservations.map((observed) => {
      const { observation, unknowns, entries } = observed;
      const linearisation = linearise(observed, x);
      const { p, jacobian } = linearisation;
      const term = likelihoodTerm(observation, logit(p), observationRho(observed, rho));
      const derivatives = likelihoodTermDerivatives(observation, logit(p), observationRho(observed, rho));
      // A⁻¹ J, for the observation's own unknowns
      for (const k of unknowns) product[k] = 0;
      let entry = 0;
      for (let a = 0; a < unknowns.length; a++)
        for (let b = 0; b <= a; b++) {
          const z = inverse[entries[entry++]!]!;
          product[unknowns[a]!]! += z * jacobian[b]!;
          if (b < a) product[unknowns[b]!]! += z * jacobian[a]!;
        }
      const variance = jacobianProduct(unknowns, jacobian, product);
      for (let a = 0; a < unknowns.length; a++)
        logDetGradient[unknowns[a]!]! -= 0.5 * derivatives.hessian_by_eta * variance * jacobian[a]!;
      addSecondDerivative(observed, linearisation, -term.hessian, product, logDetGradient);
      const by_rho = derivatives.value_by_rho + 0.5 * derivatives.hessian_by_rho * variance;
      return { local: linearisation, gradient: term.gradient, by_rho, gradient_by_rho: derivatives.gradient_by_rho };
    });
    return {
      half_log_determinant: logDetGradient,
      omittedProduct: (v) => {
        const sum = new Float64Array(layout.size);
        for (const [k, observed] of preparedObservations.entries())
          addSecondDerivative(observed, linearisations[k]!.local, linearisations[k]!.gradient, v, sum);
        return sum;
      },
      by_rho: (v) => {
        const sums = new Float64Array(layout.times.length);
        for (const [k, { observation, unknowns }] of preparedObservations.entries()) {
          const { local: linearisation, by_rho, gradient_by_rho } = linearisations[k]!;
          sums[observation.round]! += by_rho - gradient_by_rho * jacobianProduct(unknowns, linearisation.jacobian, v);
        }
        return sums;
      },
    };
  };
  return { likelihood, curvatureAt };
}
