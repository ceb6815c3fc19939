import { digamma, expit, logGamma, tetragamma, trigamma } from './special.ts';

/**
 * Positives among children examined when prevalence varies between their locations around p:
 *
 *   f(y) = Γ(n+1) / (Γ(y+1) Γ(n−y+1)) · B(y + pM, n − y + (1−p)M) / B(pM, (1−p)M),   M = (1 − ρ) / ρ
 *
 * n examined > 0; y positive, 0 to n, not necessarily an integer (survey-weighted shares); p mean prevalence; ρ
 * correlation of two children of one cluster, so that y/n has the variance p(1−p)(1 + (n−1)ρ)/n. ρ = 0 is the binomial.
 * Skellam 1948, J. R. Stat. Soc. B 10:257.
 */
export interface TestCounts {
  examined: number;
  positive: number;
}

/** @throws RangeError unless `examined` is above 0 and `positive` from 0 to `examined` */
export function assertTestCounts({ examined, positive }: TestCounts, label: string): void {
  if (!(examined > 0)) throw new RangeError(`${label}: ${examined} children examined, expected more than 0`);
  if (!(positive >= 0 && positive <= examined))
    throw new RangeError(`${label}: ${positive} positive of ${examined} examined, expected 0 to ${examined}`);
}

/** ln of the binomial coefficient by gamma functions. */
export function logChoose({ examined: n, positive: y }: TestCounts): number {
  return logGamma(n + 1) - logGamma(y + 1) - logGamma(n - y + 1);
}

/** ln f(y) at mean prevalence p in [0, 1]; -Infinity where impossible. */
export function logDensity(counts: TestCounts, p: number, rho: number): number {
  const { examined: n, positive: y } = counts;
  if (p <= 0) return y === 0 ? 0 : Number.NEGATIVE_INFINITY;
  if (p >= 1) return y === n ? 0 : Number.NEGATIVE_INFINITY;
  if (rho <= 0) return logChoose(counts) + y * Math.log(p) + (n - y) * Math.log1p(-p);
  const m = (1 - rho) / rho;
  const a = p * m;
  const b = (1 - p) * m;
  const logBetaRatio = logGamma(y + a) - logGamma(a) + logGamma(n - y + b) - logGamma(b);
  return logChoose(counts) + logBetaRatio - logGamma(n + m) + logGamma(m);
}

/** ln f, without its binomial coefficient, and its first two derivatives by η = logit p. */
export interface LikelihoodTerm {
  value: number;
  gradient: number;
  hessian: number;
}

/** The log-likelihood term at linear predictor η, for Newton's method. */
export function likelihoodTerm({ examined: n, positive: y }: TestCounts, eta: number, rho: number): LikelihoodTerm {
  const p = expit(eta);
  const q = expit(-eta);
  if (rho <= 0) {
    // ln p = −ln(1 + e^−η) and ln q = −ln(1 + e^η), stable for any η
    const logP = eta >= 0 ? -Math.log1p(Math.exp(-eta)) : eta - Math.log1p(Math.exp(eta));
    return { value: y * logP + (n - y) * (logP - eta), gradient: y - n * p, hessian: -n * p * q };
  }
  const m = (1 - rho) / rho;
  const a = p * m;
  const b = q * m;
  const value = logGamma(y + a) - logGamma(a) + logGamma(n - y + b) - logGamma(b) - logGamma(n + m) + logGamma(m);
  const dP = m * (digamma(y + a) - digamma(a) - digamma(n - y + b) + digamma(b));
  const dPP = m * m * (trigamma(y + a) - trigamma(a) + trigamma(n - y + b) - trigamma(b));
  const slope = p * q;
  return { value, gradient: dP * slope, hessian: dPP * slope * slope + dP * slope * (q - p) };
}

/** Derivatives of a `LikelihoodTerm`: of its hessian by η, and of all three parts by logit ρ. */
export interface LikelihoodTermDerivatives {
  hessian_by_eta: number;
  value_by_rho: number;
  gradient_by_rho: number;
  hessian_by_rho: number;
}

/** Derivatives of `likelihoodTerm` at η and ρ, for the gradient of a marginal likelihood; those by ρ are 0 at ρ = 0. */
export function likelihoodTermDerivatives(
  { examined: n, positive: y }: TestCounts,
  eta: number,
  rho: number,
): LikelihoodTermDerivatives {
  const p = expit(eta);
  const q = expit(-eta);
  const slope = p * q;
  const curvature = slope * (q - p);
  if (rho <= 0) return { hessian_by_eta: -n * curvature, value_by_rho: 0, gradient_by_rho: 0, hessian_by_rho: 0 };
  const m = (1 - rho) / rho;
  const [a, b] = [p * m, q * m];
  const [a0, b0] = [digamma(y + a) - digamma(a), digamma(n - y + b) - digamma(b)];
  const [a1, b1] = [trigamma(y + a) - trigamma(a), trigamma(n - y + b) - trigamma(b)];
  const [a2, b2] = [tetragamma(y + a) - tetragamma(a), tetragamma(n - y + b) - tetragamma(b)];
  const dP = m * (a0 - b0);
  const dPP = m * m * (a1 + b1);
  const dPPP = m * m * m * (a2 - b2);
  // by M, and M by logit ρ is −M
  const dM = p * a0 + q * b0 + digamma(m) - digamma(n + m);
  const dPM = a0 - b0 + m * (p * a1 - q * b1);
  const dPPM = 2 * m * (a1 + b1) + m * m * (p * a2 + q * b2);
  return {
    hessian_by_eta: slope * (slope * slope * dPPP + 3 * curvature * dPP + ((q - p) ** 2 - 2 * slope) * dP),
    value_by_rho: -m * dM,
    gradient_by_rho: -m * slope * dPM,
    hessian_by_rho: -m * (slope * slope * dPPM + curvature * dPM),
  };
}
