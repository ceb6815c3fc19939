/** Columns that tables of several stages share, each said once. */
import { orNull, real, text, whole, yes } from './table.ts';

export const state_code = text('Two-letter state code (ISO 3166-2:NG)');
export const state = text('State name');
export const lga_code = text(
  'LGA identifier (OCHA p-code). Join on this, never on names: some names stand for two places',
);
export const lga = text('LGA name');
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
  response_index: orNull(real('Mean of itn_use and effective_treatment, 0 to 1; null where either is')),
};

export const season = {
  month,
  seasonal_index: real("Expected level of reported cases as a share of the area's own peak, 0 to 1"),
  is_high: yes('Whether the month is at half the peak or more'),
  is_peak: yes('Whether cases are expected to be highest in it'),
};

export const trend = {
  state_code: orNull(text('Two-letter state code; null for the nation')),
  survey_year: whole('Year of the round'),
  positivity: real('Share of children aged 6-59 months who tested positive by microscopy, 0 to 1'),
  low: orNull(real('Lower end of the 95% range; null where it cannot be had')),
  high: orNull(real('Upper end of the 95% range; null where it cannot be had')),
  clusters: orNull(whole('Survey locations; null where unpublished')),
  children_tested: orNull(whole('Children tested; null where unpublished')),
  small_sample: yes('Fewer than 100 children were tested: use the range, not the point'),
  urban: orNull(real('Positivity in urban places, nation only')),
  rural: orNull(real('Positivity in rural places, nation only')),
};

export const scores = {
  score: real('Share of children aged 6-59 months who would test positive by microscopy, 0 to 1; posterior mean'),
  score_low: real('Lower end of the central 90% range'),
  score_high: real('Upper end of the central 90% range'),
};
