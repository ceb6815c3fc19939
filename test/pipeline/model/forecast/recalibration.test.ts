import { expect, test } from 'vitest';
import { normalQuantile } from '../../../../pipeline/lib/numerics/normal.ts';
import { randomStream } from '../../../../pipeline/lib/numerics/random.ts';
import { at, SHARES } from '../../../../pipeline/model/forecast/forecast-scores.ts';
import type { Panel } from '../../../../pipeline/model/forecast/panel.ts';
import type { Forecaster } from '../../../../pipeline/model/forecast/past-errors.ts';
import { recalibrated } from '../../../../pipeline/model/forecast/recalibration.ts';

const random = randomStream(1, 'recalibration');
const AREAS = 40;
/** Independent standard normal values, for which the correct forecast is always the same. */
const VALUES = Array.from({ length: AREAS }, () => Float64Array.from({ length: 40 }, () => random.normal()));
const seen = (months: number): Panel => ({
  level: 'lga',
  first: 2020 * 12,
  months,
  disrupted: [],
  origins: { tried: 0, scored: 0 },
  areas: VALUES.map((y, a) => ({ code: `${a}`, state_code: 'A', people: null, y: y.slice(0, months) })),
});
const narrow: Forecaster = {
  name: 'narrow',
  forecast: ({ areas }) =>
    areas.map(() => Array.from({ length: 4 }, () => Float64Array.from(SHARES, (p) => normalQuantile(p) / 2))),
};

test('a spread half as wide as the errors is about doubled, and the median is unchanged', () => {
  const method = recalibrated(narrow);
  const forecasts = Array.from({ length: 20 }, (_, i) => method.forecast(seen(10 + i))[0]!);
  // no targets are known yet
  expect(forecasts[0]![0]![at(95)]).toBeCloseTo(normalQuantile(0.95) / 2, 12);
  // one origin: the factor to the power of one third
  expect(forecasts[1]![0]![at(95)]).toBeCloseTo((normalQuantile(0.95) / 2) * 2 ** (1 / 3), 0);
  for (const [h, own] of forecasts.at(-1)!.entries()) {
    expect(own![at(50)], `${h}`).toBeCloseTo(0, 12);
    const expected = 2 ** (12 / 14);
    for (const percent of [2, 5, 15, 25, 75, 90, 95, 99]) {
      const factor = own![at(percent)]! / (normalQuantile(percent / 100) / 2);
      expect(factor / expected).toBeGreaterThan(0.88);
      expect(factor / expected).toBeLessThan(1.12);
    }
  }
});

test('targets that are not known yet have no effect', () => {
  const method = recalibrated(narrow);
  const [, second] = [method.forecast(seen(10)), method.forecast(seen(11))];
  const plain = narrow.forecast(seen(11))[0]!;
  expect(second[0]![0]).not.toEqual(plain[0]);
  for (const h of [1, 2, 3]) expect(second[0]![h]).toEqual(plain[h]);
});
