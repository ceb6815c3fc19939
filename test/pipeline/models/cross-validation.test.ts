import { expect, test } from 'vitest';
import type { Areas, Cluster, PredictionCells } from '../../../pipeline/artifacts.ts';
import { crossValidate } from '../../../pipeline/models/cross-validation.ts';
import { fitRisk } from '../../../pipeline/models/risk-fit.ts';
import { prepareRisk, type RiskInputs } from '../../../pipeline/models/risk-inputs.ts';
import { predictRisk } from '../../../pipeline/models/risk-prediction.ts';
import { randomStream } from '../../../pipeline/numerics/random.ts';

const CONSTANTS = { season_exponent: { mean: 0.5, sd: 0.25 }, nation_drift: 0.2, range_change_km: 300 };
const SIDE = 4;
const lgas = Array.from({ length: SIDE * SIDE }, (_, a) => ({
  lga_code: `L${String(a).padStart(2, '0')}`,
  lga: `${a}`,
  state_code: a < 8 ? 'AB' : 'KN',
}));
const areas: Areas = {
  states: ['AB', 'KN'].map((state_code) => ({ state_code, state_pcode: state_code, state: state_code, zone: 'NW' })),
  lgas,
};
const each = <T>(value: (a: number, k: number) => T): T[] => lgas.flatMap((_, a) => [value(a, 0), value(a, 1)]);
const cells: PredictionCells = {
  lga_code: each((a) => lgas[a]!.lga_code),
  longitude: each((a, k) => 8 + (a % SIDE) * 0.3 + k * 0.05),
  latitude: each((a) => 10 + Math.floor(a / SIDE) * 0.3),
  population: each((a, k) => 1000 * (1 + a + k)),
  population_density: each((a, k) => 50 * (1 + ((a * 7 + k) % 11))),
  urban_share: each((a, k) => Number((a + k) % 5 === 0)),
  elevation_m: each(() => null),
};
const cluster = (a: number, k: number): Cluster => ({
  cluster_id: `${lgas[a]!.lga_code}-${k}`,
  survey_year: 2015 + 3 * k,
  period: `${2015 + 3 * k}-10`,
  state_code: lgas[a]!.state_code,
  lga_code: lgas[a]!.lga_code,
  longitude: null,
  latitude: null,
  displaced: true,
  urban: null,
  examined: 12,
  positivity: ((a * 5 + k) % 9) / 12,
  weight: 1,
});
const inputs: RiskInputs = {
  areas,
  cells,
  surveys: {
    method: 'microscopy',
    clusters: lgas.flatMap((_, a) => [cluster(a, 0), cluster(a, 1)]),
    state_rounds: [{ survey_year: 2021, period: '2021-11', state_code: 'AB', positivity: 0.9 }],
  },
  season: Object.fromEntries(
    lgas.map((l) => [l.lga_code, { seasonal_index: Array.from({ length: 12 }, (_, m) => (m === 8 ? 1 : 0.4)) }]),
  ),
  state_only_effective_size: 90,
};
const folds = new Map(lgas.map((l, a) => [l.lga_code, (a % 2) + 1]));
const how = { states: ['AB', 'KN'], foldOf: folds, constants: CONSTANTS, draws: 60, seed: 1, like: null };
const run = (given: RiskInputs) => [...crossValidate(prepareRisk(given), how)];

test('every cell is held out once by each model, with ordered quantiles and draws', () => {
  const rows = run(inputs);
  for (const model of ['spatial', 'baseline', 'national'])
    expect(
      rows
        .filter((r) => r.model === model)
        .map((r) => r.cell_id)
        .sort(),
    ).toEqual(inputs.surveys.clusters.map((c) => c.cluster_id).sort());
  for (const r of rows) {
    const q = [0, r.q025, r.q05, r.q25, r.q50, r.q75, r.q95, r.q975, 1];
    expect(q).toEqual(q.toSorted((a, b) => a - b));
    expect(Number.isFinite(r.log_score) && r.log_score < 0 && r.crps < 1).toBe(true);
    expect(r.draws.prevalence).toHaveLength(60);
    expect(r.draws.rho.every((v) => v > 0 && v < 1)).toBe(true);
  }
});

test('nothing of a held-out cell, nor of the round by state, reaches its prediction', () => {
  const changed: RiskInputs = {
    ...inputs,
    surveys: {
      ...inputs.surveys,
      clusters: inputs.surveys.clusters.map((c) => (folds.get(c.lga_code!) === 1 ? { ...c, positivity: 1 } : c)),
      state_rounds: [{ survey_year: 2021, period: '2021-11', state_code: 'AB', positivity: 0.01 }],
    },
  };
  const means = (given: RiskInputs) =>
    run(given)
      .filter((r) => r.fold === 1)
      .map((r) => [r.cell_id, r.model, r.mean, r.q95]);
  expect(means(changed)).toEqual(means(inputs));
});

test('a cluster known by state only is neither held out nor fitted to: it may stand in the held-out places', () => {
  const somewhere = (positivity: number) => ({
    ...cluster(3, 1),
    cluster_id: 'x',
    lga_code: null,
    examined: 99,
    positivity,
  });
  const given = (positivity: number): RiskInputs => ({
    ...inputs,
    surveys: { ...inputs.surveys, clusters: [...inputs.surveys.clusters, somewhere(positivity)] },
  });
  const seen = (rows: ReturnType<typeof run>) => rows.map((r) => [r.cell_id, r.model, r.mean, r.log_score]);
  expect(seen(run(given(1)))).toEqual(seen(run(inputs)));
  expect(prepareRisk(given(1)).observed.find((o) => o.risk.name === 'x')).toMatchObject({
    lga_code: null,
    risk: { clustered: true },
  });
});

test('ids that rounds share are told apart by the round, others stay as they are', () => {
  const clusters = inputs.surveys.clusters.map((c) => (c.lga_code === 'L03' ? { ...c, cluster_id: '7' } : c));
  const names = prepareRisk({ ...inputs, surveys: { ...inputs.surveys, clusters } }).observed.map((o) => o.risk.name);
  expect(names.filter((name) => name.endsWith(' 7'))).toEqual(['2015 7', '2018 7']);
  expect(names.slice(0, 2)).toEqual(['L00-0', 'L00-1']);
});

test('no surveys, rounds out of order and a fold of everything are refused by what they are', () => {
  const only = (clusters: Cluster[]) => () =>
    prepareRisk({ ...inputs, surveys: { ...inputs.surveys, clusters, state_rounds: [] } });
  expect(only([])).toThrow('no survey observations, expected at least one');
  expect(only([{ ...cluster(0, 0), period: '2018-11' }, cluster(1, 1)])).toThrow(
    'round 2018 was taken at 2018.79, expected after round 2015 at 2018.88',
  );
  const whole = new Map(lgas.map((l) => [l.lga_code, 1]));
  expect(() => [...crossValidate(prepareRisk(inputs), { ...how, foldOf: whole })]).toThrow(
    'fold 1 holds all 32 surveyed cells, expected some to fit to',
  );
});

test('a rural cluster reaches 5 km, an urban one 2 km, one that is neither as far as a rural one', () => {
  // the border of the two cells lies 2.7 km east of the first
  const cellsOf = (urban: boolean | null) => {
    const one = { ...cluster(0, 0), longitude: 8, latitude: 10, urban };
    return [...prepareRisk({ ...inputs, surveys: { ...inputs.surveys, clusters: [one] } }).observed[0]!.risk.cells];
  };
  expect([true, false, null].map(cellsOf)).toEqual([[0], [0, 1], [0, 1]]);
});

test('a round by state enters as children of the stated number, weighted over the state by people', () => {
  const { observed } = prepareRisk(inputs);
  const { risk, baseline } = observed.at(-1)!;
  expect([risk.name, risk.examined, risk.positive, risk.clustered]).toEqual(['2021 AB', 90, 81, false]);
  expect([baseline.examined, baseline.clustered]).toEqual([90, false]);
  // cells 0 to 15 with 1000 (1 + a + k) people
  const people = Array.from(risk.cells, (c) => cells.population[c]!);
  const total = people.reduce((a, b) => a + b);
  expect([...risk.cells]).toEqual(Array.from({ length: 16 }, (_, c) => c));
  people.forEach((n, i) => {
    expect(risk.weights[i]).toBeCloseTo(n / total, 12);
  });
});

test('a country known by state only, 30% here and 0% there, is fitted: steps that swing about the mode are shortened', () => {
  const { ground, times, observed } = prepareRisk({
    ...inputs,
    state_only_effective_size: 100,
    surveys: {
      ...inputs.surveys,
      clusters: [],
      state_rounds: ['AB', 'KN'].map((state_code, s) => ({
        ...{ survey_year: 2021, period: '2021-11', state_code, positivity: 0.3 * (1 - s) },
      })),
    },
  });
  const season_exponent = { mean: 0.4, sd: 0.15 };
  const fitted = fitRisk(
    ground,
    times,
    observed.map((o) => o.risk),
    { ...CONSTANTS, season_exponent },
  );
  const months = [{ time: times[0]!, log_season: prepareRisk(inputs).log_season[10]! }];
  const { mean } = predictRisk(fitted, months, 200, randomStream(1, 'draws')).states;
  expect(mean[0]).toBeGreaterThan(0.2);
  expect(mean[1]).toBeLessThan(0.1);
});

test('a surveyed LGA without a fold is refused', () => {
  const some = new Map([...folds].slice(1));
  expect(() => [...crossValidate(prepareRisk(inputs), { ...how, foldOf: some })]).toThrow(
    'surveyed LGA L00 has no fold',
  );
});

test('rounds get their mean time, a round by state its own; a point spreads over the cells within reach', () => {
  const point = { ...cluster(0, 0), lga_code: null, longitude: 8.025, latitude: 10, urban: false };
  const prepared = prepareRisk({ ...inputs, surveys: { ...inputs.surveys, clusters: [point] } });
  expect(prepared.rounds).toEqual([2015, 2021]);
  expect(prepared.times[0]).toBeCloseTo(2015 + 9.5 / 12, 10);
  expect(prepared.times[1]).toBeCloseTo(2021 + 10.5 / 12, 10);
  const { risk, lga_code } = prepared.observed[0]!;
  expect(lga_code).toBe('L00');
  expect([...risk.cells]).toEqual([0, 1]);
  // both cells lie equally near: their shares go by density, 50 and 100
  expect(risk.weights[1]).toBeCloseTo(2 / 3, 12);
  expect(risk.weights[0]! + risk.weights[1]!).toBeCloseTo(1, 12);
});

test('a true position takes its own cell; one outside the country and unknown places are refused', () => {
  const one = (change: Partial<Cluster>) =>
    prepareRisk({ ...inputs, surveys: { ...inputs.surveys, clusters: [{ ...cluster(0, 0), ...change }] } });
  const place = { lga_code: null, longitude: 8.04, latitude: 10.001 };
  expect([...one({ ...place, displaced: false }).observed[0]!.risk.cells]).toEqual([1]);
  expect([...one({ ...place, displaced: true }).observed[0]!.risk.cells]).toEqual([0, 1]);
  expect(() => one({ longitude: 30, latitude: 10 })).toThrow('no inhabited cell near (30, 10)');
  expect(() => one({ lga_code: 'L99' })).toThrow('LGA L99 is not among the 16 known');
  expect(() => one({ examined: 0 })).toThrow('cluster L00-0: 0 children examined, expected more than 0');
});
