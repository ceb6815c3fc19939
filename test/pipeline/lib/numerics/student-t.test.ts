import { expect, test } from 'vitest';
import { studentCdf, studentQuantile } from '../../../../pipeline/lib/numerics/student-t.ts';

test('quantiles agree with printed tables', () => {
  expect(studentQuantile(0.975, 1)).toBeCloseTo(12.7062047362, 9);
  expect(studentQuantile(0.975, 2)).toBeCloseTo(4.30265272975, 10);
  expect(studentQuantile(0.95, 10)).toBeCloseTo(1.81246112281, 10);
  expect(studentQuantile(0.975, 235)).toBeCloseTo(1.9701100623, 9);
  expect(studentQuantile(0.5, 7)).toBeCloseTo(0, 12);
  expect(studentQuantile(0.025, 7)).toBeCloseTo(-studentQuantile(0.975, 7), 12);
});

test('with one degree of freedom it is the Cauchy distribution', () => {
  for (const t of [-3, -0.2, 0, 1, 8]) expect(studentCdf(t, 1)).toBeCloseTo(0.5 + Math.atan(t) / Math.PI, 14);
});

test('invalid arguments are refused', () => {
  expect(() => studentQuantile(0, 3)).toThrow('expected 0 < p < 1');
  expect(() => studentQuantile(0.5, 0)).toThrow('a positive integer');
  expect(() => studentQuantile(0.5, 2.5)).toThrow('a positive integer');
});
