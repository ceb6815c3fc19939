import { expect, test } from 'vitest';
import { randomStream } from '../../../../pipeline/lib/numerics/random.ts';
import { selectQuantiles } from '../../../../pipeline/lib/numerics/selection.ts';
import { mapToQuantiles } from '../../../../pipeline/model/forecast/case-draws.ts';
import { caseModel } from '../../../../pipeline/model/forecast/case-model.ts';
import { QUANTILE_LEVELS } from '../../../../pipeline/model/forecast/forecast-scores.ts';
import { madePanel } from './made-panel.ts';

/** The made panel with a hundredth of its cases, so that counting matters. */
const made = madePanel(3);
const few = {
  ...made,
  areas: made.areas.map((area) => ({ ...area, cases: area.cases.map((value) => Math.round(value / 100)) })),
};

test.each([
  ['few', few],
  ['many', made],
])('draws of %s cases have the quantiles of the forecast, at horizons of one month and of a year', (_, panel) => {
  const count = 4_000;
  const { forecast, draws } = caseModel([1, 12]).draw(panel, count, randomStream(1, 'draws'));
  expect(forecast).toEqual(caseModel([1, 12]).forecast(panel));
  for (const [a, own] of draws.entries())
    for (const [h, values] of own.entries())
      for (const share of [0.05, 0.25, 0.5, 0.75, 0.95]) {
        // The shares on both sides of the forecast's quantile, four standard errors and the steps of a count apart.
        const slack = 0.03;
        const [low, high] = selectQuantiles(values!.slice(), [Math.max(0, share - slack), Math.min(1, share + slack)]);
        const value = forecast[a]![h]![Math.round(100 * share) - 1]!;
        expect(value).toBeGreaterThanOrEqual(Math.floor(low!));
        expect(value).toBeLessThanOrEqual(Math.ceil(high!));
      }
});

test('a horizon has the same forecast whichever others are asked for', () => {
  const [alone] = caseModel([3]).forecast(made)[0]!;
  const among = caseModel([1, 3, 6]).forecast(made)[0]![1]!;
  expect([...alone!]).toEqual([...among]);
});

test('draws take the quantile of their rank, and ties a random order', () => {
  const grid = Float64Array.from(QUANTILE_LEVELS, (_, i) => 10 * i);
  const ranked = mapToQuantiles(Float64Array.of(5, -1, 7, 2), grid, randomStream(1, 'ties'));
  expect([...ranked]).toEqual([610, 120, 860, 370]);
  const tied = mapToQuantiles(new Float64Array(990), grid, randomStream(1, 'ties'));
  const times = Map.groupBy(tied, (value) => value);
  expect([...times.values()].map(({ length }) => length)).toEqual(QUANTILE_LEVELS.map(() => 10));
  expect([...tied]).not.toEqual([...tied].sort((a, b) => a - b));
});
