import { expect, test } from 'vitest';
import type { Areas, LgaScore, PredictionCells, StateScore, Surveys } from '../../../pipeline/artifacts.ts';
import type { Model } from '../../../pipeline/catalog/model.ts';
import { run } from '../../../pipeline/risk/stage.ts';
import { CELLS } from '../../../pipeline/zonal/tables.ts';
import { handedOn, ioOf } from '../../support/stage-io.ts';

const LGAS = ['AA01', 'AA02', 'AA03', 'BB01', 'BB02', 'BB03'];
const stateOf = (code: string) => code.slice(0, 2);
const areas: Areas = {
  states: ['AA', 'BB'].map((code) => ({ state_code: code, state_pcode: code, state: code, zone: 'NW' })),
  lgas: LGAS.map((lga_code) => ({ lga_code, lga: lga_code, state_code: stateOf(lga_code) })),
};
const cells: PredictionCells = {
  lga_code: LGAS,
  longitude: LGAS.map((_, i) => 8 + 0.3 * i),
  latitude: LGAS.map((_, i) => 10 + 0.1 * (i % 2)),
  population: LGAS.map((_, i) => 1000 + 100 * i),
  population_density: LGAS.map((_, i) => 80 + 60 * i),
  urban_share: LGAS.map(() => 0),
  elevation_m: LGAS.map(() => null),
};
const surveys: Surveys = {
  clusters: LGAS.flatMap((lga_code, i) =>
    [2015, 2018].map((survey_year) => ({
      ...{ cluster_id: `${lga_code}-${survey_year}`, survey_year, period: `${survey_year}-10`, lga_code },
      ...{ state_code: stateOf(lga_code), longitude: null, latitude: null, displaced: false, urban: null, weight: 1 },
      ...{ examined: 30, positivity: (i < 3 ? 12 : 4) / 30 },
    })),
  ),
  state_rounds: ['AA', 'BB'].map((state_code, s) => ({
    ...{ survey_year: 2021, period: '2021-11', state_code, positivity: s === 0 ? 0.35 : 0.1 },
  })),
};
const seasonal_index = [0.4, 0.3, 0.3, 0.3, 0.4, 0.5, 0.7, 0.9, 1, 1, 0.8, 0.6];
const artifacts: Record<string, unknown> = {
  'ingest/states': areas.states,
  'ingest/lgas': areas.lgas,
  'ingest/clusters': surveys.clusters,
  'ingest/state_rounds': surveys.state_rounds,
  'zonal/lgas': LGAS.map((lga_code, i) => ({ lga_code, population: cells.population[i] })),
  'zonal/cells': { form: CELLS, columns: cells },
  'season/lgas': LGAS.flatMap((lga_code) => seasonal_index.map((index) => ({ lga_code, seasonal_index: index }))),
  'season/check': [],
};
async function stage(score: 'baseline' | 'spatial') {
  const season_exponent = { mean: 0.4, sd: 0.15, source: '' };
  const model = {
    first_estimated: '2018-01',
    last_estimated: '2022-12',
    parameters: { seed: 1, risk: { score, draws: 200, state_only_effective_size: 90, season_exponent } },
  } as Model;
  const out = await run(ioOf(artifacts, { model }));
  const [lgas, states] = [handedOn<LgaScore>(out.lgas), handedOn<StateScore>(out.states)];
  return { lgas, states, evidence: out.evidence as { model: string } };
}

test('both scores have every area and month, in order, and tell high from low', async () => {
  for (const score of ['baseline', 'spatial'] as const) {
    const { lgas, states, evidence } = await stage(score);
    expect(evidence.model).toBe(score);
    expect(lgas.map(({ lga_code }) => lga_code)).toEqual(LGAS.flatMap((code) => new Array(64).fill(code)));
    expect([lgas[0]!.period, lgas[63]!.period, lgas.at(-1)!.period]).toEqual(['2018-01', '2023-04', '2023-04']);
    for (const { score: mean, score_low, score_high } of [...lgas, ...states]) {
      expect(score_low).toBeLessThanOrEqual(mean);
      expect(score_high).toBeGreaterThanOrEqual(mean);
    }
    const [first, second] = [states.slice(0, 64), states.slice(64)];
    expect([first[0]!.state_code, second[0]!.state_code]).toEqual(['AA', 'BB']);
    expect(first[9]!.score).toBeGreaterThan(2 * second[9]!.score);
    // February lies below October by the season alone
    expect(first[1]!.score).toBeLessThan(first[9]!.score);
  }
});

test('a state is the population-weighted mean of its LGAs, its range narrower than the mean of theirs', async () => {
  const { lgas, states } = await stage('spatial');
  const own = [0, 1, 2].map((i) => ({ months: lgas.slice(64 * i, 64 * (i + 1)), weight: cells.population[i]! }));
  const total = own.reduce((sum, a) => sum + a.weight, 0);
  const mean = (key: 'score' | 'score_low', k: number) =>
    own.reduce((sum, a) => sum + (a.weight / total) * a.months[k]![key], 0);
  for (const k of [0, 30, 63]) {
    expect(states[k]!.score).toBeCloseTo(mean('score', k), 12);
    expect(states[k]!.score_low).toBeGreaterThan(mean('score_low', k));
  }
});
