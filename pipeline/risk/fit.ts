import { hessianOf, minimiseBfgs } from '../numerics/bfgs.ts';
import { choleskyDense, invertDense, solveUpper } from '../numerics/dense.ts';
import type { Mode } from '../numerics/laplace.ts';
import { twoLevelDesign } from '../numerics/two-level-design.ts';
import { fromTheta, type Hyperparameters, toTheta } from './hyperparameters.ts';
import type { Constants, Layout } from './latent.ts';
import type { RiskObservation } from './likelihood.ts';
import { prepareMarginal } from './marginal.ts';
import type { Mesh } from './mesh.ts';

/** A point of the hyperparameters' posterior on the scale of the search, and the share of it that the point stands for. */
export interface ThetaPoint {
  theta: number[];
  /** Shares sum to 1. */
  weight: number;
}
/** Such a point, and the latent vector's Gaussian posterior there. */
export interface FitPoint extends ThetaPoint {
  hyperparameters: Hyperparameters;
  /** Overdispersion of each round; 0 if it has no clusters. */
  rho: number[];
  mode: Mode;
}
/** The posterior that draws are taken from. */
export interface Posterior {
  mesh: Mesh;
  layout: Layout;
  constants: Constants;
  /** The mode comes first. */
  points: FitPoint[];
}
export interface RiskFit extends Posterior {
  /** ln p(y, θ̂) by Laplace's approximation, without the binomial coefficients. */
  log_posterior: number;
  optimum: Optimum;
  evaluations: number;
}

/** θ's mode and minus the second derivatives of ln p(y, θ) there, in rows. */
export interface Optimum {
  theta: number[];
  curvature: number[][];
}

const START = {
  sigma_place: 0.7,
  range_km: 250,
  sigma_change: 0.3,
  sigma_state: 0.3,
  sigma_lga: 0.2,
  sigma_slope: 0.05,
  tau_years: 5,
  tau_state_years: 5,
};

/** Typical posterior standard deviations of θ: the search's first guess at its steps. */
const SPREAD = [0.2, 0.4, 0.2, 0.25, 0.4, 0.5, 0.5, 0.5];
const RHO = { start: 0.1, spread: 0.12 };
/** Step of the gradient's differences: a tenth of a deviation of the best known parameters, or less. */
const DIFFERENCE = 0.01;
/** The share of the posterior that θ's mode itself stands for. */
const CENTRE = 1 / 3;

/**
 * Fits the risk model: θ's mode by BFGS on the Laplace-approximated posterior, then the mode and the points of a
 * two-level design around it, which together carry the mean and covariance of the Gaussian with the curvature found
 * there. Each point moves all of θ by 1.2 deviations: the tails of single axes, where the curvature says little, are
 * left alone.
 * @param times years of the rounds, ascending, as `observations[].round` counts them
 * @param like the optimum of a fit to nearly the same observations: the search starts there and takes over its curvature,
 *   since computing its own would cost more than everything else. Ignored if it belongs to other rounds
 */
export function fitRisk(
  mesh: Mesh,
  times: number[],
  observations: RiskObservation[],
  constants: Constants,
  like: Optimum | null = null,
): RiskFit {
  const marginal = prepareMarginal(mesh, times, observations, constants);
  const { layout } = marginal;
  const usual = toTheta({ ...START, rho: Array.from({ length: marginal.clusteredRounds }, () => RHO.start) });
  const near = like?.theta.length === usual.length ? like : null;
  const start = near?.theta ?? usual;

  let latest: Mode | null = null;
  let at: number[] | null = null;
  const cost = (theta: number[]) => {
    // beyond these bounds nothing is identified and numbers overflow
    if (theta.some((v) => Math.abs(v) > 12)) return Number.POSITIVE_INFINITY;
    const mode = marginal.modeAt(theta, latest?.x ?? marginal.priorMean, latest?.factor ?? null);
    if (!mode) return Number.POSITIVE_INFINITY;
    latest = mode;
    at = theta;
    return -marginal.heightAt(theta, mode);
  };
  const slope = (theta: number[]) => {
    if (at !== theta) cost(theta);
    return marginal.slopeAt(theta, latest!).map((v) => -v);
  };

  const found = minimiseBfgs(cost, start, {
    slope,
    spread: [...SPREAD, ...Array.from({ length: marginal.clusteredRounds }, () => RHO.spread)],
    ...(near && { inverse: inverseOf(near.curvature) }),
    tolerance: near ? 1e-2 : 1e-4,
  });
  const { curvature, root } = covarianceRoot(
    near ? Float64Array.from(near.curvature.flat()) : hessianOf(slope, found.x, DIFFERENCE),
    found.x.length,
  );
  const theta = near ? found.x : refine(found.x, root, cost, slope);
  const design = twoLevelDesign(theta.length);
  const points = modesAt(marginal, [
    { theta, weight: CENTRE },
    ...design.map((signs) => {
      const step = combine(root, signs);
      return {
        theta: theta.map((v, j) => v + step[j]! / Math.sqrt(1 - CENTRE)),
        weight: (1 - CENTRE) / design.length,
      };
    }),
  ]);
  return {
    mesh,
    layout,
    constants,
    points,
    log_posterior: marginal.heightAt(theta, points[0]!.mode),
    optimum: { theta, curvature: rowsOf(curvature, theta.length) },
    evaluations: marginal.evaluations(),
  };
}

/**
 * The fit at points of θ that an earlier one to the same observations ended with: the same posterior, to the bit, without
 * the search. Of what the search finds besides, nothing is known.
 */
export function fitAt(
  mesh: Mesh,
  times: number[],
  observations: RiskObservation[],
  constants: Constants,
  points: readonly ThetaPoint[],
): Posterior {
  const marginal = prepareMarginal(mesh, times, observations, constants);
  return { mesh, layout: marginal.layout, constants, points: modesAt(marginal, points) };
}

/**
 * The latent vector's posterior at points of θ, the first of which is θ's mode. Modes are found from the prior's mean and
 * from the first one, never from where a search was before, so that they follow from the points alone. A point without a
 * mode is left out; the weights of the others are scaled to sum to 1.
 */
function modesAt(marginal: ReturnType<typeof prepareMarginal>, points: readonly ThetaPoint[]): FitPoint[] {
  const centre = marginal.modeAt(points[0]!.theta, marginal.priorMean, null);
  if (!centre) throw new Error('the risk model did not converge, expected a mode within 60 steps');
  const found = points.flatMap(({ theta, weight }, k): FitPoint[] => {
    const mode = k === 0 ? centre : marginal.modeAt(theta, centre.x, centre.factor);
    return mode ? [{ theta, hyperparameters: fromTheta(theta), rho: marginal.rhoOf(theta), weight, mode }] : [];
  });
  const total = found.reduce((sum, { weight }) => sum + weight, 0);
  return found.map((point) => ({ ...point, weight: point.weight / total }));
}

/**
 * Newton's method from near the minimum, by one curvature: until a step would gain less than 1e-7, so that where the
 * search began cannot be told from its end.
 */
function refine(
  from: number[],
  root: number[][],
  cost: (theta: number[]) => number,
  slope: (theta: number[]) => number[],
): number[] {
  let here = { theta: from, value: cost(from) };
  for (let steps = 0; steps < 10; steps++) {
    const force = slope(here.theta);
    const along = root.map((axis) => -axis.reduce((sum, v, j) => sum + v * force[j]!, 0));
    if (along.reduce((sum, v) => sum + v * v, 0) < 2e-7) break;
    const step = combine(root, along);
    const theta = here.theta.map((v, j) => v + step[j]!);
    const value = cost(theta);
    if (!(value < here.value)) break;
    here = { theta, value };
  }
  return here.theta;
}

/** Σ factor_i · axis_i. */
function combine(axes: number[][], factors: number[]): number[] {
  return axes[0]!.map((_, j) => axes.reduce((sum, axis, i) => sum + factors[i]! * axis[j]!, 0));
}
function rowsOf(matrix: Float64Array, n: number): number[][] {
  return Array.from({ length: n }, (_, i) => Array.from(matrix.subarray(i * n, (i + 1) * n)));
}

function inverseOf(curvature: number[][]): number[][] {
  const n = curvature.length;
  return rowsOf(invertDense(choleskyDense(Float64Array.from(curvature.flat()), n)!, n), n);
}

/**
 * H as it is used, and columns r_i with Σ r_i r_iᵀ = H⁻¹. Its diagonal is at least 0.25, so that an unidentified parameter
 * is not stepped beyond two deviations of the search scale. If finite differences leave H not positive definite, its
 * diagonal is raised until it is, which holds the least informative direction near the mode.
 */
function covarianceRoot(hessian: Float64Array, m: number): { curvature: Float64Array; root: number[][] } {
  let ridge = 0;
  for (;;) {
    const curvature = hessian.map((v, k) => (k % (m + 1) === 0 ? Math.max(v, 0.25) + ridge : v));
    const factor = choleskyDense(curvature, m);
    if (factor) {
      const root = Array.from({ length: m }, (_, i) => {
        const unit = new Float64Array(m);
        unit[i] = 1;
        return Array.from(solveUpper(factor, m, unit));
      });
      return { curvature, root };
    }
    ridge = ridge * 2 || 0.05;
  }
}
