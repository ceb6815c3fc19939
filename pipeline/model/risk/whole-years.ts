/**
 * Scores of a country whose season is unknown: all months of a year have the score of its middle, with a range wide
 * enough for any month of an unknown season (season-error.ts).
 */
import type { Period } from '../../contract/months.ts';
import { surveyReferenceMonth } from './comparison-months.ts';
import type { AreaChanges, AreaEstimates, AreaScores } from './prediction.ts';

/** July of each year in `periods`, ascending, and the index of the July from which each period takes its score. */
export function wholeYears(periods: readonly Period[]): { julys: Period[]; yearOfPeriod: Int32Array } {
  const years = [...new Set(periods.map((period) => period.slice(0, 4)))];
  return {
    julys: years.map((year) => `${year}-07`),
    yearOfPeriod: Int32Array.from(periods, (period) => years.indexOf(period.slice(0, 4))),
  };
}

/** Expands estimates by year to every month. @param yearOfPeriod index of the year for each month */
export function repeatForMonths(yearly: AreaEstimates, yearOfPeriod: Int32Array): AreaEstimates {
  const areas = yearly.mean.length / (Math.max(...yearOfPeriod) + 1);
  const repeatYears = (values: Float64Array) => {
    const repeated = new Float64Array(yearOfPeriod.length * areas);
    yearOfPeriod.forEach((year, m) => {
      repeated.set(values.subarray(year * areas, (year + 1) * areas), m * areas);
    });
    return repeated;
  };
  const scores = ({ mean, low, high }: AreaScores) => ({
    mean: repeatYears(mean),
    low: repeatYears(low),
    high: repeatYears(high),
  });
  const changes = (change: AreaChanges) => ({ ...scores(change), rise: repeatYears(change.rise) });
  return {
    ...scores(yearly),
    at_least: yearly.at_least.map(repeatYears),
    highest_nation: repeatYears(yearly.highest_nation),
    highest_state: yearly.highest_state && repeatYears(yearly.highest_state),
    changes: { year: changes(yearly.changes.year), survey: changes(yearly.changes.survey) },
    contrasts: yearly.contrasts.map(repeatYears),
  };
}

/** The month that represents the last survey, determined as for July of the month's year. */
export function surveyReferenceOfYear(period: Period, fieldworkEnds: readonly Period[]): Period | null {
  const julyReference = surveyReferenceMonth(`${period.slice(0, 4)}-07`, fieldworkEnds);
  return julyReference && `${julyReference.slice(0, 4)}${period.slice(4)}`;
}
