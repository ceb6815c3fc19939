import type { SeasonMethod } from '../../contract/schemas.ts';

/** The season's method for a country without monthly rain: the season is unknown. */
export function unknownSeason(high_season_share_of_peak: number): SeasonMethod {
  return {
    cases_follow_rain_by_months: 0,
    high_season_share_of_peak,
    description: 'The country has no monthly rain data from which to estimate a season, so no season is reported.',
    check: { series: 0, states: [], median_correlation: 0, mean_months_off: 0, mean_months_peak_is_off: 0 },
  };
}
