/** Argument from which the asymptotic series below are exact to double precision. */
const LARGE = 12;

/**
 * ln Γ(x), x > 0: recurrence up to LARGE, then Stirling's series (Abramowitz & Stegun 6.1.41). Error below 1e-14
 * relative to max(1, |ln Γ|).
 */
export function logGamma(x: number): number {
  let product = 1;
  let z = x;
  while (z < LARGE) {
    product *= z;
    z += 1;
  }
  const r = 1 / (z * z);
  const series = (1 / 12 - r * (1 / 360 - r * (1 / 1260 - r * (1 / 1680 - r * (1 / 1188 - (r * 691) / 360360))))) / z;
  return (z - 0.5) * Math.log(z) - z + 0.5 * Math.log(2 * Math.PI) + series - Math.log(product);
}

/** ψ(x) = d ln Γ / dx, x > 0 (Abramowitz & Stegun 6.3.18). */
export function digamma(x: number): number {
  let shift = 0;
  let z = x;
  while (z < LARGE) {
    shift += 1 / z;
    z += 1;
  }
  const r = 1 / (z * z);
  const series = r * (1 / 12 - r * (1 / 120 - r * (1 / 252 - r * (1 / 240 - r * (1 / 132 - (r * 691) / 32760)))));
  return Math.log(z) - 0.5 / z - series - shift;
}

/** ψ′(x), x > 0 (Abramowitz & Stegun 6.4.12). */
export function trigamma(x: number): number {
  let shift = 0;
  let z = x;
  while (z < LARGE) {
    shift += 1 / (z * z);
    z += 1;
  }
  const r = 1 / (z * z);
  const series = r * (1 / 6 - r * (1 / 30 - r * (1 / 42 - r * (1 / 30 - r * (5 / 66 - (r * 691) / 2730)))));
  return 1 / z + 0.5 * r + series / z + shift;
}

/** ψ″(x), x > 0 (Abramowitz & Stegun 6.4.13). */
export function tetragamma(x: number): number {
  let shift = 0;
  let z = x;
  while (z < LARGE) {
    shift += 2 / (z * z * z);
    z += 1;
  }
  const r = 1 / (z * z);
  const series = r * (0.5 - r * (1 / 6 - r * (1 / 6 - r * (3 / 10 - r * (5 / 6 - (r * 691) / 210)))));
  return -r - r / z - r * series - shift;
}

/** The logistic function, without overflow. */
export function expit(x: number): number {
  if (x >= 0) return 1 / (1 + Math.exp(-x));
  const exponential = Math.exp(x);
  return exponential / (1 + exponential);
}

/** ln(p / (1 − p)), 0 < p < 1. */
export function logit(p: number): number {
  return Math.log(p) - Math.log1p(-p);
}

/** ln Σ exp(values), without overflow; -Infinity for no values. */
export function logSumExp(values: ArrayLike<number>): number {
  let largest = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < values.length; i++) largest = Math.max(largest, values[i]!);
  if (!Number.isFinite(largest)) return largest;
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += Math.exp(values[i]! - largest);
  return largest + Math.log(sum);
}
