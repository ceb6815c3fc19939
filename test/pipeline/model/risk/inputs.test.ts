import { expect, test } from 'vitest';
import type { Cluster } from '../../../../pipeline/ingest/ingest-tables.ts';
import { randomStream } from '../../../../pipeline/lib/numerics/random.ts';
import { estimateRisk } from '../../../../pipeline/model/risk/estimate.ts';
import { fitRisk } from '../../../../pipeline/model/risk/fit.ts';
import { prepareRisk } from '../../../../pipeline/model/risk/inputs.ts';
import { drawPaths } from '../../../../pipeline/model/risk/paths.ts';
import { predictRisk } from '../../../../pipeline/model/risk/prediction.ts';
import { CONSTANTS, cells, cluster, inputs, lgas } from './toy-inputs.ts';

test('ids shared by several rounds are prefixed with the round, others stay unchanged', () => {
  const clusters = inputs.surveys.clusters.map((cluster) =>
    cluster.lga_code === 'L03' ? { ...cluster, cluster_id: '7' } : cluster,
  );
  const names = prepareRisk({ ...inputs, surveys: { ...inputs.surveys, clusters } }).observations.map(
    (observation) => observation.risk.name,
  );
  expect(names.filter((name) => name.endsWith(' 7'))).toEqual(['2015 7', '2018 7']);
  expect(names.slice(0, 2)).toEqual(['L00-0', 'L00-1']);
});

test('missing surveys and rounds out of order are rejected with specific messages', () => {
  const only = (clusters: Cluster[]) => () =>
    prepareRisk({ ...inputs, surveys: { ...inputs.surveys, clusters, area_rounds: [] } });
  expect(only([])).toThrow('no survey observations, expected at least one');
  expect(only([{ ...cluster(0, 0), period: '2018-11' }, cluster(1, 1)])).toThrow(
    'round 2018 has its mean fieldwork at 2018.79, expected later than round 2015 at 2018.88',
  );
});

test('a rural cluster may be displaced by 5 km, an urban one by 2 km, one that is neither like a rural one', () => {
  // the border between the two cells is 2.7 km east of the first
  const cellsOf = (urban: boolean | null) => {
    const one = { ...cluster(0, 0), longitude: 8, latitude: 10, urban };
    return [...prepareRisk({ ...inputs, surveys: { ...inputs.surveys, clusters: [one] } }).observations[0]!.risk.cells];
  };
  expect([true, false, null].map(cellsOf)).toEqual([[0], [0, 1], [0, 1]]);
});

test('a round by state enters with the effective number of children, weighted over the state by population', () => {
  const { observations: observed } = prepareRisk(inputs);
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

test('a country surveyed by state only, with 30% in one state and 0% in the other, is fitted: oscillating steps are shortened', () => {
  const {
    mesh,
    times,
    observations: observed,
  } = prepareRisk({
    ...inputs,
    state_only_effective_size: 100,
    surveys: {
      ...inputs.surveys,
      clusters: [],
      area_rounds: ['AB', 'KN'].map((state_code, s) => ({
        survey_year: 2021,
        period: '2021-11',
        state_code,
        lga_code: null,
        examined: null,
        method: 'microscopy',
        positivity: 0.3 * (1 - s),
      })),
    },
  });
  const season_exponent = { mean: 0.4, sd: 0.15 };
  const fitted = fitRisk(
    mesh,
    times,
    observed.map(({ risk }) => risk),
    { ...CONSTANTS, season_exponent },
  );
  const months = [{ time: times[0]!, month: 10, log_season: prepareRisk(inputs).log_season[10]! }];
  const { mean } = predictRisk(
    drawPaths(fitted, { months, season: null }, 200, (d) => randomStream(1, `draw ${d}`)),
  ).states;
  expect(mean[0]).toBeGreaterThan(0.2);
  expect(mean[1]).toBeLessThan(0.1);
});

test('a round has its mean time, a round by state its own month; a point is spread over the cells within reach', () => {
  const point = { ...cluster(0, 0), lga_code: null, longitude: 8.025, latitude: 10, urban: false };
  const prepared = prepareRisk({ ...inputs, surveys: { ...inputs.surveys, clusters: [point] } });
  expect(prepared.rounds).toEqual([2015, 2021]);
  expect(prepared.times[0]).toBeCloseTo(2015 + 9.5 / 12, 10);
  expect(prepared.times[1]).toBeCloseTo(2021 + 10.5 / 12, 10);
  const { risk, lga_code } = prepared.observations[0]!;
  expect(lga_code).toBe('L00');
  expect([...risk.cells]).toEqual([0, 1]);
  // both cells are equally near, so their weights are proportional to density, 50 and 100
  expect(risk.weights[1]).toBeCloseTo(2 / 3, 12);
  expect(risk.weights[0]! + risk.weights[1]!).toBeCloseTo(1, 12);
});

test('a true position uses its own cell; positions outside the country and unknown places are rejected', () => {
  const one = (change: Partial<Cluster>) =>
    prepareRisk({ ...inputs, surveys: { ...inputs.surveys, clusters: [{ ...cluster(0, 0), ...change }] } });
  const place = { lga_code: null, longitude: 8.04, latitude: 10.001 };
  expect([...one({ ...place, displaced: false }).observations[0]!.risk.cells]).toEqual([1]);
  expect([...one({ ...place, displaced: true }).observations[0]!.risk.cells]).toEqual([0, 1]);
  expect(() => one({ longitude: 30, latitude: 10 })).toThrow('no inhabited cell near (30, 10)');
  expect(() => one({ lga_code: 'L99' })).toThrow('area L99 is not among the 16 known');
  expect(() => one({ examined: 0 })).toThrow('cluster L00-0: 0 children examined, expected more than 0');
});

test('a survey uses the season of its own month and place, a score that of its month', async () => {
  const index = (a: number, m: number) => (m === 8 ? 1 : 0.3 + 0.01 * a + 0.02 * m);
  const season = Object.fromEntries(
    lgas.map((lga, a) => [lga.lga_code, Array.from({ length: 12 }, (_, m) => index(a, m))]),
  );
  const prepared = prepareRisk({ ...inputs, season });
  prepared.observations.slice(0, -1).forEach(({ risk, baseline, lga_code }) => {
    const a = Number(lga_code!.slice(1));
    // October
    expect(risk.log_season[a]).toBeCloseTo(Math.log(index(a, 9)), 12);
    expect(baseline.log_season).toBeCloseTo(Math.log(index(a, 9)), 12);
  });
  // November, over the state AB by people
  const { risk, baseline } = prepared.observations.at(-1)!;
  const mean = risk.cells.reduce((sum, c, k) => sum + risk.weights[k]! * Math.log(index(c >> 1, 10)), 0);
  expect(baseline.log_season).toBeCloseTo(mean, 12);

  const periods = ['2018-08', '2018-09', '2018-10'];
  const { lgas: scores } = await estimateRisk(prepared, periods, { ...CONSTANTS, draws: 100, seed: 1 });
  for (let a = 0; a < 16; a++) {
    expect(scores.mean[16 + a]).toBeGreaterThan(scores.mean[a]!);
    expect(scores.mean[16 + a]).toBeGreaterThan(scores.mean[32 + a]!);
  }
});

test('an LGA without cells is named', () => {
  const keep = (values: readonly unknown[]) => values.filter((_, c) => c >> 1 !== 5);
  const without = Object.fromEntries(Object.entries(cells).map(([name, values]) => [name, keep(values)]));
  expect(() => prepareRisk({ ...inputs, cells: without as unknown as typeof cells })).toThrow(
    'area 5 has no prediction cell',
  );
});
