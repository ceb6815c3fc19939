import type { Mode } from '../../lib/numerics/laplace.ts';
import { twoLevelDesign } from '../../lib/numerics/two-level-design.ts';
import { fromTheta, type Hyperparameters } from './hyperparameters.ts';
import type { Layout } from './latent.ts';
import type { RiskObservation } from './likelihood.ts';
import { type Marginal, prepareMarginal } from './marginal.ts';
import type { Mesh } from './mesh.ts';
import {
  combineAxes,
  costGradientNear,
  defaultTheta,
  gradientPoints,
  NoMode,
  type Optimum,
  optimumFromSimilar,
  refineOptimum,
  regulariseCurvature,
  searchOptimum,
  type ThetaWithMode,
} from './optimum.ts';
import type { PriorConstants } from './terms.ts';

/**
 * A point of the hyperparameters' posterior on the scale of the search, and the share of the posterior it represents.
 */
export interface ThetaPoint {
  theta: number[];
  /** Weights sum to 1. */
  weight: number;
}
/** Such a point, and the Gaussian posterior of the latent vector there. */
export interface FitPoint extends ThetaPoint {
  hyperparameters: Hyperparameters;
  /** Overdispersion of each round; 0 if it has no clusters. */
  rho: number[];
  mode: Mode;
}
/** The structure that gives the entries of a latent vector their meaning. */
export interface LatentStructure {
  mesh: Mesh;
  layout: Layout;
}
/** The posterior that draws are taken from. */
export interface Posterior extends LatentStructure {
  /** The mode comes first. */
  points: FitPoint[];
}
export interface RiskFit extends Posterior {
  /** ln p(y, θ̂) by Laplace's approximation, without the binomial coefficients. */
  log_posterior: number;
  optimum: Optimum;
}

/** Weight of the mode of θ itself. */
const CENTRE_WEIGHT = 1 / 3;

/**
 * Fits the risk model: finds the mode of θ by BFGS on the Laplace-approximated posterior, and adds the points of a
 * two-level design around it. Together they have the mean and covariance of the Gaussian with the curvature at the
 * mode. Each point moves all standardised components of θ by 1.2; the tails along single axes, where the
 * curvature is a poor guide, are avoided. `estimateInThreads` takes the same steps.
 * @param times times of the rounds in years, ascending, indexed by `observations[].round`
 * @param similarOptimum the optimum of a fit to nearly the same observations: the search starts there and reuses its
 *   curvature, and the mode of θ stands for the whole design, since the rest would cost more than everything else.
 *   Ignored if it belongs to other rounds
 * @param onUsualStart called if that search finds no mode, so that the fit starts where it usually does
 */
export function fitRisk(
  mesh: Mesh,
  times: number[],
  observations: RiskObservation[],
  constants: PriorConstants,
  similarOptimum: Optimum | null = null,
  onUsualStart: () => void = () => {},
): RiskFit {
  const marginal = prepareMarginal(mesh, times, observations, constants);
  const refineFrom = (centre: ThetaWithMode): Optimum => {
    const slopes = gradientPoints(centre).map((theta) => costGradientNear(marginal, centre, theta));
    const { optimum, reached } = refineOptimum(marginal, centre, slopes);
    return optimum ?? refineFrom(reached);
  };
  const start = defaultTheta(marginal.clusteredRounds);
  if (similarOptimum?.theta.length === start.length) {
    try {
      const optimum = optimumFromSimilar(marginal, similarOptimum);
      return toRiskFit(mesh, marginal, optimum, fitPointsAt(marginal, [{ theta: optimum.theta, weight: 1 }]));
    } catch (error) {
      if (!(error instanceof NoMode)) throw error;
      onUsualStart();
    }
  }
  const optimum = refineFrom(searchOptimum(marginal, start));
  return toRiskFit(mesh, marginal, optimum, fitPointsAt(marginal, designPoints(optimum)));
}

/**
 * The fit at the points of θ with which an earlier fit to the same observations ended: bit for bit the same posterior,
 * without the search and its other results.
 */
export function fitAtPoints(
  mesh: Mesh,
  times: number[],
  observations: RiskObservation[],
  constants: PriorConstants,
  points: readonly ThetaPoint[],
): Posterior {
  const marginal = prepareMarginal(mesh, times, observations, constants);
  return { mesh, layout: marginal.layout, points: fitPointsAt(marginal, points) };
}

export function toRiskFit(mesh: Mesh, marginal: Marginal, optimum: Optimum, points: FitPoint[]): RiskFit {
  const log_posterior = marginal.logPosteriorAt(optimum.theta, points[0]!.mode);
  return { mesh, layout: marginal.layout, points, log_posterior, optimum };
}

/** The mode of θ, and the design around it. */
export function designPoints({ theta, curvature }: Optimum): [ThetaPoint, ...ThetaPoint[]] {
  const design = twoLevelDesign(theta.length);
  const { axes } = regulariseCurvature(Float64Array.from(curvature.flat()), theta.length);
  return [
    { theta, weight: CENTRE_WEIGHT },
    ...design.map((signs) => {
      const step = combineAxes(axes, signs);
      return {
        theta: theta.map((v, j) => v + step[j]! / Math.sqrt(1 - CENTRE_WEIGHT)),
        weight: (1 - CENTRE_WEIGHT) / design.length,
      };
    }),
  ];
}

/**
 * The posterior of the latent vector at points of θ, the first of which is the mode of θ. The first latent mode is
 * sought from the prior mean, the others from the first, and never from where a search has been, so that they depend on
 * the points alone.
 */
function fitPointsAt(marginal: Marginal, [first, ...others]: readonly ThetaPoint[]): FitPoint[] {
  const centre = fitPointFromPrior(marginal, first!);
  return rescaleWeights([centre, ...others.map((point) => fitPointNear(marginal, centre.mode, point))]);
}

/** @throws NoMode */
export function fitPointFromPrior(marginal: Marginal, point: ThetaPoint): FitPoint {
  const mode = marginal.modeAt(point.theta, marginal.priorMean, null);
  if (!mode) throw new NoMode();
  return toFitPoint(marginal, point, mode);
}

/** @returns null if no mode of the latent vector is found */
export function fitPointNear(marginal: Marginal, { x, factor }: Mode, point: ThetaPoint): FitPoint | null {
  const mode = marginal.modeAt(point.theta, x, factor);
  return mode && toFitPoint(marginal, point, mode);
}

const toFitPoint = (marginal: Marginal, { theta, weight }: ThetaPoint, mode: Mode): FitPoint => ({
  theta,
  weight,
  mode,
  hyperparameters: fromTheta(theta),
  rho: marginal.rhoByRound(theta),
});

/** The points with a mode, with weights rescaled to sum to 1. */
export function rescaleWeights(points: readonly (FitPoint | null)[]): FitPoint[] {
  const converged = points.filter((point) => point !== null);
  const total = converged.reduce((sum, { weight }) => sum + weight, 0);
  return converged.map((point) => ({ ...point, weight: point.weight / total }));
}
