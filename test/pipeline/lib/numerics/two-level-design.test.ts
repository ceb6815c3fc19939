import { expect, test } from 'vitest';
import { twoLevelDesign } from '../../../../pipeline/lib/numerics/two-level-design.ts';

test.each([1, 3, 5, 9, 10, 11, 15, 23, 31])('points for %i axes have mean 0 and the identity as covariance', (m) => {
  const points = twoLevelDesign(m);
  for (let i = 0; i < m; i++)
    for (let j = 0; j <= i; j++) {
      expect(points.reduce((sum, p) => sum + p[i]! * p[j]!, 0)).toBe(i === j ? points.length : 0);
      expect(points.reduce((sum, p) => sum + p[i]!, 0)).toBe(0);
    }
});

test('more than 31 axes are rejected', () => {
  expect(() => twoLevelDesign(32)).toThrow('a design for 32 axes, expected at most 31');
});
