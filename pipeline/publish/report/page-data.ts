/** The data that the page reads besides its own HTML: its types and forms, for encode.ts and the scripts under page/. */
import type { Validation } from '../../artifacts.ts';
import type { Period } from '../../contract/months.ts';
import type {
  ContextLga,
  ContextState,
  Level,
  NationalSurveyTrend,
  Season,
  SurveyTrend,
} from '../../contract/schemas.ts';

export interface PageData {
  country: string;
  model_version: string;
  synthetic: boolean;
  /** Youngest and oldest of the children that scores are of. */
  ages_months: readonly number[];
  /** Estimated months, then forecast months. */
  periods: Period[];
  /** How many of `periods` are estimated. */
  estimated: number;
  /** `below` null: no upper end. */
  levels: { level: Level; below: number | null }[];
  /** Ascending by code, as everywhere. */
  states: ContextState[];
  lgas: (ContextLga & { state_code: string })[];
  /**
   * Base64 of little-endian Uint16: score, score_low and score_high × 10⁴, rounded as the answers are; by area (states,
   * then LGAs), then month.
   */
  scores: string;
  /**
   * Base64 of bytes, whole percent, by area and month as `scores`: the chance of lying above each level but the highest,
   * that of the score's own level (rounded down, so that 80 means 80% or more), of being among the highest tenth of the
   * nation, and of the state's LGAs (255 for a state). Empty where the model gives no chances.
   */
  certainty: string;
  changes: {
    /** Months that have changes, indices of `periods`, ascending. */
    months: number[];
    /** Of each, the month that stands for the last survey; null where there is none. */
    survey_months: (Period | null)[];
    /**
     * Base64 of little-endian Int16 × 10⁴, by area and month: change in a year, its low and high, its chance of being a
     * rise; the same four since the survey. NONE where there is none.
     */
    values: string;
  };
  /** Runs of months in which to act: by area, see WINDOW_COLUMNS. Empty where the season is unknown. */
  windows: (number | null)[][];
  /** Codes of the areas that border on each, by area. */
  neighbours: string[];
  /** Figures of the context: whose, of when, and what to mind. */
  layers: { figure: string; title: string; notes: string[] }[];
  /** What was observed, and when. */
  observed: { what: string; months: Period[]; span: boolean }[];
  /** What the two kinds of areas are called. */
  words: { state: AreaWords; lga: AreaWords };
  citation: string;
  seasons: { national: Season; states: Season[]; lgas: Season[] };
  /** States from north to south, indices. */
  north_to_south: number[];
  trend: { national: NationalSurveyTrend[]; states: SurveyTrend[][] };
  /** Middle of each survey round's fieldwork, where known. */
  rounds: { survey_year: number; middle: Period }[];
  /** By year: the tests, in words, of each round that is not by the score's alone; left out where there is one test. */
  other_tests?: Record<number, string>;
  season_check: { state: string; expected: number[]; recorded: number[]; correlation: number }[];
  /** Past forecasts of cases, by state and horizon, each of a period with its 5%, 50% and 95% quantile and what was observed. */
  past_forecasts: { state: string; horizon: number; months: { period: Period; values: number[] }[] }[];
  transmission: PageTransmission | null;
  validation: Validation | null;
}

export interface AreaWords {
  one: string;
  many: string;
}

/** A change that is not there. */
export const NONE = -32768;

/** Bytes of `certainty` for an area in a month. */
export const CERTAINTY = [
  'above_very_low',
  'above_low',
  'above_moderate',
  'above_high',
  'level',
  'nation',
  'state',
] as const;

export const MEASURES = ['reported_cases', 'rain_transmission'] as const;
export const RUNS = [3, 4, 5] as const;
export const VERDICTS = ['reached', 'unlikely', 'unknown'] as const;
/**
 * Figures of one run of months. An area's list of `windows` has them for every measure and, within it, every length; chances
 * and shares in whole percent, `verdict` an index of VERDICTS.
 */
export const WINDOW_COLUMNS = [
  'first',
  'share',
  'low',
  'high',
  'start',
  'verdict',
  'record_first',
  'record',
  'record_best',
] as const;

/** Cases as an index: 100 is the mean of the state's reported months. Errors: cases per 1,000 people. */
export interface PageTransmission {
  states: {
    state_code: string;
    state: string;
    reproduction_number: number[];
    /** Central 90% range by month. */
    reproduction_range: { low: number[]; high: number[] } | null;
    series: { period: Period; reported: number; modelled: number; left_out: boolean }[];
  }[];
  projections: {
    state_code: string;
    year: number;
    held_back: boolean;
    reported: (number | null)[];
    model: (number | null)[];
    same_month_last_year: (number | null)[];
  }[];
  /** Mean absolute error by method; the model's chosen design first. */
  errors: { method: string; development: number; held_back: number }[];
}
