/**
 * Decimals that each field is rounded to on output, so that files are byte-stable. Fields that are not listed are
 * integers or text; a fractional number under such a field is a mistake and is refused.
 */
export const DECIMALS: Readonly<Record<string, number>> = {
  score: 4,
  score_low: 4,
  score_high: 4,
  positivity: 4,
  low: 4,
  high: 4,
  urban: 4,
  rural: 4,
  itn_use: 4,
  itn_access: 4,
  irs_coverage: 4,
  effective_treatment: 4,
  response_index: 4,
  travel_minutes_to_care: 1,
  area_km2: 1,
  seasonal_index: 4,
  high_season_share_of_peak: 4,
  share: 4,
  share_low: 4,
  share_high: 4,
  start_probability: 4,
  criterion_probability: 4,
  record_share: 4,
  record_best_share: 4,
  rain_share: 4,
  log_mae: 4,
  crps_log: 4,
  coverage_50: 4,
  coverage_90: 4,
  crps_per_1000: 4,
  median_correlation: 4,
  mean_months_off: 2,
  mean_months_peak_is_off: 2,
  fit_correlation: 4,
  infectious_months: 2,
  immune_months: 2,
  probability_very_low: 4,
  probability_low: 4,
  probability_moderate: 4,
  probability_high: 4,
  probability_very_high: 4,
  probability_above_very_low: 4,
  probability_above_low: 4,
  probability_above_moderate: 4,
  probability_above_high: 4,
  probability_highest_nation: 4,
  probability_highest_state: 4,
  change_year: 4,
  change_year_low: 4,
  change_year_high: 4,
  probability_rise_year: 4,
  change_survey: 4,
  change_survey_low: 4,
  change_survey_high: 4,
  probability_rise_survey: 4,
  reproduction_number_by_month: 4,
  share_of_transmission_year_round: 4,
  reported: 4,
  modelled: 4,
  model: 4,
  same_month_last_year: 4,
  same_month_last_three_years: 4,
  seasonal_shape_correlation: 4,
  coordinates: 5,
  level_probability: 4,
  longitude: 4,
  latitude: 4,
};

/**
 * Rounds every number under a listed field to that field's decimals, as `toFixed` rounds the binary value (so not
 * always half away from zero in decimal notation). Arrays inherit their field's decimals.
 * @throws Error for a number that is not finite, or fractional under a field without decimals.
 */
export function roundFields<T>(value: T, field = ''): T {
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new Error(`${field}: ${value} is not a finite number`);
    const decimals = DECIMALS[field];
    if (decimals !== undefined) return (Number(value.toFixed(decimals)) + 0) as T;
    if (!Number.isInteger(value)) throw new Error(`${field}: ${value} is fractional, but no decimals are declared`);
    return value;
  }
  if (Array.isArray(value)) return value.map((item) => roundFields(item, field)) as T;
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, roundFields(item, key)])) as T;
  }
  return value;
}

/** One number rounded as the field `field` is. */
export function roundAs(field: string, value: number): number {
  return roundFields({ [field]: value })[field] as number;
}
