import { expect, test } from 'vitest';
import { covers, crps, QUANTILE_LEVELS } from '../../../../pipeline/model/forecast/forecast-scores.ts';

test('the CRPS of a point forecast is its absolute error', () => {
  expect(crps(new Array(99).fill(2), 5)).toBeCloseTo(3, 12);
  expect(crps(new Array(99).fill(2), -5)).toBeCloseTo(7, 12);
});

test('the CRPS of the uniform distribution agrees with its closed form', () => {
  // on 0 to 1: y² − y + 1/3 inside, plus the distance to the interval outside; 99 quantiles omit the outermost
  // hundredths
  const closed = (y: number) => {
    const inside = Math.min(1, Math.max(0, y));
    return inside ** 2 - inside + 1 / 3 + Math.abs(y - inside);
  };
  for (const y of [-2, 0, 0.3, 0.5, 0.95, 4]) expect(crps(QUANTILE_LEVELS, y)).toBeCloseTo(closed(y), 2);
});

test('the CRPS is lowest for the distribution from which the values are drawn', () => {
  const mean = (stretch: number) =>
    QUANTILE_LEVELS.reduce(
      (sum, y) =>
        sum +
        crps(
          QUANTILE_LEVELS.map((share) => 0.5 + stretch * (share - 0.5)),
          y,
        ),
      0,
    );
  expect(mean(1)).toBeLessThan(mean(0.8));
  expect(mean(1)).toBeLessThan(mean(1.2));
});

test('an interval includes its ends', () => {
  expect(covers(QUANTILE_LEVELS, 0.25, 25, 75)).toBe(true);
  expect(covers(QUANTILE_LEVELS, 0.2499, 25, 75)).toBe(false);
  expect(covers(QUANTILE_LEVELS, 0.95, 5, 95)).toBe(true);
});
