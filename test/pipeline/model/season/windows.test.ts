import fc from 'fast-check';
import { expect, test } from 'vitest';
import { randomStream } from '../../../../pipeline/lib/numerics/random.ts';
import { rainForcing, seasonAt } from '../../../../pipeline/lib/numerics/sirs.ts';
import { areaWindows } from '../../../../pipeline/model/season/area-windows.ts';
import {
  DEFAULT_RAIN_SEASON,
  expectedSeason,
  rainTransmission,
} from '../../../../pipeline/model/season/rain-season.ts';
import {
  bestRun,
  judgeRun,
  probabilityVerdict,
  seasonErrors,
  shareByStart,
} from '../../../../pipeline/model/season/windows.ts';

const DURATIONS = { infectious_months: 2, immune_months: 3 };
const RAINY = [1, 1, 1, 1, 2, 5, 8, 10, 9, 6, 2, 1];

test('shares agree with a hand calculation; runs continue across the end of the year, and the earliest of equals counts', () => {
  // 5 + 8 + 10 + 9 = 32 and 8 + 10 + 9 + 6 = 33 of 47.
  expect(shareByStart(RAINY, 4)[5]).toBeCloseTo(32 / 47, 12);
  expect(bestRun(RAINY, 4)).toEqual({ first_month: 7, share: expect.closeTo(33 / 47, 12) });
  expect(bestRun([9, 5, 1, 1, 1, 1, 1, 1, 1, 1, 1, 10], 3)).toEqual({ first_month: 12, share: 24 / 33 });
  expect(bestRun(new Array(12).fill(1), 5)).toEqual({ first_month: 1, share: 5 / 12 });
});

test('for random years, shares are ratios of sums, and no run has a larger share than the best', () => {
  const year = fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 12, maxLength: 12 });
  fc.assert(
    fc.property(year, fc.constantFrom(3, 4, 5), (values, months) => {
      const total = values.reduce((a, b) => a + b);
      const shares = values.map(
        (_, first) =>
          Array.from({ length: months }, (_, i) => values[(first + i) % 12]!).reduce((a, b) => a + b) / total,
      );
      for (const [i, share] of shareByStart(values, months).entries()) expect(share).toBeCloseTo(shares[i]!, 10);
      expect(bestRun(values, months).share).toBeCloseTo(Math.max(...shares), 10);
    }),
  );
});

test('without errors there is no range, probability or verdict; with one error, shifted round the year, there are all three', () => {
  expect(judgeRun(RAINY, 4, [])).toEqual({
    months: 4,
    first_month: 7,
    share: expect.closeTo(33 / 47, 12),
    share_low: null,
    share_high: null,
    start_probability: null,
    criterion_probability: null,
  });
  expect(probabilityVerdict(null)).toBe('unknown');
  // one month three times the expected value: 12 seasons, each with a different such month
  const error = { expected: new Array(12).fill(1), recorded: [3, ...new Array(11).fill(1)] };
  const errors = seasonErrors([error]);
  expect(errors.map((one) => one.indexOf(3)).sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  const judged = judgeRun(new Array(12).fill(1), 4, errors);
  // the first four months hold 6 of 14 in the four seasons in which they contain that month, otherwise 4 of 14
  expect(judged.share_low).toBeCloseTo(4 / 14, 12);
  expect(judged.share_high).toBeCloseTo(6 / 14, 12);
  expect(judged.criterion_probability).toBe(0);
});

test('of very many records 250 are used, from the first to the last', () => {
  const months = (value: number) => new Array<number>(12).fill(value);
  const used = seasonErrors(Array.from({ length: 1000 }, (_, i) => ({ expected: months(1), recorded: months(i + 1) })));
  expect(used).toHaveLength(12 * 250);
  expect([used[0]![0], used[12]![0], used.at(-1)![0]]).toEqual([1, 5, 997]);
});

test('the criterion is judged by the best run, which may differ from the expected one', () => {
  // the expected season is flat; each error puts nearly everything into four consecutive months
  const recorded = [50, 50, 50, 50, ...new Array(8).fill(1)];
  const errors = seasonErrors([{ expected: new Array(12).fill(1), recorded }]);
  const judged = judgeRun(new Array(12).fill(1), 4, errors);
  expect(judged.criterion_probability).toBe(1);
  expect(judged.start_probability).toBeCloseTo(3 / 12, 12);
  expect(probabilityVerdict(0.9)).toBe('reached');
  expect(probabilityVerdict(0.8999)).toBe('unknown');
  expect(probabilityVerdict(0.1)).toBe('unlikely');
});

test('rain-driven transmission is the mean of s(t) over each month, whatever the lag', () => {
  const rain = [0, 0, 2, 10, 40, 90, 180, 240, 130, 20, 0, 0];
  for (const lag_months of [0, 0.5, 1.3, 2.42, 3.999]) {
    const parameters = { ...DEFAULT_RAIN_SEASON, lag_months };
    const season = { monthly: rainForcing(rain, parameters.half_saturation_mm), lag_months };
    const steps = 4000;
    const means = rain.map((_, m) => {
      let sum = 0;
      for (let k = 0; k < steps; k++) sum += seasonAt(season, m + (k + 0.5) / steps) / steps;
      return sum;
    });
    for (const [m, value] of rainTransmission(rain, parameters).entries()) expect(value).toBeCloseTo(means[m]!, 6);
  }
});

/** Simulated places whose true season differs from the expected one by a smooth error of two harmonics. */
function madePlaces(seed: number, count: number) {
  const random = randomStream(seed, 'windows test');
  return Array.from({ length: count }, () => {
    const [start, spread, most] = [4 + 3 * random.uniform(), 1 + 1.5 * random.uniform(), 120 + 200 * random.uniform()];
    const rain_mm = Array.from({ length: 12 }, (_, m) => most * Math.exp(-(((m - start) / spread) ** 2) / 2));
    const expected = expectedSeason(rain_mm, DEFAULT_RAIN_SEASON, DURATIONS);
    const waves = [1, 2].map((k) => ({ k, a: 0.09 * random.normal(), b: 0.09 * random.normal() }));
    const recorded = expected.map((value, m) => {
      const angle = (2 * Math.PI * m) / 12;
      return (
        value * Math.exp(waves.reduce((sum, { k, a, b }) => sum + a * Math.cos(k * angle) + b * Math.sin(k * angle), 0))
      );
    });
    return { rain_mm, expected, recorded };
  });
}

test('for simulated places, ranges contain nine in ten true shares, and probabilities are how often the months are right', () => {
  let held = 0;
  let near = 0;
  let promised = 0;
  const all = 600;
  for (let seed = 1; seed <= 3; seed++) {
    const errors = seasonErrors(madePlaces(seed, 25));
    for (const { expected, recorded } of madePlaces(seed + 100, all / 3)) {
      const judged = judgeRun(expected, 4, errors);
      const share = shareByStart(recorded, 4)[judged.first_month - 1]!;
      if (judged.share_low! <= share && share <= judged.share_high!) held++;
      const apart = Math.abs(bestRun(recorded, 4).first_month - judged.first_month);
      if (Math.min(apart, 12 - apart) <= 1) near++;
      promised += judged.start_probability!;
    }
  }
  expect(held / all).toBeGreaterThan(0.85);
  expect(held / all).toBeLessThan(0.95);
  expect(Math.abs(near - promised) / all).toBeLessThan(0.05);
});

test('a place has rows for two measures and three lengths, with the criterion for four months only, and its record', () => {
  const [place] = madePlaces(7, 1);
  const rows = areaWindows(
    {
      area: 'state',
      code: 'AA',
      rain_mm: place!.rain_mm,
      expectedCases: place!.expected,
      recordedSeason: place!.recorded,
    },
    DEFAULT_RAIN_SEASON,
    seasonErrors(madePlaces(8, 5)),
  );
  expect(rows.map(({ measure, months }) => [measure, months])).toEqual(
    ['reported_cases', 'rain_transmission'].flatMap((measure) => [3, 4, 5].map((months) => [measure, months])),
  );
  for (const row of rows) {
    expect(row.last_month).toBe(((row.first_month + row.months - 2) % 12) + 1);
    expect(row.criterion === null).toBe(row.months !== 4);
    expect(row.record_best_share!).toBeGreaterThanOrEqual(row.record_share!);
    expect(row.rain_share).toBeCloseTo(bestRun(place!.rain_mm, row.months).share, 12);
  }
  const [cases, rain] = [rows[1]!, rows[4]!];
  // transmission that does not depend on rain, and immunity, flatten the season
  expect(rain.share).toBeGreaterThan(cases.share);
  const dry = areaWindows(
    {
      area: 'lga',
      code: 'X',
      rain_mm: new Array(12).fill(0),
      expectedCases: new Array(12).fill(1),
      recordedSeason: null,
    },
    DEFAULT_RAIN_SEASON,
    [],
  );
  expect(dry[1]).toMatchObject({ share: 1 / 3, rain_share: 1 / 3, criterion: 'unknown', record_share: null });
});
