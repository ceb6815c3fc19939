import { expect, test } from 'vitest';
import { type LaggedSeason, type SirsParameters, seasonAt, sirsCycle } from '../../../../pipeline/lib/numerics/sirs.ts';
import { simulateSirs } from '../../../../pipeline/synthetic/sirs.ts';

const PARAMETERS: SirsParameters = {
  transmission_rate: 2.1,
  share_year_round: 0.55,
  infectious_months: 2,
  immune_months: 4,
};
const SEASON = [0.1, 0, 0.1, 0.3, 0.6, 0.9, 1, 0.95, 1, 0.8, 0.3, 0.1];
const late = (lag_months: number): LaggedSeason => ({ monthly: SEASON, lag_months });

test('the season is linear between mid-months and delayed by its lag', () => {
  expect(seasonAt(late(0), 0.5)).toBeCloseTo(0.1, 12); // mid-January
  expect(seasonAt(late(0), 1)).toBeCloseTo(0.05, 12); // 1 February, between 0.1 and 0
  expect(seasonAt(late(0), 0)).toBeCloseTo(0.1, 12); // 1 January, between December and January
  expect(seasonAt(late(1), 1.5)).toBeCloseTo(0.1, 12); // mid-February a month late is mid-January
  expect(seasonAt(late(0.5), 1)).toBeCloseTo(0.1, 12);
  expect(seasonAt(late(2.3), 12.7)).toBeCloseTo(seasonAt(late(2.3), 0.7), 12);
});

test('constant transmission gives the endemic equilibrium S = 1/βD, I = (1 − S) ω / (ω + γ), R = 1', () => {
  const {
    susceptible,
    infectious,
    incidence,
    reproduction_number,
    converged: settled,
  } = sirsCycle({ ...PARAMETERS, share_year_round: 1 }, late(0));
  const s = 1 / (2.1 * 2);
  const i = ((1 - s) * 0.25) / (0.25 + 0.5);
  expect(settled).toBe(true);
  expect(susceptible).toBeCloseTo(s, 10);
  expect(infectious).toBeCloseTo(i, 10);
  for (const value of incidence) expect(value).toBeCloseTo(2.1 * s * i, 10);
  for (const value of reproduction_number) expect(value).toBeCloseTo(1, 10);
});

/**
 * One year of all three compartments by the classical Runge-Kutta method, with R integrated separately: accurate to
 * rounding if the kinks of the season coincide with its steps.
 */
function integrateYear(parameters: SirsParameters, season: LaggedSeason, start: number[], steps: number) {
  const { transmission_rate: b, share_year_round: y, infectious_months, immune_months } = parameters;
  const rates = ([s, i, r]: number[], t: number) => {
    const beta = b * (y + (1 - y) * seasonAt(season, t));
    const infection = beta * s! * i!;
    const recovery = i! / infectious_months;
    const waning = r! / immune_months;
    return [waning - infection, infection - recovery, recovery - waning, infection, beta * s! * infectious_months];
  };
  const h = 1 / steps;
  const move = (from: number[], by: number[], share: number) => from.map((v, j) => v + share * h * by[j]!);
  let at = [...start, 0, 0];
  const incidence: number[] = [];
  const reproduction: number[] = [];
  let lost = 0;
  for (let month = 0; month < 12; month++) {
    at = [...at.slice(0, 3), 0, 0];
    for (let k = 0; k < steps; k++) {
      const t = month + k * h;
      const k1 = rates(at, t);
      const k2 = rates(move(at, k1, 0.5), t + h / 2);
      const k3 = rates(move(at, k2, 0.5), t + h / 2);
      const k4 = rates(move(at, k3, 1), t + h);
      at = at.map((v, j) => v + (h / 6) * (k1[j]! + 2 * k2[j]! + 2 * k3[j]! + k4[j]!));
      lost = Math.max(lost, Math.abs(at[0]! + at[1]! + at[2]! - 1));
    }
    incidence.push(at[3]!);
    reproduction.push(at[4]!);
  }
  return { end: at, incidence, reproduction, lost };
}

test('the cycle agrees to 1e-10 with another integrator at any lag and intensity, closes, and preserves the population', () => {
  const fierce = { transmission_rate: 4, share_year_round: 0.1, infectious_months: 1, immune_months: 12 };
  const fast = { transmission_rate: 40, share_year_round: 0, infectious_months: 0.8, immune_months: 3.5 };
  for (const parameters of [PARAMETERS, fierce, fast]) {
    for (const lag of [0, 0.5, 1.3, 2.455]) {
      const cycle = sirsCycle(parameters, late(lag));
      const start = [cycle.susceptible, cycle.infectious, 1 - cycle.susceptible - cycle.infectious];
      const exact = integrateYear(parameters, late(lag), start, 1000);
      expect(cycle.converged).toBe(true);
      expect(exact.lost).toBeLessThan(1e-12);
      for (const j of [0, 1, 2]) expect(Math.abs(exact.end[j]! - start[j]!)).toBeLessThan(1e-10);
      for (const [month, value] of exact.incidence.entries())
        expect(Math.abs(cycle.incidence[month]! / value - 1)).toBeLessThan(1e-10);
      for (const [month, value] of exact.reproduction.entries())
        expect(Math.abs(cycle.reproduction_number[month]! - value)).toBeLessThan(1e-10);
    }
  }
});

test('if transmission is too weak, infection dies out', () => {
  const { incidence } = sirsCycle({ ...PARAMETERS, transmission_rate: 0.4 }, late(0));
  expect(Math.max(...incidence)).toBeLessThan(1e-10);
});

test('R is on both sides of 1 over the year, and peaks before infections do', () => {
  const { incidence, reproduction_number } = sirsCycle(PARAMETERS, late(1));
  expect(Math.max(...reproduction_number)).toBeGreaterThan(1);
  expect(Math.min(...reproduction_number)).toBeLessThan(1);
  const peak = incidence.indexOf(Math.max(...incidence));
  const highest = reproduction_number.indexOf(Math.max(...reproduction_number));
  expect(highest).toBeLessThan(peak);
});

test("the cycle is close to that of the simulated country's integrator, whose season is constant within each month", () => {
  const simulated = simulateSirs(
    { b: 2.1, share_year_round: 0.55, infectious_months: 2, immune_months: 4 },
    SEASON,
    12,
  );
  const { incidence } = sirsCycle(PARAMETERS, late(0));
  for (const [month, value] of simulated.entries()) expect(Math.abs(incidence[month]! / value - 1)).toBeLessThan(0.03);
});
