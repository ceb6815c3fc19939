/** Types of the data that the page reads besides its own HTML: written by encode.ts, read by the scripts under page/. */
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
  seasons: { national: Season; states: Season[]; lgas: Season[] };
  /** States from north to south, indices. */
  north_to_south: number[];
  trend: { national: NationalSurveyTrend[]; states: SurveyTrend[][] };
  /** Middle of each survey round's fieldwork, where known. */
  rounds: { survey_year: number; middle: Period }[];
  season_check: { state: string; expected: number[]; recorded: number[]; correlation: number }[];
  transmission: PageTransmission | null;
  validation: Validation | null;
}

/** Cases per 1,000 people. */
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
