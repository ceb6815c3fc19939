/** Columns that tables of several stages share, each declared once. */
import { orNull, real, text, whole, yes } from '../lib/tables/table.ts';

export const state_code = text('{state.code}');
export const state = text('{State.one} name');
/** `columnWords` has the words for `{shared_names}`, which depend on whether several LGAs share a name. */
export const lga_code = text('{Lga.one} identifier ({lga.code}). Join on this, never on names{shared_names}');
export const lga = text('{Lga.one} name');
export const is_urban = yes('Whether more than half its people live in an urban centre');
export const period = text('Month, YYYY-MM');
export const month = whole('1 (January) to 12');
export const population = { ...whole('People living in the area'), type: 'BIGINT' as const };
export const area_km2 = real('Land area, square kilometres');

/** Figures of the context that come as tables or rasters. */
export const figures = {
  itn_use: orNull(real('Share of people who slept under a treated net, 0 to 1; null: no estimate')),
  itn_access: orNull(real('Share of people with access to a treated net, 0 to 1; null: no estimate')),
  irs_coverage: orNull(real('Share of people protected by indoor spraying, 0 to 1; null: no estimate')),
  effective_treatment: orNull(
    real('Share of malaria cases that get an effective treatment, 0 to 1; null: no estimate'),
  ),
  travel_minutes_to_care: orNull(
    real('Average travel time to the nearest health facility, minutes; null: no estimate'),
  ),
};
export const context = {
  population,
  area_km2,
  ...figures,
  response_index: orNull(real('Mean of itn_use and effective_treatment, 0 to 1; null if either is null')),
};

export const season = {
  month,
  seasonal_index: real("Expected level of reported cases as a share of the area's own peak, 0 to 1"),
  is_high: yes('Whether the month is at half the peak or more'),
  is_peak: yes('Whether cases are expected to peak in this month'),
};

/** Runs of months for seasonal action (season/MODEL.md, section 7). */
export const windows = {
  area: text<'state' | 'lga'>('`state` or `lga`'),
  code: text('`state_code` or `lga_code`'),
  measure: text<'reported_cases' | 'rain_transmission'>(
    'reported_cases: the seasonal index, the new infections of an SIRS model whose amplitude is that of reported cases; rain_transmission: the part of transmission that is due to rain, which no record verifies',
  ),
  months: whole('Length of the run: 3, 4 or 5 consecutive months'),
  first_month: whole("First month of the run that is expected to have the largest share of the year's total, 1 to 12"),
  last_month: whole('Last month of that run, 1 to 12'),
  share: real("Share of the usual year's total that falls in the run, 0 to 1"),
  share_low: orNull(
    real(
      'Lower end of the central 90% range of that share, from the errors in left-out {state.many}; null: errors unknown',
    ),
  ),
  share_high: orNull(real('Upper end of that range')),
  start_probability: orNull(
    real(
      'Probability that the run whose true share is largest begins within a month of first_month; null: errors unknown',
    ),
  ),
  criterion_probability: orNull(
    real(
      "For runs of four months: probability that some four consecutive months truly contain 60% of the year's total; otherwise null",
    ),
  ),
  criterion: orNull(
    text<'reached' | 'unlikely' | 'unknown'>(
      'For runs of four months: reached (probability of 0.9 or more), unlikely (0.1 or less), unknown (in between, or errors unknown)',
    ),
  ),
  record_first_month: orNull(
    whole("First month of the run with the largest share of the area's own case record; null: no record of its season"),
  ),
  record_share: orNull(real('Share of that record in the run from first_month to last_month')),
  record_best_share: orNull(real('Share of that record in its own best run')),
  rain_share: real("Share of the usual year's rain in the wettest run of the same length"),
};

export const trend = {
  state_code: orNull(text('{state.code_short}; null for the nation')),
  survey_year: whole('Year of the round'),
  positivity: real('Share of children aged {youngest}-{oldest} months who tested positive by {survey_method}, 0 to 1'),
  low: orNull(real('Lower end of the 95% range; null if it cannot be computed')),
  high: orNull(real('Upper end of the 95% range; null if it cannot be computed')),
  clusters: orNull(whole('Survey locations; null where unpublished')),
  children_tested: orNull(whole('Children tested; null where unpublished')),
  small_sample: yes('Fewer than 100 children were tested: use the range, not the point'),
  urban: orNull(real('Positivity in urban places, nation only')),
  rural: orNull(real('Positivity in rural places, nation only')),
};

export const scores = {
  score: real(
    'Share of children aged {youngest}-{oldest} months who would test positive by {method}, 0 to 1; posterior mean',
  ),
  score_low: real('Lower end of the central 90% range'),
  score_high: real('Upper end of the central 90% range'),
};
