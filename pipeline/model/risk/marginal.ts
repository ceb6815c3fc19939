import { findMode, type Mode, multiplySymmetric } from '../../lib/numerics/laplace.ts';
import { selectedInverse } from '../../lib/numerics/selected-inverse.ts';
import { type Factor, factorPositions, solveBackward, solveForward } from '../../lib/numerics/sparse-cholesky.ts';
import { fromTheta, logPrior } from './hyperparameters.ts';
import { layOut, preparePrior } from './latent.ts';
import { prepareLikelihood, type RiskObservation } from './likelihood.ts';
import type { Mesh } from './mesh.ts';
import { type Constants, linearPredictor } from './terms.ts';

/** Step of the central differences of the prior's closed forms; their relative error is 1e-9. */
const STEP = 1e-4;

/** Tolerance of `findMode`: the gradient has an error of its square root, the gradient's differences a larger one. */
const TOLERANCE = 1e-14;

/**
 * ln p(y, θ) by Laplace's approximation, and its gradient.
 *
 * With x̂ the mode, x₀ the prior mean, d = x̂ − x₀, A = Q + W, Z = A⁻¹, χ = ∂/∂x ½ ln |A| and A* the exact second
 * derivatives,
 *
 *   ∂ ln p = −½ dᵀ ∂Q d + ½ ∂ ln |Q| − ½ tr(Z ∂Q) + νᵀ ∂Q d,   A* ν = χ,
 *
 * for components of θ on which the prior depends, and for ρ: ∂ℓ − ½ tr(Z ∂W) − νᵀ ∂(∂ℓ/∂x). The last term of both is
 * due to the movement of the mode. Z is needed only where A has entries, which the selected inverse provides. See
 * Kristensen et al. 2016, J. Stat. Softw. 70(5), for the general form.
 */
export function prepareMarginal(mesh: Mesh, times: number[], observations: RiskObservation[], constants: Constants) {
  const roundsWith = (holds: (observation: RiskObservation) => unknown) =>
    [...times.keys()].filter((r) => observations.some((observation) => observation.round === r && holds(observation)));
  const otherTests = roundsWith(({ other_test }) => other_test);
  const terms = linearPredictor(mesh, times, constants, otherTests);
  const layout = layOut(mesh, times, terms, observations);
  const { symbolic } = layout;
  const { evaluate: priorAt, mean: priorMean } = preparePrior(layout);
  const { likelihood, curvatureAt } = prepareLikelihood(mesh, layout, observations);
  // a round published by state only has no clusters and no ρ, so it has no entry in θ
  const clustered = roundsWith((observation) => observation.clustered);
  const positions = factorPositions(symbolic);

  /** ρ of each round, 0 if it has no clusters. */
  const rhoByRound = (theta: number[]) => {
    const { rho } = fromTheta(theta);
    return times.map((_, r) => (clustered.includes(r) ? rho[clustered.indexOf(r)]! : 0));
  };

  const modeAt = (theta: number[], start: Float64Array, near: Factor | null): Mode | null => {
    const rho = rhoByRound(theta);
    const model = {
      symbolic,
      ...priorAt(fromTheta(theta)),
      likelihood: (...a: LikelihoodArguments) => likelihood(rho, ...a),
    };
    return findMode(model, start, { near, tolerance: TOLERANCE });
  };

  /** ln p(y, θ) at the latent mode for θ. */
  const logPosteriorAt = (theta: number[], mode: Mode) => mode.log_marginal + logPrior(fromTheta(theta));

  /** The gradient of ln p(y, θ) by θ. */
  const slopeAt = (theta: number[], { x, factor }: Mode): number[] => {
    const priors = fromTheta(theta).rho.length;
    const priorCount = theta.length - priors;
    const moved = (j: number, step: number) => fromTheta(theta.map((v, k) => (k === j ? v + step : v)));
    const inFactor = selectedInverse(factor);
    const inverse = Float64Array.from(positions, (e) => inFactor[e]!);
    const curvature = curvatureAt(rhoByRound(theta), x, inverse);
    const deviation = x.map((v, i) => v - priorMean[i]!);
    const solve = (b: Float64Array) => solveBackward(factor, solveForward(factor, b));

    // A* differs little from A, so iterating ν = A⁻¹ (χ + (A − A*) ν) converges in a few steps
    let v = solve(curvature.half_log_determinant.slice());
    for (let iteration = 0; iteration < 20; iteration++) {
      const right = curvature.omitted(v);
      for (let i = 0; i < right.length; i++) right[i]! += curvature.half_log_determinant[i]!;
      const next = solve(right);
      let [change, size] = [0, 0];
      for (let i = 0; i < next.length; i++) {
        change += (next[i]! - v[i]!) ** 2;
        size += next[i]! ** 2;
      }
      v = next;
      if (change <= 1e-12 * size) break;
    }

    const byRho = curvature.by_rho(v);
    return theta.map((_, j) => {
      const byPrior = (logPrior(moved(j, STEP)) - logPrior(moved(j, -STEP))) / (2 * STEP);
      if (j >= priorCount) return byPrior + byRho[clustered[j - priorCount]!]!;
      const [above, below] = [priorAt(moved(j, STEP)), priorAt(moved(j, -STEP))];
      const change = above.precision.map((q, e) => (q - below.precision[e]!) / (2 * STEP));
      const product = multiplySymmetric(symbolic, change, deviation);
      let sum = byPrior + (above.log_determinant - below.log_determinant) / (4 * STEP);
      for (let i = 0; i < product.length; i++) sum += (v[i]! - 0.5 * deviation[i]!) * product[i]!;
      const { start, row } = symbolic.pattern;
      for (let i = 0; i < layout.size; i++)
        for (let e = start[i]!; e < start[i + 1]!; e++)
          if (change[e] !== 0) sum -= (row[e] === i ? 0.5 : 1) * inverse[e]! * change[e]!;
      return sum;
    });
  };
  return {
    layout,
    clusteredRounds: clustered.length,
    rhoByRound,
    modeAt,
    logPosteriorAt,
    slopeAt,
    priorMean,
  };
}

export type Marginal = ReturnType<typeof prepareMarginal>;

type LikelihoodArguments = [x: Float64Array, gradient: Float64Array, precision: Float64Array, concave: boolean];
