import type { StageIo, StageRun } from '../../catalog/country-stage.ts';
import { figureValues } from '../../catalog/figures.ts';
import { worded } from '../../contract/words.ts';
import * as ingest from '../../ingest/ingest-tables.ts';
import { rowByCode, type TableRow, toTable } from '../../lib/tables/table.ts';
import * as boundaries from '../boundaries/boundaries-tables.ts';
import * as zonal from '../zonal/zonal-tables.ts';
import { LGAS, STATES } from './context-tables.ts';
import { responseIndex, weightedMean } from './figures.ts';
import { refuseCoverageValues } from './not-inputs.ts';

/** The context figures of every LGA and state, from tables and rasters, and which LGAs are urban. */
export const run: StageRun = async (io) => {
  const { lgas, states } = contextTables(io);
  refuseCoverageValues(lgas, io.table(ingest.COVARIATES), io.table(zonal.COVARIATES), io.columns(zonal.CELLS));
  const urban = lgas.filter((lga) => lga.is_urban).length;
  const what = worded`${urban} of ${lgas.length} {lga.many} have more than half of their people in an urban centre`;
  return {
    lgas: toTable(LGAS, lgas),
    states: toTable(STATES, states),
    report: urban > 0 ? [{ source: 'population', rule: 'is_urban', what }] : [],
  };
};

function contextTables(io: StageIo): { lgas: TableRow<typeof LGAS>[]; states: TableRow<typeof STATES>[] } {
  const layers = rowByCode(io.table(ingest.LAYERS), 'lga_code');
  const fromRasters = rowByCode(io.table(zonal.LGAS), 'lga_code');
  const areaByLga = rowByCode(io.table(boundaries.AREAS_KM2), 'lga_code');

  const lgas = io.table(ingest.LGAS).map(({ lga_code, state_code }) => {
    const rasterFigures = fromRasters[lga_code]!;
    const figures = figureValues((figure) => layers[lga_code]![figure] ?? rasterFigures[figure]);
    return {
      lga_code,
      state_code,
      is_urban: rasterFigures.urban_population > rasterFigures.population / 2,
      population: Math.round(rasterFigures.population),
      area_km2: areaByLga[lga_code]!.area_km2,
      ...figures,
      response_index: responseIndex(figures.itn_use, figures.effective_treatment),
    };
  });

  const byState = Map.groupBy(lgas, ({ state_code }) => state_code);
  const states = io.table(ingest.STATES).map(({ state_code }) => {
    const stateLgas = byState.get(state_code)!;
    const sum = (field: 'population' | 'area_km2') => stateLgas.reduce((total, lga) => total + lga[field], 0);
    const figures = figureValues((figure) =>
      weightedMean(stateLgas.map((lga) => ({ value: lga[figure], weight: lga.population }))),
    );
    return {
      state_code,
      lgas: stateLgas.length,
      population: sum('population'),
      area_km2: sum('area_km2'),
      ...figures,
      response_index: responseIndex(figures.itn_use, figures.effective_treatment),
    };
  });
  return { lgas, states };
}
