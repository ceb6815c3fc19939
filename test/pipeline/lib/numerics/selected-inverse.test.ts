import { expect, test } from 'vitest';
import { randomStream } from '../../../../pipeline/lib/numerics/random.ts';
import { selectedInverse } from '../../../../pipeline/lib/numerics/selected-inverse.ts';
import {
  analysePattern,
  cliquePattern,
  factorise,
  factorPositions,
  solveBackward,
  solveForward,
} from '../../../../pipeline/lib/numerics/sparse-cholesky.ts';

test('the selected inverse equals the inverse, also where columns are processed four at a time', () => {
  const random = randomStream(1, 'selected inverse');
  const n = 120;
  const pick = () => Math.floor(random.uniform() * n);
  const cliques = Array.from({ length: 90 }, () => Array.from({ length: 2 + (pick() % 4) }, pick));
  const pattern = cliquePattern(n, [...cliques, Array.from({ length: 9 }, (_, i) => n - 1 - i)]);
  const symbolic = analysePattern(pattern);
  expect(symbolic.isBlockStart.some(Boolean)).toBe(true);
  const a = new Float64Array(pattern.row.length);
  for (let j = 0; j < n; j++)
    for (let e = pattern.start[j]!; e < pattern.start[j + 1]!; e++) a[e] = pattern.row[e] === j ? 12 : random.normal();
  const factor = factorise(symbolic, a)!;
  const z = selectedInverse(factor);
  const positions = factorPositions(symbolic);
  for (let j = 0; j < n; j++) {
    const unit = new Float64Array(n);
    unit[j] = 1;
    const column = solveBackward(factor, solveForward(factor, unit));
    for (let e = symbolic.start[j]!; e < symbolic.start[j + 1]!; e++)
      expect(Math.abs(z[e]! - column[symbolic.row[e]!]!)).toBeLessThan(1e-14);
    for (let e = pattern.start[j]!; e < pattern.start[j + 1]!; e++)
      expect(symbolic.row[positions[e]!]).toBe(pattern.row[e]);
  }
});
