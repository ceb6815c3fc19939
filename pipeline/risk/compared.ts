import { addMonths, monthIndex, type Period } from '../contract/months.ts';

/**
 * The month that stands for the last survey round before `period`: of the same name, in the twelve months up to the end of
 * that round's fieldwork. So the season is not in the change. Null before the end of the first round.
 * @param fieldworkEnds last months of the rounds' fieldwork
 */
export function surveyReference(period: Period, fieldworkEnds: readonly Period[]): Period | null {
  const ended = fieldworkEnds.filter((end) => end < period).sort();
  const last = ended.at(-1);
  if (last === undefined) return null;
  return addMonths(period, -12 * Math.ceil((monthIndex(period) - monthIndex(last)) / 12));
}

/** Where among `periods` the months stand with which one is compared; null where they are not among them. */
export function comparedOf(period: Period, periods: readonly Period[], fieldworkEnds: readonly Period[]) {
  const position = (month: Period | null) => {
    const at = month === null ? -1 : periods.indexOf(month);
    return at < 0 ? null : at;
  };
  return { year: position(addMonths(period, -12)), survey: position(surveyReference(period, fieldworkEnds)) };
}
