import { describe, expect, test } from 'vitest';
import { addMonths, periodRange } from '../../../../pipeline/contract/months.ts';
import { randomStream } from '../../../../pipeline/lib/numerics/random.ts';
import { drawLatent } from '../../../../pipeline/model/risk/draws.ts';
import { fitRisk } from '../../../../pipeline/model/risk/fit.ts';
import { prepareRisk, type RiskInputs, withCovariates } from '../../../../pipeline/model/risk/inputs.ts';
import { drawPaths } from '../../../../pipeline/model/risk/paths.ts';
import { meanPrevalence, surveyedPlace } from '../../../../pipeline/model/risk/places.ts';
import { predictRisk } from '../../../../pipeline/model/risk/prediction.ts';
import { type VaryingCovariate, valuesIn, varyingCovariates } from '../../../../pipeline/model/risk/varying.ts';
import { lgaPlace, plainConstants, simulateSurvey, simulateTruth, toyMesh } from './toy-country.ts';
import { cells, cluster, inputs, lgas } from './toy-inputs.ts';

const people = lgas.map((_, a) => cells.population[2 * a]! + cells.population[2 * a + 1]!);
const total = people.reduce((a, b) => a + b);
const rowsOf = (times: string[], value: (time: string, a: number) => number, covariate = 'x') =>
  times.flatMap((time) =>
    lgas.map(({ lga_code }, a) => ({ covariate, lga_code, time, value: value(time, a) })).reverse(),
  );
const entry = { source: 'x', transform: 'none' as const };
const months = periodRange('2015-01', '2016-12');

describe('values by month', () => {
  const value = (time: string, a: number) => 1 + a + Number(time.slice(5)) ** 2 + (time === '2016-03' ? 40 + a : 0);
  const rows = rowsOf(months, value);
  const [each] = varyingCovariates([{ ...entry, time: 'each' }], lgas, cells, rows);
  const [departure] = varyingCovariates([{ ...entry, time: 'departure' }], lgas, cells, rows);

  test('are standardised over population and months', () => {
    const mean = (of: (v: number) => number) =>
      months.reduce((sum, m) => sum + valuesIn(each!, m).reduce((s, v, a) => s + people[a]! * of(v), 0), 0) /
      (months.length * total);
    expect(mean((v) => v)).toBeCloseTo(0, 10);
    expect(mean((v) => v * v)).toBeCloseTo(1, 10);
    const [low, high] = [valuesIn(each!, '2015-02'), valuesIn(each!, '2015-09')];
    const unit = (high[3]! - low[3]!) / (81 - 4);
    expect(valuesIn(each!, '2016-03')[7]! - valuesIn(each!, '2015-03')[7]!).toBeCloseTo(47 * unit, 10);
  });

  test('departures contain neither spatial nor seasonal differences', () => {
    for (const month of months.filter((month) => !month.endsWith('-03')))
      for (const v of valuesIn(departure!, month)) expect(v).toBe(valuesIn(departure!, '2015-01')[0]);
    const usual = valuesIn(departure!, '2015-01')[0]!;
    const [before, during] = [valuesIn(departure!, '2015-03'), valuesIn(departure!, '2016-03')];
    lgas.forEach((_, a) => {
      expect(during[a]! - usual).toBeCloseTo(usual - before[a]!, 10);
      expect((during[a]! - usual) / (during[0]! - usual)).toBeCloseTo((40 + a) / 40, 10);
    });
  });

  test('are shifted by the lag; outside the table they are replaced by the usual value for the month of the year', () => {
    const late = varyingCovariates([{ ...entry, time: 'each', lag_months: 2 }], lgas, cells, rows)[0]!;
    for (const month of ['2015-03', '2016-12']) {
      expect(valuesIn(late, month)).toEqual(valuesIn(each!, addMonths(month, -2)));
    }
    const usual = (month: string) =>
      lgas.map((_, a) => (valuesIn(each!, `2015-${month}`)[a]! + valuesIn(each!, `2016-${month}`)[a]!) / 2);
    valuesIn(late, '2015-01').forEach((v, a) => {
      expect(v).toBeCloseTo(usual('11')[a]!, 12);
    });
    valuesIn(each!, '2024-03').forEach((v, a) => {
      expect(v).toBeCloseTo(usual('03')[a]!, 12);
    });
    expect(new Set(valuesIn(departure!, '2024-03')).size).toBe(1);
  });
});

test('yearly values apply to all months of the year, other years use the nearest; a departure outside the table is the usual', () => {
  const rows = rowsOf(['2010', '2015', '2018'], (time, a) => Number(time) - 2010 + a);
  const [each, departure] = (['each', 'departure'] as const).map(
    (time) => varyingCovariates([{ ...entry, transform: 'log1p', time }], lgas, cells, rows)[0]!,
  );
  expect(valuesIn(each!, '2015-02')).toBe(valuesIn(each!, '2015-11'));
  expect(valuesIn(each!, '2012-06')).toBe(valuesIn(each!, '2010-06'));
  expect(valuesIn(each!, '2024-01')).toBe(valuesIn(each!, '2018-01'));
  expect([...valuesIn(departure!, '2024-01')]).toEqual(lgas.map(() => 0));
  const [a, b] = [valuesIn(departure!, '2010-01'), valuesIn(departure!, '2018-01')];
  expect((b[5]! - a[5]!) / (b[0]! - a[0]!)).toBeCloseTo((Math.log(14) - Math.log(6)) / Math.log(9), 10);
});

test('invalid values are rejected with the name of the covariate', () => {
  const given =
    (time: 'each' | 'departure', transform: 'log' | 'none', value: (time: string, a: number) => number) => () =>
      varyingCovariates([{ ...entry, transform, time }], lgas, cells, rowsOf(months, value));
  expect(given('each', 'log', (_, a) => a)).toThrow('risk.covariates, x: found the value 0 with the transform log');
  expect(given('each', 'none', () => 3)).toThrow('found the same value everywhere, expected a covariate that varies');
  expect(given('departure', 'none', (time, a) => a + Number(time.slice(5)))).toThrow('found the same value everywhere');
});

/** Values for the toy inputs, whose clusters are from October 2015 and 2018. */
const pattern = (time: string, a: number) =>
  ((a * 7 + Number(time.slice(0, 4)) * 3 + Number(time.slice(5))) % 16) / 8 - 1;
const long = periodRange('2015-01', '2018-12');
const varying: VaryingCovariate[] = varyingCovariates(
  [
    { ...entry, time: 'each' },
    { ...entry, source: 'y', time: 'each', lag_months: 1 },
  ],
  lgas,
  cells,
  [...rowsOf(long, pattern), ...rowsOf(long, (time, a) => -pattern(time, 15 - a), 'y')],
);

test('every observation has the values of its own month; removing covariates leaves the rest unchanged', () => {
  const whole = prepareRisk({ ...inputs, varying });
  const { clusters } = inputs.surveys;
  whole.observed.slice(0, clusters.length).forEach(({ risk }, k) => {
    expect(risk.varying).toEqual(varying.map((one) => valuesIn(one, clusters[k]!.period)));
  });
  expect(whole.covariates.map(({ name }) => name)).toEqual(['population density', 'urban share', 'x', 'y']);
  const less = withCovariates(whole, ['population density', 'urban share', 'y']);
  expect(less.varying.map(({ name }) => name)).toEqual(['y']);
  expect(less.observed[0]!.risk.varying).toEqual([whole.observed[0]!.risk.varying![1]]);
  const none = withCovariates(whole, ['population density', 'urban share']);
  const plain = prepareRisk(inputs);
  expect(none).toEqual(plain);
});

test('scores equal the formula applied to joint draws, month by month', () => {
  const mesh = toyMesh(4, randomStream(3, 'varying'));
  const random = randomStream(4, 'varying');
  const times = [2015.8, 2018.8];
  const hyperparameters = {
    sigma_place: 0.7,
    range_km: 150,
    sigma_change: 1e-6,
    sigma_state: 1e-6,
    sigma_lga: 0.3,
    sigma_slope: 1e-6,
    tau_years: 4,
    tau_state_years: 4,
    rho: [0.1, 0.1],
  };
  const truth = { beta: -0.4, nation: [-0.2, -0.6], season_exponent: 0.5, range_change_km: 150, h: hyperparameters };
  const survey = simulateSurvey(
    mesh,
    times,
    40,
    20,
    simulateTruth(mesh, times, truth, random),
    hyperparameters.rho,
    random,
  );
  const x = Array.from({ length: 3 }, () => Float64Array.from({ length: 16 }, () => random.normal()));
  const observations = survey.map((observation) => ({ ...observation, varying: [x[observation.round]!] }));
  const fit = fitRisk(mesh, times, observations, plainConstants(0.25, 0.2, 150));
  const months = [0, 1, 2].map((k) => ({
    time: times[Math.min(k, 1)]!,
    month: 9,
    log_season: new Float64Array(16),
    varying: [x[k]!],
  }));
  const streams = (d: number) => randomStream(5, `draw ${d}`);
  const { lgas: scores } = predictRisk(drawPaths(fit, { months, season: null }, 21, streams));
  const draws = [...drawLatent(fit, 21, streams)];
  // at a round there are no departures, so every draw follows the formula; the third month differs from the second by x
  // alone
  months.forEach(({ varying }, m) => {
    for (let a = 0; a < 16; a++) {
      const survey = { round: Math.min(m, 1), log_season: new Float64Array(16), varying };
      const place = surveyedPlace(mesh, fit.layout, { ...lgaPlace(mesh, a), ...survey });
      const values = draws.map(({ x }) => meanPrevalence(place, x));
      const mean = values.reduce((sum, v) => sum + v, 0) / values.length;
      expect(Math.abs(scores.mean[m * 16 + a]! - mean)).toBeLessThan(2e-4);
    }
  });
  expect(Math.abs(scores.mean[16]! - scores.mean[32]!)).toBeGreaterThan(1e-4);
});

test('the coefficient used to simulate the surveys is recovered', () => {
  const SLOPE = 0.6;
  const random = randomStream(6, 'slope');
  const clusters = [0, 1, 2, 3].flatMap((copy) =>
    lgas.flatMap((_, a) =>
      [0, 1].map((k) => {
        const period = `${2015 + 3 * k}-${String(7 + copy).padStart(2, '0')}`;
        const eta = -0.4 + SLOPE * valuesIn(varying[0]!, period)[a]!;
        const positive = Array.from({ length: 80 }, () => Number(random.uniform() < 1 / (1 + Math.exp(-eta))));
        const positivity = positive.reduce((sum, v) => sum + v, 0) / 80;
        return { ...cluster(a, k), cluster_id: `${a}-${k}-${copy}`, period, examined: 80, positivity };
      }),
    ),
  );
  const given: RiskInputs = { ...inputs, surveys: { clusters, state_rounds: [] }, varying };
  const prepared = prepareRisk(given);
  const { mesh, times, observed } = prepared;
  const fit = fitRisk(
    mesh,
    times,
    observed.map(({ risk }) => risk),
    plainConstants(0.25, 0.2, 300),
  );
  const drawn = [...drawLatent(fit, 200, (d) => randomStream(7, `draw ${d}`))].map(({ x }) =>
    Array.from(fit.layout.terms.varying.positions, (b) => x[b]!),
  );
  const quantiles = (k: number) => {
    const sorted = drawn.map((b) => b[k]!).sort((a, b) => a - b);
    return [sorted[4]!, sorted[195]!] as const;
  };
  const [low, high] = quantiles(0);
  expect(low < SLOPE && SLOPE < high && high - low < 0.4).toBe(true);
  const [none, most] = quantiles(1);
  expect(none < 0 && 0 < most).toBe(true);
});
