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

test('draws have the quantiles of the forecast, however many there are, and ties a random order', () => {
  const quantiles = Float64Array.from(QUANTILE_LEVELS, (_, i) => 10 * (i + 1));
  // Of four draws, the ranks are at 12.5, 37.5, 62.5 and 87.5%.
  const ranked = mapToQuantiles(Float64Array.of(5, -1, 7, 2), quantiles, randomStream(1, 'ties'));
  expect([...ranked]).toEqual([630, 130, 880, 380]);
  for (const count of [100, 200, 1000]) {
    const tied = mapToQuantiles(new Float64Array(count), quantiles, randomStream(1, 'ties'));
    expect([...tied]).not.toEqual([...tied].sort((a, b) => a - b));
    const sorted = tied.toSorted();
    // The lowest value with at least this share of the draws at or below it.
    const drawn = QUANTILE_LEVELS.map((level) => sorted[Math.ceil(Math.round(count * level * 1e6) / 1e6) - 1]);
    expect(drawn).toEqual([...quantiles]);
  }
});
