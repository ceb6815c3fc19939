import { hessianOf, minimiseBfgs } from '../numerics/bfgs.ts';
import { choleskyDense, solveUpper } from '../numerics/dense.ts';
import { findMode, type Mode } from '../numerics/laplace.ts';
import type { Factor } from '../numerics/sparse-cholesky.ts';
import { expit, logit } from '../numerics/special.ts';
import type { Ground } from './risk-ground.ts';
import { type Constants, type Hyperparameters, type Layout, layOut, preparePrior } from './risk-latent.ts';
import { partsOf, prepareLikelihood, type RiskObservation, unknownsOf } from './risk-likelihood.ts';

/** One point of the hyperparameters' posterior, and the latent vector's Gaussian posterior there. */
export interface FitPoint {
  hyperparameters: Hyperparameters;
  /** Share of the posterior that it stands for; all sum to 1. */
  weight: number;
  mode: Mode;
}
export interface RiskFit {
  ground: Ground;
  layout: Layout;
  constants: Constants;
  /** First the mode. */
  points: FitPoint[];
  /** ln p(y, θ̂) by Laplace's approximation, without the binomial coefficients. */
  log_posterior: number;
  evaluations: number;
}

/** θ, the scale on which hyperparameters are searched. */
export function toTheta(h: Hyperparameters): number[] {
  return [
    Math.log(h.sigma_place),
    Math.log(h.range_km),
    Math.log(h.sigma_change),
    Math.log(h.sigma_state),
    Math.log(h.tau_years),
    logit(h.rho),
  ];
}
export function fromTheta(theta: number[]): Hyperparameters {
  const [sigma_place, range_km, sigma_change, sigma_state, tau_years] = theta.slice(0, 5).map(Math.exp);
  return {
    sigma_place: sigma_place!,
    range_km: range_km!,
    sigma_change: sigma_change!,
    sigma_state: sigma_state!,
    tau_years: tau_years!,
    rho: expit(theta[5]!),
  };
}

/**
 * ln of the penalised-complexity priors (Simpson et al. 2017, Stat. Sci. 32:1; ranges: Fuglstad et al. 2019, J. Am.
 * Stat. Assoc. 114:445), each with the Jacobian of θ's scale. Tails, chosen before any score was seen:
 * P(σ_place > 2) = P(σ_change > 1) = P(σ_state > 1) = 5%, P(range < 75 km) = 5%, P(τ < 2 years) = 10%; ρ is uniform.
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
    Math.log(h.rho) +
    Math.log1p(-h.rho)
  );
}

const START: Hyperparameters = {
  sigma_place: 0.7,
  range_km: 250,
  sigma_change: 0.3,
  sigma_state: 0.3,
  tau_years: 5,
  rho: 0.1,
};

/** Usual posterior standard deviations of θ: the search's first guess of how far to step. */
const SPREAD = [0.2, 0.4, 0.2, 0.25, 0.5, 0.08];

/**
 * Fits the risk model: θ's mode by BFGS on the Laplace-approximated posterior, then 2m + 1 points around it that carry
 * θ's mean and covariance (the unscented transform, Julier & Uhlmann 2004, Proc. IEEE 92:401), reweighted by the ratio
 * of the posterior to its Gaussian approximation as Rue et al. 2009, sec. 6.5 do.
 * @param times years of the rounds, ascending, as `observations[].round` counts them
 */
export function fitRisk(
  ground: Ground,
  times: number[],
  observations: RiskObservation[],
  constants: Constants,
): RiskFit {
  const parts = observations.map((o) => partsOf(ground, o));
  const layout = layOut(ground, times, (at) => observations.map((o, k) => unknownsOf(ground, at, o.round, parts[k]!)));
  const priorAt = preparePrior(ground, layout, constants);
  const { likelihood } = prepareLikelihood(ground, layout, observations);
  let evaluations = 0;
  const modeAt = (theta: number[], start: Float64Array, near: Factor | null): Mode | null => {
    const h = fromTheta(theta);
    evaluations++;
    return findMode(
      { symbolic: layout.symbolic, ...priorAt(h), likelihood: (...a) => likelihood(h.rho, ...a) },
      start,
      near,
    );
  };
  let latest: { x: Float64Array; factor: Factor | null } = { x: priorAt(START).mean, factor: null };
  const cost = (theta: number[]) => {
    // beyond these nothing is identified and numbers overflow
    if (theta.some((v) => Math.abs(v) > 12)) return Number.POSITIVE_INFINITY;
    const mode = modeAt(theta, latest.x, latest.factor);
    if (!mode) return Number.POSITIVE_INFINITY;
    latest = mode;
    return -mode.log_marginal - logPrior(fromTheta(theta));
  };

  const best = minimiseBfgs(cost, toTheta(START), { spread: SPREAD, difference: 5e-3, tolerance: 1e-2 });
  const centre = modeAt(best.x, latest.x, null);
  if (!centre) throw new Error('the risk model did not converge, expected a mode within 60 steps');
  latest = centre;
  const root = covarianceRoot(hessianOf(cost, best.x), best.x.length);
  const m = best.x.length;
  const points: FitPoint[] = [{ hyperparameters: fromTheta(best.x), weight: 1 / (m + 1), mode: centre }];
  for (let i = 0; i < m; i++)
    for (const side of [1, -1]) {
      const theta = best.x.map((v, j) => v + side * Math.sqrt(m + 1) * root[i]![j]!);
      const mode = modeAt(theta, centre.x, centre.factor);
      if (!mode) continue;
      const h = fromTheta(theta);
      const fall = mode.log_marginal + logPrior(h) + best.value;
      points.push({ hyperparameters: h, weight: Math.exp(fall + (m + 1) / 2) / (2 * (m + 1)), mode });
    }
  const total = points.reduce((sum, p) => sum + p.weight, 0);
  for (const p of points) p.weight /= total;
  return { ground, layout, constants, points, log_posterior: -best.value, evaluations };
}

/**
 * Columns r_i with Σ r_i r_iᵀ = H⁻¹. Where differences leave H short of positive definite, its diagonal is raised
 * until it is: the direction that says least is then held near the mode.
 */
function covarianceRoot(hessian: Float64Array, m: number): number[][] {
  let ridge = 0;
  for (;;) {
    const factor = choleskyDense(
      hessian.map((v, k) => (k % (m + 1) === 0 ? Math.max(v, 0.25) + ridge : v)),
      m,
    );
    if (factor)
      return Array.from({ length: m }, (_, i) => {
        const unit = new Float64Array(m);
        unit[i] = 1;
        return Array.from(solveUpper(factor, m, unit));
      });
    ridge = ridge * 2 || 0.05;
  }
}
