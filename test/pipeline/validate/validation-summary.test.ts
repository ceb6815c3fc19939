import { expect, test } from 'vitest';
import type { ScoredModel } from '../../../pipeline/validate/validation.ts';
import { summariseValidation } from '../../../pipeline/validate/validation-summary.ts';

const row = (
  model: ScoredModel,
  fold: number,
  k: number,
  change: { mean: number; log_score: number; pit: number },
) => ({
  cell_id: `${fold}-${k}`,
  model,
  fold,
  survey_year: 2015 + 3 * (k % 2),
  state_code: 'KN',
  examined: 10 + 10 * k,
  observed: 0.3,
  crps: 0.1,
  q025: 0,
  q05: 0,
  q25: 0,
  q50: 0,
  q75: 0,
  q95: 0,
  q975: 0,
  ...change,
});
/** Two cells in each of four folds; the spatial model's log score is higher by the fold's entry of `gains`. */
const rowsWith = (gains: number[]) =>
  gains.flatMap((gain, i) =>
    [0, 1].flatMap((k) => [
      row('spatial', i + 1, k, { mean: 0.2 + 0.1 * k, log_score: -2 + gain, pit: 0.05 + 0.3 * k }),
      row('baseline', i + 1, k, { mean: 0.25, log_score: -2, pit: 0.999999999 * k }),
      row('national', i + 1, k, { mean: 0.4, log_score: -3, pit: 0.5 }),
    ]),
  );

test('the difference is paired by fold and determines the better model', () => {
  const validation = summariseValidation(rowsWith([0.1, 0.2, 0.3, 0.2]), 'spatial', 1);
  // standard deviation of the four is sqrt(0.02 / 3), over sqrt(4)
  expect(validation.difference.log_score.mean).toBeCloseTo(0.2, 12);
  expect(validation.difference.log_score.standard_error).toBeCloseTo(Math.sqrt(0.02 / 3) / 2, 12);
  // t with 3 degrees of freedom: 3.18 standard errors are 0.13
  expect(validation.better).toBe('spatial');
  expect(validation.words).toBe(
    "The score is the spatial model's; on 4 folds of held-out surveys the spatial model's log score is 0.200 ± 0.041 above the baseline's: the spatial model is better.",
  );
});

test('the better model is named whichever is published, and a gap within the standard error decides nothing', () => {
  const lost = summariseValidation(rowsWith([-0.1, -0.2, -0.3, -0.2]), 'spatial', 1);
  expect(lost.better).toBe('baseline');
  expect(lost.words).toMatch(
    /^The score is the spatial model's; .*the baseline's log score is 0\.200.*the baseline is better\.$/,
  );
  const open = summariseValidation(rowsWith([0.1, 0.2, 0.3, -0.1]), 'baseline', 1);
  expect(open.better).toBeNull();
  expect(open.words).toMatch(/^The score is the baseline's; .*neither is clearly better\.$/);
});

test('the summary has scores by model overall and by round, folds, transform and calibration', () => {
  const { scores, folds, pit, calibration, difference } = summariseValidation(rowsWith([0.1, 0.2]), 'spatial', 1);
  expect(scores.map(({ model, survey_year, cells }) => [model, survey_year, cells])).toEqual([
    ['spatial', null, 4],
    ['spatial', 2015, 2],
    ['spatial', 2018, 2],
    ['baseline', null, 4],
    ['baseline', 2015, 2],
    ['baseline', 2018, 2],
    ['national', null, 4],
    ['national', 2015, 2],
    ['national', 2018, 2],
  ]);
  expect(folds).toEqual([
    { fold: 1, cells: 2, children_examined: 30 },
    { fold: 2, cells: 2, children_examined: 30 },
  ]);
  expect(pit).toEqual([
    { model: 'spatial', cells: [2, 0, 0, 2, 0, 0, 0, 0, 0, 0] },
    { model: 'baseline', cells: [2, 0, 0, 0, 0, 0, 0, 0, 0, 2] },
    { model: 'national', cells: [0, 0, 0, 0, 0, 4, 0, 0, 0, 0] },
  ]);
  // four cells make four groups, ascending
  expect(calibration[0]!.groups.map((group) => [group.cells, Number(group.predicted.toFixed(9))])).toEqual([
    [1, 0.2],
    [1, 0.2],
    [1, 0.3],
    [1, 0.3],
  ]);
  expect(calibration[0]!.groups.every((group) => Math.abs(group.observed - 0.3) < 1e-12)).toBe(true);
  // weights 10 and 20: |0.2−0.3| · 1/3 against |0.25−0.3|
  expect(difference.mean_absolute_error.mean).toBeCloseTo(0.1 / 3 - 0.05, 12);
});

test('zones and states are summed up for the published model, those whose ranges held least first', () => {
  const rows = rowsWith([0.1, 0.2]).map((one, i) => ({ ...one, state_code: i < 3 ? 'KN' : i < 6 ? 'LA' : 'XX' }));
  const zoneByState = new Map<string, string | null>(Object.entries({ KN: 'NW', LA: 'SW', XX: null }));
  const misses = rows.map((one) => ({ ...one, pit: one.state_code === 'LA' ? 0.01 : 0.5 }));
  const near = { cells: 1, predicted: 0.2, observed: 0.3 };
  expect(summariseValidation(misses, 'spatial', 1, zoneByState).zones).toEqual([
    { ...near, code: 'SW', in_90: 0, predicted: expect.closeTo(0.3, 9) },
    { ...near, code: 'NW', in_90: 1 },
  ]);
  const { states } = summariseValidation(misses, 'spatial', 1, zoneByState);
  expect(states.map(({ code, in_90 }) => [code, in_90])).toEqual([
    ['LA', 0],
    ['KN', 1],
    ['XX', 1],
  ]);
  expect(summariseValidation(misses, 'baseline', 1, zoneByState).zones[0]!.predicted).toBe(0.25);
  expect(summariseValidation(rows, 'spatial', 1).zones, 'without zones').toEqual([]);
});

test('a single fold has no standard error and decides nothing; a summary without cells is rejected', () => {
  const one = summariseValidation(rowsWith([0.4]), 'spatial', 1);
  expect([one.better, one.difference.log_score.standard_error]).toEqual([null, null]);
  expect(() => summariseValidation([], 'spatial', 1)).toThrow('no held-out cells');
});
