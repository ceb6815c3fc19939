import { expect, test } from 'vitest';
import { prepareRisk, type RiskInputs } from '../../../pipeline/model/risk/inputs.ts';
import { crossValidate } from '../../../pipeline/validate/cross-validation.ts';
import { CONSTANTS, cluster, inputs, lgas } from '../model/risk/toy-inputs.ts';

const folds = new Map(lgas.map((l, a) => [l.lga_code, (a % 2) + 1]));
const how = { states: ['AB', 'KN'], foldOf: folds, constants: CONSTANTS, draws: 60, seed: 1, like: null };
const run = (given: RiskInputs) => [...crossValidate(prepareRisk(given), how)];

test('every cell is held out once for each model, with ordered quantiles and draws', () => {
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

test("neither a held-out cell nor the round by state affects the cell's prediction", () => {
  const changed: RiskInputs = {
    ...inputs,
    surveys: {
      ...inputs.surveys,
      clusters: inputs.surveys.clusters.map((c) => (folds.get(c.lga_code!) === 1 ? { ...c, positivity: 1 } : c)),
      state_rounds: [
        { survey_year: 2021, period: '2021-11', state_code: 'AB', method: 'microscopy', positivity: 0.01 },
      ],
    },
  };
  const means = (given: RiskInputs) =>
    run(given)
      .filter((r) => r.fold === 1)
      .map((r) => [r.cell_id, r.model, r.mean, r.q95]);
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
  const seen = (rows: ReturnType<typeof run>) => rows.map((r) => [r.cell_id, r.model, r.mean, r.log_score]);
  expect(seen(run(given(1)))).toEqual(seen(run(inputs)));
  expect(prepareRisk(given(1)).observed.find((o) => o.risk.name === 'x')).toMatchObject({
    lga_code: null,
    risk: { clustered: true },
  });
});

test('a surveyed LGA without a fold is rejected', () => {
  const some = new Map([...folds].slice(1));
  expect(() => [...crossValidate(prepareRisk(inputs), { ...how, foldOf: some })]).toThrow(
    'surveyed LGA L00 has no fold',
  );
});

test('a fold that contains everything is rejected with a specific message', () => {
  const whole = new Map(lgas.map((l) => [l.lga_code, 1]));
  expect(() => [...crossValidate(prepareRisk(inputs), { ...how, foldOf: whole })]).toThrow(
    'fold 1 contains all 32 surveyed cells, expected some in other folds to fit to',
  );
});

test('each round has its own overdispersion, and the log score is that of the beta-binomial', () => {
  // all or none positive in 2015, a third everywhere in 2018
  const clusters = lgas.flatMap((_, a) => [
    { ...cluster(a, 0), positivity: Number(a % 4 < 2) },
    { ...cluster(a, 1), positivity: 4 / 12 },
  ]);
  const rows = run({ ...inputs, surveys: { ...inputs.surveys, clusters } }).filter((r) => r.model === 'spatial');
  const of = (year: number) => rows.filter((r) => r.survey_year === year);
  const mean = (x: ArrayLike<number>) => Array.from(x).reduce((a, b) => a + b, 0) / x.length;
  expect(Math.min(...of(2015).map((r) => mean(r.draws.rho)))).toBeGreaterThan(0.3);
  expect(Math.max(...of(2018).map((r) => mean(r.draws.rho)))).toBeLessThan(0.25);
  expect(of(2015).every((r) => r.q05 === 0 && r.q95 === 1)).toBe(true);
  for (const r of rows) {
    const y = Math.round(12 * r.observed);
    const densities = Array.from(r.draws.prevalence, (p, d) => {
      const size = 1 / r.draws.rho[d]! - 1;
      let density = 1;
      for (let i = 0; i < 12; i++) {
        // children one by one: y positive, then the others, times the number of such sequences
        const [hits, chance] = i < y ? [i, p] : [i - y, 1 - p];
        density *= ((chance * size + hits) / (size + i)) * ((i + 1) / (hits + 1));
      }
      return density;
    });
    expect(r.log_score).toBeCloseTo(Math.log(mean(densities)), 9);
    expect(r.mean).toBeCloseTo(mean(r.draws.prevalence), 12);
  }
});
