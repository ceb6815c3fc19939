import { hessianOf, minimiseBfgs } from '../numerics/bfgs.ts';
import { choleskyDense, invertDense, solveUpper } from '../numerics/dense.ts';
import { findMode, type Mode } from '../numerics/laplace.ts';
import type { Factor } from '../numerics/sparse-cholesky.ts';
import { expit, logit } from '../numerics/special.ts';
import { type Constants, type Hyperparameters, indexUnknowns, type Layout, preparePrior } from './latent.ts';
import { partsOf, prepareLikelihood, type RiskObservation, unknownsOf } from './likelihood.ts';
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

/** θ, the hyperparameters on the scale of the search: logs, then logit ρ of each round. */
export function toTheta(h: Hyperparameters): number[] {
  const positive = [h.sigma_place, h.range_km, h.sigma_change, h.sigma_state, h.tau_years];
  return [...positive.map(Math.log), ...h.rho.map(logit)];
}
export function fromTheta(theta: number[]): Hyperparameters {
  const [sigma_place, range_km, sigma_change, sigma_state, tau_years] = theta.slice(0, 5).map(Math.exp);
  return {
    sigma_place: sigma_place!,
    range_km: range_km!,
    sigma_change: sigma_change!,
    sigma_state: sigma_state!,
    tau_years: tau_years!,
    rho: theta.slice(5).map(expit),
  };
}

/**
 * ln of the penalised-complexity priors (Simpson et al. 2017, Stat. Sci. 32:1; ranges: Fuglstad et al. 2019, J. Am.
 * Stat. Assoc. 114:445), each with the Jacobian of θ's scale. Tails, chosen before any score was seen:
 * P(σ_place > 2) = P(σ_change > 1) = P(σ_state > 1) = 5%, P(range < 75 km) = 5%, P(τ < 2 years) = 10%; logit ρ of
 * the rounds is N(logit 0.1, 1 + 0.5²), alike by a correlation of 0.8.
 */
export function logPrior(h: Hyperparameters): number {
  const deviation = (sigma: number, upper: number) => (Math.log(0.05) / upper) * sigma + Math.log(sigma);
  const inPlane = Math.log(0.05) * 75;
  const overTime = Math.log(0.1) * Math.sqrt(2);
  return (
    deviation(h.sigma_place, 2) +
    deviation(h.sigma_change, 1) +
    deviation(h.sigma_state, 1) +
    (inPlane / h.range_km - Math.log(h.range_km)) +
    (overTime / Math.sqrt(h.tau_years) - 0.5 * Math.log(h.tau_years)) +
    logPriorOfRho(h.rho)
  );
}

function logPriorOfRho(rho: number[]): number {
  if (rho.length === 0) return 0;
  const [common, own] = [1, 0.5];
  const z = rho.map((r) => logit(r) - logit(0.1));
  const mean = z.reduce((a, b) => a + b, 0) / z.length;
  const apart = z.reduce((sum, v) => sum + (v - mean) ** 2, 0);
  return -0.5 * (apart / own ** 2 + mean ** 2 / (common ** 2 + own ** 2 / z.length));
}

const START = {
  sigma_place: 0.7,
  range_km: 250,
  sigma_change: 0.3,
  sigma_state: 0.3,
  tau_years: 5,
};

/** Typical posterior standard deviations of θ: the search's first guess at its steps. */
const SPREAD = [0.2, 0.4, 0.2, 0.25, 0.5];
const RHO = { start: 0.1, spread: 0.12 };

/**
 * Fits the risk model: θ's mode by BFGS on the Laplace-approximated posterior, then 2m + 1 points around it that carry
 * its mean and covariance there (the unscented transform, Julier & Uhlmann 2004, Proc. IEEE 92:401). Reweighting the
 * points by the posterior's height, as INLA does for denser designs, is worse: each point stands for half an axis, and at
 * √(m + 1) deviations the height says nothing about it (in simulated countries 90% ranges then held 85%; without it, 90%).
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
  const parts = observations.map((o) => partsOf(mesh, o));
  const layout = indexUnknowns(mesh, times, (at) =>
    observations.map((o, k) => unknownsOf(mesh, at, o.round, parts[k]!)),
  );
  const priorAt = preparePrior(mesh, layout, constants);
  const { likelihood } = prepareLikelihood(mesh, layout, observations);
  // a round known only by state has no clusters and no ρ, so it gets no entry in θ
  const clustered = times.map((_, r) => observations.some((o) => o.clustered && o.round === r));
  const rounds = clustered.filter(Boolean).length;
  let evaluations = 0;
  const modeAt = (theta: number[], start: Float64Array, near: Factor | null): Mode | null => {
    const h = fromTheta(theta);
    const rho = spreadRho(h.rho, clustered);
    evaluations++;
    return findMode({ symbolic: layout.symbolic, ...priorAt(h), likelihood: (...a) => likelihood(rho, ...a) }, start, {
      near,
      enough: 1e-9,
    });
  };
  const usual = { ...START, rho: Array.from({ length: rounds }, () => RHO.start) };
  const near = like?.theta.length === toTheta(usual).length ? like : null;
  const start = near ? fromTheta(near.theta) : usual;
  let latest: { x: Float64Array; factor: Factor | null } = { x: priorAt(start).mean, factor: null };
  const cost = (theta: number[]) => {
    // beyond these bounds nothing is identified and numbers overflow
    if (theta.some((v) => Math.abs(v) > 12)) return Number.POSITIVE_INFINITY;
    const mode = modeAt(theta, latest.x, latest.factor);
    if (!mode) return Number.POSITIVE_INFINITY;
    latest = mode;
    return -mode.log_marginal - logPrior(fromTheta(theta));
  };

  const best = minimiseBfgs(cost, toTheta(start), {
    spread: [...SPREAD, ...start.rho.map(() => RHO.spread)],
    ...(near && { inverse: inverseOf(near.curvature) }),
    difference: 5e-3,
    tolerance: 1e-2,
  });
  const centre = modeAt(best.x, latest.x, null);
  if (!centre) throw new Error('the risk model did not converge, expected a mode within 60 steps');
  latest = centre;
  const m = best.x.length;
  const { curvature, root } = covarianceRoot(
    near ? Float64Array.from(near.curvature.flat()) : hessianOf(cost, best.x),
    m,
  );
  const points: FitPoint[] = [
    {
      hyperparameters: fromTheta(best.x),
      rho: spreadRho(fromTheta(best.x).rho, clustered),
      weight: 1 / (m + 1),
      mode: centre,
    },
  ];
  for (let i = 0; i < m; i++)
    for (const side of [1, -1]) {
      const theta = best.x.map((v, j) => v + side * Math.sqrt(m + 1) * root[i]![j]!);
      const mode = modeAt(theta, centre.x, centre.factor);
      if (!mode) continue;
      const h = fromTheta(theta);
      points.push({ hyperparameters: h, rho: spreadRho(h.rho, clustered), weight: 1 / (2 * (m + 1)), mode });
    }
  const total = points.reduce((sum, p) => sum + p.weight, 0);
  for (const p of points) p.weight /= total;
  const optimum = { theta: best.x, curvature: rowsOf(curvature, m) };
  return { mesh, layout, constants, points, log_posterior: -best.value, optimum, evaluations };
}

function rowsOf(matrix: Float64Array, n: number): number[][] {
  return Array.from({ length: n }, (_, i) => Array.from(matrix.subarray(i * n, (i + 1) * n)));
}

function inverseOf(curvature: number[][]): number[][] {
  const n = curvature.length;
  return rowsOf(invertDense(choleskyDense(Float64Array.from(curvature.flat()), n)!, n), n);
}

function spreadRho(rho: number[], clustered: boolean[]): number[] {
  let next = 0;
  return clustered.map((own) => (own ? rho[next++]! : 0));
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
