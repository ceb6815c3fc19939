/**
 * Joins the stages' artifacts into the answers of the twelve operations. Everything is rounded here, and every rule
 * that depends on a number (level, order) is applied to the rounded one.
 */
import type {
  Areas,
  ContextByLga,
  ContextByState,
  LgaArea,
  Outlines,
  Scores,
  StateArea,
  Trend,
} from '../../artifacts.ts';
import type { Model } from '../../catalog/model.ts';
import type { Source } from '../../catalog/sources.ts';
import { roundFields } from '../../contract/decimals.ts';
import type { Period } from '../../contract/months.ts';
import {
  type Coverage,
  FORECAST_MONTHS,
  filePath,
  forecastPeriods,
  OPERATIONS,
  type OperationId,
} from '../../contract/operations.ts';
import type * as schemas from '../../contract/schemas.ts';
import { LEVELS, ZONES } from '../../contract/schemas.ts';

/** All that the answers are made of. */
export interface SnapshotParts {
  model: Pick<Model, 'name' | 'synthetic' | 'updated_at' | 'parameters'>;
  sources: readonly Source[];
  coverage: Coverage;
  model_version: string;
  areas: Areas;
  outlines: Outlines;
  context: { lgas: ContextByLga; states: ContextByState };
  trend: Trend;
  season: {
    method: schemas.SeasonMethod;
    national: schemas.Season;
    states: Record<string, schemas.Season>;
    lgas: Record<string, schemas.Season>;
  };
  scores: { lgas: Scores; states: Scores };
  /** null where the country has no case records. */
  transmission: schemas.TransmissionModel | null;
}

/** A file of the snapshot: its path inside it, and its content, rounded. */
export interface Document {
  operation: OperationId;
  path: string;
  value: unknown;
}

/** Class of a rounded score. */
export function levelOf(score: number): schemas.Level {
  return LEVELS.find(({ below }) => score < below)!.level;
}

/** Every file of `v1/`, in the operation table's order. */
export function* documents(parts: SnapshotParts): Generator<Document> {
  const { coverage, areas } = parts;
  const estimated = parts.scores.lgas.periods.filter(
    (p) => p >= coverage.first_estimated && p <= coverage.last_estimated,
  );
  const forecast = forecastPeriods(coverage);
  const states = areas.states;
  const file = (operation: OperationId, values: Parameters<typeof filePath>[1], value: unknown): Document => ({
    operation,
    path: filePath(OPERATIONS.find(({ id }) => id === operation)!, values),
    value: roundFields(value),
  });

  yield file('periods', {}, {
    last_estimated: coverage.last_estimated,
    last_forecast: coverage.last_forecast,
    updated_at: parts.model.updated_at,
    model_version: parts.model_version,
  } satisfies schemas.Periods);

  for (const period of estimated) {
    yield file('risk-states', { period }, {
      period,
      kind: 'estimated',
      states: stateRisk(parts, period),
    } satisfies schemas.RiskStates);
    for (const state of states) {
      const value = {
        period,
        kind: 'estimated',
        ...named(state),
        lgas: lgaRisk(parts, state, period),
      } satisfies schemas.RiskLgas;
      yield file('risk-lgas', { period, state: state.state_code }, value);
    }
  }
  for (let months = 1; months <= FORECAST_MONTHS; months++) {
    const ahead = forecast.slice(0, months);
    yield file('forecasts-states', { months }, {
      forecasts: ahead.map((period) => ({ period, kind: 'forecast', states: stateRisk(parts, period) })),
    } satisfies schemas.ForecastsStates);
    for (const state of states) {
      yield file('forecasts-lgas', { months, state: state.state_code }, {
        forecasts: ahead.map((period) => ({
          period,
          kind: 'forecast',
          ...named(state),
          lgas: lgaRisk(parts, state, period),
        })),
      } satisfies schemas.ForecastsLgas);
    }
  }
  yield* boundaries(parts, file);
  yield* context(parts, file);
  if (parts.transmission) yield* transmission(parts, parts.transmission, file);
}

type MakeFile = (operation: OperationId, values: Parameters<typeof filePath>[1], value: unknown) => Document;

const named = ({ state_code, state }: StateArea) => ({ state_code, state });
const zoneName = ({ zone }: StateArea) => ZONES[zone];
const lgasOf = (areas: Areas, state: StateArea): LgaArea[] =>
  areas.lgas.filter((lga) => lga.state_code === state.state_code);

/** Rounded score, range and level of one area in one month. */
function scoreOf(scores: Scores, code: string, period: Period) {
  const area = scores.areas[code]!;
  const month = scores.periods.indexOf(period);
  const rounded = roundFields({
    score: area.score[month]!,
    score_low: area.score_low[month]!,
    score_high: area.score_high[month]!,
  });
  return { ...rounded, level: levelOf(rounded.score) };
}

const highestFirst =
  <T extends { score: number }>(code: (row: T) => string) =>
  (a: T, b: T) =>
    b.score - a.score || (code(a) < code(b) ? -1 : 1);

function lgaRisk({ areas, context, scores }: SnapshotParts, state: StateArea, period: Period): schemas.LgaRisk[] {
  const figures = new Map(context.lgas.map((row) => [row.lga_code, row]));
  return lgasOf(areas, state)
    .map(({ lga_code, lga }) => {
      const { is_urban, population } = figures.get(lga_code)!;
      return { lga_code, lga, ...scoreOf(scores.lgas, lga_code, period), is_urban, population };
    })
    .sort(highestFirst((row) => row.lga_code));
}

function stateRisk({ areas, context, scores }: SnapshotParts, period: Period): schemas.StateRisk[] {
  const figures = new Map(context.states.map((row) => [row.state_code, row]));
  return areas.states
    .map((state) => {
      const { population } = figures.get(state.state_code)!;
      return {
        ...named(state),
        zone: zoneName(state),
        ...scoreOf(scores.states, state.state_code, period),
        population,
      };
    })
    .sort(highestFirst((row) => row.state_code));
}

function* boundaries({ areas, outlines, sources, model }: SnapshotParts, file: MakeFile): Generator<Document> {
  const { citation, licence } = sources.find(({ role }) => role === 'lga_boundaries')!;
  const source = `${citation}; ${licence}${model.synthetic ? '; made up' : ''}; simplified within ${model.parameters.boundaries.tolerance_m} m`;
  const shapes = {
    lgas: new Map(outlines.lgas.map((row) => [row.lga_code, row.geometry])),
    states: new Map(outlines.states.map((row) => [row.state_code, row.geometry])),
  };
  yield file('boundaries-states', {}, {
    type: 'FeatureCollection',
    source,
    features: areas.states.map(({ state_code, state, zone }) => ({
      type: 'Feature',
      geometry: shapes.states.get(state_code)!,
      properties: { code: state_code, name: state, zone },
    })),
  } satisfies schemas.BoundariesStates);
  for (const state of areas.states) {
    yield file('boundaries-lgas', { state: state.state_code }, {
      type: 'FeatureCollection',
      source,
      features: lgasOf(areas, state).map(({ lga_code, lga, state_code }) => ({
        type: 'Feature',
        geometry: shapes.lgas.get(lga_code)!,
        properties: { lgaCode: lga_code, lga, state: state_code },
      })),
    } satisfies schemas.BoundariesLgas);
  }
}

function* context({ areas, context, model }: SnapshotParts, file: MakeFile): Generator<Document> {
  const source = model.parameters.context;
  const byState = new Map(context.states.map((row) => [row.state_code, row]));
  const byLga = new Map(context.lgas.map((row) => [row.lga_code, row]));
  yield file('context-states', {}, {
    source,
    states: areas.states.map((state) => {
      const { state_code, lgas, ...figures } = byState.get(state.state_code)!;
      return { state_code, state: state.state, zone: zoneName(state), lgas, ...figures };
    }),
  } satisfies schemas.ContextStates);
  for (const state of areas.states) {
    yield file('context-lgas', { state: state.state_code }, {
      source,
      ...named(state),
      lgas: lgasOf(areas, state).map(({ lga_code, lga }) => {
        const { is_urban, ...figures } = byLga.get(lga_code)!;
        return { ...figures, lga_code, lga, is_urban };
      }),
    } satisfies schemas.ContextLgas);
  }
}

function* transmission(
  { areas, season, trend }: SnapshotParts,
  model: schemas.TransmissionModel,
  file: MakeFile,
): Generator<Document> {
  const { method } = season;
  yield file('transmission-states', {}, {
    method,
    national: { season: season.national, survey_trend: trend.national },
    states: areas.states.map((state) => ({
      ...named(state),
      zone: zoneName(state),
      season: season.states[state.state_code]!,
      survey_trend: trend.states[state.state_code]!,
    })),
  } satisfies schemas.TransmissionStates);
  for (const state of areas.states) {
    yield file('transmission-lgas', { state: state.state_code }, {
      method,
      ...named(state),
      lgas: lgasOf(areas, state).map(({ lga_code, lga }) => ({ lga_code, lga, season: season.lgas[lga_code]! })),
    } satisfies schemas.TransmissionLgas);
  }
  yield file('transmission-model', {}, model);
}
