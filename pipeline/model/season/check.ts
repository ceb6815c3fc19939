import { correlation, mean, median } from '../../lib/numerics/averages.ts';
import { randomStream } from '../../lib/numerics/random.ts';
import type { Durations } from '../../lib/numerics/sirs.ts';
import { monthsApart, seasonMidpoint } from './high-season.ts';
import { expectedSeason, fitRainSeason, type SeasonRecord } from './rain-season.ts';
import type { SeasonCheckRow, SeasonFigures, SeasonPair } from './season-tables.ts';

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
  return records.map((leftOut) => {
    const remaining = records.filter((record) => record !== leftOut);
    const rainSeason = fitRainSeason(remaining, durations, randomStream(seed, `season without ${leftOut.state_code}`));
    const compare = ({ rain_mm, season }: SeasonRecord) =>
      compareSeasons(expectedSeason(rain_mm, rainSeason, durations), season, highShare);
    const lgas = leftOut.lgas.map((lga) => {
      const { correlation, peak_off, midpoint_off, wrong_months, expected, recorded } = compare(lga);
      return { correlation, peak_off, midpoint_off, wrong_months, expected, recorded };
    });
    return { state_code: leftOut.state_code, ...compare(leftOut), lgas };
  });
}

/** Compares two seasons, as shares of their peak, January first. The earliest of equal peaks counts. */
export function compareSeasons(expected: readonly number[], recorded: readonly number[], highShare: number) {
  const peakMonth = (values: readonly number[]) => values.indexOf(Math.max(...values));
  const isHigh = (value: number) => value >= highShare;
  return {
    correlation: correlation(expected, recorded),
    peak_expected: peakMonth(expected) + 1,
    peak_recorded: peakMonth(recorded) + 1,
    peak_off: monthsApart(peakMonth(expected), peakMonth(recorded)),
    midpoint_off: monthsApart(seasonMidpoint(expected), seasonMidpoint(recorded)),
    wrong_months: expected.filter((value, month) => isHigh(value) !== isHigh(recorded[month]!)).length,
    index_error: Math.sqrt(mean(expected.map((value, month) => (value - recorded[month]!) ** 2))),
    expected: [...expected],
    recorded: [...recorded],
  };
}

/** Unrounded summary of the rows in the contract's form; zeros if no state has a record. */
export function summariseCheck(rows: readonly SeasonCheckRow[]) {
  const hasRecords = rows.length > 0;
  return {
    series: rows.length,
    states: rows.map((row) => row.state_code),
    median_correlation: hasRecords ? median(rows.map((row) => row.correlation)) : 0,
    mean_months_off: hasRecords ? mean(rows.map((row) => row.midpoint_off)) : 0,
    mean_months_peak_is_off: hasRecords ? mean(rows.map((row) => row.peak_off)) : 0,
  };
}
