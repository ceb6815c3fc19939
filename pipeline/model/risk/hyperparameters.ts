import { POSITIVE_HYPERPARAMETERS } from '../../catalog/model.ts';
import { expit, logit } from '../../lib/numerics/special.ts';

export interface Hyperparameters {
  sigma_place: number;
  range_km: number;
  sigma_change: number;
  sigma_state: number;
  sigma_lga: number;
  /** Standard deviation of the states' slopes, logit per year. */
  sigma_slope: number;
  /** Time constants of the field of change and of the states' departures, years. */
  tau_years: number;
  tau_state_years: number;
  /**
   * Overdispersion of each round with clusters: the correlation between two children of one row. It differs by round,
   * because a row may pool several clusters in one round and be a single cluster in another.
   */
  rho: number[];
}

/**
 * θ, the hyperparameters on the scale of the search: logarithms of the positive ones in their order, then logit ρ of
 * each round.
 */
export function toTheta(hyperparameters: Hyperparameters): number[] {
  return [
    ...POSITIVE_HYPERPARAMETERS.map((name) => Math.log(hyperparameters[name])),
    ...hyperparameters.rho.map(logit),
  ];
}

export function fromTheta(theta: readonly number[]): Hyperparameters {
  const positive = POSITIVE_HYPERPARAMETERS.map((name, i) => [name, Math.exp(theta[i]!)]);
  return { ...Object.fromEntries(positive), rho: theta.slice(POSITIVE_HYPERPARAMETERS.length).map(expit) };
}

/**
 * ln of the penalised-complexity priors (Simpson et al. 2017, Stat. Sci. 32:1; ranges: Fuglstad et al. 2019, J. Am.
 * Stat. Assoc. 114:445), each with the Jacobian of the scale of θ. Tail probabilities, chosen before any score was
 * seen: P(σ_place > 2) = P(σ_change > 1) = P(σ_state > 1) = P(σ_lga > 1) = 5%, P(σ_slope > 0.2 per year) = 5%, P(range
 * < 75 km) = 5%, P(τ < 2 years) = 10%, P(τ_state < 1 year) = 10%; logit ρ of the rounds is N(logit 0.1, 1 + 0.5²) with
 * a correlation of 0.8.
 */
export function thetaLogPrior(hyperparameters: Hyperparameters): number {
  const sdLogPrior = (sigma: number, upperBound: number) => (Math.log(0.05) / upperBound) * sigma + Math.log(sigma);
  const timeConstantLogPrior = (tau: number, lowerBound: number) =>
    (Math.log(0.1) * Math.sqrt(lowerBound)) / Math.sqrt(tau) - 0.5 * Math.log(tau);
  return (
    sdLogPrior(hyperparameters.sigma_place, 2) +
    sdLogPrior(hyperparameters.sigma_change, 1) +
    sdLogPrior(hyperparameters.sigma_state, 1) +
    sdLogPrior(hyperparameters.sigma_lga, 1) +
    sdLogPrior(hyperparameters.sigma_slope, 0.2) +
    ((Math.log(0.05) * 75) / hyperparameters.range_km - Math.log(hyperparameters.range_km)) +
    timeConstantLogPrior(hyperparameters.tau_years, 2) +
    timeConstantLogPrior(hyperparameters.tau_state_years, 1) +
    rhoLogPrior(hyperparameters.rho)
  );
}

function rhoLogPrior(rho: number[]): number {
  if (rho.length === 0) return 0;
  const [commonSd, roundSd] = [1, 0.5];
  const deviations = rho.map((r) => logit(r) - logit(0.1));
  const mean = deviations.reduce((a, b) => a + b, 0) / deviations.length;
  const squaredDeviations = deviations.reduce((sum, v) => sum + (v - mean) ** 2, 0);
  return -0.5 * (squaredDeviations / roundSd ** 2 + mean ** 2 / (commonSd ** 2 + roundSd ** 2 / deviations.length));
}
