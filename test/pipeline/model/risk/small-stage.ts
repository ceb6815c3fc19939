import type { Model } from '../../../../pipeline/catalog/model.ts';
import type { Areas, Surveys } from '../../../../pipeline/ingest/ingest-tables.ts';
import type { PredictionCells } from '../../../../pipeline/measure/zonal/zonal-tables.ts';
import { CELLS } from '../../../../pipeline/measure/zonal/zonal-tables.ts';
import { run } from '../../../../pipeline/model/risk/risk-stage.ts';
import { ioOf } from '../../../support/stage-io.ts';

export const LGAS = ['AA01', 'AA02', 'AA03', 'BB01', 'BB02', 'BB03'];
const stateOf = (code: string) => code.slice(0, 2);
export const areas: Areas = {
  states: ['AA', 'BB'].map((code) => ({ state_code: code, state_pcode: code, state: code, zone: 'NW' })),
  lgas: LGAS.map((lga_code) => ({ lga_code, lga: lga_code, state_code: stateOf(lga_code) })),
};
export const cells: PredictionCells = {
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
      cluster_id: `${lga_code}-${survey_year}`,
      survey_year,
      period: `${survey_year}-10`,
      lga_code,
      state_code: stateOf(lga_code),
      longitude: null,
      latitude: null,
      displaced: false,
      urban: null,
      weight: 1,
      method: 'microscopy',
      youngest_months: null,
      oldest_months: null,
      examined: 30,
      positivity: (i < 3 ? 12 : 4) / 30,
    })),
  ),
  area_rounds: ['AA', 'BB'].map((state_code, s) => ({
    survey_year: 2021,
    period: '2021-11',
    state_code,
    lga_code: null,
    examined: null,
    method: 'microscopy',
    positivity: s === 0 ? 0.35 : 0.1,
  })),
};
const seasonal_index = [0.4, 0.3, 0.3, 0.3, 0.4, 0.5, 0.7, 0.9, 1, 1, 0.8, 0.6];
const artifacts: Record<string, unknown> = {
  'ingest/states': areas.states,
  'ingest/lgas': areas.lgas,
  'ingest/clusters': surveys.clusters,
  'ingest/area_rounds': surveys.area_rounds,
  'zonal/lgas': LGAS.map((lga_code, i) => ({ lga_code, population: cells.population[i] })),
  'zonal/cells': { schema: CELLS, columns: cells },
  'season/lgas': LGAS.flatMap((lga_code) => seasonal_index.map((index) => ({ lga_code, seasonal_index: index }))),
  'season/check': [],
};
export const DRAWS = 200;

/** Stage inputs for two states of three LGAs each. @param more further artifacts */
export function smallIo(score: 'baseline' | 'spatial', more: Record<string, unknown> = {}) {
  const season_exponent = { mean: 0.4, sd: 0.15, source: '' };
  const model = {
    first_estimated: '2018-01',
    last_estimated: '2022-12',
    parameters: {
      seed: 1,
      survey: { method: 'microscopy' },
      evidence: { scores: { clusters: 1, areas: 1, children: 1, reason: 'a test' } },
      risk: { score, draws: DRAWS, state_only_effective_size: 90, season_exponent },
    },
  } as Model;
  return ioOf({ ...artifacts, ...more }, { model });
}

/** Runs the risk stage on these inputs. */
export const runSmall = (score: 'baseline' | 'spatial') => run(smallIo(score));
