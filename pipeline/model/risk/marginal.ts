import { findMode, type LatentModel, type Mode, multiplySymmetric } from '../../lib/numerics/laplace.ts';
import { selectedInverse } from '../../lib/numerics/selected-inverse.ts';
import { type Factor, factorPositions, solveBackward, solveForward } from '../../lib/numerics/sparse-cholesky.ts';
import { fromTheta, thetaLogPrior } from './hyperparameters.ts';
import { createLayout, preparePrior } from './latent.ts';
import { prepareLikelihood, type RiskObservation } from './likelihood.ts';
import type { Mesh } from './mesh.ts';
import { linearPredictor, type PriorConstants } from './terms.ts';

/** Step of the central differences of the prior's closed forms; their relative error is 1e-9. */
const DIFFERENCE_STEP = 1e-4;

/** Tolerance of `findMode`: the gradient has an error of its square root, the gradient's differences a larger one. */
const MODE_TOLERANCE = 1e-14;

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
export function prepareMarginal(
  mesh: Mesh,
  times: number[],
  observations: RiskObservation[],
  constants: PriorConstants,
) {
  const roundsWith = (matches: (observation: RiskObservation) => unknown) =>
    [...times.keys()].filter((r) =>
      observations.some((observation) => observation.round === r && matches(observation)),
    );
  const roundsWithOtherTest = roundsWith(({ other_test }) => other_test);
  const terms = linearPredictor(mesh, times, constants, roundsWithOtherTest);
  const layout = createLayout(mesh, times, terms, observations);
  const { symbolic } = layout;
  const { evaluate: priorAt, mean: priorMean } = preparePrior(layout);
  const { likelihood, curvatureAt } = prepareLikelihood(mesh, layout, observations);
  // a round published by state only has no clusters and no ρ, so it has no entry in θ
  const clusteredRounds = roundsWith((observation) => observation.clustered);
  const positions = factorPositions(symbolic);

  /** ρ of each round, 0 if it has no clusters. */
  const rhoByRound = (theta: number[]) => {
    const { rho } = fromTheta(theta);
    return times.map((_, r) => (clusteredRounds.includes(r) ? rho[clusteredRounds.indexOf(r)]! : 0));
  };

  const modeAt = (theta: number[], start: Float64Array, similarFactor: Factor | null): Mode | null => {
    const rho = rhoByRound(theta);
    const model = {
      symbolic,
      ...priorAt(fromTheta(theta)),
      likelihood: (...evaluation: Parameters<LatentModel['likelihood']>) => likelihood(rho, ...evaluation),
    };
    return findMode(model, start, { similarFactor, tolerance: MODE_TOLERANCE });
  };

  /** ln p(y, θ) at the latent mode for θ. */
  const logPosteriorAt = (theta: number[], mode: Mode) => mode.log_marginal + thetaLogPrior(fromTheta(theta));

  /** The gradient of ln p(y, θ) by θ. */
  const gradientAt = (theta: number[], { x, factor }: Mode): number[] => {
    const rhoCount = fromTheta(theta).rho.length;
    const positiveCount = theta.length - rhoCount;
    const hyperparametersMoved = (j: number, step: number) => fromTheta(theta.map((v, k) => (k === j ? v + step : v)));
    const factorInverse = selectedInverse(factor);
    const inverse = Float64Array.from(positions, (e) => factorInverse[e]!);
    const curvature = curvatureAt(rhoByRound(theta), x, inverse);
    const deviation = x.map((v, i) => v - priorMean[i]!);
    const solve = (b: Float64Array) => solveBackward(factor, solveForward(factor, b));

    // A* differs little from A, so iterating ν = A⁻¹ (χ + (A − A*) ν) converges in a few steps
    let nu = solve(curvature.half_log_determinant.slice());
    for (let iteration = 0; iteration < 20; iteration++) {
      const rightSide = curvature.omittedProduct(nu);
      for (let i = 0; i < rightSide.length; i++) rightSide[i]! += curvature.half_log_determinant[i]!;
      const next = solve(rightSide);
      let [squaredChange, squaredSize] = [0, 0];
      for (let i = 0; i < next.length; i++) {
        squaredChange += (next[i]! - nu[i]!) ** 2;
        squaredSize += next[i]! ** 2;
      }
      nu = next;
      if (squaredChange <= 1e-12 * squaredSize) break;
    }

    const gradientByRho = curvature.by_rho(nu);
    return theta.map((_, j) => {
      const priorDerivative =
        (thetaLogPrior(hyperparametersMoved(j, DIFFERENCE_STEP)) -
          thetaLogPrior(hyperparametersMoved(j, -DIFFERENCE_STEP))) /
        (2 * DIFFERENCE_STEP);
      if (j >= positiveCount) return priorDerivative + gradientByRho[clusteredRounds[j - positiveCount]!]!;
      const [above, below] = [
        priorAt(hyperparametersMoved(j, DIFFERENCE_STEP)),
        priorAt(hyperparametersMoved(j, -DIFFERENCE_STEP)),
      ];
      const precisionDerivative = above.precision.map((q, e) => (q - below.precision[e]!) / (2 * DIFFERENCE_STEP));
      const product = multiplySymmetric(symbolic, precisionDerivative, deviation);
      let sum = priorDerivative + (above.log_determinant - below.log_determinant) / (4 * DIFFERENCE_STEP);
      for (let i = 0; i < product.length; i++) sum += (nu[i]! - 0.5 * deviation[i]!) * product[i]!;
      const { start, row } = symbolic.pattern;
      for (let i = 0; i < layout.size; i++)
        for (let e = start[i]!; e < start[i + 1]!; e++)
          if (precisionDerivative[e] !== 0) sum -= (row[e] === i ? 0.5 : 1) * inverse[e]! * precisionDerivative[e]!;
      return sum;
    });
  };
  return {
    layout,
    clusteredRounds: clusteredRounds.length,
    rhoByRound,
    modeAt,
    logPosteriorAt,
    slopeAt: gradientAt,
    priorMean,
  };
}

export type Marginal = ReturnType<typeof prepareMarginal>;
