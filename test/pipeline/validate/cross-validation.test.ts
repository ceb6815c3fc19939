import { expect, test, vi } from 'vitest';
import { fitRisk } from '../../../pipeline/model/risk/fit.ts';
import { prepareRisk, type RiskInputs, type SurveyObservation } from '../../../pipeline/model/risk/inputs.ts';
import type { Optimum } from '../../../pipeline/model/risk/optimum.ts';
import { crossValidate, placedObservations, predictFold } from '../../../pipeline/validate/cross-validation.ts';
import { CONSTANTS, cluster, inputs, lgas } from '../model/risk/toy-inputs.ts';

const folds = new Map(lgas.map((lga, at) => [lga.lga_code, (at % 2) + 1]));
const how = { states: ['AB', 'KN'], foldByLga: folds, constants: CONSTANTS, draws: 60, seed: 1, near_optimum: null };
const run = (given: RiskInputs) => crossValidate(prepareRisk(given), how);

test('every cell is held out once for each model, with ordered quantiles and draws', () => {
  const rows = run(inputs);
  for (const model of ['spatial', 'baseline', 'national'])
    expect(
      rows
        .filter((row) => row.model === model)
        .map(({ cell_id }) => cell_id)
        .sort(),
    ).toEqual(inputs.surveys.clusters.map(({ cluster_id }) => cluster_id).sort());
  for (const row of rows) {
    const quantiles = [0, row.q025, row.q05, row.q25, row.q50, row.q75, row.q95, row.q975, 1];
    expect(quantiles).toEqual(quantiles.toSorted((a, b) => a - b));
    expect(Number.isFinite(row.log_score) && row.log_score < 0 && row.crps < 1).toBe(true);
    expect(row.draws.prevalence).toHaveLength(60);
    expect(row.draws.rho.every((value) => value > 0 && value < 1)).toBe(true);
  }
});

test("neither a held-out cell nor the round by state affects the cell's prediction", () => {
  const changed: RiskInputs = {
    ...inputs,
    surveys: {
      ...inputs.surveys,
      clusters: inputs.surveys.clusters.map((cluster) =>
        folds.get(cluster.lga_code!) === 1 ? { ...cluster, positivity: 1 } : cluster,
      ),
      area_rounds: inputs.surveys.area_rounds.map((round) => ({ ...round, positivity: 0.01 })),
    },
  };
  const means = (given: RiskInputs) =>
    run(given)
      .filter((row) => row.fold === 1)
      .map((row) => [row.cell_id, row.model, row.mean, row.q95]);
  expect(means(changed)).toEqual(means(inputs));
});

test('a cluster known by state only is neither held out nor fitted to, since it may be in a held-out place', () => {
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
  const seen = (rows: ReturnType<typeof run>) => rows.map((row) => [row.cell_id, row.model, row.mean, row.log_score]);
  expect(seen(run(given(1)))).toEqual(seen(run(inputs)));
  expect(prepareRisk(given(1)).observations.find((observation) => observation.risk.name === 'x')).toMatchObject({
    lga_code: null,
    risk: { clustered: true },
  });
});

test('a surveyed LGA without a fold is rejected', () => {
  const some = new Map([...folds].slice(1));
  expect(() => crossValidate(prepareRisk(inputs), { ...how, foldByLga: some })).toThrow(
    'surveyed area L00 has no fold',
  );
});

test('a fold that contains everything is rejected with a specific message', () => {
  const whole = new Map(lgas.map((lga) => [lga.lga_code, 1]));
  expect(() => crossValidate(prepareRisk(inputs), { ...how, foldByLga: whole })).toThrow(
    'fold 1 contains all 32 surveyed cells, expected some in other folds to fit to',
  );
});

test('each round has its own overdispersion, and the log score is that of the beta-binomial', () => {
  // all or none positive in 2015, a third everywhere in 2018
  const clusters = lgas.flatMap((_, at) => [
    { ...cluster(at, 0), positivity: Number(at % 4 < 2) },
    { ...cluster(at, 1), positivity: 4 / 12 },
  ]);
  const rows = run({ ...inputs, surveys: { ...inputs.surveys, clusters } }).filter((row) => row.model === 'spatial');
  const of = (year: number) => rows.filter((row) => row.survey_year === year);
  const mean = (x: ArrayLike<number>) => Array.from(x).reduce((a, b) => a + b, 0) / x.length;
  expect(Math.min(...of(2015).map((row) => mean(row.draws.rho)))).toBeGreaterThan(0.3);
  expect(Math.max(...of(2018).map((row) => mean(row.draws.rho)))).toBeLessThan(0.25);
  expect(of(2015).every((row) => row.q05 === 0 && row.q95 === 1)).toBe(true);
  for (const row of rows) {
    const y = Math.round(12 * row.observed);
    const densities = Array.from(row.draws.prevalence, (share, draw) => {
      const size = 1 / row.draws.rho[draw]! - 1;
      let density = 1;
      for (let i = 0; i < 12; i++) {
        // children one by one: y positive, then the others, times the number of such sequences
        const [hits, chance] = i < y ? [i, share] : [i - y, 1 - share];
        density *= ((chance * size + hits) / (size + i)) * ((i + 1) / (hits + 1));
      }
      return density;
    });
    expect(row.log_score).toBeCloseTo(Math.log(mean(densities)), 9);
    expect(row.mean).toBeCloseTo(mean(row.draws.prevalence), 12);
  }
});

test('a fold that starts from the fit to all cells scores as one that starts from nothing', () => {
  const prepared = prepareRisk(inputs);
  const { mesh, times } = prepared;
  const optimumOf = (observed: readonly SurveyObservation[], rounds: number[]) =>
    fitRisk(
      mesh,
      rounds,
      observed.map(({ risk }) => risk),
      CONSTANTS,
    ).optimum;
  const whole = optimumOf(prepared.observations, times);
  for (const fold of [1, 2]) {
    const others = placedObservations(prepared.observations).filter(({ lga_code }) => folds.get(lga_code) !== fold);
    const alone = optimumOf(others, times.slice(0, 2));
    const scores = [whole, alone].map((like) => {
      const rows = [...predictFold(prepared, fold, { ...how, draws: 300, near_optimum: like, spatial_only: true })];
      return (['log_score', 'crps'] as const).map(
        (score) => rows.reduce((sum, row) => sum + row[score], 0) / rows.length,
      );
    });
    expect(whole.theta).not.toEqual(alone.theta);
    for (const k of [0, 1]) expect(Math.abs(scores[0]![k]! - scores[1]![k]!)).toBeLessThan(1e-3);
  }
});

test('a fold whose fit cannot start at the optimum of all cells is fitted as if there were none, and says so', () => {
  const prepared = prepareRisk(inputs);
  const { theta, curvature } = fitRisk(
    prepared.mesh,
    prepared.times,
    prepared.observations.map(({ risk }) => risk),
    CONSTANTS,
  ).optimum;
  const scores = (near_optimum: Optimum | null, onUsualStart: () => void) =>
    [...predictFold(prepared, 1, { ...how, near_optimum, spatial_only: true }, onUsualStart)].map(
      ({ log_score }) => log_score,
    );
  const told = vi.fn();
  const outOfBounds = { theta: theta.map((v, j) => (j === 0 ? 13 : v)), curvature };
  expect(scores(outOfBounds, told)).toEqual(scores(null, () => {}));
  expect(told).toHaveBeenCalledOnce();
  scores({ theta, curvature }, told);
  expect(told).toHaveBeenCalledOnce();
});

test('a fold that cannot be fitted at all names its surveys', () => {
  const prepared = prepareRisk(inputs);
  const impossible = { ...CONSTANTS, nation_drift: Number.NaN };
  expect(() => [...predictFold(prepared, 2, { ...how, constants: impossible })]).toThrow(
    '16 surveyed cells of 2015, 2018 outside fold 2: singular covariance',
  );
});
