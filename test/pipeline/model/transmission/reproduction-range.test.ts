import { expect, test } from 'vitest';
import { randomStream } from '../../../../pipeline/lib/numerics/random.ts';
import { rainForcing, sirsCycle } from '../../../../pipeline/lib/numerics/sirs.ts';
import { reproductionRange } from '../../../../pipeline/model/transmission/reproduction-range.ts';
import { fitSirs, isSufficientForFit } from '../../../../pipeline/model/transmission/sirs-fit.ts';

const RAIN = [3, 8, 30, 80, 140, 170, 190, 210, 230, 120, 15, 3];
const DURATIONS = { infectious_months: 2, immune_months: 3 };
const TRUTH = sirsCycle(
  { transmission_rate: 1.4, share_year_round: 0.4, ...DURATIONS },
  { monthly: rainForcing(RAIN, 80), lag_months: 1.5 },
);

function rangeUnder(noise: number) {
  const scatter = randomStream(7, 'scatter');
  const per_1000 = Array.from(
    { length: 72 },
    (_, t) => 20 * TRUTH.incidence[t % 12]! * Math.exp(noise * scatter.normal()),
  );
  const record = { first_month: 0, per_1000, masked: new Set([30]) };
  const fit = fitSirs(record, RAIN, DURATIONS, { starts: 4, random: randomStream(7, 'fit') });
  return { fit, range: () => reproductionRange(record, RAIN, DURATIONS, fit, randomStream(7, 'range'), 80) };
}

test('the range contains the truth and the fit, gives the share of draws with growth, and is reproducible', () => {
  const { fit, range } = rangeUnder(0.1);
  const { low, high, growing } = range();
  for (let month = 0; month < 12; month++) {
    expect(low[month]!).toBeLessThan(high[month]!);
    expect(fit.cycle.reproduction_number[month]!).toBeGreaterThan(low[month]! - 0.02);
    expect(fit.cycle.reproduction_number[month]!).toBeLessThan(high[month]! + 0.02);
    if (low[month]! > 1) expect(growing[month]).toBeGreaterThanOrEqual(0.95);
    if (high[month]! < 1) expect(growing[month]).toBeLessThanOrEqual(0.05);
  }
  const held = TRUTH.reproduction_number.filter((r, month) => low[month]! <= r && r <= high[month]!);
  expect(held.length).toBeGreaterThanOrEqual(10);
  expect(range()).toEqual({ low, high, growing });
});

test('more scatter gives a wider range', () => {
  const width = (noise: number) => {
    const { low, high } = rangeUnder(noise).range();
    return low.reduce((sum, value, month) => sum + high[month]! - value, 0);
  };
  expect(width(0.3)).toBeGreaterThan(1.3 * width(0.1));
});

test('a fit needs two years of reports, including twelve months with cases and not masked', () => {
  const record = (per_1000: (number | null)[], masked: number[] = []) => ({
    first_month: 0,
    per_1000,
    masked: new Set(masked),
  });
  const months = Array.from({ length: 24 }, (_, t) => t);
  expect(isSufficientForFit(record(months.map(() => 1)))).toBe(true);
  expect(isSufficientForFit(record(months.map((t) => (t === 3 ? null : 1))))).toBe(false);
  expect(isSufficientForFit(record(months.map(() => 0)))).toBe(false);
  expect(
    isSufficientForFit(
      record(
        months.map(() => 1),
        months,
      ),
    ),
  ).toBe(false);
  expect(
    isSufficientForFit(
      record(
        months.map(() => 1),
        months.slice(12),
      ),
    ),
  ).toBe(true);
  expect(
    isSufficientForFit(
      record(
        months.map(() => 1),
        months.slice(11),
      ),
    ),
  ).toBe(false);
  // leaving out more than a tenth of the months, those without a case, would leave out the low season
  const thirty = Array.from({ length: 30 }, (_, t) => t);
  expect(isSufficientForFit(record(thirty.map((t) => (t < 3 ? 0 : 1))))).toBe(true);
  expect(isSufficientForFit(record(thirty.map((t) => (t < 4 ? 0 : 1))))).toBe(false);
  expect(
    isSufficientForFit(
      record(
        thirty.map((t) => (t < 4 ? 0 : 1)),
        [0],
      ),
    ),
  ).toBe(true);
});
