import { expect, test } from 'vitest';
import { randomStream } from '../../../../pipeline/lib/numerics/random.ts';
import {
  type BaselineObservation,
  drawBaselinePrevalence,
  fitBaseline,
} from '../../../../pipeline/model/risk/baseline.ts';

const PRIOR = { mean: 0.5, sd: 0.25 };
const cluster = (state_code: string, examined: number, positive: number): BaselineObservation => ({
  state_code,
  survey_year: 2018,
  log_season: 0,
  examined,
  positive,
  clustered: true,
});
const mean = (x: Float64Array) => x.reduce((a, b) => a + b, 0) / x.length;
const fitTo = (observations: BaselineObservation[], states = ['AB', 'KN', 'LA']) =>
  fitBaseline(observations, states, PRIOR, 2000, randomStream(1, 'baseline'));

test('a state is shrunk from its own share towards the nation, less so the more children were tested', () => {
  const all = ['AB', 'KN', 'LA'].flatMap((s, i) =>
    Array.from({ length: i === 2 ? 2 : 12 }, (_, k) => cluster(s, 20, [2, 10, 2][i]! + (k % 2))),
  );
  const fit = fitTo(all);
  const low = mean(drawBaselinePrevalence(fit, 'AB', 2018, 0));
  const thin = mean(drawBaselinePrevalence(fit, 'LA', 2018, 0));
  expect(low).toBeGreaterThan(2.5 / 20);
  expect(thin).toBeGreaterThan(low);
  expect(mean(drawBaselinePrevalence(fit, 'KN', 2018, 0))).toBeLessThan(10.5 / 20);
});

test('a state without a survey has the national level with a wider range', () => {
  const fit = fitTo(
    ['AB', 'KN'].flatMap((s, i) => Array.from({ length: 10 }, () => cluster(s, 20, 4 + 4 * i))),
    ['AB', 'KN', 'LA'],
  );
  const spread = (s: string) => {
    const sorted = drawBaselinePrevalence(fit, s, 2018, 0).sort();
    return sorted[1900]! - sorted[100]!;
  };
  expect(spread('LA')).toBeGreaterThan(1.5 * spread('AB'));
});

test('surveys with only zeros, only ones or a single cluster give finite values between 0 and 1', () => {
  for (const only of [[cluster('AB', 30, 0)], [cluster('AB', 30, 30)], [cluster('KN', 1, 1), cluster('AB', 40, 0)]]) {
    const p = drawBaselinePrevalence(fitTo(only), 'AB', 2018, -1);
    expect(p.every((v) => v > 0 && v < 1)).toBe(true);
  }
});

test('if surveys are uninformative about the season, a month is below the peak by the prior of γ', () => {
  const fit = fitTo(Array.from({ length: 10 }, () => cluster('AB', 20, 6)));
  expect(mean(fit.season_exponent)).toBeCloseTo(0.5, 1);
  expect(mean(drawBaselinePrevalence(fit, 'AB', 2018, Math.log(0.2)))).toBeLessThan(
    mean(drawBaselinePrevalence(fit, 'AB', 2018, 0)),
  );
});

test('the same seed gives the same draws', () => {
  const data = [cluster('AB', 20, 6), cluster('KN', 20, 2)];
  expect(fitTo(data).posteriorDraws).toEqual(fitTo(data).posteriorDraws);
});

test('a cluster without children and an unknown state are rejected', () => {
  expect(() => fitTo([cluster('AB', 0, 0)])).toThrow('AB 2018: 0 children examined, expected more than 0');
  expect(() => fitTo([cluster('XX', 10, 1)])).toThrow('area XX of a survey is not among the 3 known');
  expect(() => fitTo([])).toThrow('no survey observations');
});
