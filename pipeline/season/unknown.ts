import type { SeasonMethod } from '../contract/schemas.ts';

/** What is said of the season of a country without monthly rain: that it is not known. */
export function unknownSeason(high_season_share_of_peak: number): SeasonMethod {
  return {
    cases_follow_rain_by_months: 0,
    high_season_share_of_peak,
    description: 'The country has no monthly rain, which a season would be learnt from: no season is told.',
    check: { series: 0, states: [], median_correlation: 0, mean_months_off: 0, mean_months_peak_is_off: 0 },
  };
}
