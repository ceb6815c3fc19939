import { expect, test } from 'vitest';
import {
  type SirsParameters,
  STEPS_PER_MONTH,
  seasonGrid,
  sirsCycle,
  transmissionGrid,
} from '../../../pipeline/models/sirs.ts';
import { simulateSirs } from '../../../pipeline/synthetic/sirs.ts';

const PARAMETERS: SirsParameters = {
  transmission_rate: 2.1,
  share_year_round: 0.55,
  infectious_months: 2,
  immune_months: 4,
};
const SEASON = [0.1, 0, 0.1, 0.3, 0.6, 0.9, 1, 0.95, 1, 0.8, 0.3, 0.1];

test('the season is straight between mid-months, and late by its lag', () => {
  const grid = seasonGrid(SEASON, 0, 4);
  expect(grid).toHaveLength(96);
  expect(grid[4]).toBeCloseTo(0.1, 12); // mid-January
  expect(grid[8]).toBeCloseTo(0.05, 12); // 1 February, between 0.1 and 0
  expect(grid[0]).toBeCloseTo(0.1, 12); // 1 January, between December and January
  expect(seasonGrid(SEASON, 1, 4)[12]).toBeCloseTo(0.1, 12); // mid-February a month late is mid-January
  expect(seasonGrid(SEASON, 0.5, 4)[8]).toBeCloseTo(0.1, 12);
});

test('constant transmission gives the endemic equilibrium: S = 1/βD, I = (1 − S) ω / (ω + γ), R = 1', () => {
  const { susceptible, infectious, incidence, reproduction_number, settled } = sirsCycle(
    { ...PARAMETERS, share_year_round: 1 },
    seasonGrid(SEASON, 0),
  );
  const s = 1 / (2.1 * 2);
  const i = ((1 - s) * 0.25) / (0.25 + 0.5);
  expect(settled).toBe(true);
  expect(susceptible).toBeCloseTo(s, 9);
  expect(infectious).toBeCloseTo(i, 9);
  for (const value of incidence) expect(value).toBeCloseTo(2.1 * s * i, 9);
  for (const value of reproduction_number) expect(value).toBeCloseTo(1, 9);
});

/** One year of all three compartments by Heun's method in steps of 1/2000 month: another scheme, R counted on its own. */
function integrateYear(parameters: SirsParameters, start: number[], steps = 2000) {
  const beta = transmissionGrid(parameters, seasonGrid(SEASON, 1.3, steps));
  const rates = ([s, i, r]: number[], b: number) => {
    const infection = b * s! * i!;
    const recovery = i! / parameters.infectious_months;
    const waning = r! / parameters.immune_months;
    return [waning - infection, infection - recovery, recovery - waning, infection];
  };
  let y = start;
  const incidence = new Array<number>(12).fill(0);
  for (let k = 0; k < 12 * steps; k++) {
    const k1 = rates(y, beta[2 * k]!);
    const k2 = rates(
      y.map((v, j) => v + k1[j]! / steps),
      beta[(2 * k + 2) % beta.length]!,
    );
    y = y.map((v, j) => v + (k1[j]! + k2[j]!) / 2 / steps);
    incidence[Math.floor(k / steps)]! += (k1[3]! + k2[3]!) / 2 / steps;
  }
  return { end: y, incidence };
}

test('the cycle closes under another integrator, with the same infections and nobody lost', () => {
  const cycle = sirsCycle(PARAMETERS, seasonGrid(SEASON, 1.3));
  const start = [cycle.susceptible, cycle.infectious, 1 - cycle.susceptible - cycle.infectious];
  const { end, incidence } = integrateYear(PARAMETERS, start);
  expect(end[0]! + end[1]! + end[2]!).toBeCloseTo(1, 10);
  expect(end[0]).toBeCloseTo(start[0]!, 5);
  expect(end[1]).toBeCloseTo(start[1]!, 5);
  for (const [month, value] of incidence.entries()) expect(cycle.incidence[month]).toBeCloseTo(value, 5);
});

test('fourth order where bends fall on steps; with any lag close enough to what is published', () => {
  const worst = (lag: number, steps: number, parameters = PARAMETERS) => {
    const exact = sirsCycle(parameters, seasonGrid(SEASON, lag, 128));
    const { incidence } = sirsCycle(parameters, seasonGrid(SEASON, lag, steps));
    return Math.max(...incidence.map((value, month) => Math.abs(value / exact.incidence[month]! - 1)));
  };
  expect(worst(0, 4) / worst(0, 8)).toBeGreaterThan(12);
  expect(worst(0, STEPS_PER_MONTH)).toBeLessThan(1e-6);
  expect(worst(1.3, STEPS_PER_MONTH)).toBeLessThan(1e-4);
  const fierce = { transmission_rate: 4, share_year_round: 0.1, infectious_months: 1, immune_months: 12 };
  expect(worst(1.3, STEPS_PER_MONTH, fierce)).toBeLessThan(3e-4);
});

test('R lies on both sides of 1 over the year, and is highest before infections are', () => {
  const { incidence, reproduction_number } = sirsCycle(PARAMETERS, seasonGrid(SEASON, 1));
  expect(Math.max(...reproduction_number)).toBeGreaterThan(1);
  expect(Math.min(...reproduction_number)).toBeLessThan(1);
  const peak = incidence.indexOf(Math.max(...incidence));
  const highest = reproduction_number.indexOf(Math.max(...reproduction_number));
  expect(highest).toBeLessThan(peak);
});

test("near the made-up country's integrator, whose season is constant over each month", () => {
  const simulated = simulateSirs(
    { b: 2.1, share_year_round: 0.55, infectious_months: 2, immune_months: 4 },
    SEASON,
    12,
  );
  const { incidence } = sirsCycle(PARAMETERS, seasonGrid(SEASON, 0));
  for (const [month, value] of simulated.entries()) expect(Math.abs(incidence[month]! / value - 1)).toBeLessThan(0.03);
});
