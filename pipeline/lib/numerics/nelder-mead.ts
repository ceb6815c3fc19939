export interface Minimum {
  x: number[];
  value: number;
  evaluations: number;
}

/** Edge of the first simplex along each parameter. */
const START_EDGE = 0.5;

/**
 * Minimises f without derivatives: Nelder & Mead 1965 (Comput. J. 7:308) with the coefficients of Gao & Han 2012
 * (Comput. Optim. Appl. 51:259), which do not stall as parameters grow in number.
 * @param tolerance stops when the simplex's values span less than this, or at `maxEvaluations`
 */
export function minimiseNelderMead(
  f: (x: number[]) => number,
  start: number[],
  { tolerance = 1e-4, maxEvaluations = 400 } = {},
): Minimum {
  const n = start.length;
  let evaluations = 0;
  const evaluate = (x: number[]) => {
    evaluations++;
    const value = f(x);
    return { x, value: Number.isNaN(value) ? Number.POSITIVE_INFINITY : value };
  };
  const simplex = [
    evaluate(start),
    ...start.map((_, i) => evaluate(start.map((v, j) => (i === j ? v + START_EDGE : v)))),
  ];
  const expansion = 1 + 2 / n;
  const contraction = 0.75 - 0.5 / n;
  const shrinkage = 1 - 1 / Math.max(n, 2);

  for (;;) {
    simplex.sort((a, b) => a.value - b.value);
    const best = simplex[0]!;
    const worst = simplex[n]!;
    if (worst.value - best.value < tolerance || evaluations >= maxEvaluations) return { ...best, evaluations };
    const centre = start.map((_, j) => simplex.slice(0, n).reduce((sum, vertex) => sum + vertex.x[j]!, 0) / n);
    const evaluateAlong = (t: number) => evaluate(centre.map((c, j) => c + t * (worst.x[j]! - c)));

    const reflected = evaluateAlong(-1);
    if (reflected.value < best.value) {
      const expanded = evaluateAlong(-expansion);
      simplex[n] = expanded.value < reflected.value ? expanded : reflected;
      continue;
    }
    if (reflected.value < simplex[n - 1]!.value) {
      simplex[n] = reflected;
      continue;
    }
    const contracted = evaluateAlong(reflected.value < worst.value ? -contraction : contraction);
    if (contracted.value < Math.min(reflected.value, worst.value)) {
      simplex[n] = contracted;
      continue;
    }
    for (let i = 1; i <= n; i++)
      simplex[i] = evaluate(simplex[i]!.x.map((v, j) => best.x[j]! + shrinkage * (v - best.x[j]!)));
  }
}
