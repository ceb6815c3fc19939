import { expect, test } from 'vitest';
import { logDensity } from '../../../pipeline/lib/numerics/beta-binomial.ts';
import { randomStream } from '../../../pipeline/lib/numerics/random.ts';
import { summariseScores } from '../../../pipeline/validate/score-summary.ts';
import { fairCrps, logScore, randomisedPit } from '../../../pipeline/validate/scores.ts';

test('the fair CRPS agrees with a hand calculation', () => {
  // |0−1|, |2−1|, |4−1| → 5/3; pairs |0−2|, |0−4|, |2−4| twice → 16 / (2·3·2) = 4/3
  expect(fairCrps([0, 2, 4], 1)).toBeCloseTo(5 / 3 - 4 / 3, 12);
  expect(fairCrps([3, 3], 3)).toBe(0);
});

test('the fair CRPS has the expectation of the full distribution, whatever the number of draws', () => {
  // uniform on 0-1, outcome 0.5: E|x−y| − ½E|x−x′| = 1/4 − 1/6
  const random = randomStream(1, 'crps');
  const runs = 40000;
  let sum = 0;
  for (let k = 0; k < runs; k++) sum += fairCrps([random.uniform(), random.uniform(), random.uniform()].sort(), 0.5);
  expect(Math.abs(sum / runs - 1 / 12)).toBeLessThan(0.005);
});

test('the log score is the logarithm of the mean density, not the mean of logarithms', () => {
  const tested = { examined: 9, positive: 2.5 };
  const [a, b] = [logDensity(tested, 0.1, 0.1), logDensity(tested, 0.6, 0.2)];
  expect(logScore(tested, [0.1, 0.6], [0.1, 0.2])).toBeCloseTo(Math.log((Math.exp(a) + Math.exp(b)) / 2), 12);
});

test('the randomised transform is uniform even if a third of outcomes are 0', () => {
  const random = randomStream(2, 'pit');
  const draw = () => Math.max(0, Math.ceil(random.uniform() * 3 - 1)) / 2;
  const sorted = Array.from({ length: 3000 }, draw).sort();
  const count = 3000;
  const below = Array.from({ length: count }, () => Number(randomisedPit(sorted, draw(), random) < 0.2));
  const share = below.reduce((a, b) => a + b) / count;
  expect(Math.abs(share - 0.2)).toBeLessThan(4 * Math.sqrt(0.2 * 0.8 * (2 / count)));
});

test('a summary weights the error by children within folds, and folds equally', () => {
  const row = (fold: number, examined: number, mean: number, observed: number, pit: number) => ({
    cell_id: '',
    model: 'spatial' as const,
    fold,
    survey_year: 2018,
    state_code: 'KN',
    examined,
    observed,
    mean,
    q025: 0,
    q05: 0,
    q25: 0,
    q50: 0,
    q75: 0,
    q95: 0,
    q975: 0,
    log_score: -fold,
    crps: 0.1,
    pit,
    draws: { prevalence: new Float64Array(0), rho: new Float64Array(0) },
  });
  const summary = summariseScores([row(1, 10, 0.2, 0.3, 0.5), row(1, 30, 0.2, 0.6, 0.99), row(2, 5, 0.4, 0.4, 0.1)]);
  expect(summary.log_score.mean).toBeCloseTo(-1.5, 12);
  expect(summary.log_score.standard_error).toBeCloseTo(0.5, 12);
  expect(summary.mean_absolute_error.mean).toBeCloseTo(((10 * 0.1 + 30 * 0.4) / 40 + 0) / 2, 12);
  expect(summary.coverage.map(({ share }) => share)).toEqual([1 / 3, 2 / 3, 2 / 3, 2 / 3]);
  expect(() => summariseScores([])).toThrow('no held-out cells');
});
