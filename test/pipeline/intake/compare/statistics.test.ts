import { expect, test } from 'vitest';
import { distribution, medianOrNull } from '../../../../pipeline/intake/compare/statistics.ts';
import { averageRanks, rankCorrelation } from '../../../../pipeline/lib/numerics/rank-correlation.ts';

test('a distribution counts missing values; without values its fields are null', () => {
  expect(distribution([4, null, 1, 3, 2])).toEqual({
    n: 4,
    missing: 1,
    min: 1,
    q1: 1.75,
    median: 2.5,
    q3: 3.25,
    max: 4,
    mean: 2.5,
  });
  expect(distribution([null])).toMatchObject({ n: 0, missing: 1, min: null, mean: null });
});

test('ties share their mean rank; the rank correlation agrees with R', () => {
  expect(averageRanks([10, 30, 20, 20])).toEqual([1, 4, 2.5, 2.5]);
  // cor(c(1,2,3,4,5), c(2,1,4,3,50), method = "spearman")
  expect(rankCorrelation([1, 2, 3, 4, 5], [2, 1, 4, 3, 50])).toBeCloseTo(0.8, 12);
  expect(rankCorrelation([1, 2, 3], [9, 8, 1])).toBeCloseTo(-1, 12);
  expect(rankCorrelation([1, 1, 1], [1, 2, 3])).toBeNull();
});

test('without values there is no median', () => {
  expect(medianOrNull([3, 1, 2])).toBe(2);
  expect(medianOrNull([])).toBeNull();
});
