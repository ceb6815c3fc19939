/** Types and formats of the data embedded in the annex, for encode-annex.ts and the scripts under page/annex/. */
import type { Period } from '../../../contract/months.ts';
import type { NationalSurveyTrend, SurveyTrend } from '../../../contract/schemas.ts';
import type { Validation } from '../../../validate/validation.ts';

export interface AnnexData {
  /** The country's word for its states. */
  states_many: string;
  /** Season of each state, from north to south. */
  seasons: { state: string; seasonal_index: number[]; peak_month: number }[];
  season_check: { state: string; expected: number[]; recorded: number[]; correlation: number }[];
  /** Results of the surveys for the nation, round by round. */
  national: NationalSurveyTrend[];
  /** Results by state, with the score of the round's middle month. */
  surveyed: (SurveyTrend & { state: string; score: number; score_low: number; score_high: number })[];
  /** The tests, in words, of each round that used a test other than the score's, by year. */
  other_tests: Record<number, string>;
  /**
   * Past forecasts of cases by state and horizon: for each period the 5%, 50% and 95% quantiles and the observed value.
   */
  past_forecasts: { state: string; horizon: number; months: { period: Period; values: number[] }[] }[];
  transmission: AnnexTransmission | null;
  validation: Validation | null;
}

/** Cases as an index (100 = mean of the state's reported months). */
export interface AnnexTransmission {
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
}
