import { type BfgsOptions, besides, hessianOf, minimiseBfgs } from '../numerics/bfgs.ts';
import { choleskyDense, invertDense, solveUpper } from '../numerics/dense.ts';
import type { Mode } from '../numerics/laplace.ts';
import { toTheta } from './hyperparameters.ts';
import type { Marginal } from './marginal.ts';

/** A point of θ, and the mode of the latent vector there. */
export interface Centre {
  theta: number[];
  mode: Mode;
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

/** θ from where the search starts, unless it is told. */
export const usualStart = (clusteredRounds: number): number[] =>
  toTheta({ ...START, rho: Array.from({ length: clusteredRounds }, () => RHO.start) });

/**
 * Near θ's mode, by BFGS.
 * @throws Error if there is no mode of the latent vector at the start
 */
export function searchOptimum(
  marginal: Marginal,
  start: number[],
  how: Partial<BfgsOptions> = { tolerance: 1e-4 },
): Centre {
  const path = pathOf(marginal, null);
  const found = minimiseBfgs(path.cost, start, {
    slope: path.slope,
    spread: [...SPREAD, ...Array.from({ length: marginal.clusteredRounds }, () => RHO.spread)],
    ...how,
  });
  return path.centreAt(found.x);
}

/** θ's mode as near as it matters, by the curvature of a fit to nearly the same observations. */
export function quickOptimum(marginal: Marginal, { theta, curvature }: Optimum): Optimum {
  const n = theta.length;
  const inverse = rowsOf(invertDense(choleskyDense(Float64Array.from(curvature.flat()), n)!, n), n);
  return { theta: searchOptimum(marginal, theta, { inverse, tolerance: 1e-2 }).theta, curvature };
}

/** Where slopes are wanted for the curvature: at the centre, and aside of it along each axis. */
export const slopesWanted = ({ theta }: Centre): number[][] => [theta, ...besides(theta, DIFFERENCE)];

/** The gradient of −ln p(y, θ) close to a point: it follows from these arguments alone, whoever computes it. */
export function slopeNear(marginal: Marginal, { mode }: Pick<Centre, 'mode'>, theta: number[]): number[] {
  const own = marginal.modeAt(theta, mode.x, mode.factor);
  if (!own) throw new Error(NO_MODE);
  return marginal.slopeAt(theta, own).map((v) => -v);
}

/**
 * θ's mode, by the curvature at a point near it.
 * @param slopes as `slopesWanted` orders them
 * @returns either the mode and its curvature, or, if it is not that point, where it is: a curvature from elsewhere would
 *   tell where the search began
 */
export function settle(
  marginal: Marginal,
  near: Centre,
  [centre, ...aside]: number[][],
): { optimum: Optimum; at: null } | { optimum: null; at: Centre } {
  const { theta } = near;
  const { curvature, root } = covarianceRoot(hessianOf(centre!, aside, DIFFERENCE), theta.length);
  const path = pathOf(marginal, near);
  const found = refine(theta, root, path);
  if (found === theta) return { optimum: { theta, curvature: rowsOf(curvature, theta.length) }, at: null };
  return { optimum: null, at: path.centreAt(found) };
}

export const NO_MODE = 'the risk model did not converge, expected a mode within 60 steps';

/** −ln p(y, θ) and its gradient along a search, in which each mode is sought from the one before. */
function pathOf(marginal: Marginal, from: Centre | null) {
  let latest = from;
  const cost = (theta: number[]) => {
    // beyond these bounds nothing is identified and numbers overflow
    if (theta.some((v) => Math.abs(v) > 12)) return Number.POSITIVE_INFINITY;
    const mode = marginal.modeAt(theta, latest?.mode.x ?? marginal.priorMean, latest?.mode.factor ?? null);
    if (!mode) return Number.POSITIVE_INFINITY;
    latest = { theta, mode };
    return -marginal.heightAt(theta, mode);
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
 * Newton's method from near the minimum, by one curvature: until a step would gain less than 1e-11, so that where the
 * search began cannot be told from its end.
 */
function refine(from: number[], root: number[][], { cost, slope }: ReturnType<typeof pathOf>): number[] {
  let here = { theta: from, value: cost(from) };
  for (let steps = 0; steps < 10; steps++) {
    const force = slope(here.theta);
    const along = root.map((axis) => -axis.reduce((sum, v, j) => sum + v * force[j]!, 0));
    if (along.reduce((sum, v) => sum + v * v, 0) < 2e-11) break;
    const step = combine(root, along);
    const theta = here.theta.map((v, j) => v + step[j]!);
    const value = cost(theta);
    if (!(value < here.value)) break;
    here = { theta, value };
  }
  return here.theta;
}

/** Σ factor_i · axis_i. */
export function combine(axes: number[][], factors: number[]): number[] {
  return axes[0]!.map((_, j) => axes.reduce((sum, axis, i) => sum + factors[i]! * axis[j]!, 0));
}
function rowsOf(matrix: Float64Array, n: number): number[][] {
  return Array.from({ length: n }, (_, i) => Array.from(matrix.subarray(i * n, (i + 1) * n)));
}

/**
 * H as it is used, and columns r_i with Σ r_i r_iᵀ = H⁻¹. Its diagonal is at least 0.25, so that an unidentified parameter
 * is not stepped beyond two deviations of the search scale. If finite differences leave H not positive definite, its
 * diagonal is raised until it is, which holds the least informative direction near the mode.
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
