import { beforeAll, expect, test } from 'vitest';
import { mean } from '../../../../pipeline/lib/numerics/averages.ts';
import { drawNegativeBinomial } from '../../../../pipeline/lib/numerics/distributions.ts';
import { randomStream } from '../../../../pipeline/lib/numerics/random.ts';
import { caseModel } from '../../../../pipeline/model/forecast/case-model.ts';
import { crps } from '../../../../pipeline/model/forecast/forecast-scores.ts';
import type { Panel } from '../../../../pipeline/model/forecast/panel.ts';
import { backtest, type ScoredForecast } from '../../../../pipeline/validate/backtest/backtest.ts';

const MONTHS = 60;
const AREAS = 16;
/** Size of the negative binomial counts: variance = rate + rate² / size. */
const SIZE = 4;

/** Negative binomial counts with a season and a level that wanders, from one case in three years to some 40 a month. */
function lowCounts(): { panel: Panel; rates: number[][] } {
  const random = randomStream(46, 'low counts');
  const rates = Array.from({ length: AREAS }, (_, a) => {
    const usual = Math.log(0.03) + (Math.log(40 / 0.03) * a) / (AREAS - 1);
    let level = 0.5 * random.normal();
    return Array.from({ length: MONTHS }, (_, t) => {
      level = 0.92 * level + 0.2 * random.normal();
      return Math.exp(usual + level + 0.7 * Math.cos((2 * Math.PI * (t - 7)) / 12));
    });
  });
  const areas = rates.map((own, a) => ({
    code: `A${a}`,
    state_code: 'A',
    people: null,
    cases: Float64Array.from(own, (rate) => drawNegativeBinomial(random, rate, SIZE)),
  }));
  const disrupted = new Array(MONTHS).fill(false);
  const origins = { first_forecast: MONTHS - 16, first_scored: MONTHS - 16 };
  return { panel: { level: 'lga', first: 2018 * 12, months: MONTHS, areas, disrupted, origins }, rates };
}

const { panel, rates } = lowCounts();
let rows: ScoredForecast[];
beforeAll(() => {
  rows = backtest(panel, [caseModel()], null);
});
const without = ({ observed }: ScoredForecast) => observed === 0;

/** The panel with each month without a case set to something else. */
const withZerosAs = (value: number): Panel => ({
  ...panel,
  areas: panel.areas.map((area) => ({ ...area, cases: area.cases.map((count) => (count === 0 ? value : count)) })),
});

test('ranges hold the nominal share of months with cases, and at least that of months without', () => {
  const zeros = rows.filter(without);
  expect(zeros.length / rows.length).toBeGreaterThan(0.3);
  const covered = (some: readonly ScoredForecast[]) => mean(some.map(({ covered_90 }) => Number(covered_90)));
  const some = rows.filter((row) => !without(row));
  expect(covered(some)).toBeGreaterThan(0.86);
  expect(covered(some)).toBeLessThan(0.96);
  // a range that begins at 0 holds every month without a case
  expect(covered(zeros)).toBeGreaterThan(0.93);
});

test('the expected share of months without a case is the true one, which it is not if they are left out', () => {
  const last = MONTHS - 1;
  /** Mean probability of no case in the month after the records, from the number of quantiles that are 0. */
  const ofNone = (seen: Panel) =>
    mean(
      caseModel()
        .forecast(seen)
        .map(([next]) => next!.filter((value) => value === 0).length / 100),
    );
  const truth = mean(rates.map((own) => (1 + own[last]! / SIZE) ** -SIZE));
  const before = (whole: Panel): Panel => ({
    ...whole,
    months: last,
    areas: whole.areas.map((area) => ({ ...area, cases: area.cases.slice(0, last) })),
    disrupted: whole.disrupted.slice(0, last),
  });
  expect(Math.abs(ofNone(before(panel)) - truth)).toBeLessThan(0.06);
  expect(ofNone(before(withZerosAs(Number.NaN)))).toBeLessThan(truth - 0.1);
});

test('forecasts are nearly as good as those of the true rates of the month of the forecast', () => {
  const oracle = rows.map(({ area_code, target, observed }) => {
    const area = Number(area_code.slice(1));
    const t = Number(target.slice(0, 4)) * 12 + Number(target.slice(5)) - 1 - panel.first;
    const random = randomStream(t, area_code);
    const draws = Float64Array.from({ length: 99 }, () => {
      return Math.log1p(drawNegativeBinomial(random, rates[area]![t]!, SIZE));
    }).sort();
    return crps(draws, Math.log1p(observed));
  });
  const ours = mean(rows.map(({ crps_log1p }) => crps_log1p));
  expect(ours / mean(oracle)).toBeLessThan(1.3);
});

test('an area without a case is forecast to have none; one of which nothing is known, like the others', () => {
  const [quiet, silent] = [0, Number.NaN].map((value) => {
    const areas = panel.areas.map((area, a) => (a === 8 ? { ...area, cases: area.cases.map(() => value) } : area));
    return caseModel().forecast({ ...panel, areas })[8]![0]!;
  });
  expect(quiet![94]).toBe(0);
  expect(silent![49]).toBeGreaterThan(0);
  expect(silent![94]).toBeGreaterThan(20);
});
