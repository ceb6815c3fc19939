import { addMonths, monthIndex, type Period } from '../contract/months.ts';

/** A month may stand for a survey that ended so many months before it, so that fieldwork is in the middle of such twelve. */
const AFTER = 3;

/**
 * The month that stands for the last survey round that was over before `period`: the last one before it of the same name
 * that lies no later than three months past the end of fieldwork. So the season is not in the change. Null before the end
 * of the first round.
 * @param fieldworkEnds last months of the rounds' fieldwork; of a round known by state only its middle month
 */
export function surveyReference(period: Period, fieldworkEnds: readonly Period[]): Period | null {
  const ended = fieldworkEnds.filter((end) => end < period).sort();
  const last = ended.at(-1);
  if (last === undefined) return null;
  return addMonths(period, -12 * Math.max(1, Math.ceil((monthIndex(period) - monthIndex(last) - AFTER) / 12)));
}

/** Where among `periods` the months stand with which one is compared; null where they are not among them. */
export function comparedOf(period: Period, periods: readonly Period[], fieldworkEnds: readonly Period[]) {
  const position = (month: Period | null) => {
    const at = month === null ? -1 : periods.indexOf(month);
    return at < 0 ? null : at;
  };
  return { year: position(addMonths(period, -12)), survey: position(surveyReference(period, fieldworkEnds)) };
}
