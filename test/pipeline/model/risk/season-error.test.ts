import { expect, test } from 'vitest';
import { randomStream } from '../../../../pipeline/lib/numerics/random.ts';
import { drawSeasonErrors, logIndexShift } from '../../../../pipeline/model/risk/season-error.ts';

test('errors have the given standard deviation in every month, are correlated between neighbouring months and independent between states', () => {
  const draws = Array.from({ length: 4000 }, (_, d) => drawSeasonErrors(2, 0.1, randomStream(d, 'errors')));
  const product = (i: number, j: number) => draws.reduce((sum, e) => sum + e[i]! * e[j]!, 0) / draws.length / 0.01;
  for (let m = 0; m < 12; m++) expect(product(m, m)).toBeCloseTo(1, 1);
  expect(product(3, 4)).toBeGreaterThan(0.5);
  expect(product(4, 12 + 4)).toBeCloseTo(0, 1);
});

test('an error shifts ln S of its month by its effect on the index, which does not fall below the floor', () => {
  expect(logIndexShift(Math.log(0.2), 0.1)).toBeCloseTo(Math.log(0.3 / 0.2), 12);
  expect(logIndexShift(Math.log(0.7), -0.07)).toBeCloseTo(Math.log(0.9), 12);
  expect(logIndexShift(Math.log(0.2), -0.5)).toBeCloseTo(Math.log(0.01 / 0.2), 12);
});
