import { expect, test } from 'vitest';
import { type ScoredForecast, scoreForecasts } from '../../../pipeline/validation/forecast-score.ts';

const row = (forecast: number, low: number, high: number, estimated: number): ScoredForecast => ({
  ...{ horizon_months: 1, forecast, low, high, estimated, persistence: 0.5, same_month_last_year: 0.25 },
});

test('errors, bias and coverage by hand', () => {
  const score = scoreForecasts([row(0.25, 0, 0.5, 0.5), row(0.75, 0.625, 0.875, 0.5)])!;
  expect(score).toEqual({
    forecasts: 2,
    // (|0.25 − 0.5| + |0.75 − 0.5|) / 2; persistence is right both times; last year (0.25 + 0.25) / 2
    mean_absolute_error: { forecast: 0.25, persistence: 0, same_month_last_year: 0.25 },
    // (−0.25 + 0.25) / 2
    bias: 0,
    // 0.5 lies on the first range's edge, and outside the second.
    coverage: 0.5,
  });
});

test('without a year before there is nothing to compare with it; without forecasts no score', () => {
  const score = scoreForecasts([{ ...row(0.25, 0, 0.5, 0.5), same_month_last_year: null }])!;
  expect(score.mean_absolute_error.same_month_last_year).toBeNull();
  expect(scoreForecasts([])).toBeNull();
});
