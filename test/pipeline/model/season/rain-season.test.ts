import { expect, test } from 'vitest';
import { randomStream } from '../../../../pipeline/lib/numerics/random.ts';
import { rainForcing } from '../../../../pipeline/lib/numerics/sirs.ts';
import { checkSeason, compareSeasons, summariseCheck } from '../../../../pipeline/model/season/check.ts';
import { describeSeason } from '../../../../pipeline/model/season/high-season.ts';
import {
  DEFAULT_RAIN_SEASON,
  expectedSeason,
  fitRainSeason,
  lagInMonths,
  meanByCalendarMonth,
  type RainSeason,
} from '../../../../pipeline/model/season/rain-season.ts';

const DURATIONS = { infectious_months: 2, immune_months: 3 };
const SAHEL = [0, 0, 2, 10, 40, 90, 180, 240, 130, 20, 0, 0];
const MIDDLE = [3, 8, 30, 80, 140, 170, 190, 210, 230, 120, 15, 3];
const COAST = [25, 50, 110, 170, 230, 310, 340, 280, 370, 260, 80, 25];
const PLACES = [SAHEL, MIDDLE, COAST, SAHEL.map((rain, m) => (rain + MIDDLE[m]!) / 2)];
const TRUTH: RainSeason = {
  half_saturation_mm: 60,
  lag_months: 1.6,
  dry_reproduction_number: 2,
  share_year_round: 0.5,
};

test('the effect of rain saturates: half the maximum at the half-saturation, and 1 in the wettest month', () => {
  // 80²/(80²+80²) = 0.5 and 240²/(240²+80²) = 0.9.
  const forcing = rainForcing([0, 80, 240, 0, 0, 0, 0, 0, 0, 0, 0, 0], 80);
  expect(forcing.slice(0, 3)).toEqual([0, 0.5 / 0.9, 1]);
});

test('a year without rain has no season, not a division by zero', () => {
  expect(rainForcing(new Array(12).fill(0), 80)).toEqual(new Array(12).fill(1));
  for (const value of expectedSeason(new Array(12).fill(0), TRUTH, DURATIONS)) expect(value).toBeCloseTo(1, 9);
});

/** Peaks of the year: months above the one before that are not below the next. */
const peaks = (values: readonly number[]) =>
  values.flatMap((value, m) => (value > values[(m + 11) % 12]! && value >= values[(m + 1) % 12]! ? [m + 1] : []));

test('two separate rainy seasons give two peaks, nearly even rain a nearly flat year, one rainy season one peak', () => {
  const twice = [0, 0, 60, 200, 150, 10, 0, 0, 60, 200, 150, 10];
  const index = expectedSeason(twice, TRUTH, DURATIONS);
  expect(peaks(index)).toHaveLength(2);
  const [first, second] = peaks(index);
  expect(second! - first!).toBe(6); // half a year apart, as the rains are
  const even = describeSeason(
    expectedSeason(
      COAST.map((rain) => 180 + 0.1 * rain),
      TRUTH,
      DURATIONS,
    ),
    0.5,
  );
  expect(Math.min(...even.seasonal_index)).toBeGreaterThan(0.95);
  expect([even.season_start_month, even.season_end_month, even.season_months]).toEqual([1, 12, 12]);
  expect(peaks(expectedSeason(SAHEL, TRUTH, DURATIONS))).toHaveLength(1);
});

test('a short break in the rains that saturation hides gives no second peak', () => {
  const broken = [10, 30, 110, 180, 220, 250, 240, 200, 250, 220, 60, 15];
  const hidden = { ...TRUTH, half_saturation_mm: 40 };
  expect(peaks(rainForcing(broken, 300))).toHaveLength(2);
  expect(peaks(expectedSeason(broken, hidden, DURATIONS).slice(3, 10))).toHaveLength(1);
});

test('later rains shift the season without changing it', () => {
  const early = expectedSeason(SAHEL, TRUTH, DURATIONS);
  const late = expectedSeason([...SAHEL.slice(-2), ...SAHEL.slice(0, -2)], TRUTH, DURATIONS);
  for (const [month, value] of early.entries()) expect(late[(month + 2) % 12]).toBeCloseTo(value, 8);
});

test('the fit recovers the parameters of simulated seasons', () => {
  const records = PLACES.map((rain_mm) => ({ rain_mm, season: expectedSeason(rain_mm, TRUTH, DURATIONS) }));
  const fitted = fitRainSeason(records, DURATIONS, randomStream(5, 'fit'));
  for (const { rain_mm, season } of records)
    for (const [month, value] of expectedSeason(rain_mm, fitted, DURATIONS).entries())
      expect(Math.abs(value - season[month]!)).toBeLessThan(0.01);
  expect(fitted.lag_months).toBeCloseTo(1.6, 0);
});

test('without records the parameters are the defaults', () => {
  expect(fitRainSeason([], DURATIONS, randomStream(5, 'fit'))).toBe(DEFAULT_RAIN_SEASON);
  expect(summariseCheck([])).toEqual({
    series: 0,
    states: [],
    median_correlation: 0,
    mean_months_off: 0,
    mean_months_peak_is_off: 0,
  });
});

test("a state's own record does not affect the parameters with which it is scored", () => {
  const records = PLACES.map((rain_mm, i) => ({
    state_code: 'ABCD'[i]!,
    rain_mm,
    season: expectedSeason(rain_mm, TRUTH, DURATIONS),
    lgas: [{ rain_mm: PLACES[0]!, season: expectedSeason(PLACES[0]!, TRUTH, DURATIONS) }],
  }));
  const options = { highShare: 0.5, seed: 1 };
  const checked = checkSeason(records, DURATIONS, options);
  const other = checkSeason(
    records.map((record) => (record.state_code === 'B' ? { ...record, season: [...record.season].reverse() } : record)),
    DURATIONS,
    options,
  );
  const b = (rows: typeof checked) => rows.find((row) => row.state_code === 'B')!;
  expect(b(other).expected).toEqual(b(checked).expected);
  expect(other[0]!.expected).not.toEqual(checked[0]!.expected);
  expect(b(checked).correlation).toBeGreaterThan(0.99);
  // an LGA is predicted from its own rain, with parameters fitted without its state
  expect(b(other).lgas).toEqual(b(checked).lgas);
  expect(b(checked).lgas).toHaveLength(1);
  expect(b(checked).lgas[0]!.correlation).toBeGreaterThan(0.99);
});

test('correlation, circular distances and months on the wrong side agree with a hand calculation', () => {
  const expected = [1, 0.6, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.6];
  const recorded = [0.6, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.6, 1];
  const row = compareSeasons(expected, recorded, 0.5);
  expect(row).toMatchObject({ peak_expected: 1, peak_recorded: 12, peak_off: 1, midpoint_off: 1, wrong_months: 2 });
  // deviations from 0.3333: 8 pairs at −.1333², then (.667)(.267) twice, −.1333 × .267 twice, over the sum of squares
  const d = (v: number) => v - 4 / 12;
  const sum = 8 * d(0.2) ** 2 + 2 * d(1) * d(0.6) + 2 * d(0.2) * d(0.6);
  const total = 9 * d(0.2) ** 2 + d(1) ** 2 + 2 * d(0.6) ** 2;
  expect(row.correlation).toBeCloseTo(sum / total, 10);
  // an error of 0.4 in January, February, November and December
  expect(row.index_error).toBeCloseTo(Math.sqrt((4 * 0.4 ** 2) / 12), 12);
});

test('the summary is the median of correlations and the mean distances of peaks and midpoints', () => {
  const row = (state_code: string, correlation: number, peak_off: number, midpoint_off: number) => ({
    ...compareSeasons(SAHEL, SAHEL, 0.5),
    state_code,
    correlation,
    peak_off,
    midpoint_off,
    lgas: [],
  });
  expect(summariseCheck([row('A', 0.9, 1, 0), row('B', 0.2, 2, 0.5), row('C', 0.8, 6, 2.5)])).toEqual({
    series: 3,
    states: ['A', 'B', 'C'],
    median_correlation: 0.8,
    mean_months_off: 1,
    mean_months_peak_is_off: 3,
  });
});

test('the lag in months is the one with the highest correlation of rain and cases, the shortest of equals', () => {
  const late = (lag: number) => SAHEL.map((_, month) => SAHEL[(month + 12 - lag) % 12]!);
  expect(lagInMonths(SAHEL, late(2))).toBe(2);
  expect(lagInMonths(SAHEL, SAHEL)).toBe(0);
  expect(lagInMonths(new Array(12).fill(50), SAHEL)).toBe(0);
});

test('usual rain is the mean by calendar month of a series that starts in any month', () => {
  const series = [10, 20, ...new Array(10).fill(0), 30, 40];
  const usual = meanByCalendarMonth(series, 11);
  expect([usual[11], usual[0], usual[1]]).toEqual([20, 30, 0]);
});
