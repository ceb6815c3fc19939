import { expect, test } from 'vitest';
import { randomStream } from '../../../../pipeline/lib/numerics/random.ts';
import { addCaseShift, caseShiftOf } from '../../../../pipeline/model/risk/case-shift.ts';

const STATES = [{ state_code: 'AA' }, { state_code: 'BB' }];
const PERIODS = ['2022-01', '2022-02', '2022-03'];
const row = (period: string) => ({
  state_code: 'BB',
  period,
  basis: 'cases' as const,
  deviation: 0.5,
  deviation_sd: 0.3,
  at_survey: 0.2,
  elasticity: 0.6,
  elasticity_sd: 0.2,
  spread: 0.1,
});

test('without rows there is no shift', () => {
  expect(caseShiftOf([], STATES, PERIODS)).toBeNull();
});

test('draws become those of a normal prior conditional on an observation; other states and months are unchanged', () => {
  const shift = caseShiftOf([row('2022-02')], STATES, PERIODS)!;
  const random = randomStream(2, 'x');
  const [variance, carried] = [0.25, 0.5];
  const values = Array.from({ length: 20_000 }, () => {
    const value = Math.sqrt(variance) * random.normal();
    const levels = new Float64Array(6).fill(-1 + value);
    addCaseShift(levels, shift, () => ({ value, variance, carried }), random);
    for (const other of [0, 1, 2, 3, 5]) expect(levels[other]).toBe(-1 + value);
    return levels[4]!;
  });
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const sd = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
  const change = 0.5 - carried * 0.2;
  const error = (0.6 * 0.3) ** 2 + (0.2 * change) ** 2 + 0.1 ** 2;
  // Bayes for two normals; 20,000 draws leave half a per cent of a standard deviation.
  expect(mean).toBeCloseTo(-1 + (variance / (variance + error)) * 0.6 * change, 2);
  expect(sd).toBeCloseTo(Math.sqrt((variance * error) / (variance + error)), 2);
});

test('cases have no effect where the rounds determine the level', () => {
  const levels = new Float64Array(6);
  const shift = caseShiftOf([row('2022-02')], STATES, PERIODS)!;
  addCaseShift(levels, shift, () => ({ value: 0, variance: 0, carried: 1 }), randomStream(1, 'x'));
  expect([...levels]).toEqual([0, 0, 0, 0, 0, 0]);
});
