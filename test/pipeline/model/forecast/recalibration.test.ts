import { expect, test } from 'vitest';
import { normalQuantile } from '../../../../pipeline/lib/numerics/normal.ts';
import { randomStream } from '../../../../pipeline/lib/numerics/random.ts';
import { percentIndex, QUANTILE_LEVELS } from '../../../../pipeline/model/forecast/forecast-scores.ts';
import type { Panel } from '../../../../pipeline/model/forecast/panel.ts';
import type { Forecaster } from '../../../../pipeline/model/forecast/past-errors.ts';
import { recalibrate } from '../../../../pipeline/model/forecast/recalibration.ts';

const random = randomStream(1, 'recalibration');
const AREAS = 40;
/** Median of the cases: so large that whole numbers are as good as real ones. */
const CENTRE = Math.log(1e9);
/** Independent log-normal cases, for which the correct forecast is always the same. */
const VALUES = Array.from({ length: AREAS }, () =>
  Float64Array.from({ length: 40 }, () => Math.exp(CENTRE + random.normal())),
);
const seen = (months: number): Panel => ({
  level: 'lga',
  first: 2020 * 12,
  months,
  disrupted: [],
  origins: { first_forecast: 0, first_scored: 0 },
  areas: VALUES.map((cases, a) => ({ code: `${a}`, state_code: 'A', people: null, cases: cases.slice(0, months) })),
});
/** Distance of a quantile from the median, in ln cases. */
const distanceOf = (quantiles: Float64Array, percent: number) => Math.log(quantiles[percentIndex(percent)]!) - CENTRE;
const narrow: Forecaster = {
  name: 'narrow',
  forecast: ({ areas }) =>
    areas.map(() =>
      Array.from({ length: 4 }, () =>
        Float64Array.from(QUANTILE_LEVELS, (p) => Math.round(Math.exp(CENTRE + normalQuantile(p) / 2))),
      ),
    ),
};

test('a spread half as wide as the errors is about doubled, and the median is unchanged', () => {
  const method = recalibrate(narrow);
  const forecasts = Array.from({ length: 20 }, (_, i) => method.forecast(seen(10 + i))[0]!);
  // no targets are known yet
  expect(distanceOf(forecasts[0]![0]!, 95)).toBeCloseTo(normalQuantile(0.95) / 2, 6);
  // one origin: the factor to the power of one third
  expect(distanceOf(forecasts[1]![0]!, 95)).toBeCloseTo((normalQuantile(0.95) / 2) * 2 ** (1 / 3), 0);
  for (const [h, own] of forecasts.at(-1)!.entries()) {
    expect(distanceOf(own!, 50), `${h}`).toBeCloseTo(0, 6);
    const expected = 2 ** (12 / 14);
    for (const percent of [2, 5, 15, 25, 75, 90, 95, 99]) {
      const factor = distanceOf(own!, percent) / (normalQuantile(percent / 100) / 2);
      expect(factor / expected).toBeGreaterThan(0.88);
      expect(factor / expected).toBeLessThan(1.12);
    }
  }
});

test('targets that are not known yet have no effect', () => {
  const method = recalibrate(narrow);
  const [, second] = [method.forecast(seen(10)), method.forecast(seen(11))];
  const plain = narrow.forecast(seen(11))[0]!;
  expect(second[0]![0]).not.toEqual(plain[0]);
  for (const h of [1, 2, 3]) expect(second[0]![h]).toEqual(plain[h]);
});

test('ranges that begin below five cases are neither scaled nor learned from', () => {
  const few = (months: number): Panel => ({
    ...seen(months),
    areas: seen(months).areas.map((area) => ({ ...area, cases: area.cases.map((_, t) => (t % 3 === 0 ? 6 : 0)) })),
  });
  const small = Float64Array.from(QUANTILE_LEVELS, (share) => Math.floor(3 * share));
  const method = recalibrate({ name: 'small', forecast: ({ areas }) => areas.map(() => new Array(4).fill(small)) });
  for (let months = 10; months < 30; months++) expect(method.forecast(few(months))[0]![0]).toEqual(small);
  expect(method.stretches(few(30))).toEqual(new Array(4).fill({ inner: 1, outer: 1 }));
});
