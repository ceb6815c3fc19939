export interface Minimum {
  x: number[];
  value: number;
  evaluations: number;
}

/** Edge of the first simplex along each parameter. */
const FIRST_EDGE = 0.5;

/**
 * Minimises f without derivatives: Nelder & Mead 1965 (Comput. J. 7:308) with the coefficients of Gao & Han 2012
 * (Comput. Optim. Appl. 51:259), which do not stall as parameters grow in number.
 * @param tolerance stops when the simplex's values span less than this, or at `limit` evaluations
 */
export function minimiseNelderMead(
  f: (x: number[]) => number,
  start: number[],
  { tolerance = 1e-4, limit = 400 } = {},
): Minimum {
  const n = start.length;
  let evaluations = 0;
  const point = (x: number[]) => {
    evaluations++;
    const value = f(x);
    return { x, value: Number.isNaN(value) ? Number.POSITIVE_INFINITY : value };
  };
  const simplex = [point(start), ...start.map((_, i) => point(start.map((v, j) => (i === j ? v + FIRST_EDGE : v))))];
  const expand = 1 + 2 / n;
  const contract = 0.75 - 0.5 / n;
  const shrink = 1 - 1 / Math.max(n, 2);

  for (;;) {
    simplex.sort((a, b) => a.value - b.value);
    const best = simplex[0]!;
    const worst = simplex[n]!;
    if (worst.value - best.value < tolerance || evaluations >= limit) return { ...best, evaluations };
    const centre = start.map((_, j) => simplex.slice(0, n).reduce((sum, vertex) => sum + vertex.x[j]!, 0) / n);
    const along = (t: number) => point(centre.map((c, j) => c + t * (worst.x[j]! - c)));

    const reflected = along(-1);
    if (reflected.value < best.value) {
      const expanded = along(-expand);
      simplex[n] = expanded.value < reflected.value ? expanded : reflected;
      continue;
    }
    if (reflected.value < simplex[n - 1]!.value) {
      simplex[n] = reflected;
      continue;
    }
    const contracted = along(reflected.value < worst.value ? -contract : contract);
    if (contracted.value < Math.min(reflected.value, worst.value)) {
      simplex[n] = contracted;
      continue;
    }
    for (let i = 1; i <= n; i++)
      simplex[i] = point(simplex[i]!.x.map((v, j) => best.x[j]! + shrink * (v - best.x[j]!)));
  }
}
