import { expect, test } from 'vitest';
import { rainForcing, seasonIndex } from '../../../pipeline/synthetic/season.ts';
import { simulateSirs, transmissionRate } from '../../../pipeline/synthetic/sirs.ts';

const sirs = { b: 3, share_year_round: 0.4, infectious_months: 1, immune_months: 4 };
const flat = new Array<number>(12).fill(1);

test('without a season it stays at equilibrium: S = 1 / (b d), I = (1 − S) / (1 + m / d), infections I / d', () => {
  // b d = 3, so S = 1/3; I = (2/3) / 5 = 2/15; 2/15 infections per month.
  for (const infections of simulateSirs(sirs, flat, 24)) expect(infections).toBeCloseTo(2 / 15, 9);
});

test('infection dies out if b d is below 1', () => {
  expect(Math.max(...simulateSirs({ ...sirs, b: 0.9 }, flat, 12))).toBeLessThan(1e-9);
});

test('transmission rate: 0.4 of b all year, the rest by season', () => {
  expect(transmissionRate(sirs, 0)).toBeCloseTo(1.2, 12);
  expect(transmissionRate(sirs, 0.5)).toBeCloseTo(2.1, 12);
});

test('a season leads to a repeating yearly cycle with a later peak', () => {
  const season = [0, 0, 0, 0, 0.2, 0.6, 1, 1, 0.6, 0.2, 0, 0];
  const infections = simulateSirs(sirs, season, 24);
  for (let month = 0; month < 12; month++) expect(infections[month + 12]).toBeCloseTo(infections[month]!, 6);
  const peak = infections.slice(0, 12).indexOf(Math.max(...infections.slice(0, 12)));
  expect(peak).toBeGreaterThanOrEqual(6);
  expect(peak).toBeLessThanOrEqual(9);
});

test('forcing lags rain by a month, is half saturated at 120 mm, and is 1 at its peak', () => {
  const rain = [0, 0, 0, 120, 240, 0, 0, 0, 0, 0, 0, 60];
  // 120 → 1/2, 240 → 2/3, 60 → 1/3; over the peak 2/3.
  const forcing = rainForcing(rain);
  expect(forcing[4]).toBeCloseTo(0.75, 12);
  expect(forcing[5]).toBe(1);
  expect(forcing[0]).toBeCloseTo(0.5, 12);
  expect(forcing[3]).toBe(0);
});

test('the index is 1 at its peak and never 0, so its logarithm exists', () => {
  const index = seasonIndex(rainForcing([0, 0, 0, 0, 10, 60, 150, 250, 150, 40, 0, 0]));
  expect(Math.max(...index)).toBe(1);
  expect(Math.min(...index)).toBeGreaterThan(0.03);
});
