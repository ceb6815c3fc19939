import type { Areas, Cluster } from '../../../../pipeline/ingest/ingest-tables.ts';
import type { PredictionCells } from '../../../../pipeline/measure/zonal/zonal-tables.ts';
import type { RiskInputs } from '../../../../pipeline/model/risk/inputs.ts';
import { plainConstants } from './toy-country.ts';

/** Sixteen LGAs in a square, two cells each, the southern half one state and the northern another. */
export const CONSTANTS = plainConstants(0.25, 0.2, 300);
const SIDE = 4;
export const lgas = Array.from({ length: SIDE * SIDE }, (_, a) => ({
  lga_code: `L${String(a).padStart(2, '0')}`,
  lga: `${a}`,
  state_code: a < 8 ? 'AB' : 'KN',
}));
export const areas: Areas = {
  states: ['AB', 'KN'].map((state_code) => ({ state_code, state_pcode: state_code, state: state_code, zone: 'NW' })),
  lgas,
};
const each = <T>(value: (a: number, k: number) => T): T[] => lgas.flatMap((_, a) => [value(a, 0), value(a, 1)]);
export const cells: PredictionCells = {
  lga_code: each((a) => lgas[a]!.lga_code),
  longitude: each((a, k) => 8 + (a % SIDE) * 0.3 + k * 0.05),
  latitude: each((a) => 10 + Math.floor(a / SIDE) * 0.3),
  population: each((a, k) => 1000 * (1 + a + k)),
  population_density: each((a, k) => 50 * (1 + ((a * 7 + k) % 11))),
  urban_share: each((a, k) => Number((a + k) % 5 === 0)),
  elevation_m: each(() => null),
};
/** A cluster in LGA `a` in 2015 (`k` = 0) or 2018 (`k` = 1). */
export const cluster = (a: number, k: number): Cluster => ({
  cluster_id: `${lgas[a]!.lga_code}-${k}`,
  survey_year: 2015 + 3 * k,
  period: `${2015 + 3 * k}-10`,
  state_code: lgas[a]!.state_code,
  lga_code: lgas[a]!.lga_code,
  longitude: null,
  latitude: null,
  displaced: true,
  method: 'microscopy',
  youngest_months: null,
  oldest_months: null,
  urban: null,
  examined: 12,
  positivity: ((a * 5 + k) % 9) / 12,
  weight: 1,
});
export const inputs: RiskInputs = {
  areas,
  cells,
  covariates: [],
  surveys: {
    clusters: lgas.flatMap((_, a) => [cluster(a, 0), cluster(a, 1)]),
    area_rounds: [
      {
        survey_year: 2021,
        period: '2021-11',
        state_code: 'AB',
        lga_code: null,
        examined: null,
        method: 'microscopy',
        positivity: 0.9,
      },
    ],
  },
  score_method: 'microscopy',
  season: Object.fromEntries(
    lgas.map((lga) => [lga.lga_code, Array.from({ length: 12 }, (_, m) => (m === 8 ? 1 : 0.4))]),
  ),
  state_only_effective_size: 90,
  season_error: 0.1,
};
