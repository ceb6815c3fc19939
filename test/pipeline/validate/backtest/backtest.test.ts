import { expect, test } from 'vitest';
import { SHARES } from '../../../../pipeline/model/forecast/forecast-scores.ts';
import type { Forecaster } from '../../../../pipeline/model/forecast/past-errors.ts';
import { backtest, originsOf } from '../../../../pipeline/validate/backtest/backtest.ts';
import { summarise } from '../../../../pipeline/validate/backtest/backtest-summary.ts';
import { madePanel } from '../../model/forecast/made-panel.ts';

/** Forecasts that every area stays unchanged, within ±.5. */
const calm: Forecaster = {
  name: 'calm',
  forecast: ({ areas, months }) =>
    areas.map(({ y }) =>
      Array.from({ length: 4 }, () => Float64Array.from(SHARES, (share) => y[months - 1]! + share - 0.5)),
    ),
};

test('every known target is scored once from each origin within the horizons', () => {
  const panel = madePanel(3);
  panel.areas[2]!.y[30] = Number.NaN;
  const rows = backtest(panel, [calm], null);
  // origins 24 to 34 of 36 months, fewer targets for the last three; one month is unknown as a target and as an origin
  expect(rows.length).toBe(6 * (4 * 8 + 3 + 2 + 1) - 4);
  const row = rows.find(
    ({ area_code, origin, horizon }) => area_code === 'A1' && origin === '2022-02' && horizon === 2,
  )!;
  const [now, then] = [panel.areas[0]!.y[25]!, panel.areas[0]!.y[27]!];
  expect(row).toMatchObject({ target: '2022-04', observed: Math.round(Math.exp(then)) });
  expect(row.q50).toBeCloseTo(Math.exp(now), 6);
  expect(row.q95).toBeCloseTo(Math.exp(now + 0.45), 6);
  expect(row.log_error).toBeCloseTo(Math.abs(then - now), 9);
  expect(row.covered_50).toBe(Math.abs(then - now) <= 0.25);
});

test('origins can be selected; earlier ones are processed for their errors', () => {
  const panel = madePanel(3);
  const origins = originsOf(panel, { first: '2022-03', last: '2022-04' });
  expect(origins[0]).toEqual({ month: 11, scored: false });
  expect(origins.filter(({ scored }) => scored).map(({ month }) => month)).toEqual([26, 27]);
  expect(origins.at(-1)!.month).toBe(27);
});

test('for long records the last six years of origins are scored, and the year before is processed for its errors', () => {
  const origins = originsOf(madePanel(3, 216), null);
  expect(origins.filter(({ scored }) => scored).map(({ month }) => month)).toEqual(
    Array.from({ length: 72 }, (_, i) => 143 + i),
  );
  expect(origins[0]).toEqual({ month: 130, scored: false });
});

test('the summary has rows by level, year of the origin, method and horizon', () => {
  const rows = backtest(madePanel(3, 42), [calm], null);
  const summary = summarise(rows);
  expect(summary.map(({ origins, horizon }) => `${origins} ${horizon}`)).toEqual(
    ['all', '2022', '2023'].flatMap((year) => ['all', 1, 2, 3, 4].map((horizon) => `${year} ${horizon}`)),
  );
  const [all] = summary;
  expect(all!.forecasts).toBe(rows.length);
  expect(all!.log_mae).toBeCloseTo(rows.reduce((sum, row) => sum + row.log_error, 0) / rows.length, 3);
});
