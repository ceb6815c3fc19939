import { expect, test } from 'vitest';
import { averageRanks, rankCorrelation } from '../../../../pipeline/lib/numerics/rank-correlation.ts';

test('ties share their mean rank; the rank correlation agrees with R', () => {
  expect(averageRanks([10, 30, 20, 20])).toEqual([1, 4, 2.5, 2.5]);
  // cor(c(1,2,3,4,5), c(2,1,4,3,50), method = "spearman")
  expect(rankCorrelation([1, 2, 3, 4, 5], [2, 1, 4, 3, 50])).toBeCloseTo(0.8, 12);
  expect(rankCorrelation([1, 2, 3], [9, 8, 1])).toBeCloseTo(-1, 12);
  expect(rankCorrelation([1, 1, 1], [1, 2, 3])).toBeNull();
});
