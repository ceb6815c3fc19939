import type { ProjectionRecord, ProjectionSettings } from './projection-test.ts';

/** A wet season with a break in August, mm a month. */
const RAIN_MM = [10, 20, 60, 110, 150, 190, 170, 110, 190, 140, 40, 10];
/** Cases by month of the year, per 1,000. */
const CASES = [4.1, 3.6, 3.4, 3.7, 4.6, 5.9, 6.6, 6.1, 5.7, 5.8, 5.4, 4.7];
const YEARS_BEFORE = 3;

/**
 * An invented record that is always the same except for its span. A design's projections from it identify the design,
 * whatever the country's data. Reporting grows unevenly, one month is unknown and three are masked, so that the rules
 * for these cases affect the projections too.
 */
export function probeRecord({ development_first, held_back_year }: ProjectionSettings): ProjectionRecord {
  const first_year = development_first - YEARS_BEFORE;
  const months = 12 * (held_back_year - first_year);
  const value = (t: number) => CASES[t % 12]! * (1 + t / 100) * (1 + 0.05 * (((t * 7) % 5) - 2));
  return {
    state_code: 'ZZ',
    first_year,
    per_1000: Array.from({ length: months }, (_, t) => (t === 20 ? null : value(t))),
    masked: new Set([5, 6, 30]),
    rain_mm: RAIN_MM,
  };
}
