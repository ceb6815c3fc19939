import { correlation, mean, median } from '../numerics/averages.ts';
import { randomStream } from '../numerics/random.ts';
import { monthsApart, seasonMidpoint } from './high-season.ts';
import { type Durations, expectedSeason, fitRainSeason, type SeasonRecord } from './rain-season.ts';

/** A place's recorded season against the expected one, in figures. */
export type SeasonFigures = Pick<SeasonCheckRow, 'correlation' | 'peak_off' | 'midpoint_off' | 'wrong_months'>;
/** The two themselves, as shares of their peak, January first. */
export type SeasonPair = Pick<SeasonCheckRow, 'expected' | 'recorded'>;

/** Compares the season of one state's cases with that expected from its rain, using parameters from the other states. */
export interface SeasonCheckRow {
  state_code: string;
  correlation: number;
  /** Months 1-12. */
  peak_expected: number;
  peak_recorded: number;
  /** Circular distances in months. */
  peak_off: number;
  midpoint_off: number;
  /** How many of the twelve months lie on the wrong side of the high season's share of the peak. */
  wrong_months: number;
  /** Root mean square difference of the two, as shares of the peak; correlation does not see how far a season swings. */
  index_error: number;
  expected: number[];
  recorded: number[];
  /** The same for its LGAs with records, each from its own rain, with parameters that never saw the state. */
  lgas: SeasonFigures[];
}
/** A state's record, and those of its LGAs that have one. */
export interface StateSeasonRecord extends SeasonRecord {
  state_code: string;
  lgas: readonly SeasonRecord[];
}

/** A state's row, and the seasons of its LGAs beside their figures. */
export type CheckedState = Omit<SeasonCheckRow, 'lgas'> & { lgas: (SeasonFigures & SeasonPair)[] };

/** Leave one state out: every parameter is chosen on the other states' records, then scored on the one left out. */
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

/** Both as shares of their peak, January first. The earliest of equal peaks counts. */
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

/** The contract's summary of the rows, not rounded; zeros if no state has a record. */
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
