import { expect, test } from 'vitest';
import { randomStream } from '../../../pipeline/lib/numerics/random.ts';
import {
  addSums,
  intervalScore,
  lgaMonthSums,
  type PredictedTruth,
  truthScore,
} from '../../../pipeline/validate/truth-scores.ts';

const compared = (truth: number, score: number, low: number, high: number): PredictedTruth => ({
  truth,
  score,
  low,
  high,
  baseline: 0.4,
  draws: null,
});
const pool = (values: PredictedTruth[]) => {
  const [pooled, ...others] = values.map(lgaMonthSums);
  for (const sums of others) addSums(pooled!, sums);
  return truthScore(pooled!);
};

test('coverage, bias, errors and interval score agree with hand calculations', () => {
  // at the end of the range, above it by .05, inside, below it by .1
  const score = pool([
    compared(0.1, 0.2, 0.1, 0.3),
    compared(0.4, 0.3, 0.2, 0.35),
    compared(0.6, 0.6, 0.5, 0.7),
    compared(0.4, 0.6, 0.5, 0.7),
  ]);
  expect(score.lga_months).toBe(4);
  expect(score.coverage_90).toBe(0.5);
  expect(score.bias).toBeCloseTo((0.1 - 0.1 + 0 + 0.2) / 4, 12);
  expect(score.rmse).toBeCloseTo(Math.sqrt((0.01 + 0.01 + 0 + 0.04) / 4), 12);
  expect(score.baseline_rmse).toBeCloseTo(Math.sqrt((0.09 + 0 + 0.04 + 0) / 4), 12);
  expect(score.interval_score).toBeCloseTo((0.2 + (0.15 + 20 * 0.05) + 0.2 + (0.2 + 20 * 0.1)) / 4, 12);
});

test('50 and 95% coverage and CRPS are null without draws, or with draws for only some LGA-months', () => {
  const without = compared(0.2, 0.2, 0.1, 0.3);
  const nothing = { coverage_50: null, coverage_95: null, crps: null };
  expect(pool([without])).toMatchObject(nothing);
  expect(pool([without, { ...without, draws: [0.1, 0.2, 0.3] }])).toMatchObject(nothing);
});

test('scores of draws by quartiles, 2.5 and 97.5% quantiles and fair CRPS agree with hand calculations', () => {
  // quartiles .25 and .75, outer quantiles .025 and .975
  const draws = [0, 0.25, 0.5, 0.75, 1];
  const at = (truth: number) => pool([{ ...compared(truth, 0.5, 0, 1), draws }]);
  expect([0.25, 0.24, 0.75, 0.76].map((truth) => at(truth).coverage_50)).toEqual([1, 0, 1, 0]);
  expect([0.025, 0.024, 0.975, 0.976].map((truth) => at(truth).coverage_95)).toEqual([1, 0, 1, 0]);
  // the mean distance to .5 is .3; between two draws it is .5 over the ten pairs
  expect(at(0.5).crps).toBeCloseTo(0.3 - 0.25, 12);
});

test('a correct normal prediction has the nominal coverage and CRPS; one that is too narrow does not', () => {
  const random = randomStream(1, 'truth scores');
  const sd = 0.05;
  const months = (spread: number) =>
    Array.from({ length: 4000 }, (): PredictedTruth => {
      const mean = 0.3 + 0.1 * random.uniform();
      const draws = Float64Array.from({ length: 400 }, () => mean + spread * sd * random.normal()).sort();
      const half = 1.6449 * spread * sd;
      return { ...compared(mean + sd * random.normal(), mean, mean - half, mean + half), draws };
    });
  const right = pool(months(1));
  // sampling errors of shares of 4,000: .008, .005, .003
  expect(Math.abs(right.coverage_50! - 0.5)).toBeLessThan(0.03);
  expect(Math.abs(right.coverage_90 - 0.9)).toBeLessThan(0.02);
  expect(Math.abs(right.coverage_95! - 0.95)).toBeLessThan(0.015);
  expect(Math.abs(right.bias)).toBeLessThan(0.003);
  expect(right.rmse / sd).toBeCloseTo(1, 1);
  // expectations for a normal with the correct spread: sd / √π, and (4 / .1) sd φ(1.6449)
  expect(right.crps! / (sd / Math.sqrt(Math.PI))).toBeCloseTo(1, 1);
  expect(right.interval_score / (40 * sd * 0.10313)).toBeCloseTo(1, 1);
  const narrow = pool(months(0.5));
  // P(|z| < 1.6449 / 2) and P(|z| < .6745 / 2)
  expect(Math.abs(narrow.coverage_90 - 0.589)).toBeLessThan(0.03);
  expect(Math.abs(narrow.coverage_50! - 0.264)).toBeLessThan(0.03);
  expect(narrow.interval_score).toBeGreaterThan(right.interval_score);
  expect(narrow.crps!).toBeGreaterThan(right.crps!);
});

test('the interval score of a range that contains the truth is its width, whatever the level', () => {
  expect(intervalScore(0.1, 0.3, 0.2, 0.1)).toBeCloseTo(0.2, 12);
  expect(intervalScore(0.1, 0.3, 0.35, 0.5)).toBeCloseTo(0.2 + 4 * 0.05, 12);
});
