import { expect, test } from 'vitest';
import type { Areas, PredictionCells, Scores, Surveys } from '../../../pipeline/artifacts.ts';
import type { StageIo } from '../../../pipeline/engine/stage.ts';
import { run } from '../../../pipeline/risk/stage.ts';

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
  method: 'microscopy',
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
  'ingest/areas': areas,
  'ingest/surveys': surveys,
  'zonal/lgas': LGAS.map((lga_code, i) => ({ lga_code, population: cells.population[i] })),
  'zonal/cells': cells,
  'season/lgas': Object.fromEntries(LGAS.map((code) => [code, { seasonal_index }])),
};
const stage = async (score: 'baseline' | 'spatial') =>
  (await run({
    artifact: (name: string) => artifacts[name],
    sources: [],
    rawData: '',
    progress: () => {},
    model: {
      first_estimated: '2018-01',
      last_estimated: '2022-12',
      parameters: {
        seed: 1,
        risk: {
          score,
          draws: 200,
          state_only_effective_size: 90,
          season_exponent: { mean: 0.4, sd: 0.15, source: '' },
        },
      },
    },
  } as unknown as StageIo)) as unknown as { lgas: Scores; states: Scores; evidence: { model: string } };

test('both scores have every area and month, in order, and tell high from low', async () => {
  for (const score of ['baseline', 'spatial'] as const) {
    const { lgas, states, evidence } = await stage(score);
    expect(evidence.model).toBe(score);
    expect(Object.keys(lgas.areas)).toEqual(LGAS);
    expect([lgas.periods.length, lgas.periods[0], lgas.periods.at(-1)]).toEqual([64, '2018-01', '2023-04']);
    for (const { score: mean, score_low, score_high } of [...Object.values(lgas.areas), ...Object.values(states.areas)])
      mean.forEach((m, k) => {
        expect(score_low[k]).toBeLessThanOrEqual(m);
        expect(score_high[k]).toBeGreaterThanOrEqual(m);
      });
    expect(states.areas.AA!.score[9]).toBeGreaterThan(2 * states.areas.BB!.score[9]!);
    // February lies below October by the season alone
    expect(states.areas.AA!.score[1]).toBeLessThan(states.areas.AA!.score[9]!);
  }
});

test('a state is the population-weighted mean of its LGAs, its range narrower than the mean of theirs', async () => {
  const { lgas, states } = await stage('spatial');
  const own = LGAS.slice(0, 3).map((code, i) => ({ ...lgas.areas[code]!, weight: cells.population[i]! }));
  const total = own.reduce((sum, a) => sum + a.weight, 0);
  const mean = (key: 'score' | 'score_low', k: number) =>
    own.reduce((sum, a) => sum + (a.weight / total) * a[key][k]!, 0);
  for (const k of [0, 30, 63]) {
    expect(states.areas.AA!.score[k]).toBeCloseTo(mean('score', k), 12);
    expect(states.areas.AA!.score_low[k]).toBeGreaterThan(mean('score_low', k));
  }
});
