/**
 * The records and the answers of the operations, defined once: the TypeScript types, the JSON Schemas that every file
 * is checked against before publishing, the columns of tables and the OpenAPI document are all derived from these. An
 * answer is called here as in the OpenAPI document and in the clients' types.
 */
import type { Static } from 'typebox';
import { choice, flag, orNull, real, text, whole, withMeaning } from '../lib/tables/table.ts';
import * as fields from './fields.ts';
import { type Field, level, lga, lga_code, period, state, state_code, zone } from './fields.ts';
import { list, nullable, record, withFields } from './record.ts';
import { Type } from './type.ts';

const { is_urban, population, scores } = fields;

export const Periods = record({
  last_estimated: withMeaning('Latest estimated month', period),
  last_forecast: withMeaning('Last forecast month', period),
  updated_at: text('When the data was last updated, UTC with milliseconds', {
    pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
  }),
  model_version: text('Identifier of the model version'),
});
export type Periods = Static<typeof Periods>;

export const LgaRisk = record({ lga_code, lga, ...scores, level, is_urban, population });
export type LgaRisk = Static<typeof LgaRisk>;
export const StateRisk = record({ state_code, state, zone, ...scores, level, population });
export type StateRisk = Static<typeof StateRisk>;
export const NationLga = record(withFields({ lga_code, lga, state_code }, LgaRisk));
export type NationLga = Static<typeof NationLga>;

const monthReport = <const Kind extends 'estimated' | 'forecast', const Areas extends Record<string, object>>(
  kind: Kind,
  areas: Areas,
) => record({ period: withMeaning('Month the scores are for', period), kind: Type.Literal(kind), ...areas });
const monthReports = <const Areas extends Record<string, object>>(areas: Areas) =>
  record({ forecasts: list(monthReport('forecast', areas), 'One report per month, nearest month first') });
const RANKED_BY_RISK = 'Highest risk first; equal scores by code';
const lgasOfState = { state_code, state, lgas: list(LgaRisk, RANKED_BY_RISK) };
const allStates = { states: list(StateRisk, RANKED_BY_RISK) };
const lgasOfNation = { lgas: list(NationLga, RANKED_BY_RISK) };

export const RiskLgas = monthReport('estimated', lgasOfState);
export type RiskLgas = Static<typeof RiskLgas>;
export const RiskStates = monthReport('estimated', allStates);
export type RiskStates = Static<typeof RiskStates>;
export const RiskNation = monthReport('estimated', lgasOfNation);
export type RiskNation = Static<typeof RiskNation>;
export const ForecastsLgas = monthReports(lgasOfState);
export type ForecastsLgas = Static<typeof ForecastsLgas>;
export const ForecastsStates = monthReports(allStates);
export type ForecastsStates = Static<typeof ForecastsStates>;
export const ForecastsNation = monthReports(lgasOfNation);
export type ForecastsNation = Static<typeof ForecastsNation>;

const NULL_FOR_BASELINE = "null: the score is the baseline's";
const { change_year, change_year_low, change_year_high, probability_rise_year } = fields.changes;
export const SeriesMonth = record({
  period: withMeaning('Month the score is for', period),
  kind: fields.kind,
  ...scores,
  level,
  basis: withMeaning('What the score is based on, as in the table basis', fields.basis),
  level_probability: orNull(fields.level_probability, NULL_FOR_BASELINE),
  probability_highest_nation: orNull(fields.probabilities.probability_highest_nation, NULL_FOR_BASELINE),
  change_year: orNull(change_year, 'null in the first year'),
  change_year_low: orNull(change_year_low),
  change_year_high: orNull(change_year_high),
  probability_rise_year: orNull(probability_rise_year),
});
export type SeriesMonth = Static<typeof SeriesMonth>;
const series = list(SeriesMonth, 'Every month, the earliest first');
export const SeriesStates = record({ state_code, state, zone, population, series });
export type SeriesStates = Static<typeof SeriesStates>;
export const SeriesLgas = record({ lga_code, lga, state_code, is_urban, population, series });
export type SeriesLgas = Static<typeof SeriesLgas>;

const position = Type.Array(Type.Number(), { minItems: 2, maxItems: 2 });
const ring = Type.Array(position, { minItems: 4 });
const polygon = Type.Array(ring, { minItems: 1 });
export const AreaGeometry = Type.Union([
  record({ type: Type.Literal('Polygon'), coordinates: polygon }),
  record({ type: Type.Literal('MultiPolygon'), coordinates: Type.Array(polygon, { minItems: 1 }) }),
]);
export type AreaGeometry = Static<typeof AreaGeometry>;

const sourceOfShapes = text('Where the shapes come from');
const featureCollection = <const Properties extends Record<string, Field>>(properties: Properties) =>
  record({
    type: Type.Literal('FeatureCollection'),
    source: sourceOfShapes,
    features: list(record({ type: Type.Literal('Feature'), geometry: AreaGeometry, properties: record(properties) })),
  });
const lgaProperties = { lgaCode: lga_code, lga, state: state_code };
export const BoundariesStates = featureCollection({ code: state_code, name: state, zone: fields.zone_code });
export type BoundariesStates = Static<typeof BoundariesStates>;
export const BoundariesLgas = featureCollection(lgaProperties);
export type BoundariesLgas = Static<typeof BoundariesLgas>;
export const BoundariesNation = featureCollection(lgaProperties);
export type BoundariesNation = Static<typeof BoundariesNation>;

const arcs = Type.Array(Type.Array(Type.Integer()), {
  description: 'Rings, each a list of arcs (TopoJSON, section 2.2)',
});
const topologyObject = <const Properties extends Record<string, Field>>(properties: Properties) =>
  record({
    type: Type.Literal('GeometryCollection'),
    geometries: Type.Array(
      Type.Union([
        record({ type: Type.Literal('Polygon'), arcs, properties: record(properties) }),
        record({ type: Type.Literal('MultiPolygon'), arcs: Type.Array(arcs), properties: record(properties) }),
      ]),
    ),
  });
export const BoundariesTopology = record({
  type: Type.Literal('Topology'),
  source: sourceOfShapes,
  bbox: Type.Array(Type.Number(), { minItems: 4, maxItems: 4, description: 'West, south, east, north, degrees' }),
  transform: record({ scale: position, translate: position }, 'Converts integer steps to degrees'),
  objects: record({
    lgas: topologyObject(lgaProperties),
    states: topologyObject({ code: state_code, name: state }),
  }),
  arcs: Type.Array(Type.Array(Type.Array(Type.Integer(), { minItems: 2, maxItems: 2 })), {
    description: 'Steps from point to point',
  }),
});
export type BoundariesTopology = Static<typeof BoundariesTopology>;

const { longitude, latitude } = fields;
const aliases = list(Type.String(), 'Other names that raw files give it');
export const Places = record({
  states: list(
    record({
      state_code,
      state,
      aliases,
      zone,
      pcode: text('Code of the {state.one} in the raw files, which may differ from `state_code`'),
      iso_code: fields.iso_code,
      longitude,
      latitude,
      neighbours: list(state_code, '{State.many} that share a border with it'),
    }),
  ),
  lgas: list(
    record({
      lga_code,
      lga,
      aliases,
      state_code,
      longitude,
      latitude,
      neighbours: list(lga_code, '{Lga.many} that share a border with it, in any {state.one}'),
    }),
  ),
});
export type Places = Static<typeof Places>;

const may_publish = text(
  'Whether it may be published, and on which conditions: what the licences behind it allow together',
);
const spdx = text('These licences as an SPDX expression; `LicenseRef-…` is a source whose licence SPDX does not list');
export const Licences = record({
  may_publish,
  spdx,
  cite: text('How to cite the answers themselves'),
  sources: list(
    record({
      id: text('Id in the catalog'),
      title: text('What it is'),
      producer: text('Who made it'),
      citation: text('How to cite it'),
      licence: text('As stated by the producer'),
      release: text('The release that was used'),
    }),
    'The data that the answers are made from',
  ),
  code: text('Licence of the code that made them'),
});
export type Licences = Static<typeof Licences>;

export const OpenApi = Type.Object({ openapi: Type.String({ description: 'Version of OpenAPI' }) });
export const ModelCard = Type.Object({
  model_version: Type.String({ description: 'Identifier of the model version' }),
  limits: Type.Array(Type.String(), {
    description: 'What a reader must know before using a score, the most important first',
  }),
  controls: Type.Array(Type.String(), {
    description: 'How sums of the data agree with figures printed elsewhere, such as in an annual report',
  }),
});

export const Tables = record({
  tables: list(
    record({
      table: text('Name'),
      row: text('What one row represents'),
      rows: whole('Number of rows', { minimum: 1 }),
      scopes: list(Type.String(), 'Scopes that a key needs to read it'),
      may_publish,
      spdx,
      addresses: list(Type.String(), 'Where to get it, one in each format'),
      columns: list(
        record({
          column: text('Name'),
          type: text("DuckDB's name for its type"),
          nullable: flag('Whether a value may be missing'),
          meaning: text('What it means, including the unit'),
        }),
      ),
    }),
  ),
});
export type Tables = Static<typeof Tables>;

export const ContextSource = record({
  name: text('Source of the coverage figures'),
  coverage_year: whole('Year that the net and treatment figures describe'),
  note: text('What to know before using the figures'),
});
export type ContextSource = Static<typeof ContextSource>;
export const ContextState = record({ state_code, state, zone, lgas: fields.lgas, ...fields.context });
export type ContextState = Static<typeof ContextState>;
export const ContextLga = record({ lga_code, ...fields.context, lga, is_urban });
export type ContextLga = Static<typeof ContextLga>;
export const ContextStates = record({ source: ContextSource, states: list(ContextState) });
export type ContextStates = Static<typeof ContextStates>;
export const ContextLgas = record({ source: ContextSource, state_code, state, lgas: list(ContextLga) });
export type ContextLgas = Static<typeof ContextLgas>;

export const Season = record({
  ...fields.high_season,
  high_months: list(withMeaning('Month', fields.high_season.peak_month), 'Every month at half the peak or more'),
  seasonal_index: list(
    withMeaning('Level of the month', fields.season.seasonal_index),
    'Expected level of reported cases, January to December, as a share of the peak month',
    12,
  ),
});
export type Season = Static<typeof Season>;

export const SeasonMethod = record({
  ...fields.season_method,
  description: text('How the season is worked out'),
  check: record({
    series: whole('Monthly case records that the method was compared with, each left out in turn', { minimum: 0 }),
    states: list(state_code),
    ...fields.season_check,
  }),
});
export type SeasonMethod = Static<typeof SeasonMethod>;

export const SurveyTrend = record(fields.trend);
export type SurveyTrend = Static<typeof SurveyTrend>;
export const NationalSurveyTrend = record({ ...fields.trend, ...fields.national_trend });
export type NationalSurveyTrend = Static<typeof NationalSurveyTrend>;

export const TransmissionStates = record({
  method: SeasonMethod,
  national: record({ season: Season, survey_trend: list(NationalSurveyTrend) }),
  states: list(record({ state_code, state, zone, season: Season, survey_trend: list(SurveyTrend) })),
});
export type TransmissionStates = Static<typeof TransmissionStates>;
export const TransmissionLgas = record({
  method: SeasonMethod,
  state_code,
  state,
  lgas: list(record({ lga_code, lga, season: Season })),
});
export type TransmissionLgas = Static<typeof TransmissionLgas>;

export const ProjectionScores = record({
  months: whole('Months projected and scored', { minimum: 0 }),
  mean_absolute_error: record(fields.projection_errors, 'Confirmed cases per 1,000 people'),
  seasonal_shape_correlation: fields.seasonal_shape_correlation,
});
export type ProjectionScores = Static<typeof ProjectionScores>;
export const TransmissionModel = record({
  status: Type.Literal('research'),
  assumed: record(fields.durations),
  states: list(
    record({
      state_code,
      state,
      fit_correlation: fields.fit_correlation,
      months_with_infection_growing: list(
        withMeaning('Month with a reproduction number above 1', fields.high_season.peak_month),
      ),
      reproduction_number_by_month: list(
        fields.reproduction_number_by_month,
        'New infections that an infection leads to, January to December',
        12,
      ),
      share_of_transmission_year_round: fields.share_of_transmission_year_round,
      series: list(record({ period, ...fields.case_series })),
    }),
  ),
  projection_test: record({
    development_years: list(Type.Integer()),
    development: ProjectionScores,
    held_back_year: whole('Year scored once, after the design was fixed'),
    held_back: ProjectionScores,
  }),
  limits: list(Type.String(), 'What the model does not show'),
});
export type TransmissionModel = Static<typeof TransmissionModel>;

export const SeasonWindow = record(fields.windows);
export type SeasonWindow = Static<typeof SeasonWindow>;
const windows = list(SeasonWindow, 'Runs of 3, 4 and 5 months, by each measure');
export const SeasonsLgas = record({ state_code, state, windows, lgas: list(record({ lga_code, lga, windows })) });
export type SeasonsLgas = Static<typeof SeasonsLgas>;

export const Alert = record({
  area: fields.area,
  code: fields.code,
  name: text('Its name'),
  period: withMeaning('Last month of the case records', period),
  ...fields.alerts,
});
export type Alert = Static<typeof Alert>;
export const Alerts = record({
  state_code,
  state,
  alerts: list(Alert, 'The {state.one} itself, then its {lga.many}; areas without case records are left out'),
});
export type Alerts = Static<typeof Alerts>;

export const ForecastsSkill = record({
  skill: list(
    record(fields.skill),
    'Scores on records that the forecasts had not seen; empty if the country has too few',
  ),
});
export type ForecastsSkill = Static<typeof ForecastsSkill>;

const modelVersion = text('Identifier of a model version');
const timestamp = (description: string) => text(`${description}, ISO 8601, UTC`);
const count = (description: string) => whole(description, { minimum: 0 });

export const Versions = record({
  current: text('The version that answers paths without a version'),
  versions: list(
    record({
      model_version: modelVersion,
      status: choice(['current', 'kept', 'gone'], 'gone: it is no longer served'),
      path: orNull(
        text('Path of its answers, to be followed by that of an operation without /v1, such as /risk/nation'),
        'null if they are gone',
      ),
      updated_at: timestamp('When its data was last updated'),
      contract_version: orNull(text('Version of the contract of its answers'), 'null: before 1.1'),
      first_estimated: withMeaning('First estimated month', period),
      last_estimated: withMeaning('Latest estimated month', period),
      last_forecast: withMeaning('Last forecast month', period),
      replaced_at: orNull(timestamp('When it was replaced'), 'null for the current one'),
      sunset: orNull(timestamp('Time until which it is kept at least'), 'null if nothing was promised'),
    }),
    'Most recently published first',
  ),
  releases: list(
    record({
      model_version: modelVersion,
      replaces: orNull(modelVersion),
      released_at: timestamp('When it became current'),
      rollback: flag('Whether it had been current before'),
      note: orNull(text("The service team's own words")),
      new_months: list(period, 'Months estimated for the first time'),
      changed: list(Type.Enum(['data', 'model', 'code']), 'Why a new version was made'),
      data: list(
        record({
          title: text('Title of a source whose files or description changed'),
          was: orNull(text('Release before'), 'null: it is new'),
          is: orNull(text('Release now'), 'null: it is gone'),
        }),
      ),
      scores: nullable(
        record(
          {
            compared: count('{Lga.many} and months that are in both'),
            moved: count('Scores that changed by more than the threshold in the model card'),
            flipped: count('{Lga.many} and months whose level changed'),
            disjoint: count('Ranges that no longer overlap'),
          },
          'Null if it replaced no version that it can be compared with',
        ),
      ),
      diff: orNull(text('Path of the complete diff')),
    }),
    'The latest first',
  ),
});
export type Versions = Static<typeof Versions>;

const scoreChange = (description: string) => real(`${description}, new minus old`);
const changeSummary = {
  compared: count('Scores that are in both'),
  moved: count('Scores that changed by more than score_change'),
  flipped: count('Areas and months whose level changed'),
  disjoint: count('Ranges that no longer overlap'),
  mean_change: scoreChange('Mean change'),
  mean_absolute_change: real('Mean of the absolute changes'),
  largest_change: scoreChange('The change farthest from 0'),
};
const scoreAndLevel = record({ ...scores, level });
const areasInOneOnly = record({ lgas: list(lga_code), periods: list(period) });
export const VersionsDiff = record({
  from: text('The version replaced'),
  to: text('The version that replaced it'),
  score_change: orNull(real('Change above which a score counts as moved')),
  all: record(changeSummary, '{Lga.many} in the months that both estimate, and in those that both forecast'),
  state_scores: record(changeSummary, "{State.many}' own scores"),
  states: list(record({ state_code, ...changeSummary })),
  lgas: list(record({ state_code, lga_code, ...changeSummary })),
  periods: list(record({ period, ...changeSummary })),
  levels_flipped: list(record({ from: text('Level'), to: text('Level'), count: count('How many') })),
  largest: list(
    record({
      state_code,
      lga_code,
      period: withMeaning('The month in which it changed most', period),
      from: scoreAndLevel,
      to: scoreAndLevel,
      change: scoreChange('Change of the score'),
    }),
    'The {lga.many} whose scores changed most',
  ),
  only_in_from: areasInOneOnly,
  only_in_to: areasInOneOnly,
});
export type VersionsDiff = Static<typeof VersionsDiff>;
