/** What is known of single areas once their groups' courses are. */
import { dot, multiply, multiplyVector } from '../../numerics/dense-products.ts';
import type { AreaPart, GroupCourse } from './hierarchy.ts';

/** By month the noise that is left: its expected square, given everything; NaN where nothing was known. */
export function squaredNoise({ n, areas, precision }: AreaPart, courses: readonly GroupCourse[]): Float64Array[] {
  return areas.map(({ group, y, variance }, a) => {
    const { mean, covariance } = courses[group]!;
    const p = precision[a]!;
    const pv = multiply(p, covariance, n);
    return y.map((value, t) => {
      if (Number.isNaN(value)) return Number.NaN;
      let residual = 0;
      let spread = p[t * n + t]!;
      for (let u = 0; u < n; u++) {
        const weight = p[t * n + u]!;
        if (weight === 0) continue;
        residual += weight * (y[u]! - mean[u]!);
        spread -= pv[t * n + u]! * weight;
      }
      const v = variance[t]!;
      return (v * residual) ** 2 + v - v * v * spread;
    });
  });
}

/** Mean and variance of the areas' courses in given months, without the noise of these. */
export function coursesOfAreas(
  part: AreaPart,
  courses: readonly GroupCourse[],
  area: Float64Array,
  months: readonly number[],
): { mean: number[]; variance: number[] }[] {
  const { n, areas, precision } = part;
  return areas.map(({ group, y }, a) => {
    const { mean, covariance } = courses[group]!;
    const own = { mean: [] as number[], variance: [] as number[] };
    for (const t of months) {
      const k = area.subarray(t * n, (t + 1) * n);
      const b = multiplyVector(precision[a]!, k, n);
      let value = mean[t]!;
      let variance = k[t]!;
      for (let u = 0; u < n; u++)
        if (b[u] !== 0) {
          value += b[u]! * (y[u]! - mean[u]!);
          variance -= b[u]! * k[u]!;
        }
      const rest = b.map((x, u) => (u === t ? 1 : 0) - x);
      own.mean.push(value);
      own.variance.push(variance + dot(rest, multiplyVector(covariance, rest, n)));
    }
    return own;
  });
}
