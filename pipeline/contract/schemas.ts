/**
 * The responses of the operations, defined once: the TypeScript types, the JSON Schemas that every file is checked
 * against before publishing, and the OpenAPI document are all derived from these.
 */
import type { Static, TProperties, TSchema } from 'typebox';
import { OF_COUNTRY, type OfCountry } from './in-country.ts';
import { ANY_CODE } from './territory.ts';
import { Type } from './type.ts';

const closed = <P extends TProperties>(properties: P, description?: string) =>
  Type.Object(properties, { additionalProperties: false, ...(description ? { description } : {}) });
const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

const share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });
const shareOrNull = (description: string) => nullable(share(description));
const month = (description: string) => Type.Integer({ minimum: 1, maximum: 12, description });
const period = (description: string) => Type.String({ pattern: '^\\d{4}-(0[1-9]|1[0-2])$', description });
const people = Type.Integer({ minimum: 0, description: 'People living in the area' });

/** WHO's transmission cut-offs, the highest class split at the classical hyperendemic 0.50; ascending. */
export const LEVELS = [
  { level: 'very_low', below: 0.01 },
  { level: 'low', below: 0.1 },
  { level: 'moderate', below: 0.35 },
  { level: 'high', below: 0.5 },
  { level: 'very_high', below: Number.POSITIVE_INFINITY },
] as const;
export type Level = (typeof LEVELS)[number]['level'];

/** `very_low below 0.01, …, very_high from 0.5`. */
function levelsInWords(): string {
  return LEVELS.map(({ level, below }, i) =>
    Number.isFinite(below) ? `${level} below ${below}` : `${level} from ${LEVELS[i - 1]!.below}`,
  ).join(', ');
}

const stateCode = Type.String({ pattern: ANY_CODE, description: '{state.code}', [OF_COUNTRY]: 'state_code' });
const state = Type.String({ description: '{State.one} name' });
const lgaCode = Type.String({ description: 'Stable {lga.one} identifier ({lga.code}). Join on this, not on the name' });
const lga = Type.String({ description: '{Lga.one} name' });
/** The country's territory lists its zones; without zones it is always null. */
const zoneOf = (what: OfCountry, description: string) =>
  Type.Union([Type.String(), Type.Null()], { description, [OF_COUNTRY]: what });
const zone = zoneOf('zone', '{zone}, full name');
const isUrban = Type.Boolean({ description: 'Whether more than half its people live in an urban centre' });

const scoreFields = {
  score: share('Share of children aged {youngest}-{oldest} months who would test positive by {method}'),
  score_low: share('Lower end of the central 90% range'),
  score_high: share('Upper end of the central 90% range'),
  level: Type.Enum(
    LEVELS.map(({ level }) => level),
    { description: `Class of the score: ${levelsInWords()}` },
  ),
};

export const Periods = closed({
  last_estimated: period('Latest estimated month'),
  last_forecast: period('Last forecast month'),
  updated_at: Type.String({
    pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
    description: 'When the data was last updated, UTC with milliseconds',
  }),
  model_version: Type.String({ description: 'Identifier of the model version' }),
});
export type Periods = Static<typeof Periods>;

export const LgaRisk = closed({ lga_code: lgaCode, lga, ...scoreFields, is_urban: isUrban, population: people });
export type LgaRisk = Static<typeof LgaRisk>;
export const StateRisk = closed({ state_code: stateCode, state, zone, ...scoreFields, population: people });
export type StateRisk = Static<typeof StateRisk>;

const report = <K extends 'estimated' | 'forecast', P extends TProperties>(kind: K, areas: P) =>
  closed({ period: period('Month the scores are for'), kind: Type.Literal(kind), ...areas });
const ranked = { description: 'Highest risk first; equal scores by code' };
const lgasOfState = { state_code: stateCode, state, lgas: Type.Array(LgaRisk, ranked) };
const allStates = { states: Type.Array(StateRisk, ranked) };

export const RiskLgas = report('estimated', lgasOfState);
export type RiskLgas = Static<typeof RiskLgas>;
export const RiskStates = report('estimated', allStates);
export type RiskStates = Static<typeof RiskStates>;
export const ForecastsLgas = closed({
  forecasts: Type.Array(report('forecast', lgasOfState), { description: 'One report per month, nearest month first' }),
});
export type ForecastsLgas = Static<typeof ForecastsLgas>;
export const ForecastsStates = closed({
  forecasts: Type.Array(report('forecast', allStates), { description: 'One report per month, nearest month first' }),
});
export type ForecastsStates = Static<typeof ForecastsStates>;

export const NationLga = closed({
  lga_code: lgaCode,
  lga,
  state_code: stateCode,
  ...scoreFields,
  is_urban: isUrban,
  population: people,
});
export type NationLga = Static<typeof NationLga>;
const lgasOfNation = { lgas: Type.Array(NationLga, ranked) };
export const RiskNation = report('estimated', lgasOfNation);
export type RiskNation = Static<typeof RiskNation>;
export const ForecastsNation = closed({
  forecasts: Type.Array(report('forecast', lgasOfNation), { description: 'One report per month, nearest month first' }),
});
export type ForecastsNation = Static<typeof ForecastsNation>;

export const SeriesMonth = closed({
  period: period('Month the score is for'),
  kind: Type.Enum(['estimated', 'forecast']),
  ...scoreFields,
  basis: Type.String({ description: 'What the score is based on, as in the table basis' }),
  level_probability: shareOrNull("Probability that the true share is at that level; null: the score is the baseline's"),
  probability_highest_nation: shareOrNull(
    "Probability of being among the highest tenth of the nation's areas of its kind; null: the score is the baseline's",
  ),
  change_year: nullable(
    Type.Number({ description: 'Score minus that of the same month a year before; null in the first year' }),
  ),
  change_year_low: nullable(Type.Number({ description: 'Lower end of the central 90% range of that change' })),
  change_year_high: nullable(Type.Number({ description: 'Upper end of that range' })),
  probability_rise_year: shareOrNull('Probability that the true share is higher than a year before'),
});
export type SeriesMonth = Static<typeof SeriesMonth>;
const series = Type.Array(SeriesMonth, { description: 'Every month, the earliest first' });
export const SeriesStates = closed({ state_code: stateCode, state, zone, population: people, series });
export type SeriesStates = Static<typeof SeriesStates>;
export const SeriesLgas = closed({
  lga_code: lgaCode,
  lga,
  state_code: stateCode,
  is_urban: isUrban,
  population: people,
  series,
});
export type SeriesLgas = Static<typeof SeriesLgas>;

const position = Type.Array(Type.Number(), { minItems: 2, maxItems: 2 });
const ring = Type.Array(position, { minItems: 4 });
export const AreaGeometry = Type.Union([
  closed({ type: Type.Literal('Polygon'), coordinates: Type.Array(ring, { minItems: 1 }) }),
  closed({
    type: Type.Literal('MultiPolygon'),
    coordinates: Type.Array(Type.Array(ring, { minItems: 1 }), { minItems: 1 }),
  }),
]);
export type AreaGeometry = Static<typeof AreaGeometry>;

const collection = <P extends TProperties>(properties: P) =>
  closed({
    type: Type.Literal('FeatureCollection'),
    source: Type.String({ description: 'Where the shapes come from' }),
    features: Type.Array(
      closed({ type: Type.Literal('Feature'), geometry: AreaGeometry, properties: closed(properties) }),
    ),
  });
export const BoundariesStates = collection({
  code: stateCode,
  name: state,
  zone: zoneOf('zone_code', 'Zone code'),
});
export type BoundariesStates = Static<typeof BoundariesStates>;
export const BoundariesLgas = collection({ lgaCode, lga, state: stateCode });
export type BoundariesLgas = Static<typeof BoundariesLgas>;
export const BoundariesNation = BoundariesLgas;
export type BoundariesNation = BoundariesLgas;

const arcs = Type.Array(Type.Array(Type.Integer()), {
  description: 'Rings, each a list of arcs (TopoJSON, section 2.2)',
});
const topologyObject = <P extends TProperties>(properties: P) =>
  closed({
    type: Type.Literal('GeometryCollection'),
    geometries: Type.Array(
      Type.Union([
        closed({ type: Type.Literal('Polygon'), arcs, properties: closed(properties) }),
        closed({ type: Type.Literal('MultiPolygon'), arcs: Type.Array(arcs), properties: closed(properties) }),
      ]),
    ),
  });
export const BoundariesTopology = closed({
  type: Type.Literal('Topology'),
  source: Type.String({ description: 'Where the shapes come from' }),
  bbox: Type.Array(Type.Number(), { minItems: 4, maxItems: 4, description: 'West, south, east, north, degrees' }),
  transform: closed({ scale: position, translate: position }, 'Converts integer steps to degrees'),
  objects: closed({
    lgas: topologyObject({ lgaCode, lga, state: stateCode }),
    states: topologyObject({ code: stateCode, name: state }),
  }),
  arcs: Type.Array(Type.Array(Type.Array(Type.Integer(), { minItems: 2, maxItems: 2 })), {
    description: 'Steps from point to point',
  }),
});
export type BoundariesTopology = Static<typeof BoundariesTopology>;

const placeFields = {
  longitude: Type.Number({ description: "Longitude of the area's centre, which may be outside it, degrees east" }),
  latitude: Type.Number({ description: 'Latitude of the centre, degrees north' }),
};
const aliases = Type.Array(Type.String(), { description: 'Other names that raw files give it' });
export const PlacesAnswer = closed({
  states: Type.Array(
    closed({
      state_code: stateCode,
      state,
      aliases,
      zone,
      pcode: Type.String({
        description: 'Code of the {state.one} in the raw files, which may differ from `state_code`',
      }),
      iso_code: Type.Union([Type.String(), Type.Null()], { description: 'ISO 3166-2', [OF_COUNTRY]: 'iso_code' }),
      ...placeFields,
      neighbours: Type.Array(stateCode, { description: '{State.many} that share a border with it' }),
    }),
  ),
  lgas: Type.Array(
    closed({
      lga_code: lgaCode,
      lga,
      aliases,
      state_code: stateCode,
      ...placeFields,
      neighbours: Type.Array(lgaCode, { description: '{Lga.many} that share a border with it, in any {state.one}' }),
    }),
  ),
});
export type PlacesAnswer = Static<typeof PlacesAnswer>;

export const Licences = closed({
  cite: Type.String({ description: 'How to cite the answers themselves' }),
  sources: Type.Array(
    closed({
      id: Type.String(),
      title: Type.String(),
      producer: Type.String(),
      citation: Type.String({ description: 'How to cite it' }),
      licence: Type.String({ description: 'As stated by the producer' }),
      release: Type.String({ description: 'The release that was used' }),
    }),
    { description: 'The data that the answers are made from' },
  ),
  code: Type.String({ description: 'Licence of the code that made them' }),
});
export type Licences = Static<typeof Licences>;

export const OpenApi = Type.Object({ openapi: Type.String({ description: 'Version of OpenAPI' }) });
export const ModelCard = Type.Object({
  model_version: Type.String({ description: 'Identifier of the model version' }),
  limits: Type.Array(Type.String(), {
    description: 'What a reader must know before using a score, the most important first',
  }),
});

export const TablesAnswer = closed({
  tables: Type.Array(
    closed({
      table: Type.String({ description: 'Name' }),
      row: Type.String({ description: 'What one row represents' }),
      rows: Type.Integer({ minimum: 1, description: 'Number of rows' }),
      scopes: Type.Array(Type.String(), { description: 'Scopes that a key needs to read it' }),
      addresses: Type.Array(Type.String(), { description: 'Where to get it, one in each format' }),
      columns: Type.Array(
        closed({
          column: Type.String({ description: 'Name' }),
          type: Type.String({ description: "DuckDB's name for its type" }),
          nullable: Type.Boolean({ description: 'Whether a value may be missing' }),
          meaning: Type.String({ description: 'What it means, including the unit' }),
        }),
      ),
    }),
  ),
});
export type TablesAnswer = Static<typeof TablesAnswer>;

const contextFigures = {
  population: people,
  area_km2: Type.Number({ minimum: 0, description: 'Land area, square kilometres' }),
  itn_use: shareOrNull('Share of people who slept under a treated net'),
  itn_access: shareOrNull('Share of people with access to a treated net'),
  irs_coverage: shareOrNull('Share of people protected by indoor spraying'),
  effective_treatment: shareOrNull('Share of malaria cases that get an effective treatment'),
  travel_minutes_to_care: nullable(
    Type.Number({ minimum: 0, description: 'Average travel time to the nearest health facility, minutes' }),
  ),
  response_index: shareOrNull('Average of net use and effective treatment'),
};
export const ContextSource = closed({
  name: Type.String({ description: 'Source of the coverage figures' }),
  coverage_year: Type.Integer({ description: 'Year that the net and treatment figures describe' }),
  note: Type.String({ description: 'What to know before using the figures' }),
});
export const ContextState = closed({
  state_code: stateCode,
  state,
  zone,
  lgas: Type.Integer({ minimum: 1, description: 'Number of {lga.many} in the {state.one}' }),
  ...contextFigures,
});
export type ContextState = Static<typeof ContextState>;
export const ContextLga = closed({ lga_code: lgaCode, lga, is_urban: isUrban, ...contextFigures });
export type ContextLga = Static<typeof ContextLga>;
export const ContextStates = closed({ source: ContextSource, states: Type.Array(ContextState) });
export type ContextStates = Static<typeof ContextStates>;
export const ContextLgas = closed({
  source: ContextSource,
  state_code: stateCode,
  state,
  lgas: Type.Array(ContextLga),
});
export type ContextLgas = Static<typeof ContextLgas>;

export const Season = closed({
  peak_month: month('Month in which reported cases are expected to be highest'),
  season_start_month: month('First month of the high season'),
  season_end_month: month('Last month of the high season'),
  season_months: Type.Integer({ minimum: 1, maximum: 12, description: 'Length of the high season in months' }),
  high_months: Type.Array(month('Month'), { description: 'Every month at half the peak or more' }),
  seasonal_index: Type.Array(share('Level of the month'), {
    minItems: 12,
    maxItems: 12,
    description: 'Expected level of reported cases, January to December, as a share of the peak month',
  }),
});
export type Season = Static<typeof Season>;

export const SeasonMethod = closed({
  cases_follow_rain_by_months: Type.Integer({ description: 'Lag in months between rainfall and reported cases' }),
  high_season_share_of_peak: share('Share of the peak at or above which a month is in the high season'),
  description: Type.String(),
  check: closed({
    series: Type.Integer({
      minimum: 0,
      description: 'Monthly case records that the method was compared with, each left out in turn',
    }),
    states: Type.Array(stateCode),
    median_correlation: Type.Number({ minimum: -1, maximum: 1 }),
    mean_months_off: Type.Number({ minimum: 0, description: "Distance between the high seasons' midpoints" }),
    mean_months_peak_is_off: Type.Number({ minimum: 0, description: 'Distance between the peaks' }),
  }),
});
export type SeasonMethod = Static<typeof SeasonMethod>;

const trendFields = {
  survey_year: Type.Integer(),
  positivity: share('Share of children aged {youngest} to {oldest} months who tested positive by {survey_method}'),
  low: shareOrNull('Lower end of the 95% range'),
  high: shareOrNull('Upper end of the 95% range'),
  clusters: nullable(
    Type.Integer({ minimum: 0, description: 'Survey locations in the round; null where unpublished' }),
  ),
  children_tested: nullable(
    Type.Integer({ minimum: 0, description: 'Children tested in the round; null where unpublished' }),
  ),
  small_sample: Type.Boolean({ description: 'True when fewer than 100 children were tested' }),
};
export const SurveyTrend = closed(trendFields);
export type SurveyTrend = Static<typeof SurveyTrend>;
export const NationalSurveyTrend = closed({
  ...trendFields,
  urban: shareOrNull('Positivity in urban places; null where unknown'),
  rural: shareOrNull('Positivity in rural places; null where unknown'),
});
export type NationalSurveyTrend = Static<typeof NationalSurveyTrend>;

export const TransmissionStates = closed({
  method: SeasonMethod,
  national: closed({ season: Season, survey_trend: Type.Array(NationalSurveyTrend) }),
  states: Type.Array(
    closed({ state_code: stateCode, state, zone, season: Season, survey_trend: Type.Array(SurveyTrend) }),
  ),
});
export type TransmissionStates = Static<typeof TransmissionStates>;

export const TransmissionLgas = closed({
  method: SeasonMethod,
  state_code: stateCode,
  state,
  lgas: Type.Array(closed({ lga_code: lgaCode, lga, season: Season })),
});
export type TransmissionLgas = Static<typeof TransmissionLgas>;

const per1000 = (description: string) => Type.Number({ minimum: 0, description });
export const ProjectionScores = closed({
  months: Type.Integer({ minimum: 0, description: 'Months projected and scored' }),
  mean_absolute_error: closed(
    {
      model: per1000('The transmission model'),
      same_month_last_year: per1000('The same month of the year before'),
      same_month_last_three_years: per1000('Mean of the same month over the three years before'),
    },
    'Confirmed cases per 1,000 people',
  ),
  seasonal_shape_correlation: Type.Number({ minimum: -1, maximum: 1 }),
});
export type ProjectionScores = Static<typeof ProjectionScores>;

export const TransmissionModel = closed({
  status: Type.Literal('research'),
  assumed: closed({
    infectious_months: Type.Number({ description: 'Months that an infection stays infectious, assumed' }),
    immune_months: Type.Number({ description: 'Months that immunity lasts, assumed' }),
  }),
  states: Type.Array(
    closed({
      state_code: stateCode,
      state,
      fit_correlation: Type.Number({ minimum: -1, maximum: 1 }),
      months_with_infection_growing: Type.Array(month('Month with a reproduction number above 1')),
      reproduction_number_by_month: Type.Array(Type.Number({ minimum: 0 }), { minItems: 12, maxItems: 12 }),
      share_of_transmission_year_round: share('Share of transmission that is independent of the season'),
      series: Type.Array(
        closed({
          period: period('Month'),
          reported: per1000(
            'Confirmed cases per 1,000 people, as reported; rounded or an index if `limits` specifies this. Months without a report are left out',
          ),
          modelled: per1000('The same, as modelled'),
        }),
      ),
    }),
  ),
  projection_test: closed({
    development_years: Type.Array(Type.Integer()),
    development: ProjectionScores,
    held_back_year: Type.Integer(),
    held_back: ProjectionScores,
  }),
  limits: Type.Array(Type.String(), { description: 'What the model does not show' }),
});
export type TransmissionModel = Static<typeof TransmissionModel>;

export const SeasonWindow = closed({
  measure: Type.Enum(['reported_cases', 'rain_transmission'], {
    description:
      'reported_cases: the seasonal index, whose amplitude is that of facilities’ records; rain_transmission: the part of transmission that is due to rain, which no record verifies',
  }),
  months: Type.Integer({ minimum: 3, maximum: 5, description: 'Length of the run of months' }),
  first_month: month("First month of the run that is expected to have the largest share of the year's total"),
  last_month: month('Last month of that run'),
  share: share("Share of the usual year's total that falls in the run"),
  share_low: shareOrNull('Lower end of the central 90% range of that share; null: errors unknown'),
  share_high: shareOrNull('Upper end of that range'),
  start_probability: shareOrNull(
    'Probability that the run whose true share is largest begins within a month of first_month',
  ),
  criterion_probability: shareOrNull(
    "For runs of four months: probability that some four consecutive months truly contain 60% of the year's total; otherwise null",
  ),
  criterion: nullable(
    Type.Enum(['reached', 'unlikely', 'unknown'], {
      description:
        'For runs of four months: reached (0.9 or more), unlikely (0.1 or less), unknown (in between, or errors unknown)',
    }),
  ),
  record_first_month: nullable(month("First month of the best run of the area's own case record; null: no record")),
  record_share: shareOrNull('Share of that record in the run from first_month to last_month'),
  record_best_share: shareOrNull('Share of that record in its own best run'),
  rain_share: share("Share of the usual year's rain in the wettest run of the same length"),
});
export type SeasonWindow = Static<typeof SeasonWindow>;
const windows = Type.Array(SeasonWindow, { description: 'Runs of 3, 4 and 5 months, by each measure' });
export const SeasonsLgas = closed({
  state_code: stateCode,
  state,
  windows,
  lgas: Type.Array(closed({ lga_code: lgaCode, lga, windows })),
});
export type SeasonsLgas = Static<typeof SeasonsLgas>;

export const ForecastsSkill = closed({
  skill: Type.Array(
    closed({
      area_level: Type.Enum(['lga', 'state', 'long'], {
        description: 'long: {state.many} whose own records begin years before the others',
      }),
      origins: Type.String({ description: 'Year of the origins, the last months of data that forecasts used; or all' }),
      method: Type.String({ description: 'case_model, or one of the simple methods that it has to beat' }),
      horizon_months: nullable(Type.Integer({ minimum: 1, maximum: 4, description: 'Months ahead; null: all' })),
      forecasts: Type.Integer({ minimum: 1, description: 'Forecasts scored' }),
      log_mae: Type.Number({ minimum: 0, description: 'Mean of |ln median - ln observed|' }),
      crps_log: Type.Number({ minimum: 0, description: 'Continuous ranked probability score of ln cases' }),
      coverage_50: share('Share of observed values between the quartiles'),
      coverage_90: share('Share of observed values between the 5% and the 95% quantile'),
      crps_per_1000: nullable(Type.Number({ minimum: 0, description: 'The same score for cases per 1,000 people' })),
    }),
    { description: 'Scores on records that the forecasts had not seen; empty if the country has too few' },
  ),
});
export type ForecastsSkill = Static<typeof ForecastsSkill>;

const modelVersion = Type.String({ description: 'Identifier of a model version' });
const at = (description: string) => Type.String({ description: `${description}, ISO 8601, UTC` });
const count = (description: string) => Type.Integer({ minimum: 0, description });
const address = (description: string) => nullable(Type.String({ description }));

export const Versions = closed({
  current: Type.String({ description: 'The version that answers paths without a version' }),
  versions: Type.Array(
    closed({
      model_version: modelVersion,
      status: Type.Enum(['current', 'kept', 'gone'], { description: 'gone: it is no longer served' }),
      path: address(
        'Path of its answers, to be followed by that of an operation without /v1, such as /risk/nation; null if they are gone',
      ),
      updated_at: at('When its data was last updated'),
      contract_version: nullable(
        Type.String({ description: 'Version of the contract of its answers; null: before 1.1' }),
      ),
      first_estimated: period('First estimated month'),
      last_estimated: period('Latest estimated month'),
      last_forecast: period('Last forecast month'),
      replaced_at: nullable(at('When it was replaced; null for the current one')),
      sunset: nullable(at('Time until which it is kept at least; null if nothing was promised')),
    }),
    { description: 'Most recently published first' },
  ),
  releases: Type.Array(
    closed({
      model_version: modelVersion,
      replaces: nullable(modelVersion),
      released_at: at('When it became current'),
      rollback: Type.Boolean({ description: 'Whether it had been current before' }),
      note: nullable(Type.String({ description: "The service team's own words" })),
      new_months: Type.Array(period('A month'), { description: 'Months estimated for the first time' }),
      changed: Type.Array(Type.Enum(['data', 'model', 'code']), { description: 'Why a new version was made' }),
      data: Type.Array(
        closed({
          title: Type.String({ description: 'Title of a source whose files or description changed' }),
          was: nullable(Type.String({ description: 'Release before; null: it is new' })),
          is: nullable(Type.String({ description: 'Release now; null: it is gone' })),
        }),
      ),
      scores: nullable(
        closed(
          {
            compared: count('{Lga.many} and months that are in both'),
            moved: count('Scores that changed by more than the threshold in the model card'),
            flipped: count('{Lga.many} and months whose level changed'),
            disjoint: count('Ranges that no longer overlap'),
          },
          'Null if it replaced no version that it can be compared with',
        ),
      ),
      diff: address('Path of the complete diff'),
    }),
    { description: 'The latest first' },
  ),
});
export type Versions = Static<typeof Versions>;

const change = (description: string) => Type.Number({ description: `${description}, new minus old` });
const tally = {
  compared: count('Scores that are in both'),
  moved: count('Scores that changed by more than score_change'),
  flipped: count('Areas and months whose level changed'),
  disjoint: count('Ranges that no longer overlap'),
  mean_change: change('Mean change'),
  mean_absolute_change: Type.Number({ description: 'Mean of the absolute changes' }),
  largest_change: change('The change farthest from 0'),
};
const before = closed(scoreFields);
const only = closed({ lgas: Type.Array(lgaCode), periods: Type.Array(period('Month')) });
export const VersionsDiff = closed({
  from: Type.String({ description: 'The version replaced' }),
  to: Type.String({ description: 'The version that replaced it' }),
  score_change: nullable(Type.Number({ description: 'Change above which a score counts as moved' })),
  all: closed(tally, '{Lga.many} in the months that both estimate, and in those that both forecast'),
  state_scores: closed(tally, "{State.many}' own scores"),
  states: Type.Array(closed({ state_code: stateCode, ...tally })),
  lgas: Type.Array(closed({ state_code: stateCode, lga_code: lgaCode, ...tally })),
  periods: Type.Array(closed({ period: period('Month'), ...tally })),
  levels_flipped: Type.Array(
    closed({
      from: Type.String({ description: 'Level' }),
      to: Type.String({ description: 'Level' }),
      count: count('How many'),
    }),
  ),
  largest: Type.Array(
    closed({
      state_code: stateCode,
      lga_code: lgaCode,
      period: period('The month in which it changed most'),
      from: before,
      to: before,
      change: change('Change of the score'),
    }),
    { description: 'The {lga.many} whose scores changed most' },
  ),
  only_in_from: only,
  only_in_to: only,
});
export type VersionsDiff = Static<typeof VersionsDiff>;
