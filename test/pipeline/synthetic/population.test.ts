import { expect, test } from 'vitest';
import { makeGeography } from '../../../pipeline/synthetic/geography.ts';
import { makePopulation } from '../../../pipeline/synthetic/population.ts';

// Seeds 5 and 7 have small LGAs without villages.
test.each([5, 7, 12])('seed %d: every LGA has people, and the country has 100 to 220 million', (seed) => {
  const { by_lga } = makePopulation(seed, makeGeography(seed));
  expect(by_lga.every((people) => people > 5_000)).toBe(true);
  const total = by_lga.reduce((sum, people) => sum + people, 0);
  expect(total).toBeGreaterThan(100e6);
  expect(total).toBeLessThan(220e6);
});
