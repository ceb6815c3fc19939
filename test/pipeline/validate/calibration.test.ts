import { expect, test } from 'vitest';
import { calibrate, poolCalibration, summariseCalibration } from '../../../pipeline/validate/calibration.ts';

const truths: Record<string, number> = { A1: 0.3, A2: 0.08, B1: 0.6, B2: 0.36 };
const truth = (code: string, period: string) => truths[code]! * (period === '2020-01' ? 1 : 0.5);
const levels = {
  probability_very_low: 0,
  probability_low: 0.2,
  probability_moderate: 0.8,
  probability_high: 0,
  probability_very_high: 0,
  probability_above_very_low: 1,
  probability_above_low: 0.8,
  probability_above_moderate: 0,
  probability_above_high: 0,
};
const probabilities = ['A1', 'A2', 'B1', 'B2'].map((code) => ({
  area: 'lga' as const,
  code,
  period: '2020-01',
  ...levels,
  probability_highest_nation: code === 'B1' ? 0.9 : 0.05,
  probability_highest_state: 0.5,
}));
const change = { change_year: 0, change_year_low: 0, change_year_high: 0, probability_rise_year: 0.7 };
const since = { change_survey: 0, change_survey_low: 0, change_survey_high: 0, probability_rise_survey: 1 };
const changes = [
  { area: 'lga' as const, code: 'A1', period: '2020-01', ...change, survey_month: '2018-01', ...since },
  { area: 'lga' as const, code: 'A2', period: '2020-01', ...change, survey_month: null, ...since },
  { area: 'state' as const, code: 'A', period: '2020-01', ...change, survey_month: '2018-01', ...since },
  { area: 'lga' as const, code: 'A1', period: '2020-02', ...change, survey_month: '2018-02', ...since },
];

test('statements are counted by stated probability, with the number that are true', () => {
  const sums = calibrate(probabilities, changes, { truth, stateByLga: (code) => code[0]!, last: '2020-01' });
  const rows = summariseCalibration(sums);
  const of = (statement: string) => rows.filter((row) => row.statement === statement);
  // of four LGAs one is low, one moderate, one high and one very high; five statements about each
  expect(of('level')).toEqual([
    { statement: 'level', bin: '0.0-0.1', statements: 12, said: 0, true_share: Number((2 / 12).toFixed(4)) },
    { statement: 'level', bin: '0.2-0.3', statements: 4, said: 0.2, true_share: 0.25 },
    { statement: 'level', bin: '0.8-0.9', statements: 4, said: 0.8, true_share: 0.25 },
  ]);
  expect(of('highest_nation').map(({ bin, true_share }) => [bin, true_share])).toEqual([
    ['0.0-0.1', 0],
    ['0.9-1.0', 1],
  ]);
  // B1 and A1 are the highest of their states
  expect(of('highest_state').map(({ statements, true_share }) => [statements, true_share])).toEqual([[4, 0.5]]);
  expect(of('rise_year')).toMatchObject([{ bin: '0.7-0.8', statements: 2, true_share: 1 }]);
  expect(of('rise_survey')).toMatchObject([{ bin: '0.9-1.0', statements: 1, said: 1, true_share: 1 }]);
  expect(poolCalibration([sums, sums])[2]).toEqual({ ...sums[2], count: 8, said: 2 * sums[2]!.said, true_count: 2 });
});
