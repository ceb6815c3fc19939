import { hessianOf, minimiseBfgs } from '../numerics/bfgs.ts';
import { choleskyDense, invertDense, solveUpper } from '../numerics/dense.ts';
import type { Mode } from '../numerics/laplace.ts';
import { twoLevelDesign } from '../numerics/two-level-design.ts';
import { fromTheta, type Hyperparameters, toTheta } from './hyperparameters.ts';
import type { Constants, Layout } from './latent.ts';
import type { RiskObservation } from './likelihood.ts';
import { prepareMarginal } from './marginal.ts';
import type { Mesh } from './mesh.ts';

/** One point of the hyperparameters' posterior, and the latent vector's Gaussian posterior there. */
export interface FitPoint {
  hyperparameters: Hyperparameters;
  /** Overdispersion of each round; 0 if it has no clusters. */
  rho: number[];
  /** The share of the posterior that it stands for; shares sum to 1. */
  weight: number;
  mode: Mode;
}
export interface RiskFit {
  mesh: Mesh;
  layout: Layout;
  constants: Constants;
  /** The mode comes first. */
  points: FitPoint[];
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
  const centre = marginal.modeAt(theta, latest!.x, null);
  if (!centre) throw new Error('the risk model did not converge, expected a mode within 60 steps');
  const pointAt = (theta: number[], mode: Mode, weight: number): FitPoint => ({
    hyperparameters: fromTheta(theta),
    rho: marginal.rhoOf(theta),
    weight,
    mode,
  });
  const points = [pointAt(theta, centre, CENTRE)];
  const design = twoLevelDesign(theta.length);
  for (const signs of design) {
    const step = combine(root, signs);
    const away = theta.map((v, j) => v + step[j]! / Math.sqrt(1 - CENTRE));
    const mode = marginal.modeAt(away, centre.x, centre.factor);
    if (mode) points.push(pointAt(away, mode, (1 - CENTRE) / design.length));
  }
  const total = points.reduce((sum, p) => sum + p.weight, 0);
  for (const p of points) p.weight /= total;
  return {
    mesh,
    layout,
    constants,
    points,
    log_posterior: marginal.heightAt(theta, centre),
    optimum: { theta, curvature: rowsOf(curvature, theta.length) },
    evaluations: marginal.evaluations(),
  };
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
