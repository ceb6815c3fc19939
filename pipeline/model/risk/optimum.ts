import { type BfgsOptions, finiteDifferenceHessian, forwardPoints, minimiseBfgs } from '../../lib/numerics/bfgs.ts';
import { choleskyDense, invertDense, solveUpper } from '../../lib/numerics/dense.ts';
import type { Mode } from '../../lib/numerics/laplace.ts';
import { toTheta } from './hyperparameters.ts';
import type { Marginal } from './marginal.ts';

/** A value of θ, and the mode of the latent vector there. */
export interface ThetaWithMode {
  theta: number[];
  mode: Mode;
}

/** The mode of θ and minus the second derivatives of ln p(y, θ) there, in rows. */
export interface Optimum {
  theta: number[];
  curvature: number[][];
}

const DEFAULT_START = {
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
const THETA_WIDTHS = [0.2, 0.4, 0.2, 0.25, 0.4, 0.5, 0.5, 0.5];
const RHO_SEARCH = { start: 0.1, spread: 0.12 };
/** Step of the gradient's differences: at most a tenth of a standard deviation of the best identified parameters. */
const DIFFERENCE_STEP = 0.01;

/** Default start of the search for θ. */
export const defaultTheta = (clusteredRounds: number): number[] =>
  toTheta({ ...DEFAULT_START, rho: Array.from({ length: clusteredRounds }, () => RHO_SEARCH.start) });

/**
 * A point near the mode of θ, by BFGS.
 * @throws NoMode if no mode of the latent vector is found at the start
 */
export function searchOptimum(
  marginal: Marginal,
  start: number[],
  options: Partial<BfgsOptions> = { tolerance: 1e-4 },
): ThetaWithMode {
  const search = createSearch(marginal, null);
  const minimum = minimiseBfgs(search.cost, start, {
    computeGradient: search.costGradient,
    widths: [...THETA_WIDTHS, ...Array.from({ length: marginal.clusteredRounds }, () => RHO_SEARCH.spread)],
    ...options,
  });
  return search.centreAt(minimum.x);
}

/**
 * The mode of θ, as precisely as needed, using the curvature of a fit to nearly the same observations.
 * @throws NoMode if no mode of the latent vector is found where that fit ended
 */
export function optimumFromSimilar(marginal: Marginal, { theta, curvature }: Optimum): Optimum {
  const n = theta.length;
  const inverse = matrixRows(invertDense(choleskyDense(Float64Array.from(curvature.flat()), n)!, n), n);
  return { theta: searchOptimum(marginal, theta, { inverseHessian: inverse, tolerance: 1e-4 }).theta, curvature };
}

/** Points at which the curvature needs gradients: the centre, and a step from it along each axis. */
export const gradientPoints = ({ theta }: ThetaWithMode): number[][] => [
  theta,
  ...forwardPoints(theta, DIFFERENCE_STEP),
];

/** The gradient of −ln p(y, θ) near a point; it depends on these arguments alone, whichever thread computes it. */
export function costGradientNear(
  marginal: Marginal,
  { mode: centre }: Pick<ThetaWithMode, 'mode'>,
  theta: number[],
): number[] {
  const mode = marginal.modeAt(theta, centre.x, centre.factor);
  if (!mode) throw new NoMode();
  return marginal.slopeAt(theta, mode).map((v) => -v);
}

/**
 * Newton steps to the mode of θ, with the curvature at a point near it.
 * @param gradients gradients at the points of `gradientPoints`, in their order
 * @returns the mode and its curvature if that point is the mode; otherwise the point reached, since a curvature from
 *   elsewhere would depend on where the search started
 */
export function refineOptimum(
  marginal: Marginal,
  centre: ThetaWithMode,
  gradients: number[][],
): { optimum: Optimum; reached: null } | { optimum: null; reached: ThetaWithMode } {
  const [centreGradient, ...neighbourGradients] = gradients;
  const { theta } = centre;
  const { curvature, axes } = regulariseCurvature(
    finiteDifferenceHessian(centreGradient!, neighbourGradients, DIFFERENCE_STEP),
    theta.length,
  );
  const search = createSearch(marginal, centre);
  const refined = newtonSearch(theta, axes, search);
  if (refined === theta) return { optimum: { theta, curvature: matrixRows(curvature, theta.length) }, reached: null };
  return { optimum: null, reached: search.centreAt(refined) };
}

/** The latent vector has no mode at θ, or it is not found. */
export class NoMode extends Error {
  override message = 'the risk model did not converge: expected a mode within 60 steps';
}

/** −ln p(y, θ) and its gradient along a search, in which each latent mode is sought from the previous one. */
function createSearch(marginal: Marginal, start: ThetaWithMode | null) {
  let latestCentre = start;
  const cost = (theta: number[]) => {
    // beyond these bounds nothing is identified and values overflow
    if (theta.some((v) => Math.abs(v) > 12)) return Number.POSITIVE_INFINITY;
    const mode = marginal.modeAt(theta, latestCentre?.mode.x ?? marginal.priorMean, latestCentre?.mode.factor ?? null);
    if (!mode) return Number.POSITIVE_INFINITY;
    latestCentre = { theta, mode };
    return -marginal.logPosteriorAt(theta, mode);
  };
  const centreAt = (theta: number[]): ThetaWithMode => {
    if (latestCentre?.theta !== theta) cost(theta);
    if (latestCentre?.theta !== theta) throw new NoMode();
    return latestCentre;
  };
  const costGradient = (theta: number[]) => marginal.slopeAt(theta, centreAt(theta).mode).map((v) => -v);
  return { cost, costGradient, centreAt };
}

/**
 * Newton's method from a point near the minimum, with a fixed curvature, until a step would gain less than 1e-11, so
 * that the result does not depend on where the search started.
 */
function newtonSearch(
  start: number[],
  axes: number[][],
  { cost, costGradient }: ReturnType<typeof createSearch>,
): number[] {
  let current = { theta: start, value: cost(start) };
  for (let steps = 0; steps < 10; steps++) {
    const gradient = costGradient(current.theta);
    const coordinates = axes.map((axis) => -axis.reduce((sum, v, j) => sum + v * gradient[j]!, 0));
    if (coordinates.reduce((sum, v) => sum + v * v, 0) < 2e-11) break;
    const step = combineAxes(axes, coordinates);
    const theta = current.theta.map((v, j) => v + step[j]!);
    const value = cost(theta);
    if (!(value < current.value)) break;
    current = { theta, value };
  }
  return current.theta;
}

/** Σ factor_i · axis_i. */
export function combineAxes(axes: number[][], factors: number[]): number[] {
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
export function regulariseCurvature(
  hessian: Float64Array,
  size: number,
): { curvature: Float64Array; axes: number[][] } {
  let ridge = 0;
  for (;;) {
    const curvature = hessian.map((v, k) => (k % (size + 1) === 0 ? Math.max(v, 0.25) + ridge : v));
    const factor = choleskyDense(curvature, size);
    if (factor) {
      const axes = Array.from({ length: size }, (_, i) => {
        const unit = new Float64Array(size);
        unit[i] = 1;
        return Array.from(solveUpper(factor, size, unit));
      });
      return { curvature, axes };
    }
    ridge = ridge * 2 || 0.05;
  }
}
