import { expect, test } from 'vitest';
import { BASELINES } from '../../../../pipeline/model/forecast/baselines.ts';
import { percentIndex } from '../../../../pipeline/model/forecast/forecast-scores.ts';
import type { Panel } from '../../../../pipeline/model/forecast/panel.ts';
import { withPastErrors } from '../../../../pipeline/model/forecast/past-errors.ts';
import { pooledSeason } from '../../../../pipeline/model/forecast/pooled-season.ts';

const SEASON = Array.from({ length: 12 }, (_, m) => Math.cos((2 * Math.PI * m) / 12));
const FIRST = 2020 * 12 + 3;
const method = (name: string) => BASELINES.find((one) => one.name === name)!;

/** One area whose years differ in level. */
function panelOf(y: readonly number[]): Panel {
  const area = { code: 'A1', state_code: 'A', people: null, cases: Float64Array.from(y, Math.expm1) };
  const disrupted = y.map(() => false);
  return {
    level: 'lga',
    first: FIRST,
    months: y.length,
    areas: [area],
    disrupted,
    origins: { first_forecast: 0, first_scored: 0 },
  };
}

test('the season is recovered whatever the levels of areas and years', () => {
  const levels = [3, 5, 4, 8];
  const y = (shift: number) =>
    Float64Array.from({ length: 40 }, (_, t) => shift + levels[Math.floor((t + 3) / 12)]! + SEASON[(t + 3) % 12]!);
  const gappy = y(2).with(5, Number.NaN).with(17, Number.NaN);
  const found = pooledSeason([{ y: y(0) }, { y: gappy }], FIRST);
  for (const [m, value] of SEASON.entries()) expect(found[m]).toBeCloseTo(value, 5);
});

test('each method forecasts what its name says', () => {
  const y = Array.from({ length: 26 }, (_, t) => t);
  const says = (name: string, values = y) => method(name).forecastPoints(panelOf(values))[0];
  expect(says('same_month_last_year')).toEqual([14, 15, 16, 17]);
  expect(says('same_month_last_year', y.with(14, Number.NaN))).toEqual([2, 15, 16, 17]);
  expect(says('month_climatology')).toEqual([8, 9, 10, 11]);
  expect(says('month_median')).toEqual([8, 9, 10, 11]);
  expect(says('month_median', y.with(2, 20))).toEqual([17, 9, 10, 11]);
  expect(says('flat12')).toEqual(new Array(4).fill(19.5));
  expect(says('persistence')).toEqual(new Array(4).fill(25));
  expect(says('persistence', y.with(25, Number.NaN))).toEqual(new Array(4).fill(24));
  expect(
    says(
      'persistence',
      y.map(() => Number.NaN),
    ),
  ).toEqual(new Array(4).fill(Number.NaN));
});

test('the methods with level and season continue a series that consists of these two exactly', () => {
  const y = Array.from({ length: 45 }, (_, t) => 5 + SEASON[(t + 3) % 12]!);
  const [points] = method('last3_x_season').forecastPoints(panelOf(y));
  for (const [h, value] of points!.entries()) expect(value).toBeCloseTo(5 + SEASON[(45 + h + 3) % 12]!, 4);
});

test('ranges are those of past errors with known targets, about the point forecast', () => {
  const rising = withPastErrors(method('persistence'));
  // so many cases that whole numbers are as good as real ones
  const y = Array.from({ length: 30 }, (_, t) => 18 + t * 0.1 + (t % 2));
  const forecasts = [20, 21, 22, 23, 24, 25].map((months) => rising.forecast(panelOf(y.slice(0, months)))[0]!);
  // at the first origin no target is known
  expect(forecasts[0]).toEqual([null, null, null, null]);
  // errors one month ahead alternate between 1.1 and -0.9; four months ahead they are always .4, on one side of the
  // median
  const [one, , , four] = forecasts.at(-1)!;
  const last = y[24]!;
  const error = (quantiles: Float64Array, percent: number) => Math.log1p(quantiles[percentIndex(percent)]!) - last;
  expect(error(one!, 50)).toBeCloseTo(0, 7);
  expect(error(one!, 95)).toBeCloseTo(1.1, 7);
  expect(error(one!, 5)).toBeCloseTo(-0.9, 7);
  expect(error(four!, 5)).toBeCloseTo(0, 7);
  expect(error(four!, 95)).toBeCloseTo(0.4, 7);
});

test('months without a case count: after a year of them the forecast is none, and no range goes below', () => {
  const cases = Array.from({ length: 40 }, (_, t) => (t < 24 ? 3 + (t % 4) : 0));
  const y = cases.map(Math.log1p);
  expect(method('flat12').forecastPoints(panelOf(y))[0]).toEqual([0, 0, 0, 0]);
  const flat = withPastErrors(method('flat12'));
  for (let months = 20; months < 40; months++) flat.forecast(panelOf(y.slice(0, months)));
  for (const quantiles of flat.forecast(panelOf(y))[0]!) {
    expect(quantiles![percentIndex(50)]).toBe(0);
    expect(Math.min(...quantiles!)).toBe(0);
  }
});
