/**
 * Scores of a country whose season is unknown: all months of a year have the score of its middle, with a range wide
 * enough for any month of an unknown season (season-error.ts).
 */
import type { Period } from '../../contract/months.ts';
import { surveyReference } from './compared.ts';
import type { AreaChanges, AreaEstimates, AreaScores } from './prediction.ts';

/** July of each year in `periods`, ascending, and the index of the July from which each period takes its score. */
export function wholeYears(periods: readonly Period[]): { middles: Period[]; from: Int32Array } {
  const years = [...new Set(periods.map((period) => period.slice(0, 4)))];
  return {
    middles: years.map((year) => `${year}-07`),
    from: Int32Array.from(periods, (period) => years.indexOf(period.slice(0, 4))),
  };
}

/** Expands estimates by year to every month. @param from index of the year for each month */
export function inEveryMonth(years: AreaEstimates, from: Int32Array): AreaEstimates {
  const areas = years.mean.length / (Math.max(...from) + 1);
  const spread = (values: Float64Array) => {
    const out = new Float64Array(from.length * areas);
    from.forEach((year, m) => {
      out.set(values.subarray(year * areas, (year + 1) * areas), m * areas);
    });
    return out;
  };
  const scores = ({ mean, low, high }: AreaScores) => ({ mean: spread(mean), low: spread(low), high: spread(high) });
  const changes = (change: AreaChanges) => ({ ...scores(change), rise: spread(change.rise) });
  return {
    ...scores(years),
    at_least: years.at_least.map(spread),
    highest_nation: spread(years.highest_nation),
    highest_state: years.highest_state && spread(years.highest_state),
    changes: { year: changes(years.changes.year), survey: changes(years.changes.survey) },
    contrasts: years.contrasts.map(spread),
  };
}

/** The month that represents the last survey, determined as for July of the month's year. */
export function yearReference(period: Period, fieldworkEnds: readonly Period[]): Period | null {
  const middle = surveyReference(`${period.slice(0, 4)}-07`, fieldworkEnds);
  return middle && `${middle.slice(0, 4)}${period.slice(4)}`;
}
