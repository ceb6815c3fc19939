import { expect, test } from 'vitest';
import { randomStream } from '../../../../pipeline/lib/numerics/random.ts';
import type { BaselineFit } from '../../../../pipeline/model/risk/baseline.ts';
import { baselineScores, nearestRound } from '../../../../pipeline/model/risk/baseline-scores.ts';

const DRAWS = 4000;
const flat = new Array(12).fill(0);
const fitOf = (levels: number[], rho: number): BaselineFit => ({
  states: ['AB', 'AD'],
  rounds: [2018, 2021],
  state_logit_sd: 1,
  rho,
  posteriorDraws: Array.from({ length: DRAWS }, () => Float64Array.from(levels)),
  season_exponent: new Float64Array(DRAWS).fill(0.5),
});
const area = (lga_code: string, state_code: string, population: number, log_season = flat) => ({
  lga_code,
  state_code,
  population,
  log_season,
});
const logit = (p: number) => Math.log(p / (1 - p));

test('a month uses the nearest round in time, the earlier of two equally near', () => {
  const middles = ['2018-11', '2021-11'];
  expect([
    nearestRound('2015-01', middles),
    nearestRound('2020-05', middles),
    nearestRound('2020-06', middles),
    nearestRound('2024-04', middles),
  ]).toEqual([0, 0, 1, 1]);
});

test('score is the posterior mean with the month’s own season: logit p + γ log s', () => {
  const season = [...flat];
  season[1] = Math.log(0.25);
  const { lgas } = baselineScores(
    fitOf([logit(0.4), logit(0.2), 0, 0], 1e-12),
    [area('x', 'AB', 10, season)],
    ['2018-01', '2018-02', '2022-01'],
    ['2018-11', '2021-11'],
    randomStream(1, 't'),
  );
  const [january, february, later] = lgas.map(({ score }) => score);
  expect(january).toBeCloseTo(0.4, 6);
  // odds 2/3 × √¼ = 1/3, p = 1/4
  expect(february).toBeCloseTo(0.25, 6);
  expect(later).toBeCloseTo(0.2, 6);
});

test('an LGA deviates with the variance ρ p (1 − p), a state with less, and ranges contain their score', () => {
  const [p, rho] = [0.4, 0.05];
  const areas = Array.from({ length: 20 }, (_, i) => area(`l${String(i).padStart(2, '0')}`, 'AB', 10));
  const { lgas, states } = baselineScores(
    fitOf([logit(p), 0, 0, 0], rho),
    areas,
    ['2018-01'],
    ['2018-11', '2021-11'],
    randomStream(2, 't'),
  );
  const lga = lgas[0]!;
  const expected = 2 * 1.645 * Math.sqrt(rho * p * (1 - p));
  expect(lga.score_high - lga.score_low).toBeGreaterThan(0.9 * expected);
  expect(lga.score_high - lga.score_low).toBeLessThan(1.1 * expected);
  const state = states[0]!;
  expect(state.score_high - state.score_low).toBeLessThan(expected / 3);
  // the deviations preserve the mean up to MacKay's approximation and the noise of 4,000 draws over 20 LGAs
  expect(Math.abs(state.score - p)).toBeLessThan(0.01);
  for (const { score, score_low, score_high } of [lga, state])
    expect(score_low <= score && score <= score_high).toBe(true);
});

test('a state is the population-weighted mean of its LGAs', () => {
  const season = new Array(12).fill(Math.log(0.25));
  const { states } = baselineScores(
    fitOf([logit(0.4), 0, 0, 0], 1e-12),
    [area('x', 'AB', 30), area('y', 'AB', 10, season)],
    ['2018-01'],
    ['2018-11', '2021-11'],
    randomStream(3, 't'),
  );
  expect(states[0]!.score).toBeCloseTo((30 * 0.4 + 10 * 0.25) / 40, 6);
});
