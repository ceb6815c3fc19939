import { expect, test } from 'vitest';
import { choleskyDense, logDeterminant, solveLower, solveUpper } from '../../../../pipeline/lib/numerics/dense.ts';
import { minimumDegreeOrder } from '../../../../pipeline/lib/numerics/minimum-degree.ts';
import { randomStream } from '../../../../pipeline/lib/numerics/random.ts';
import {
  analysePattern,
  cliquePattern,
  entryPosition,
  factorise,
  factorLogDeterminant,
  solveBackward,
  solveForward,
} from '../../../../pipeline/lib/numerics/sparse-cholesky.ts';

/** A random sparse positive definite matrix, dense and sparse. */
function example(n: number, edges: number, seed: number) {
  const random = randomStream(seed, 'matrix');
  const pick = () => Math.floor(random.uniform() * n);
  const cliques = Array.from({ length: edges }, () => [pick(), pick()]);
  const symbolic = analysePattern(cliquePattern(n, cliques));
  const values = new Float64Array(symbolic.pattern.row.length);
  const dense = new Float64Array(n * n);
  const put = (i: number, j: number, v: number) => {
    values[entryPosition(symbolic.pattern, i, j)] = v;
    dense[i * n + j] = v;
    dense[j * n + i] = v;
  };
  for (const [i, j] of cliques as [number, number][]) if (i !== j) put(i, j, random.normal());
  for (let i = 0; i < n; i++) {
    let sum = 1;
    for (let j = 0; j < n; j++) if (j !== i) sum += Math.abs(dense[i * n + j]!);
    put(i, i, sum);
  }
  return { n, symbolic, values, dense, random };
}

test('factor, solution and determinant equal the dense ones', () => {
  for (const seed of [1, 2, 3]) {
    const { n, symbolic, values, dense, random } = example(60, 90, seed);
    // both ways of processing columns must occur: one at a time and four at a time
    expect(new Set(symbolic.isBlockStart)).toEqual(new Set([0, 1]));
    expect(symbolic.isBlockStart.reduce((a, b) => a + b)).toBeGreaterThan(4);
    const sparse = factorise(symbolic, values)!;
    const full = choleskyDense(dense, n)!;
    for (let j = 0; j < n; j++)
      for (let e = symbolic.start[j]!; e < symbolic.start[j + 1]!; e++)
        expect(sparse.values[e]).toBeCloseTo(full[symbolic.row[e]! * n + j]!, 12);
    const b = Float64Array.from({ length: n }, () => random.normal());
    const mine = solveBackward(sparse, solveForward(sparse, b.slice()));
    const theirs = solveUpper(full, n, solveLower(full, n, b.slice()));
    mine.forEach((v, i) => {
      expect(v).toBeCloseTo(theirs[i]!, 12);
    });
    expect(factorLogDeterminant(sparse)).toBeCloseTo(logDeterminant(full, n), 10);
  }
});

test('a matrix that is not positive definite has no factor', () => {
  const { n, symbolic, values } = example(20, 30, 4);
  values[entryPosition(symbolic.pattern, n - 1, n - 1)] = -1;
  expect(factorise(symbolic, values)).toBeNull();
});

test('an entry outside the pattern is rejected', () => {
  expect(() => entryPosition(cliquePattern(3, [[0, 1]]), 2, 0)).toThrow('entry (2, 0) is not in the pattern');
});

test('minimum degree orders all unknowns, keeps the last ones last and has far less fill on a lattice than the natural order', () => {
  const side = 20;
  const n = side * side + 1;
  const neighbours = Array.from({ length: n }, () => new Set<number>());
  const join = (i: number, j: number) => {
    neighbours[i]!.add(j);
    neighbours[j]!.add(i);
  };
  for (let k = 0; k < side * side; k++) {
    if ((k + 1) % side !== 0) join(k, k + 1);
    if (k + side < side * side) join(k, k + side);
    join(k, n - 1);
  }
  const fill = (order: Int32Array) => {
    const at = new Int32Array(n);
    order.forEach((i, k) => {
      at[i] = k;
    });
    return analysePattern(
      cliquePattern(
        n,
        neighbours.flatMap((set, i) => [...set].map((j) => [at[i]!, at[j]!])),
      ),
    ).row.length;
  };
  const order = minimumDegreeOrder(neighbours, [n - 1]);
  expect([...order].sort((a, b) => a - b)).toEqual(Array.from({ length: n }, (_, i) => i));
  expect(order[n - 1]).toBe(n - 1);
  expect(fill(order)).toBeLessThan(0.6 * fill(Int32Array.from({ length: n }, (_, i) => i)));
});
