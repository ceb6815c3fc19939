import { addMonths, monthIndex, type Period } from '../../contract/months.ts';

/**
 * Latest reference month, in months after the end of fieldwork; fieldwork is then within the year around the reference.
 */
const MAX_MONTHS_AFTER_FIELDWORK = 3;

/**
 * The month that represents the last survey round completed before `period`: the same month of the last earlier year in
 * which it is at most three months after the end of fieldwork, so that the season does not affect the change. Null
 * before the end of the first round.
 * @param fieldworkEnds last months of the rounds' fieldwork; for a round published by state only, its middle month
 */
export function surveyReferenceMonth(period: Period, fieldworkEnds: readonly Period[]): Period | null {
  const ended = fieldworkEnds.filter((end) => end < period).sort();
  const lastEnd = ended.at(-1);
  if (lastEnd === undefined) return null;
  return addMonths(
    period,
    -12 * Math.max(1, Math.ceil((monthIndex(period) - monthIndex(lastEnd) - MAX_MONTHS_AFTER_FIELDWORK) / 12)),
  );
}

/** Positions in `periods` of the months with which `period` is compared; null if they are not in it. */
export function comparisonPositions(period: Period, periods: readonly Period[], fieldworkEnds: readonly Period[]) {
  const position = (month: Period | null) => {
    const index = month === null ? -1 : periods.indexOf(month);
    return index < 0 ? null : index;
  };
  return { year: position(addMonths(period, -12)), survey: position(surveyReferenceMonth(period, fieldworkEnds)) };
}
