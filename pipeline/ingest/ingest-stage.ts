import type { StageRun } from '../catalog/country-stage.ts';
import { rowByCode, toTable } from '../lib/tables/table.ts';
import { accountForDeliveries } from './accounts.ts';
import { ingestAreas } from './areas.ts';
import { ingestCases } from './cases.ts';
import { ingestClimate } from './climate.ts';
import { ingestCovariates } from './covariate-tables.ts';
import { doubtDeliveries } from './delivery-doubts.ts';
import {
  ACCOUNTS,
  AREA_ROUNDS,
  CASES,
  CENSUS,
  CLIMATE,
  CLUSTERS,
  COVARIATES,
  LAYERS,
  LGAS,
  OTHER_NAMES,
  PEOPLE,
  STATES,
  SURVEY_ROWS,
} from './ingest-tables.ts';
import { type IngestInput, refuseUnknownPlaces } from './input.ts';
import { ingestCensus, ingestLayers } from './layers.ts';
import { Locator } from './locator.ts';
import { OtherNames } from './other-names.ts';
import type { Delivery } from './readers/delivery.ts';
import { ingestSurveys } from './surveys.ts';

/** Reads all tables and outlines of the catalog, checks them, and returns them under the project's names. */
export const run: StageRun = async (io) => {
  const otherNames = new OtherNames();
  const deliveries: Delivery[] = [];
  const input: IngestInput = {
    rawData: io.rawData,
    sources: io.sources,
    model: io.model,
    report: [],
    otherNames,
    deliveries,
  };
  const { areas, polygons } = await ingestAreas(input);
  refuseUnknownPlaces(input.sources, areas, input.model.aliases);
  const stateByPcode = new Map(areas.states.map(({ state_pcode, state_code }) => [state_pcode, state_code]));
  for (const { name, code, from } of input.model.aliases ?? [])
    if (!from) otherNames.add(stateByPcode.has(code) ? 'state' : 'lga', stateByPcode.get(code) ?? code, name);
  io.progress(0.4, 'tables');
  const climate = await ingestClimate(input, areas, polygons);
  io.progress(0.8);
  const locator = new Locator(areas, polygons);
  const { clusters, area_rounds, rows } = await ingestSurveys(input, areas, locator);
  const { census, people } = await ingestCensus(input, areas);
  const cases = await ingestCases(input, areas, rowByCode(census, 'lga_code'), locator, people);
  const layers = await ingestLayers(input, areas);
  const covariates = await ingestCovariates(input, areas, polygons);
  input.report.push(...doubtDeliveries(deliveries));
  return {
    states: toTable(STATES, areas.states),
    lgas: toTable(LGAS, areas.lgas),
    polygons,
    other_names: toTable(OTHER_NAMES, otherNames.rows()),
    climate: toTable(CLIMATE, climate),
    clusters: toTable(CLUSTERS, clusters),
    area_rounds: toTable(AREA_ROUNDS, area_rounds),
    survey_rows: toTable(SURVEY_ROWS, rows),
    cases: toTable(CASES, cases),
    layers: toTable(LAYERS, layers),
    covariates: toTable(COVARIATES, covariates),
    census: toTable(CENSUS, census),
    people: toTable(PEOPLE, people),
    accounts: toTable(ACCOUNTS, accountForDeliveries(deliveries)),
    report: input.report,
  };
};
