import { COVERAGE } from '../../catalog/figures.ts';
import { roundFields } from '../../contract/decimals.ts';
import {
  type Coverage,
  type FileParameters,
  FORECAST_MONTHS,
  filePath,
  forecastPeriods,
  JSON_OPERATIONS,
  type JsonOperationId,
} from '../../contract/operations.ts';
import type * as schemas from '../../contract/schemas.ts';
import { describeSeason } from '../../model/season/high-season.ts';
import * as bulk from './bulk.ts';
import type { Contents } from './contents.ts';
import type { SnapshotTables } from './snapshot-tables.ts';

/** A file of the snapshot, with its path and its content. */
export interface Document {
  operation: JsonOperationId;
  path: string;
  value: unknown;
}

/** Every file of `v1/` except the API description and the model card. */
export function* documents(contents: Contents): Generator<Document> {
  const { coverage, tables, model } = contents;
  yield file<schemas.Periods>(
    'periods',
    {},
    {
      last_estimated: coverage.last_estimated,
      last_forecast: coverage.last_forecast,
      updated_at: model.updated_at,
      model_version: contents.model_version,
    },
  );
  yield* risk(tables);
  yield* forecasts(tables, coverage);
  yield* boundaries(contents);
  yield* context(contents);
  if (contents.transmission) yield* transmission(contents, contents.transmission);
  yield* seasons(tables);
  yield file<schemas.ForecastsSkill>('forecasts-skill', {}, { skill: tables.forecast_skill });
  yield* inBulk(contents);
}

function* inBulk({ tables, coverage, sources, model, model_version }: Contents): Generator<Document> {
  for (const nation of bulk.riskOfNation(tables)) yield file('risk-nation', { period: nation.period }, nation);
  for (const nation of bulk.forecastsOfNation(tables, coverage))
    yield file('forecasts-nation', { months: nation.forecasts.length }, nation);
  for (const series of bulk.seriesOfStates(tables)) yield file('series-states', { state: series.state_code }, series);
  for (const series of bulk.seriesOfLgas(tables)) yield file('series-lgas', { lga: series.lga_code }, series);
  const source = sourceOfOutlines({ sources, model });
  yield file('boundaries-nation', {}, bulk.boundariesOfNation(tables, source));
  yield file('boundaries-topology', {}, bulk.boundariesTopology(tables, source));
  yield file('places', {}, bulk.placesAnswer(tables));
  yield file('tables', {}, bulk.tablesAnswer(tables, model.territory));
  yield file('licences', {}, bulk.licencesAnswer({ sources, model, model_version }));
}

const file = <T>(operation: JsonOperationId, values: FileParameters, value: T): Document => ({
  operation,
  path: filePath(JSON_OPERATIONS.find(({ id }) => id === operation)!, values),
  value,
});

const named = ({ state_code, state }: schemas.ContextState) => ({ state_code, state });

const lgaRisk = (row: SnapshotTables['risk_lgas'][number]): schemas.LgaRisk => {
  const { lga_code, lga, score, score_low, score_high, level, is_urban, population } = row;
  return { lga_code, lga, score, score_low, score_high, level, is_urban, population };
};
const stateRisk = (row: SnapshotTables['risk_states'][number]): schemas.StateRisk => {
  const { state_code, state, zone, score, score_low, score_high, level, population } = row;
  return { state_code, state, zone, score, score_low, score_high, level, population };
};

function* risk({ risk_states, risk_lgas, context_states }: SnapshotTables): Generator<Document> {
  const lgas = groupLgas(risk_lgas);
  for (const [period, rows] of Map.groupBy(risk_states, (row) => row.period)) {
    const kind = 'estimated' as const;
    yield file<schemas.RiskStates>('risk-states', { period }, { period, kind, states: rows.map(stateRisk) });
    for (const area of context_states)
      yield file<schemas.RiskLgas>(
        'risk-lgas',
        { period, state: area.state_code },
        {
          period,
          kind,
          ...named(area),
          lgas: lgas(period, area.state_code),
        },
      );
  }
}

function* forecasts(tables: SnapshotTables, coverage: Coverage): Generator<Document> {
  const lgas = groupLgas(tables.forecasts_lgas);
  const states = Map.groupBy(tables.forecasts_states, ({ period }) => period);
  const kind = 'forecast' as const;
  for (let months = 1; months <= FORECAST_MONTHS; months++) {
    const ahead = forecastPeriods(coverage).slice(0, months);
    yield file<schemas.ForecastsStates>(
      'forecasts-states',
      { months },
      {
        forecasts: ahead.map((period) => ({ period, kind, states: (states.get(period) ?? []).map(stateRisk) })),
      },
    );
    for (const area of tables.context_states)
      yield file<schemas.ForecastsLgas>(
        'forecasts-lgas',
        { months, state: area.state_code },
        {
          forecasts: ahead.map((period) => ({ period, kind, ...named(area), lgas: lgas(period, area.state_code) })),
        },
      );
  }
}

function groupLgas(rows: SnapshotTables['risk_lgas']) {
  const groups = Map.groupBy(rows, ({ period, state_code }) => `${period} ${state_code}`);
  return (period: string, state: string) => (groups.get(`${period} ${state}`) ?? []).map(lgaRisk);
}

function sourceOfOutlines({ sources, model }: Pick<Contents, 'sources' | 'model'>): string {
  const { citation, licence } = sources.find(({ role }) => role === 'lga_boundaries')!;
  return `${citation}; ${licence}${model.synthetic ? '; made up' : ''}; simplified within ${model.parameters.boundaries.tolerance_m} m`;
}

function* boundaries({ tables, sources, model }: Contents): Generator<Document> {
  const source = sourceOfOutlines({ sources, model });
  const type = 'FeatureCollection' as const;
  const zones = new Map(Object.entries(model.territory.zones?.names ?? {}).map(([code, zone]) => [zone, code]));
  yield file<schemas.BoundariesStates>(
    'boundaries-states',
    {},
    {
      type,
      source,
      features: tables.boundaries_states.map(({ state_code, state, zone, geometry }) => ({
        type: 'Feature',
        geometry,
        properties: { code: state_code, name: state, zone: zone === null ? null : zones.get(zone)! },
      })),
    },
  );
  for (const [state, rows] of Map.groupBy(tables.boundaries_lgas, ({ state_code }) => state_code))
    yield file<schemas.BoundariesLgas>(
      'boundaries-lgas',
      { state },
      {
        type,
        source,
        features: rows.map(({ lga_code, lga, geometry }) => ({
          type: 'Feature',
          geometry,
          properties: { lgaCode: lga_code, lga, state },
        })),
      },
    );
}

/** The source of the context figures, with a note if there are no net or treatment figures for `coverage_year`. */
function sourceOfContext({ sources, model }: Contents): schemas.ContextStates['source'] {
  const { context } = model.parameters;
  if (sources.some(({ figure }) => figure && COVERAGE.includes(figure))) return context;
  return {
    ...context,
    note: `${context.note} coverage_year refers to net and treatment figures, which this country does not have.`,
  };
}

function* context(contents: Contents): Generator<Document> {
  const { tables } = contents;
  const source = sourceOfContext(contents);
  const figuresOf = (row: SnapshotTables['context_states'][number] | SnapshotTables['context_lgas'][number]) => {
    const { population, area_km2, itn_use, itn_access, irs_coverage, effective_treatment } = row;
    const { travel_minutes_to_care, response_index } = row;
    return {
      population,
      area_km2,
      itn_use,
      itn_access,
      irs_coverage,
      effective_treatment,
      travel_minutes_to_care,
      response_index,
    };
  };
  yield file<schemas.ContextStates>(
    'context-states',
    {},
    {
      source,
      states: tables.context_states.map((row) => {
        const { zone, lgas } = row;
        return { ...named(row), zone, lgas, ...figuresOf(row) };
      }),
    },
  );
  const lgas = Map.groupBy(tables.context_lgas, ({ state_code }) => state_code);
  for (const area of tables.context_states)
    yield file<schemas.ContextLgas>(
      'context-lgas',
      { state: area.state_code },
      {
        source,
        ...named(area),
        lgas: (lgas.get(area.state_code) ?? []).map((row) => {
          const { lga_code, lga, is_urban } = row;
          return { lga_code, ...figuresOf(row), lga, is_urban };
        }),
      },
    );
}

/** Returns a function from a code, null for the nation, to its season; without season data all months are equal. */
export function seasonsOf({ tables, season_method }: Pick<Contents, 'tables' | 'season_method'>) {
  const rows = Map.groupBy(tables.season, ({ code }) => code);
  return (code: string | null): schemas.Season =>
    describeSeason(
      rows.get(code)?.map(({ seasonal_index }) => seasonal_index) ?? new Array<number>(12).fill(1),
      season_method.high_season_share_of_peak,
    );
}

/** Survey rounds of the nation and of each state. */
export function trendsOf({ survey_trend }: SnapshotTables) {
  const rounds = Map.groupBy(survey_trend, ({ state_code }) => state_code);
  return {
    national: (rounds.get(null) ?? []).map(({ state_code: _, ...round }): schemas.NationalSurveyTrend => round),
    ofState: (code: string) =>
      (rounds.get(code) ?? []).map(
        ({ state_code: _, urban: _urban, rural: _rural, ...round }): schemas.SurveyTrend => round,
      ),
  };
}

function* transmission(contents: Contents, model: schemas.TransmissionModel): Generator<Document> {
  const { tables } = contents;
  const method = roundFields(contents.season_method);
  const seasonOf = seasonsOf(contents);
  const trends = trendsOf(tables);
  yield file<schemas.TransmissionStates>(
    'transmission-states',
    {},
    {
      method,
      national: { season: seasonOf(null), survey_trend: trends.national },
      states: tables.context_states.map((row) => ({
        ...named(row),
        zone: row.zone,
        season: seasonOf(row.state_code),
        survey_trend: trends.ofState(row.state_code),
      })),
    },
  );
  const lgas = Map.groupBy(tables.context_lgas, ({ state_code }) => state_code);
  for (const area of tables.context_states)
    yield file<schemas.TransmissionLgas>(
      'transmission-lgas',
      { state: area.state_code },
      {
        method,
        ...named(area),
        lgas: (lgas.get(area.state_code) ?? []).map(({ lga_code, lga }) => ({
          lga_code,
          lga,
          season: seasonOf(lga_code),
        })),
      },
    );
  const series = Map.groupBy(tables.transmission_series, ({ state_code }) => state_code);
  yield file<schemas.TransmissionModel>(
    'transmission-model',
    {},
    {
      ...roundFields(model),
      states: roundFields(model.states).map((state) => ({
        ...state,
        series: (series.get(state.state_code) ?? []).map(({ state_code: _, ...row }) => row),
      })),
    },
  );
}

function* seasons({ season_windows, context_states, context_lgas }: SnapshotTables): Generator<Document> {
  if (season_windows.length === 0) return;
  const rows = Map.groupBy(season_windows, ({ code }) => code);
  const windows = (code: string) =>
    (rows.get(code) ?? []).map(({ area: _, code: __, ...row }): schemas.SeasonWindow => row);
  const lgas = Map.groupBy(context_lgas, ({ state_code }) => state_code);
  for (const area of context_states)
    yield file<schemas.SeasonsLgas>(
      'seasons-lgas',
      { state: area.state_code },
      {
        ...named(area),
        windows: windows(area.state_code),
        lgas: (lgas.get(area.state_code) ?? []).map(({ lga_code, lga }) => ({
          lga_code,
          lga,
          windows: windows(lga_code),
        })),
      },
    );
}
