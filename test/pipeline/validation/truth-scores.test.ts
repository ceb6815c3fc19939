import { expect, test } from 'vitest';
import { addSums, compareWithTruth, truthScore } from '../../../pipeline/validation/truth-scores.ts';

const periods = ['2023-11', '2023-12', '2024-01'];
const row = (lga_code: string, period: string, score: number, score_low: number, score_high: number) => ({
  ...{ lga_code, period, score, score_low, score_high },
});
const spatial = [
  row('A', '2023-11', 0.2, 0.1, 0.3),
  row('A', '2023-12', 0.3, 0.2, 0.35),
  row('A', '2024-01', 0.5, 0.4, 0.6),
  ...periods.map((period) => row('B', period, 0.6, 0.5, 0.7)),
];
const baseline = ['A', 'B'].flatMap((code) => periods.map((period) => row(code, period, 0.4, 0, 1)));
/** On the range's end, above it, above it; within, below, within. */
const truth: Record<string, number[]> = { A: [0.1, 0.4, 0.7], B: [0.6, 0.4, 0.5] };
const trueAt = (code: string, period: string) => truth[code]?.[periods.indexOf(period)];

test('counts and errors of estimated and forecast months, worked by hand', () => {
  const { estimated, forecast } = compareWithTruth(spatial, baseline, trueAt, '2023-12');
  // A: −0.1 and 0.1; B: 0 and −0.2
  expect(truthScore(estimated)).toMatchObject({ lga_months: 4, coverage: 0.5 });
  expect(truthScore(estimated).rmse).toBeCloseTo(Math.sqrt((0.01 + 0.01 + 0 + 0.04) / 4), 12);
  expect(truthScore(estimated).baseline_rmse).toBeCloseTo(Math.sqrt((0.09 + 0 + 0.04 + 0) / 4), 12);
  expect(truthScore(forecast)).toMatchObject({ lga_months: 2, coverage: 0.5 });
  expect(truthScore(forecast).rmse).toBeCloseTo(Math.sqrt((0.04 + 0.01) / 2), 12);
});

test('pooled countries weigh by their LGA-months', () => {
  const { estimated, forecast } = compareWithTruth(spatial, baseline, trueAt, '2023-12');
  const all = truthScore(addSums(estimated, forecast));
  expect(all.lga_months).toBe(6);
  expect(all.coverage).toBe(0.5);
  expect(all.rmse).toBeCloseTo(Math.sqrt((0.06 + 0.05) / 6), 12);
});

test('an LGA-month without a truth is an error, not a gap', () => {
  expect(() => compareWithTruth(spatial, baseline, (code) => (code === 'A' ? 0.2 : undefined), '2023-12')).toThrow(
    'the truth of B in 2023-11 is not known',
  );
});
