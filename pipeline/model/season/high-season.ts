import { roundAsField } from '../../contract/decimals.ts';
import type { Season } from '../../contract/schemas.ts';

/** Months 0 (January) to 11, round the year. */
const wrapMonth = (month: number) => ((month % 12) + 12) % 12;

/**
 * `values` relative to the highest, rounded as published.
 * @throws RangeError unless twelve, none negative, one above 0
 */
export function seasonalIndex(values: readonly number[]): number[] {
  const peak = Math.max(...values);
  if (values.length !== 12 || !(peak > 0) || !Number.isFinite(peak) || values.some((value) => !(value >= 0)))
    throw new RangeError(`a season needs twelve values of 0 or more, at least one above 0; found ${values.join(', ')}`);
  return values.map((value) => roundAsField('seasonal_index', value / peak));
}

/**
 * The season of a place from its expected cases by month (January first, any unit). Every rule is applied to the
 * rounded index: high months are those at `highShare` of the peak or more; the season is the run of them around the
 * peak, bridging single lower months and continuing across the year's end. The earliest of equal peaks counts. If no
 * two lower months are adjacent, the run has no ends and the season is 1, 12, 12.
 */
export function describeSeason(values: readonly number[], highShare: number): Season {
  const seasonal_index = seasonalIndex(values);
  const peak = seasonal_index.indexOf(1);
  const isHighMonth = seasonal_index.map((value) => value >= highShare);
  const { first, months } = seasonRun(isHighMonth, peak);
  return {
    peak_month: peak + 1,
    season_start_month: first + 1,
    season_end_month: wrapMonth(first + months - 1) + 1,
    season_months: months,
    high_months: isHighMonth.flatMap((isHigh, month) => (isHigh ? [month + 1] : [])),
    seasonal_index,
  };
}

/** First month (0-11) and length of the run of high months around `peak`, bridging single lower months. */
export function seasonRun(isHighMonth: readonly boolean[], peak: number): { first: number; months: number } {
  const isLow = (month: number) => !isHighMonth[wrapMonth(month)];
  const hasAdjacentLows = isHighMonth.some((_, month) => isLow(month) && isLow(month + 1));
  if (!hasAdjacentLows) return { first: 0, months: 12 };
  /** The last high month from the peak in one direction, before two lower months in a row. */
  const monthsToEnd = (direction: 1 | -1) => {
    let lastHigh = 0;
    for (let step = 1; step < 12; step++) {
      if (!isLow(peak + direction * step)) lastHigh = step;
      else if (isLow(peak + direction * (step + 1))) break;
    }
    return lastHigh;
  };
  const before = monthsToEnd(-1);
  return { first: wrapMonth(peak - before), months: before + monthsToEnd(1) + 1 };
}

/** Midpoint of the season at half height, with the lowest month scaled to 0 and the highest to 1; months 0 to 12. */
export function seasonMidpoint(values: readonly number[]): number {
  const lowest = Math.min(...values);
  const highest = Math.max(...values);
  const isHighMonth = values.map((value) => value - lowest >= (highest - lowest) / 2);
  const { first, months } = seasonRun(isHighMonth, values.indexOf(highest));
  return (first + (months - 1) / 2) % 12;
}

/** Distance between two points of the year in months, the shorter way round: 0 to 6. */
export function monthsApart(a: number, b: number): number {
  const distance = Math.abs(a - b) % 12;
  return Math.min(distance, 12 - distance);
}
