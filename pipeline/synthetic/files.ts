import { toCsv } from '../lib/tables/csv.ts';
import { RAIN_GRID } from './climate.ts';
import {
  ACCESS_YEARS,
  LAYER_GRID,
  LGA_WITHOUT_CENSUS,
  LGA_WITHOUT_TRAVEL,
  makeNetAccess,
  makeNetUse,
  makeSpraying,
  makeTravel,
  makeTreatment,
  takeCensus,
} from './coverage.ts';
import { writeGeotiff } from './geotiff-writer.ts';
import type { SyntheticCountry } from './make-country.ts';
import { toDecimals } from './make-country.ts';
import { populationRaster } from './population.ts';
import { writeShapefile } from './shapefile-writer.ts';
import { STATES } from './states.ts';
import { positivityByState, STATE_ROUND } from './surveys.ts';
import { ELEVATION_GRID, ELEVATION_NODATA, makeElevation } from './terrain.ts';

/** One file of the country, not yet on disk. */
export interface CountryFile {
  path: string;
  content: Buffer | string;
  /** The month of a rain raster. */
  period?: string;
}

/** Rows as a CSV file, whose columns are the fields of the first row. */
export const toCsvFile = (rows: readonly object[]): string => `${toCsv(rows)}\n`;

/** All files that `sources.json` lists, in the formats of the real country's files. */
export async function* listFiles(country: SyntheticCountry): AsyncGenerator<CountryFile> {
  yield* boundaryFiles(country);
  yield* rasterFiles(country);
  yield { path: 'population/census.csv', content: censusTable(country) };
  yield { path: 'surveys/clusters_2010_2015_2018.csv', content: clusterTable(country) };
  yield { path: 'surveys/states_2021.csv', content: stateRoundTable(country) };
  yield { path: 'cases/states.csv', content: stateCaseTable(country) };
  yield { path: 'cases/lgas.csv', content: lgaCaseTable(country) };
  yield { path: 'coverage/itn_use_by_lga_2018.csv', content: netUseTable(country) };
  yield { path: 'coverage/itn_access_by_state_2018_2021.csv', content: netAccessTable(country) };
  yield { path: 'access/lga_population_by_walk_minutes.csv', content: travelTable(country) };
}

async function* boundaryFiles({ geography }: SyntheticCountry): AsyncGenerator<CountryFile> {
  const lgas = geography.lgas.map(({ polygons, lga_pcode, lga, state_index }) => ({
    polygons,
    properties: {
      ADM2_EN: lga,
      ADM2_PCODE: lga_pcode,
      ADM1_EN: STATES[state_index]!.state,
      ADM1_PCODE: STATES[state_index]!.state_pcode,
    },
  }));
  const states = geography.states.map(({ polygons, state_index, state_pcode }) => ({
    polygons,
    properties: { ADM1_EN: STATES[state_index]!.state, ADM1_PCODE: state_pcode },
  }));
  for (const [name, areas] of [['lgas', lgas] as const, ['states', states] as const]) {
    for (const [ending, content] of Object.entries(await writeShapefile(areas))) {
      yield { path: `boundaries/${name}.${ending}`, content };
    }
  }
}

function* rasterFiles({ seed, size, geography, population, terrain, rain }: SyntheticCountry): Generator<CountryFile> {
  const { persons, grid } = populationRaster(population, size);
  yield { path: 'population/population.tif', content: writeGeotiff(persons, grid) };
  const elevation = makeElevation(terrain, geography);
  yield { path: 'elevation/elevation.tif', content: writeGeotiff(elevation, ELEVATION_GRID, String(ELEVATION_NODATA)) };
  for (const [i, period] of rain.periods.entries()) {
    const path = `climate/chirps-v2.0.${period.replace('-', '.')}.tif`;
    yield { path, content: writeGeotiff(rain.mm[i]!, RAIN_GRID), period };
  }
  const layers = { effective_treatment: makeTreatment(seed), irs_coverage: makeSpraying() };
  for (const [name, values] of Object.entries(layers)) {
    yield { path: `coverage/${name}_2022.tif`, content: writeGeotiff(values, LAYER_GRID, 'nan') };
  }
}

function censusTable({ seed, geography, population }: SyntheticCountry): string {
  const census = takeCensus(seed, population);
  const rows = geography.lgas.map(({ state_index, lga_pcode, lga }, i) => ({
    ADM1_PCODE: STATES[state_index]!.state_pcode,
    ADM1_NAME: STATES[state_index]!.state.toUpperCase(),
    ADM2_PCODE: lga_pcode,
    ADM2_NAME: lga.toUpperCase(),
    T_TL: census[i]!.people,
    T_00_04: census[i]!.children_0_4,
  }));
  const listedRows = rows.filter((row) => row.ADM2_PCODE !== LGA_WITHOUT_CENSUS);
  return toCsvFile(listedRows);
}

function clusterTable({ clusters }: SyntheticCountry): string {
  const rows = clusters.flatMap((cluster) =>
    (['microscopy', 'rdt'] as const).map((method) => ({
      survey_year: cluster.survey_year,
      period: cluster.period,
      cluster_id: cluster.cluster_id,
      state_pcode: STATES[cluster.state_index]!.state_pcode,
      longitude: cluster.longitude,
      latitude: cluster.latitude,
      urban: cluster.urban,
      weight: cluster.weight,
      method,
      examined: cluster.examined,
      positive: cluster[method],
    })),
  );
  return toCsvFile(rows);
}

function stateRoundTable({ geography, state_round }: SyntheticCountry): string {
  const methods = (['microscopy', 'rdt'] as const).map((method) => ({
    method,
    positivity: positivityByState(state_round, method),
  }));
  const rows = geography.states.flatMap(({ state_pcode, state_index }) =>
    methods.map(({ method, positivity }) => ({
      survey_year: STATE_ROUND.survey_year,
      state_pcode,
      state: STATES[state_index]!.state,
      method,
      positivity: toDecimals(positivity[state_index]!, 6),
    })),
  );
  return toCsvFile(rows);
}

function stateCaseTable({ cases_states }: SyntheticCountry): string {
  const rows = cases_states.flatMap(({ state_index, periods, confirmed }) =>
    periods.map((period, i) => ({
      state_pcode: STATES[state_index]!.state_pcode,
      state: STATES[state_index]!.state,
      period,
      confirmed: confirmed[i]!,
    })),
  );
  return toCsvFile(rows);
}

function lgaCaseTable({ geography, cases_lgas }: SyntheticCountry): string {
  const rows = cases_lgas.flatMap(({ lga_index, periods, confirmed }) => {
    const area = geography.lgas[lga_index]!;
    const { state_pcode, state } = STATES[area.state_index]!;
    return periods.map((period, i) => ({
      state_pcode,
      state,
      lga_pcode: area.lga_pcode,
      lga: area.lga,
      period,
      confirmed: confirmed[i]!,
    }));
  });
  return toCsvFile(rows);
}

function netUseTable({ seed, geography }: SyntheticCountry): string {
  const netUse = makeNetUse(seed, geography);
  const rows = geography.lgas.map(({ lga_pcode, lga }, i) => ({ lga_pcode, lga, itn_use: toDecimals(netUse[i]!, 6) }));
  return toCsvFile(rows);
}

function netAccessTable({ seed, geography }: SyntheticCountry): string {
  const netAccess = makeNetAccess(seed);
  const rows = ACCESS_YEARS.flatMap((survey_year, yearIndex) =>
    geography.states.map(({ state_pcode, state_index }) => ({
      survey_year,
      state_pcode,
      state: STATES[state_index]!.state,
      itn_access_percent: toDecimals(netAccess[yearIndex]![state_index]!, 1),
    })),
  );
  return toCsvFile(rows);
}

function travelTable({ seed, geography, population }: SyntheticCountry): string {
  const classes = makeTravel(seed, geography, population);
  const rows = geography.lgas.map(({ lga_pcode, lga, state_index }, i) => {
    const [below30 = 0, to60 = 0, to110 = 0, above110 = 0] = classes[i]!.map((people) => toDecimals(people, 1));
    return {
      lga_pcode,
      lga,
      state: STATES[state_index]!.state,
      pop_total: toDecimals(below30 + to60 + to110 + above110, 1),
      tt_below30: below30,
      tt_30_60: to60,
      tt_60_110: to110,
      tt_above110: above110,
    };
  });
  return toCsvFile(rows.filter((row) => row.lga_pcode !== LGA_WITHOUT_TRAVEL));
}
