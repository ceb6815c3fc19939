/** P(Z ≤ z) of the standard normal by the series of Abramowitz and Stegun (1964), 26.2.11; for |z| up to 6. */
export function normalCdf(z: number): number {
  let term = z;
  let sum = z;
  for (let k = 3; Math.abs(term) > Number.EPSILON * Math.abs(sum); k += 2) {
    term *= (z * z) / k;
    sum += term;
  }
  return 0.5 + (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * sum;
}

/** The z with P(Z ≤ z) = p, for p from 1e-8 to 1 − 1e-8, by bisection. */
export function normalQuantile(p: number): number {
  let [low, high] = [-6, 6];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (normalCdf(middle) < p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
