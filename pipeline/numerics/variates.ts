import type { Random } from './random.ts';

/** A gamma variate of shape a > 0 and scale 1 (Marsaglia & Tsang 2000, ACM Trans. Math. Softw. 26:363). */
export function drawGamma(a: number, random: Random): number {
  if (a < 1) return drawGamma(a + 1, random) * random.uniform() ** (1 / a);
  const d = a - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = random.normal();
    const v = (1 + c * x) ** 3;
    if (v > 0 && Math.log(random.uniform()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v;
  }
}

/** A beta-binomial count of `examined` (rounded) at mean prevalence p and overdispersion ρ (0: binomial). */
export function drawBetaBinomial(examined: number, p: number, rho: number, random: Random): number {
  let own = p;
  if (rho > 0) {
    const m = (1 - rho) / rho;
    const a = drawGamma(p * m, random);
    const b = drawGamma((1 - p) * m, random);
    // both can underflow where ρ is near 1: then all are positive or none
    own = a + b > 0 ? a / (a + b) : Number(random.uniform() < p);
  }
  let positive = 0;
  for (let k = Math.round(examined); k > 0; k--) if (random.uniform() < own) positive++;
  return positive;
}
