import { expect, test } from 'vitest';
import { QUANTILE_LEVELS } from '../../../../pipeline/model/forecast/forecast-scores.ts';
import type { Forecaster } from '../../../../pipeline/model/forecast/past-errors.ts';
import { backtest, backtestPanels, panelOrigins } from '../../../../pipeline/validate/backtest/backtest.ts';
import { summariseForecasts } from '../../../../pipeline/validate/backtest/backtest-summary.ts';
import { madePanel } from '../../model/forecast/made-panel.ts';

/** Forecasts that every area stays unchanged, within ±.5. */
const calm: Forecaster = {
  name: 'calm',
  forecast: ({ areas, months }) =>
    areas.map(({ cases }) =>
      Array.from({ length: 4 }, () =>
        Float64Array.from(QUANTILE_LEVELS, (share) => cases[months - 1]! * Math.exp(share - 0.5)),
      ),
    ),
};

test('every known target is scored once from each origin within the horizons', () => {
  const panel = madePanel(3);
  panel.areas[2]!.cases[30] = Number.NaN;
  const rows = backtest(panel, [calm], null);
  // origins 24 to 34 of 36 months, fewer targets for the last three; one month is unknown as a target and as an origin
  expect(rows.length).toBe(6 * (4 * 8 + 3 + 2 + 1) - 4);
  const row = rows.find(
    ({ area_code, origin, horizon }) => area_code === 'A1' && origin === '2022-02' && horizon === 2,
  )!;
  const [now, then] = [Math.log(panel.areas[0]!.cases[25]!), Math.log(panel.areas[0]!.cases[27]!)];
  expect(row).toMatchObject({ target: '2022-04', observed: Math.round(Math.exp(then)) });
  expect(row.q50).toBeCloseTo(Math.exp(now), 6);
  expect(row.q95).toBeCloseTo(Math.exp(now + 0.45), 6);
  expect(row.log_error).toBeCloseTo(Math.abs(then - now), 9);
  expect(row.covered_50).toBe(Math.abs(then - now) <= 0.25);
});

test('a month without a case is scored: a forecast that expects none is better than one that expects a case', () => {
  const panel = madePanel(3);
  for (const { cases } of panel.areas) cases.fill(0, 20);
  const expecting = (median: number): Forecaster => ({
    name: `${median}`,
    forecast: ({ areas }) => areas.map(() => Array.from({ length: 4 }, () => new Float64Array(99).fill(median))),
  });
  const rows = backtest(panel, [expecting(0), expecting(1)], null);
  const [none, one] = ['0', '1'].map((name) => rows.find(({ method }) => method === name)!);
  expect(none).toMatchObject({ observed: 0, crps_log: 0, crps_log1p: 0, log_error: 0, covered_90: true });
  expect(one!.crps_log1p).toBeCloseTo(Math.log(2), 12);
  expect(one!.crps_log).toBeCloseTo(Math.log(2), 12);
  expect(one!.covered_90).toBe(false);
});

test('origins can be selected; earlier ones are processed for their errors', () => {
  const panel = madePanel(3);
  const origins = panelOrigins(panel, { first: '2022-03', last: '2022-04' });
  expect(origins[0]).toEqual({ month: 11, is_scored: false });
  expect(origins.filter(({ is_scored }) => is_scored).map(({ month }) => month)).toEqual([26, 27]);
  expect(origins.at(-1)!.month).toBe(27);
});

test('for long records the last six years of origins are scored, and the year before is processed for its errors', () => {
  const origins = panelOrigins(madePanel(3, 216), null);
  expect(origins.filter(({ is_scored }) => is_scored).map(({ month }) => month)).toEqual(
    Array.from({ length: 72 }, (_, i) => 143 + i),
  );
  expect(origins[0]).toEqual({ month: 130, is_scored: false });
});

test.each([
  [40, 50],
  [200, 36],
])(
  'of long records of %i areas, as many origins are scored as give 2,000 forecasts, of three years at least',
  (areas, count) => {
    const panel = madePanel(3, 216);
    const many = { ...panel, areas: Array.from({ length: areas }, () => panel.areas[0]!) };
    expect(panelOrigins(many, null).filter(({ is_scored }) => is_scored)).toHaveLength(count);
  },
);

test('the summary has rows by level, year of the origin, method and horizon', () => {
  const rows = backtest(madePanel(3, 42), [calm], null);
  const summary = summariseForecasts(rows);
  expect(summary.map(({ origins, horizon }) => `${origins} ${horizon}`)).toEqual(
    ['all', '2022', '2023'].flatMap((year) => ['all', 1, 2, 3, 4].map((horizon) => `${year} ${horizon}`)),
  );
  const [all] = summary;
  expect(all!.forecasts).toBe(rows.length);
  expect(all!.log_mae).toBeCloseTo(rows.reduce((sum, row) => sum + row.log_error, 0) / rows.length, 3);
});

test('states are forecast by all methods, and as sums of their LGAs', () => {
  const lgas = madePanel(3);
  const sums = Map.groupBy(lgas.areas, ({ state_code }) => state_code);
  const areas = [...sums].map(([code, parts]) => ({
    code,
    state_code: code,
    people: null,
    cases: parts[0]!.cases.map((_, t) => parts.reduce((sum, { cases }) => sum + cases[t]!, 0)),
  }));
  const span = { first: '2022-10', last: '2022-10' };
  const [ofLgas, ofStates] = backtestPanels([lgas, { ...lgas, level: 'state', areas }], span, () => {}).map(
    ({ rows }) => new Map([...Map.groupBy(rows, ({ method }) => method)].map(([name, own]) => [name, own.length])),
  );
  expect([...ofStates!.keys()]).toEqual([...ofLgas!.keys(), 'sum_of_parts']);
  expect(ofStates!.get('sum_of_parts')).toBe(2 * 2);
});
