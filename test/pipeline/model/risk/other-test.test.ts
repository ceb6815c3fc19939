/** Surveys by a diagnostic method other than the score's. */
import { expect, test } from 'vitest';
import { randomStream } from '../../../../pipeline/lib/numerics/random.ts';
import { priorConstants } from '../../../../pipeline/model/risk/estimate.ts';
import { fitRisk } from '../../../../pipeline/model/risk/fit.ts';
import type { RiskObservation } from '../../../../pipeline/model/risk/likelihood.ts';
import { prepareMarginal } from '../../../../pipeline/model/risk/marginal.ts';
import { plainConstants, simulateSurvey, simulateTruth, toyMesh } from './toy-country.ts';

const TIMES = [2013.5, 2016.5, 2021.5];
const OFFSET = 0.9;
const truth = {
  beta: -0.4,
  nation: [-1.2, -1.3, -1.4],
  season_exponent: 0.5,
  range_change_km: 150,
  test_offset: OFFSET,
  h: {
    sigma_place: 0.7,
    range_km: 150,
    sigma_change: 0.2,
    sigma_state: 0.1,
    sigma_lga: 0.2,
    sigma_slope: 0.01,
    tau_years: 5,
    tau_state_years: 5,
    rho: [0.05, 0.05, 0.05],
  },
};
const CONSTANTS = plainConstants(0.25, 0.3, 150);
const random = randomStream(8, 'other test');
const mesh = toyMesh(8, random);
const prevalence = simulateTruth(mesh, TIMES, truth, random);

/** Simulated rows; those selected by `isOther` are by the other test, with its prevalence. */
function surveyed(isOther: (k: number) => boolean): RiskObservation[] {
  let k = 0;
  const byTest = (o: Parameters<typeof prevalence>[0]) => prevalence({ ...o, other_test: isOther(k++) });
  const rows = simulateSurvey(mesh, TIMES, 360, 30, byTest, truth.h.rho, random);
  return rows.map((row, i) => ({ ...row, other_test: isOther(i) }));
}

/** The national level and the other test's offset in the last round, at the mode of θ. */
function lastRound(observations: RiskObservation[], constants = CONSTANTS) {
  const { layout, points } = fitRisk(mesh, TIMES, observations, constants);
  const { x } = points[0]!.mode;
  return { nation: x[layout.terms.nation.positions[2]!]!, offset: x[layout.terms.other_test.positions.at(-1)!]! };
}

test('if a round uses both tests, their difference is estimated, and the level is as if all rows were by the first', () => {
  const { nation, offset } = lastRound(surveyed((k) => k % 3 === 2 && k % 2 === 0));
  // 60 rows of 30 children by each test identify the difference to about 0.15
  expect(Math.abs(offset - OFFSET)).toBeLessThan(0.4);
  expect(Math.abs(nation - lastRound(surveyed(() => false)).nation)).toBeLessThan(0.3);
});

test('if a round uses only the other test, the difference stays near its prior', () => {
  const { offset } = lastRound(surveyed((k) => k % 3 === 2));
  // prior 0.4 ± 0.5; the level in the earlier rounds moves it a little
  expect(Math.abs(offset - 0.4)).toBeLessThan(0.5);
});

test('only rounds with rows by the other test have an offset among the unknowns', () => {
  const unknowns = (isOther: (k: number) => boolean) =>
    prepareMarginal(mesh, TIMES, surveyed(isOther), CONSTANTS).layout.size;
  const none = unknowns(() => false);
  expect(unknowns((k) => k === 2)).toBe(none + 1);
  expect(unknowns((k) => k < 2)).toBe(none + 2);
});

test('the offset is that of rapid tests relative to microscopy: it is negative for rounds by microscopy if the score is by rapid test', () => {
  const given = { season_exponent: { mean: 0.5, sd: 0.1 }, test_offset: { mean: 0.6, sd: 0.4 } };
  expect(priorConstants(given, 'microscopy').test_offset).toEqual({ mean: 0.6, sd: 0.4 });
  expect(priorConstants(given, 'rdt').test_offset).toEqual({ mean: -0.6, sd: 0.4 });
  // the entire last round is by microscopy, and the score by rapid test
  const rows = surveyed((k) => k % 3 === 2);
  const level = (test: 'microscopy' | 'rdt') =>
    lastRound(rows, { ...CONSTANTS, test_offset: priorConstants(given, test).test_offset }).nation;
  expect(level('rdt')).toBeGreaterThan(level('microscopy') + 0.3);
});
