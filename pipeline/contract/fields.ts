/**
 * The fields of answers and tables, each once: type, unit, decimals, null or not, meaning. Records (schemas.ts) and
 * tables (`…-tables.ts`, snapshot-tables.ts) are lists of these; schemas, columns, rounding and descriptions follow.
 * Texts that a single record has are described there.
 */
import { type ColumnSchema, choice, flag, orNull, real, text, whole } from '../lib/tables/table.ts';
import { LEVELS, type Level, levelsInWords } from './levels.ts';
import { FORECAST_MONTHS, PERIOD_PATTERN } from './months.ts';
import { ANY_CODE } from './territory.ts';

/** A field whose values depend on the country's territory (in-country.ts). */
export type TerritoryField = 'state_code' | 'zone' | 'zone_code' | 'iso_code';
export interface Field<Value = unknown> extends ColumnSchema<Value> {
  territoryField?: TerritoryField;
}
const withTerritoryField = <Value>(territoryField: TerritoryField, column: ColumnSchema<Value>): Field<Value> => ({
  ...column,
  territoryField,
});

const share = (about: string) => real(about, { decimals: 4, minimum: 0, maximum: 1 });
const correlation = (about: string) => real(about, { decimals: 4, minimum: -1, maximum: 1 });
const change = (about: string) => real(about, { decimals: 4 });
/** Scores of forecasts, and cases per 1,000 people: 0 or more. */
const amount = (about: string) => real(about, { decimals: 4, minimum: 0 });
const count = (about: string) => whole(about, { minimum: 0 });
const monthOfYear = (about: string) => whole(about, { minimum: 1, maximum: 12 });

// Places and months.
export const state_code = withTerritoryField('state_code', text('{state.code}', { pattern: ANY_CODE }));
export const state = text('{State.one} name');
export const lga_code = text('Stable {lga.one} identifier ({lga.code}). Join on this, not on the name');
export const lga = text('{Lga.one} name');
/** The territory lists the zones; in a country without zones it is always null. */
export const zone = withTerritoryField('zone', text('{zone}, full name') as ColumnSchema<string | null>);
export const zone_code = withTerritoryField('zone_code', text('Zone code') as ColumnSchema<string | null>);
export const iso_code = withTerritoryField('iso_code', text('ISO 3166-2') as ColumnSchema<string | null>);
export const area = choice(['state', 'lga'], '`state` or `lga`');
export const code = text('`state_code` or `lga_code`');
export const longitude = real('Longitude of its centre of mass, which may be outside it', {
  unit: 'degrees east',
  decimals: 4,
});
export const latitude = real('Latitude of its centre of mass', { unit: 'degrees north', decimals: 4 });
/** Longitudes and latitudes of outlines. */
export const coordinates = real('Longitude, latitude', { unit: 'degrees', decimals: 5 });
export const period = text('Month', { unit: 'YYYY-MM', pattern: PERIOD_PATTERN });
export const horizon_months = whole('Months ahead', { minimum: 1, maximum: FORECAST_MONTHS });
export const kind = choice(['estimated', 'forecast'], 'Whether the month is estimated or forecast');

// Risk.
export const scores = {
  score: share(
    'Posterior mean of the share of children aged {youngest}-{oldest} months who would test positive by {method}',
  ),
  score_low: share('Lower end of the central 90% range'),
  score_high: share('Upper end of the central 90% range'),
};
export const level: ColumnSchema<Level> = choice(
  LEVELS.map((one) => one.level),
  `Class of the score: ${levelsInWords()}`,
);

const levelRange = (upper: number, lower?: number) =>
  [...(lower ? [`${lower} or more`] : []), ...(Number.isFinite(upper) ? [`below ${upper}`] : [])].join(', ');
export const probabilities = {
  /** `probability_very_low` and so on. */
  ...(Object.fromEntries(
    LEVELS.map(({ level, below }, i) => [
      `probability_${level}`,
      share(`Probability that the true share is in the level ${level} (${levelRange(below, LEVELS[i - 1]?.below)})`),
    ]),
  ) as Record<`probability_${Level}`, ColumnSchema<number>>),
  /** `probability_above_very_low` and so on: of exceeding the upper end of a level. */
  ...(Object.fromEntries(
    LEVELS.slice(0, -1).map(({ level, below }) => [
      `probability_above_${level}`,
      share(`Probability that the true share is ${below} or more, above the level ${level}`),
    ]),
  ) as Record<`probability_above_${Exclude<Level, 'very_high'>}`, ColumnSchema<number>>),
  probability_highest_nation: share(
    "Probability of being among the highest tenth of the nation's areas of its kind (their number, rounded up)",
  ),
  probability_highest_state: orNull(
    share("Probability of being among the highest tenth of its {state.one}'s {lga.many} (their number, rounded up)"),
    'null for {state.many}',
  ),
};
export const level_probability = share('Probability that the true share is at that level');

export const changes = {
  change_year: change('Score minus that of the same month a year before, as a share of children; posterior mean'),
  change_year_low: change('Lower end of the central 90% range of that change'),
  change_year_high: change('Upper end of that range'),
  probability_rise_year: share('Probability that the true share is higher than in the same month a year before'),
};
const NULL_WITHOUT_SURVEY = 'null if survey_month is';
export const changes_since_survey = {
  survey_month: orNull(
    text(
      'Month compared with, YYYY-MM: the latest month of the same name that is at most three months after the end of fieldwork of the last survey round completed by then',
    ),
    'null if that month has no score',
  ),
  change_survey: orNull(
    change('Score minus that of survey_month, as a share of children; posterior mean'),
    NULL_WITHOUT_SURVEY,
  ),
  change_survey_low: orNull(changes.change_year_low, NULL_WITHOUT_SURVEY),
  change_survey_high: orNull(changes.change_year_high, NULL_WITHOUT_SURVEY),
  probability_rise_survey: orNull(
    share('Probability that the true share is higher than in survey_month'),
    NULL_WITHOUT_SURVEY,
  ),
};
export const basis = choice(
  ['survey', 'usual_season'],
  'survey: no later than the last survey of the {state.one}; usual_season: later, with the last level carried forward with the usual season, or no survey in the {state.one}',
);

// Context.
export const is_urban = flag('Whether more than half its people live in an urban centre');
export const population: ColumnSchema<number> = { ...count('People living in the area'), type: 'BIGINT' };
export const area_km2 = real('Land area', { unit: 'square kilometres', decimals: 1, minimum: 0 });
export const lgas = whole('Number of {lga.many} in the {state.one}', { minimum: 1 });
/** Context figures that come as tables or rasters. */
export const figures = {
  itn_use: orNull(share('Share of people who slept under a treated net'), 'null: no estimate'),
  itn_access: orNull(share('Share of people with access to a treated net'), 'null: no estimate'),
  irs_coverage: orNull(share('Share of people protected by indoor spraying'), 'null: no estimate'),
  effective_treatment: orNull(share('Share of malaria cases that get an effective treatment'), 'null: no estimate'),
  travel_minutes_to_care: orNull(
    real('Average travel time to the nearest health facility', { unit: 'minutes', decimals: 1, minimum: 0 }),
    'null: no estimate',
  ),
};
export const context = {
  population,
  area_km2,
  ...figures,
  response_index: orNull(share('Average of net use and effective treatment'), 'null if either is null'),
};

// Season.
export const season = {
  month: whole('1 (January) to 12'),
  seasonal_index: share("Expected level of reported cases as a share of the area's own peak"),
  is_high: flag('Whether the month is at half the peak or more'),
  is_peak: flag('Whether cases are expected to peak in this month'),
};
export const high_season = {
  peak_month: monthOfYear('Month in which reported cases are expected to be highest'),
  season_start_month: monthOfYear('First month of the high season'),
  season_end_month: monthOfYear('Last month of the high season'),
  season_months: monthOfYear('Length of the high season in months'),
};
export const season_method = {
  cases_follow_rain_by_months: whole('Lag in months between rainfall and reported cases'),
  high_season_share_of_peak: share('Share of the peak at or above which a month is in the high season'),
};
export const season_check = {
  median_correlation: correlation('Median correlation of expected with recorded months'),
  mean_months_off: real("Distance between the high seasons' midpoints", { decimals: 2, minimum: 0 }),
  mean_months_peak_is_off: real('Distance between the peaks', { decimals: 2, minimum: 0 }),
};
/** Runs of months for seasonal action (season/MODEL.md, section 7). */
export const windows = {
  measure: choice(
    ['reported_cases', 'rain_transmission'],
    'reported_cases: the seasonal index, the new infections of an SIRS model whose amplitude is that of reported cases; rain_transmission: the part of transmission that is due to rain, which no record verifies',
  ),
  months: whole('Length of the run of consecutive months', { minimum: 3, maximum: 5 }),
  first_month: monthOfYear("First month of the run that is expected to have the largest share of the year's total"),
  last_month: monthOfYear('Last month of that run'),
  share: share("Share of the usual year's total that falls in the run"),
  share_low: orNull(
    share('Lower end of the central 90% range of that share, from the errors in left-out {state.many}'),
    'null: errors unknown',
  ),
  share_high: orNull(share('Upper end of that range'), 'null: errors unknown'),
  start_probability: orNull(
    share('Probability that the run whose true share is largest begins within a month of first_month'),
    'null: errors unknown',
  ),
  criterion_probability: orNull(
    share(
      "For runs of four months: probability that some four consecutive months truly contain 60% of the year's total",
    ),
    'null: another length, or errors unknown',
  ),
  criterion: orNull(
    choice(
      ['reached', 'unlikely', 'unknown'],
      'For runs of four months: reached (probability of 0.9 or more), unlikely (0.1 or less), unknown (in between, or errors unknown)',
    ),
    'null: another length',
  ),
  record_first_month: orNull(
    monthOfYear("First month of the run with the largest share of the area's own case record"),
    'null: no record of its season',
  ),
  record_share: orNull(share('Share of that record in the run from first_month to last_month'), 'null: no record'),
  record_best_share: orNull(share('Share of that record in its own best run'), 'null: no record'),
  rain_share: share("Share of the usual year's rain in the wettest run of the same length"),
};

// Survey rounds.
export const trend = {
  survey_year: whole('Year of the round'),
  positivity: share('Share of children aged {youngest}-{oldest} months who tested positive by {survey_method}'),
  low: orNull(share('Lower end of the 95% range'), 'null if it cannot be computed'),
  high: orNull(share('Upper end of the 95% range'), 'null if it cannot be computed'),
  clusters: orNull(count('Survey locations in the round'), 'null where unpublished'),
  children_tested: orNull(count('Children tested in the round'), 'null where unpublished'),
  small_sample: flag('Whether fewer than 100 children were tested: use the range, not the point'),
};
export const national_trend = {
  urban: orNull(share('Positivity in urban places of the nation'), 'null where unknown'),
  rural: orNull(share('Positivity in rural places of the nation'), 'null where unknown'),
};

// The transmission model.
export const durations = {
  infectious_months: real('Months that an infection stays infectious, assumed', { decimals: 2 }),
  immune_months: real('Months that immunity lasts, assumed', { decimals: 2 }),
};
export const fit_correlation = correlation('Correlation of the fitted model with reported cases');
export const reproduction_number_by_month = amount('New infections that an infection leads to, in a month');
export const share_of_transmission_year_round = share('Share of transmission that is independent of the season');
export const case_series = {
  reported: amount(
    'Confirmed cases per 1,000 people, as reported; rounded or an index if `limits` specifies this. Months without a report are left out',
  ),
  modelled: amount('The same, as modelled'),
};
export const projection_errors = {
  model: amount('The transmission model'),
  same_month_last_year: amount('The same month of the year before'),
  same_month_last_three_years: amount('Mean of the same month over the three years before'),
};
export const seasonal_shape_correlation = correlation(
  'Correlation of projected with reported months, each over its year',
);

// Alerts.
const NULL_WITHOUT_REPORT = 'null if the month is unknown';
const alertClass = (values: readonly ('none' | 'watch' | 'alert' | 'fall')[], about: string) => choice(values, about);
export const incidence = {
  year: whole('Year'),
  cases_per_1000: orNull(
    real('Cases reported in the months that are known, per 1,000 people', { decimals: 1, minimum: 0 }),
    'null if no month is known',
  ),
  completeness: share(
    'Share of the months of the year, and of the areas of the lower level with records, that are known',
  ),
  people: whole('People that the cases are divided by', { minimum: 1 }),
};

const alertSince = (about: string) =>
  orNull(text(about, { unit: 'YYYY-MM', pattern: PERIOD_PATTERN }), 'null for none');
export const alerts = {
  cases_in: choice(
    ['cases', 'index'],
    "Unit of cases and the usual; index: 100 is the mean of the area's last twelve known months, because the records may not be passed on",
  ),
  cases: orNull(count('Reported in the month, in the unit of cases_in'), NULL_WITHOUT_REPORT),
  usual: count('Median of what is usual in the month: a forecast from a year before, without the months in alert'),
  usual_low: count('5% quantile of what is usual'),
  usual_high: count('95% quantile of what is usual'),
  detection_probability: orNull(
    share('Probability of so many cases or more, by the forecast from the month before'),
    NULL_WITHOUT_REPORT,
  ),
  detection_class: alertClass(
    ['none', 'watch', 'alert', 'fall'],
    'Early detection, of the month. alert: unusually many, or still many since they were; check the report first if it began with this month. watch: many. fall: unusually few, such as in a stock-out or if reporting stops',
  ),
  detection_since: alertSince('Month from which the class has lasted'),
  warning_probability: share('Probability that the next month exceeds what is usual in it (its 95% quantile)'),
  warning_class: alertClass(
    ['none', 'watch', 'alert'],
    'Early warning, of the next month. alert: 0.5 or more; watch: 0.25 or more',
  ),
  warning_since: alertSince('Month in which it was first warned, without a break since'),
  completeness: share(
    'Share of the last twelve months that are known; of {a.state} that is the sum of its {lga.many}, of theirs',
  ),
  reporting_rate: orNull(
    share('Share of the expected reports of the month that were made; of a sum of {lga.many}, the mean of theirs'),
    'null if the records do not tell',
  ),
  basis: choice(
    ['forecast', 'widespread', 'few_cases', 'no_report'],
    'forecast: the class follows from the probability, and from that by the usual; widespread: the same, but a third of the {lga.many} of the {state.one} are in alert by themselves, so that less is needed; few_cases: fewer than three cases a year are usual, so a single one is an alert; no_report: the month is unknown, and the class is that of the month before',
  ),
};

// The backtest of forecasts.
export const skill = {
  area_level: choice(
    ['lga', 'state', 'long'],
    '`lga`; `state`: sums of their {lga.many} or own records; `long`: {state.many} whose own records start years before the others',
  ),
  origins: text('Year of the origins, the last months of data that forecasts used; or all'),
  method: text(
    'case_model; sum_of_parts, its joint forecasts of the {lga.many} of {a.state}, added up; or one of the simple methods that it has to beat',
  ),
  horizon_months: orNull(horizon_months, 'null: all'),
  forecasts: whole('Forecasts scored', { minimum: 1 }),
  log_mae: amount(
    'Mean of |ln median - ln observed|, in which 0 cases count as half a case: .25 means an error by a factor of 1.28',
  ),
  crps_log: amount(
    'Continuous ranked probability score of ln cases, in which 0 cases count as half a case; lower is better',
  ),
  crps_log1p: amount('The same score for ln(1 + cases)'),
  coverage_50: share('Share of observed values between the quartiles (ideally .5)'),
  coverage_90: share('Share of observed values between the 5% and the 95% quantiles (ideally .9)'),
  crps_per_1000: orNull(amount('The same score for cases per 1,000 people'), 'null if the population is unknown'),
};

/** A sum in an account of what the raw files contain. */
export const account = { sum: orNull(real('Sum of the numbers', { decimals: 2 }), 'null for rows and keys') };
