import { type BfgsOptions, finiteDifferenceHessian, forwardPoints, minimiseBfgs } from '../../lib/numerics/bfgs.ts';
import { choleskyDense, invertDense, solveUpper } from '../../lib/numerics/dense.ts';
import type { Mode } from '../../lib/numerics/laplace.ts';
import { toTheta } from './hyperparameters.ts';
import type { Marginal } from './marginal.ts';

/** A value of θ, and the mode of the latent vector there. */
export interface Centre {
  theta: number[];
  mode: Mode;
}

/** The mode of θ and minus the second derivatives of ln p(y, θ) there, in rows. */
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

/** Typical posterior standard deviations of θ, used for the first steps of the search. */
const SPREAD = [0.2, 0.4, 0.2, 0.25, 0.4, 0.5, 0.5, 0.5];
const RHO = { start: 0.1, spread: 0.12 };
/** Step of the gradient's differences: at most a tenth of a standard deviation of the best identified parameters. */
const DIFFERENCE = 0.01;

/** Default start of the search for θ. */
export const usualStart = (clusteredRounds: number): number[] =>
  toTheta({ ...START, rho: Array.from({ length: clusteredRounds }, () => RHO.start) });

/**
 * A point near the mode of θ, by BFGS.
 * @throws Error if no mode of the latent vector is found at the start
 */
export function searchOptimum(
  marginal: Marginal,
  start: number[],
  how: Partial<BfgsOptions> = { tolerance: 1e-4 },
): Centre {
  const path = searchPath(marginal, null);
  const minimum = minimiseBfgs(path.cost, start, {
    gradient: path.slope,
    spread: [...SPREAD, ...Array.from({ length: marginal.clusteredRounds }, () => RHO.spread)],
    ...how,
  });
  return path.centreAt(minimum.x);
}

/** The mode of θ, as precisely as needed, using the curvature of a fit to nearly the same observations. */
export function quickOptimum(marginal: Marginal, { theta, curvature }: Optimum): Optimum {
  const n = theta.length;
  const inverse = matrixRows(invertDense(choleskyDense(Float64Array.from(curvature.flat()), n)!, n), n);
  return { theta: searchOptimum(marginal, theta, { inverse, tolerance: 1e-4 }).theta, curvature };
}

/** Points at which the curvature needs gradients: the centre, and a step from it along each axis. */
export const slopesWanted = ({ theta }: Centre): number[][] => [theta, ...forwardPoints(theta, DIFFERENCE)];

/** The gradient of −ln p(y, θ) near a point; it depends on these arguments alone, whichever thread computes it. */
export function slopeNear(marginal: Marginal, { mode: near }: Pick<Centre, 'mode'>, theta: number[]): number[] {
  const mode = marginal.modeAt(theta, near.x, near.factor);
  if (!mode) throw new Error(NO_MODE);
  return marginal.slopeAt(theta, mode).map((v) => -v);
}

/**
 * Newton steps to the mode of θ, with the curvature at a point near it.
 * @param slopes gradients at the points of `slopesWanted`, in their order
 * @returns the mode and its curvature if that point is the mode; otherwise the point reached, since a curvature from
 *   elsewhere would depend on where the search started
 */
export function settle(
  marginal: Marginal,
  near: Centre,
  [atCentre, ...atNeighbours]: number[][],
): { optimum: Optimum; reached: null } | { optimum: null; reached: Centre } {
  const { theta } = near;
  const { curvature, root } = covarianceRoot(
    finiteDifferenceHessian(atCentre!, atNeighbours, DIFFERENCE),
    theta.length,
  );
  const path = searchPath(marginal, near);
  const refined = refine(theta, root, path);
  if (refined === theta) return { optimum: { theta, curvature: matrixRows(curvature, theta.length) }, reached: null };
  return { optimum: null, reached: path.centreAt(refined) };
}

export const NO_MODE = 'the risk model did not converge: expected a mode within 60 steps';

/** −ln p(y, θ) and its gradient along a search, in which each latent mode is sought from the previous one. */
function searchPath(marginal: Marginal, from: Centre | null) {
  let latest = from;
  const cost = (theta: number[]) => {
    // beyond these bounds nothing is identified and values overflow
    if (theta.some((v) => Math.abs(v) > 12)) return Number.POSITIVE_INFINITY;
    const mode = marginal.modeAt(theta, latest?.mode.x ?? marginal.priorMean, latest?.mode.factor ?? null);
    if (!mode) return Number.POSITIVE_INFINITY;
    latest = { theta, mode };
    return -marginal.logPosteriorAt(theta, mode);
  };
  const centreAt = (theta: number[]): Centre => {
    if (latest?.theta !== theta) cost(theta);
    if (latest?.theta !== theta) throw new Error(NO_MODE);
    return latest;
  };
  const slope = (theta: number[]) => marginal.slopeAt(theta, centreAt(theta).mode).map((v) => -v);
  return { cost, slope, centreAt };
}

/**
 * Newton's method from a point near the minimum, with a fixed curvature, until a step would gain less than 1e-11, so
 * that the result does not depend on where the search started.
 */
function refine(from: number[], root: number[][], { cost, slope }: ReturnType<typeof searchPath>): number[] {
  let current = { theta: from, value: cost(from) };
  for (let steps = 0; steps < 10; steps++) {
    const gradient = slope(current.theta);
    const along = root.map((axis) => -axis.reduce((sum, v, j) => sum + v * gradient[j]!, 0));
    if (along.reduce((sum, v) => sum + v * v, 0) < 2e-11) break;
    const step = combine(root, along);
    const theta = current.theta.map((v, j) => v + step[j]!);
    const value = cost(theta);
    if (!(value < current.value)) break;
    current = { theta, value };
  }
  return current.theta;
}

/** Σ factor_i · axis_i. */
export function combine(axes: number[][], factors: number[]): number[] {
  return axes[0]!.map((_, j) => axes.reduce((sum, axis, i) => sum + factors[i]! * axis[j]!, 0));
}
function matrixRows(matrix: Float64Array, n: number): number[][] {
  return Array.from({ length: n }, (_, i) => Array.from(matrix.subarray(i * n, (i + 1) * n)));
}

/**
 * H as used, and the columns d_i of D with D Dᵀ = H⁻¹. The diagonal of H is at least 0.25, so that an unidentified
 * parameter has a standard deviation of at most two on the search scale. If finite differences give an H that is not
 * positive definite, its diagonal is raised until it is, which keeps the least informative direction near the mode.
 */
export function covarianceRoot(hessian: Float64Array, m: number): { curvature: Float64Array; root: number[][] } {
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
