import { choleskyDense, invertDense, logDeterminant, solveCholesky } from '../../lib/numerics/dense.ts';

/** Covariance of a Gaussian process at two times in years. */
export type Kernel = (s: number, t: number) => number;

/** Brownian motion in both directions from `origin`, where it is 0; unit variance per year. */
export function brownian(origin: number): Kernel {
  return (s, t) => {
    const [a, b] = [s - origin, t - origin];
    return a * b > 0 ? Math.min(Math.abs(a), Math.abs(b)) : 0;
  };
}

/** Ornstein-Uhlenbeck process of unit variance: correlation exp(−|t − s|/τ). */
export function ornsteinUhlenbeck(tau: number): Kernel {
  return (s, t) => Math.exp(-Math.abs(t - s) / tau);
}

/**
 * Damped drift: the integral from `origin` of an Ornstein-Uhlenbeck slope of unit variance (1 per year) that keeps its
 * direction for about `years`. With a = s − origin, b = t − origin and T = years,
 *
 *   T² (2 min(|a|, |b|)/T + e^(−|a|/T) + e^(−|b|/T) − 1 − e^(−|a − b|/T))   on the same side of the origin,
 *   −T² (1 − e^(−|a|/T)) (1 − e^(−|b|/T))                                   on opposite sides.
 */
export function dampedDrift(origin: number, years: number): Kernel {
  return (s, t) => {
    const [a, b] = [Math.abs(s - origin) / years, Math.abs(t - origin) / years];
    const [da, db] = [Math.expm1(-a), Math.expm1(-b)];
    if ((s - origin) * (t - origin) < 0) return -(years ** 2) * da * db;
    return years ** 2 * (2 * Math.min(a, b) + da + db - Math.expm1(-Math.abs(a - b)));
  };
}

/** Weighted sum of independent processes: Σ scale² kernel. */
export function sumKernels(...terms: { scale: number; kernel: Kernel }[]): Kernel {
  return (s, t) => terms.reduce((sum, { scale, kernel }) => sum + scale * scale * kernel(s, t), 0);
}

function covariance(kernel: Kernel, times: readonly number[], otherTimes: readonly number[]): Float64Array {
  return Float64Array.from(times.flatMap((s) => otherTimes.map((t) => kernel(s, t))));
}

/** Precision matrix of a process at `times`, in rows, and its log determinant. @throws Error if it is singular */
export function precisionAt(kernel: Kernel, times: readonly number[]) {
  const n = times.length;
  const factor = choleskyDense(covariance(kernel, times, times), n);
  if (!factor) throw new Error(`singular covariance at ${times.join(', ')}, expected distinct times`);
  return { precision: invertDense(factor, n), log_determinant: -logDeterminant(factor, n) };
}

/** Conditional distribution of a process at new times given its values at observed ones. */
export interface Conditional {
  /** Mean at time m: Σ_r weights[m * observed + r] · value_r. */
  weights: Float64Array;
  /** Lower Cholesky factor of the conditional covariance, in rows. */
  root: Float64Array;
  /** Conditional standard deviations. */
  deviation: Float64Array;
}

/** Conditional distribution at `times` given the values at the `observed` times (kriging). */
export function conditionalAt(kernel: Kernel, observed: readonly number[], times: readonly number[]): Conditional {
  const [n, m] = [observed.length, times.length];
  const factor = choleskyDense(covariance(kernel, observed, observed), n);
  if (!factor) throw new Error(`singular covariance at ${observed.join(', ')}, expected distinct times`);
  const crossCovariance = covariance(kernel, times, observed);
  const weights = new Float64Array(m * n);
  const remainingCovariance = covariance(kernel, times, times);
  for (let i = 0; i < m; i++) weights.set(solveCholesky(factor, n, crossCovariance.slice(i * n, (i + 1) * n)), i * n);
  for (let i = 0; i < m; i++)
    for (let j = 0; j < m; j++)
      for (let r = 0; r < n; r++) remainingCovariance[i * m + j]! -= weights[i * n + r]! * crossCovariance[j * n + r]!;
  const deviation = Float64Array.from(times, (_, i) => Math.sqrt(Math.max(remainingCovariance[i * m + i]!, 0)));
  // a month at a round has no variance left, so without this the matrix would be singular
  for (let i = 0; i < m; i++) remainingCovariance[i * m + i]! += 1e-10 * kernel(times[i]!, times[i]!);
  return { weights, root: choleskyDense(remainingCovariance, m)!, deviation };
}
