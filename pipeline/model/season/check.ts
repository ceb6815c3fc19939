import { correlation, mean, median } from '../../lib/numerics/averages.ts';
import { randomStream } from '../../lib/numerics/random.ts';
import { monthsApart, seasonMidpoint } from './high-season.ts';
import { type Durations, expectedSeason, fitRainSeason, type SeasonRecord } from './rain-season.ts';

/** Agreement between a place's expected and recorded seasons. */
export type SeasonFigures = Pick<SeasonCheckRow, 'correlation' | 'peak_off' | 'midpoint_off' | 'wrong_months'>;
/** The two seasons, as shares of their peak, January first. */
export type SeasonPair = Pick<SeasonCheckRow, 'expected' | 'recorded'>;

/** Comparison of a state's recorded season with that expected from its rain, using parameters from the other states. */
export interface SeasonCheckRow {
  state_code: string;
  correlation: number;
  /** Months 1-12. */
  peak_expected: number;
  peak_recorded: number;
  /** Circular distances in months. */
  peak_off: number;
  midpoint_off: number;
  /** Number of the twelve months on the wrong side of the high season's share of the peak. */
  wrong_months: number;
  /** Root mean square difference of the two, as a share of the peak; the correlation ignores the size of the swing. */
  index_error: number;
  expected: number[];
  recorded: number[];
  /** The same for its LGAs with records, each from its own rain, with parameters fitted without the state. */
  lgas: SeasonFigures[];
}
/** The record of a state, and those of its LGAs with records. */
export interface StateSeasonRecord extends SeasonRecord {
  state_code: string;
  lgas: readonly SeasonRecord[];
}

/** A state's row, in which the LGAs also have their seasons. */
export type CheckedState = Omit<SeasonCheckRow, 'lgas'> & { lgas: (SeasonFigures & SeasonPair)[] };

/**
 * Leaves one state out at a time: fits the parameters to the other states' records and compares with the left-out one.
 */
export function checkSeason(
  records: readonly StateSeasonRecord[],
  durations: Durations,
  { highShare, seed }: { highShare: number; seed: number },
): CheckedState[] {
  return records.map((left) => {
    const others = records.filter((record) => record !== left);
    const rain = fitRainSeason(others, durations, randomStream(seed, `season without ${left.state_code}`));
    const compare = ({ rain_mm, season }: SeasonRecord) =>
      compareSeasons(expectedSeason(rain_mm, rain, durations), season, highShare);
    const lgas = left.lgas.map((lga) => {
      const { correlation, peak_off, midpoint_off, wrong_months, expected, recorded } = compare(lga);
      return { correlation, peak_off, midpoint_off, wrong_months, expected, recorded };
    });
    return { state_code: left.state_code, ...compare(left), lgas };
  });
}

/** Compares two seasons, as shares of their peak, January first. The earliest of equal peaks counts. */
export function compareSeasons(expected: readonly number[], recorded: readonly number[], highShare: number) {
  const peak = (values: readonly number[]) => values.indexOf(Math.max(...values));
  const high = (value: number) => value >= highShare;
  return {
    correlation: correlation(expected, recorded),
    peak_expected: peak(expected) + 1,
    peak_recorded: peak(recorded) + 1,
    peak_off: monthsApart(peak(expected), peak(recorded)),
    midpoint_off: monthsApart(seasonMidpoint(expected), seasonMidpoint(recorded)),
    wrong_months: expected.filter((value, month) => high(value) !== high(recorded[month]!)).length,
    index_error: Math.sqrt(mean(expected.map((value, month) => (value - recorded[month]!) ** 2))),
    expected: [...expected],
    recorded: [...recorded],
  };
}

/** Unrounded summary of the rows in the contract's form; zeros if no state has a record. */
export function summariseCheck(rows: readonly SeasonCheckRow[]) {
  const of = (figure: (row: SeasonCheckRow) => number) => rows.map(figure);
  const known = rows.length > 0;
  return {
    series: rows.length,
    states: rows.map((row) => row.state_code),
    median_correlation: known ? median(of((row) => row.correlation)) : 0,
    mean_months_off: known ? mean(of((row) => row.midpoint_off)) : 0,
    mean_months_peak_is_off: known ? mean(of((row) => row.peak_off)) : 0,
  };
}
