/**
 * The answers, an operation after the other, in the order of the contract: rows of the snapshot's tables, picked by the
 * contract's records. The API description and the model card are written by the snapshot stage.
 */
import { COVERAGE_FIGURES } from '../../catalog/figures.ts';
import { roundFields } from '../../contract/decimals.ts';
import type { Level } from '../../contract/levels.ts';
import { HORIZONS } from '../../contract/months.ts';
import {
  type Answers,
  type FileParameters,
  filePath,
  JSON_OPERATIONS,
  type JsonOperationId,
} from '../../contract/operations.ts';
import { coversProduct } from '../../contract/products.ts';
import { pick, pickAll } from '../../contract/record.ts';
import * as schemas from '../../contract/schemas.ts';
import { SERVED_TABLES, tableFile, tableFormats } from '../../contract/table-list.ts';
import { describeColumn } from '../../lib/tables/table.ts';
import { type Contents, makeSeasonLookup, surveyTrends, versionCitation } from './contents.ts';
import { outlineTopology } from './places-table.ts';
import type { SnapshotTables } from './snapshot-tables.ts';
import { countryTables } from './table-columns.ts';

/** The parameters that an answer is for, and the answer. */
type Answer<Id extends keyof Answers> = readonly [FileParameters, Answers[Id]];
type AnswerMakers = {
  [Id in Exclude<JsonOperationId, 'openapi' | 'model-card'>]: (contents: Contents) => Iterable<Answer<Id>>;
};

export const ANSWER_MAKERS: AnswerMakers = {
  periods: ({ coverage, model, model_version }) =>
    singleAnswer(pick({ ...coverage, updated_at: model.updated_at, model_version }, schemas.Periods)),

  *'risk-states'({ tables }) {
    for (const [period, rows] of groupByPeriod(tables.risk_states))
      yield [{ period }, { period, kind: 'estimated', states: pickAll(rows, schemas.StateRisk) }];
  },

  *'risk-lgas'({ tables }) {
    for (const [period, rows] of groupByPeriod(tables.risk_lgas))
      for (const [state, stateRows] of groupByState(tables, rows))
        yield [
          { period, state: state.state_code },
          { period, kind: 'estimated', ...state, lgas: pickAll(stateRows, schemas.LgaRisk) },
        ];
  },

  *'forecasts-states'({ tables }) {
    const reports = groupByPeriod(tables.forecasts_states).map(
      ([period, rows]) => ({ period, kind: 'forecast', states: pickAll(rows, schemas.StateRisk) }) as const,
    );
    for (const [months, forecasts] of cutToHorizons(reports)) yield [{ months }, { forecasts }];
  },

  *'forecasts-lgas'({ tables }) {
    for (const [state, stateRows] of groupByState(tables, tables.forecasts_lgas)) {
      const reports = groupByPeriod(stateRows).map(
        ([period, rows]) => ({ period, kind: 'forecast', ...state, lgas: pickAll(rows, schemas.LgaRisk) }) as const,
      );
      for (const [months, forecasts] of cutToHorizons(reports))
        yield [{ months, state: state.state_code }, { forecasts }];
    }
  },

  'boundaries-states'({ tables, sources, model }) {
    const zoneCodes = new Map(Object.entries(model.territory.zones?.names ?? {}).map(([code, zone]) => [zone, code]));
    const features = tables.boundaries_states.map(({ state_code, state, zone, geometry }) =>
      toFeature(geometry, { code: state_code, name: state, zone: zone === null ? null : zoneCodes.get(zone)! }),
    );
    return singleAnswer({ type: 'FeatureCollection', source: outlineSource({ sources, model }), features });
  },

  *'boundaries-lgas'({ tables, sources, model }) {
    const source = outlineSource({ sources, model });
    for (const [{ state_code }, rows] of groupByState(tables, tables.boundaries_lgas))
      yield [{ state: state_code }, { type: 'FeatureCollection', source, features: rows.map(lgaFeature) }];
  },

  'context-states': (contents) =>
    singleAnswer({
      source: contextSource(contents),
      states: pickAll(contents.tables.context_states, schemas.ContextState),
    }),

  *'context-lgas'(contents) {
    const source = contextSource(contents);
    for (const [state, rows] of groupByState(contents.tables, contents.tables.context_lgas))
      yield [{ state: state.state_code }, { source, ...state, lgas: pickAll(rows, schemas.ContextLga) }];
  },

  'transmission-states'(contents) {
    const { tables, season_method } = contents;
    const findSeason = makeSeasonLookup(contents);
    const trends = surveyTrends(tables);
    const national = { season: findSeason(null), survey_trend: trends.national };
    const states = tables.context_states.map(({ state_code, state, zone }) => ({
      state_code,
      state,
      zone,
      season: findSeason(state_code),
      survey_trend: trends.forState(state_code),
    }));
    return singleAnswer({ method: roundFields(season_method), national, states });
  },

  *'transmission-lgas'(contents) {
    const { tables, season_method } = contents;
    const method = roundFields(season_method);
    const findSeason = makeSeasonLookup(contents);
    for (const [state, stateLgas] of groupByState(tables, tables.context_lgas)) {
      const lgas = stateLgas.map(({ lga_code, lga }) => ({ lga_code, lga, season: findSeason(lga_code) }));
      yield [{ state: state.state_code }, { method, ...state, lgas }];
    }
  },

  'transmission-model'({ tables, transmission }) {
    const rows = Map.groupBy(tables.transmission_series, ({ state_code }) => state_code);
    const { series } = schemas.TransmissionModel.properties.states.items.properties;
    const model = roundFields(transmission!);
    const states = model.states.map((state) => ({
      ...state,
      series: pickAll(rows.get(state.state_code) ?? [], series.items),
    }));
    return singleAnswer({ ...model, states });
  },

  *'seasons-lgas'({ tables }) {
    const windows = Map.groupBy(tables.season_windows, ({ code }) => code);
    const areaWindows = (code: string) => pickAll(windows.get(code) ?? [], schemas.SeasonWindow);
    for (const [state, stateLgas] of groupByState(tables, tables.context_lgas)) {
      const lgas = stateLgas.map(({ lga_code, lga }) => ({ lga_code, lga, windows: areaWindows(lga_code) }));
      yield [{ state: state.state_code }, { ...state, windows: areaWindows(state.state_code), lgas }];
    }
  },

  *alerts({ tables }) {
    const rows = Map.groupBy(tables.alerts, ({ code }) => code);
    for (const [state, lgas] of groupByState(tables, tables.context_lgas)) {
      const areas = [
        { code: state.state_code, name: state.state },
        ...lgas.map(({ lga_code, lga }) => ({ code: lga_code, name: lga })),
      ];
      const namedAlerts = areas.flatMap(({ code, name }) => (rows.get(code) ?? []).map((row) => ({ ...row, name })));
      yield [{ state: state.state_code }, { ...state, alerts: pickAll(namedAlerts, schemas.Alert) }];
    }
  },

  'forecasts-skill': ({ tables }) => singleAnswer({ skill: tables.forecast_skill }),

  *'risk-nation'({ tables }) {
    for (const [period, rows] of groupByPeriod(tables.risk_lgas))
      yield [{ period }, { period, kind: 'estimated', lgas: sortByScore(rows) }];
  },

  *'forecasts-nation'({ tables }) {
    const reports = groupByPeriod(tables.forecasts_lgas).map(
      ([period, rows]) => ({ period, kind: 'forecast', lgas: sortByScore(rows) }) as const,
    );
    for (const [months, forecasts] of cutToHorizons(reports)) yield [{ months }, { forecasts }];
  },

  *'series-states'({ tables }) {
    const areaSeries = makeSeriesLookup(
      tables.risk_states,
      tables.forecasts_states,
      ({ state_code }) => state_code,
      tables,
    );
    for (const { state_code, state, zone, population } of tables.context_states)
      yield [{ state: state_code }, { state_code, state, zone, population, series: areaSeries(state_code) }];
  },

  *'series-lgas'({ tables }) {
    const areaSeries = makeSeriesLookup(tables.risk_lgas, tables.forecasts_lgas, ({ lga_code }) => lga_code, tables);
    for (const { lga_code, lga, state_code, is_urban, population } of tables.context_lgas)
      yield [{ lga: lga_code }, { lga_code, lga, state_code, is_urban, population, series: areaSeries(lga_code) }];
  },

  'boundaries-nation': ({ tables, sources, model }) =>
    singleAnswer({
      type: 'FeatureCollection',
      source: outlineSource({ sources, model }),
      features: tables.boundaries_lgas.map(lgaFeature),
    }),

  'boundaries-topology': ({ tables, sources, model }) =>
    singleAnswer(
      pick({ ...outlineTopology(tables), source: outlineSource({ sources, model }) }, schemas.BoundariesTopology),
    ),

  places({ tables }) {
    const { states, lgas } = schemas.Places.properties;
    const rows = tables.places.map((row) => ({
      ...row,
      aliases: row.aliases?.split('; ') ?? [],
      neighbours: row.neighbours.split(' ').filter(Boolean),
    }));
    const rowsOfLevel = (area: 'state' | 'lga') => rows.filter((row) => row.area === area);
    return singleAnswer({
      states: rowsOfLevel('state').map((row) => pick({ ...row, state: row.name }, states.items)),
      lgas: rowsOfLevel('lga').map((row) => pick({ ...row, lga_code: row.code, lga: row.name }, lgas.items)),
    });
  },

  licences: ({ sources, licences, model, model_version }) =>
    singleAnswer({
      ...licences.whole,
      cite: versionCitation({ model, model_version }),
      sources: pickAll(sources, schemas.Licences.properties.sources.items),
      code: 'Apache-2.0',
    }),

  tables({ tables, licences, model }) {
    const definitions = countryTables(model.territory);
    const servedTables = SERVED_TABLES.filter(({ table }) => tables[table].length > 0).map(({ table, scopes }) => ({
      table,
      row: definitions[table].row,
      rows: tables[table].length,
      scopes: [...scopes],
      ...licences.tables[table],
      addresses: tableFormats(table).map((format) => `/v1/${tableFile(table, format)}`),
      columns: Object.entries(definitions[table].columns).map(([name, column]) => ({
        column: name,
        type: column.type,
        nullable: column.nullable ?? false,
        meaning: describeColumn(column),
      })),
    }));
    return singleAnswer({ tables: servedTables });
  },
};

/** The answers of a snapshot with their files; those that need data which the country lacks are left out. */
export function* snapshotAnswers(
  contents: Contents,
): Generator<{ id: JsonOperationId; path: string; answer: unknown }> {
  const { coverage, tables } = contents;
  const makers: Partial<Record<JsonOperationId, (contents: Contents) => Iterable<readonly [FileParameters, unknown]>>> =
    ANSWER_MAKERS;
  for (const operation of JSON_OPERATIONS) {
    const { id, needs } = operation;
    if (!coversProduct(coverage, needs) || (needs === 'windows' && tables.season_windows.length === 0)) continue;
    for (const [parameters, answer] of makers[id]?.(contents) ?? [])
      yield { id, path: filePath(operation, parameters), answer };
  }
}

/** The answer of an operation without parameters. */
const singleAnswer = <One>(answer: One): (readonly [FileParameters, One])[] => [[{}, answer]];

const groupByPeriod = <Row extends { period: string }>(rows: readonly Row[]) => [
  ...Map.groupBy(rows, ({ period }) => period),
];

/** Each state's code and name, with its rows. */
function groupByState<Row extends { state_code: string }>({ context_states }: SnapshotTables, rows: readonly Row[]) {
  const rowsByState = Map.groupBy(rows, ({ state_code }) => state_code);
  return context_states.map(
    ({ state_code, state }) => [{ state_code, state }, rowsByState.get(state_code) ?? []] as const,
  );
}

/** The first month, the first two months, and so on, with their number. */
const cutToHorizons = <Report>(reports: readonly Report[]) =>
  HORIZONS.map((months) => [months, reports.slice(0, months)] as const);

const sortByScore = (rows: SnapshotTables['risk_lgas']) =>
  pickAll(rows, schemas.NationLga).sort((a, b) => b.score - a.score || (a.lga_code < b.lga_code ? -1 : 1));

/** A month of a series without any figure. */
const EMPTY_MONTH = Object.fromEntries(
  Object.keys(schemas.SeriesMonth.properties).map((name) => [name, null]),
) as Record<keyof schemas.SeriesMonth, null>;

/** Returns a function from an area's code to all its months. */
function makeSeriesLookup<
  Row extends { period: string; score: number; score_low: number; score_high: number; level: Level },
>(
  estimated: readonly Row[],
  forecast: readonly Row[],
  areaCode: (row: Row) => string,
  { basis, probabilities, changes }: SnapshotTables,
) {
  const basisByMonth = indexByAreaAndMonth(basis);
  const probabilityByMonth = indexByAreaAndMonth(probabilities);
  const changeByMonth = indexByAreaAndMonth(changes);
  const estimatedByArea = Map.groupBy(estimated, areaCode);
  const forecastByArea = Map.groupBy(forecast, areaCode);
  return (code: string): schemas.SeriesMonth[] => {
    const toSeriesMonth = (kind: 'estimated' | 'forecast') => (row: Row) => {
      const key = `${code} ${row.period}`;
      const probability = probabilityByMonth.get(key);
      const month = {
        ...EMPTY_MONTH,
        ...changeByMonth.get(key),
        ...probability,
        ...row,
        kind,
        basis: basisByMonth.get(key)!.basis,
        level_probability: probability?.[`probability_${row.level}`] ?? null,
      };
      return pick(month, schemas.SeriesMonth);
    };
    const months = [
      ...(estimatedByArea.get(code) ?? []).map(toSeriesMonth('estimated')),
      ...(forecastByArea.get(code) ?? []).map(toSeriesMonth('forecast')),
    ];
    return months.sort((a, b) => (a.period < b.period ? -1 : 1));
  };
}

const indexByAreaAndMonth = <Row extends { code: string; period: string }>(rows: readonly Row[]) =>
  new Map(rows.map((row) => [`${row.code} ${row.period}`, row]));

const toFeature = <Properties extends object>(geometry: schemas.AreaGeometry, properties: Properties) =>
  ({ type: 'Feature', geometry, properties }) as const;
const lgaFeature = ({ lga_code, lga, state_code, geometry }: SnapshotTables['boundaries_lgas'][number]) =>
  toFeature(geometry, { lgaCode: lga_code, lga, state: state_code });

function outlineSource({ sources, model }: Pick<Contents, 'sources' | 'model'>): string {
  const { citation, licence } = sources.find(({ role }) => role === 'lga_boundaries')!;
  return (
    `${citation}; ${licence}${model.synthetic ? '; made up' : ''}; simplified within ` +
    `${model.parameters.boundaries.tolerance_m} m`
  );
}

/** The source of the context figures, with a note if there are no net or treatment figures for `coverage_year`. */
function contextSource({ sources, model }: Contents): schemas.ContextSource {
  const { context } = model.parameters;
  const coverage = sources.filter(({ figure }) => figure && COVERAGE_FIGURES.includes(figure));
  const [year = context.coverage_year] = coverage.flatMap(({ files }) => files[0]?.year ?? []);
  if (coverage.length > 0) return { ...context, coverage_year: year };
  return {
    ...context,
    note: `${context.note} coverage_year refers to net and treatment figures, which this country does not have.`,
  };
}
