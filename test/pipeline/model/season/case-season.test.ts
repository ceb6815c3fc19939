import { expect, test } from 'vitest';
import { detrendLogs } from '../../../../pipeline/lib/numerics/detrend-logs.ts';
import { caseSeason, sumReportingLgas } from '../../../../pipeline/model/season/case-season.ts';

const SHAPE = [0.6, 0.5, 0.5, 0.55, 0.6, 0.8, 0.9, 1, 0.95, 0.9, 0.7, 0.65];
const series = (months: number, level: (t: number) => number, first = 0) =>
  Array.from({ length: months }, (_, t) => SHAPE[(first + t) % 12]! * level(t));
const none = new Set<number>();
const expectShape = (season: number[] | null, digits = 10) => {
  expect(season).not.toBeNull();
  for (const [month, value] of season!.entries()) expect(value).toBeCloseTo(SHAPE[month]!, digits);
};

test('a pure season is recovered exactly, whatever the level or the first month', () => {
  expectShape(caseSeason({ first_month: 0, cases: series(36, () => 1000), unusualMonths: none }));
  expectShape(caseSeason({ first_month: 7, cases: series(40, () => 3, 7), unusualMonths: none }));
});

test('steady growth of reporting, 40% a year, cancels exactly in the ratio to the geometric mean', () => {
  // the trend of a straight line over a symmetric window is the line itself
  expectShape(caseSeason({ first_month: 0, cases: series(48, (t) => 100 * 1.4 ** (t / 12)), unusualMonths: none }));
});

test('one unusual year, a gap and a short blank change nothing', () => {
  const cases: (number | null)[] = series(84, () => 1000);
  cases[40] = 20 * cases[40]!;
  cases[65] = null;
  const season = caseSeason({ first_month: 0, cases, unusualMonths: none })!;
  for (const [month, value] of season.entries()) expect(Math.abs(value - SHAPE[month]!)).toBeLessThan(0.02);
});

test('unusual months are left out of the medians', () => {
  const cases = series(36, () => 1000);
  for (const t of [14, 15, 16]) cases[t] = cases[t]! / 2;
  const all = caseSeason({ first_month: 0, cases, unusualMonths: none })!;
  const without = caseSeason({ first_month: 0, cases, unusualMonths: new Set([14, 15, 16]) })!;
  // medians of two years: March to May would show half of the dip if it were not left out
  expect(Math.abs(all[3]! - SHAPE[3]!)).toBeGreaterThan(0.1);
  expect(Math.abs(without[3]! - SHAPE[3]!)).toBeLessThan(0.1);
});

test('a record that does not cover every month of the year gives no season', () => {
  expect(caseSeason({ first_month: 0, cases: series(23, () => 1000), unusualMonths: none })).toBeNull();
  expectShape(caseSeason({ first_month: 0, cases: series(24, () => 1000), unusualMonths: none }));
  const holed: (number | null)[] = series(36, () => 1000);
  for (let t = 12; t < 17; t++) holed[t] = null;
  expect(caseSeason({ first_month: 0, cases: holed, unusualMonths: none })).toBeNull();
});

test('months without a case are the lowest of the season, not unknown', () => {
  const cases = Array.from({ length: 60 }, (_, t) => (t % 12 < 5 ? 0 : 4));
  const season = caseSeason({ first_month: 0, cases, unusualMonths: none })!;
  // half a case, where 4 are the peak
  expect(season.map((value) => Math.round(1000 * value))).toEqual([
    ...new Array(5).fill(125),
    ...new Array(7).fill(1000),
  ]);
});

test('a record with less than one case a month says nothing about its season', () => {
  const record = (more: number) => Array.from({ length: 48 }, (_, t) => (t % 12 === 7 ? 12 + more : 0));
  expect(caseSeason({ first_month: 0, cases: record(-1), unusualMonths: none })).toBeNull();
  expect(caseSeason({ first_month: 0, cases: record(0), unusualMonths: none })).not.toBeNull();
  expect(caseSeason({ first_month: 0, cases: new Array(48).fill(0), unusualMonths: none })).toBeNull();
});

test('a state is the sum over LGAs that reported throughout, if these have half of its cases', () => {
  expect(
    sumReportingLgas([
      [1, 2],
      [10, 20],
      [5, null],
    ]),
  ).toEqual([11, 22]);
});

test('else the cases of those that reported are scaled by their usual share, and unknown where that is below a half', () => {
  expect(
    sumReportingLgas([
      [1, 2],
      [50, null],
    ]),
  ).toEqual([51, null]);
  expect(sumReportingLgas([[null, 2]])).toEqual([null, 2]);
  // One month is missing everywhere, as in a strike; else every LGA lacks another month.
  const season = (t: number) => 3 + Math.sin((t * Math.PI) / 6);
  const sizes = [150, 200, 250];
  const whole = sizes.map((size) => Array.from({ length: 48 }, (_, t) => size * season(t)));
  const lgas = whole.map((cases, i) => cases.map((value, t) => (t === 30 || t === 10 + 6 * i ? null : value)));
  const found = sumReportingLgas(lgas);
  expect(found[30]).toBeNull();
  for (const [t, cases] of found.entries()) {
    const truth = 600 * season(t);
    // A missing month of the year moves the mean of its LGA a little.
    if (t !== 30) expect(Math.abs(cases! / truth - 1), `month ${t}`).toBeLessThan(0.02);
  }
  const before = caseSeason({ first_month: 0, cases: whole[0]!, unusualMonths: none })!;
  const after = caseSeason({ first_month: 0, cases: found, unusualMonths: none })!;
  for (const [m, share] of after.entries()) expect(share).toBeCloseTo(before[m]!, 2);
});

test('logarithms over trend: a linear trend is removed, a yearly rhythm is preserved', () => {
  const trend = Array.from({ length: 40 }, (_, t) => 2 + 0.1 * t);
  const rhythm = (t: number) => Math.sin((2 * Math.PI * t) / 12);
  const both = detrendLogs(trend.map((value, t) => value + rhythm(t)));
  expect(both.slice(0, 6)).toEqual(new Array(6).fill(null));
  expect(both.slice(-6)).toEqual(new Array(6).fill(null));
  for (let t = 6; t < 34; t++) expect(both[t]).toBeCloseTo(rhythm(t), 12);
});

test('logarithms over trend: a short gap affects only its own months, a gap of four months all windows that contain it', () => {
  const straight = (t: number) => 2 + 0.1 * t;
  const without = (from: number, to: number) =>
    detrendLogs(Array.from({ length: 60 }, (_, t) => (t >= from && t < to ? null : straight(t))));
  const short = without(20, 23);
  expect(short.slice(20, 23)).toEqual([null, null, null]);
  for (const t of [19, 23]) {
    expect(short[t]).not.toBeNull();
    expect(short[t]).toBeCloseTo(0, 12);
  }
  const long = without(20, 24);
  expect(long.slice(14, 30).every((value) => value === null)).toBe(true);
  expect([long[13], long[30]].every((value) => value !== null)).toBe(true);
});
