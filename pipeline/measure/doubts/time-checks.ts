/** Case records whose months are not what they are read as: added up, not yet complete, or of another calendar. */
import { monthFromIndex, monthIndex } from '../../contract/months.ts';
import { median } from '../../lib/numerics/averages.ts';
import { type Content, caseSeries, type Series } from './content.ts';

/** So many rises from month to month, and hardly a fall among them, have no chance in monthly counts. */
const LEAST_RISES = 12;
/** Falls among the steps within a year: corrections of a sum that is never less than the month before. */
const CORRECTIONS = 0.1;
/** Turns of the year at which a sum that starts again falls; in a new year's first month an epidemic may begin. */
const TURNS = 0.8;
/** Late reports bring a few per cent; a month below this part of what leads to expect it lacks more. */
const COMPLETE = 0.75;
/**
 * A drop must exceed the usual departure, as a standard deviation, so many times. Of 85 months with which Nigeria's
 * records might have ended, 6 are doubted.
 */
const DEVIATIONS = 3;
const NORMAL_MAD = 1.4826;
/** As many months before the last ones say what is usual, and at most so many of the last are doubted. */
const LEAST_MONTHS = 6;
const LAST_MONTHS = 3;
/** In fewer cases a month, chance decides. */
const LEAST_CASES = 100;
/** The calendars of Ethiopia and Nepal are 7 years behind and 56 ahead; files are seldom so far apart. */
const YEARS_APART = 5;

/** Records that never fall within a year, or not at all, and fall where the next year begins. */
export const addedUp = (content: Content): string[] =>
  caseSeries(content).flatMap(({ name, first, values }) => {
    const steps = values.flatMap((value, i) => {
      const before = values[i - 1] ?? null;
      return value === null || before === null || value === before
        ? []
        : [{ month: (first + i) % 12, by: value - before }];
    });
    const rising = (some: typeof steps) => some.filter(({ by }) => by > 0).length;
    const neverFalls = (some: typeof steps) =>
      rising(some) >= LEAST_RISES && some.length - rising(some) <= CORRECTIONS * some.length;
    const start = Array.from({ length: 12 }, (_, month) => month).find((month) => {
      const turns = steps.filter((step) => step.month === month);
      const falls = turns.length - rising(turns);
      return falls > 0 && falls >= TURNS * turns.length && neverFalls(steps.filter((step) => step.month !== month));
    });
    if (start === undefined) return neverFalls(steps) ? [`${name}: cases never fall from one month to the next`] : [];
    const turn = monthFromIndex(12 * 2000 + start).slice(5);
    return [`${name}: cases never fall within a year and fall at its turn, in month ${turn}`];
  });

/**
 * The last months of the records, if all areas together have far fewer cases than the year before and the months until
 * then lead to expect.
 */
export function incompleteMonths(content: Content): string[] {
  const series = caseSeries(content);
  return [true, false].flatMap((ofStates) => {
    const records = series.filter(({ of_state }) => of_state === ofStates);
    const all = lastMonths(records);
    if (all) return [`${all} in all areas`];
    const groups = ofStates ? [] : [...Map.groupBy(records, ({ state_code }) => state_code)];
    return groups.flatMap(([state, ofState]) => {
      const low = lastMonths(ofState);
      return low ? [`${low} in ${state}`] : [];
    });
  });
}

/** Which of the last months are low, and how low the last one is; null if none is. */
function lastMonths(records: readonly Series[]): string | null {
  const last = Math.max(...records.map(({ first, values }) => first + values.length - 1));
  const first = Math.min(...records.map((record) => record.first));
  const changes = new Map<number, number>();
  for (let month = first + 12; month <= last; month++) {
    const [now, before] = sumsIn(records, month, month - 12);
    if (before >= LEAST_CASES) changes.set(month, Math.log((now + 1) / (before + 1)));
  }
  /** The change beside that of the year until then, without the last months themselves. */
  const departure = (month: number, until = month) => {
    const usual = Array.from({ length: 12 }, (_, i) => changes.get(until - 1 - i) ?? []).flat();
    return usual.length < LEAST_MONTHS || !changes.has(month) ? null : changes.get(month)! - median(usual);
  };
  const start = last - LAST_MONTHS + 1;
  const history = Array.from({ length: start - first }, (_, i) => departure(first + i) ?? []).flat();
  if (history.length < LEAST_MONTHS) return null;
  const most = Math.max(-Math.log(COMPLETE), DEVIATIONS * NORMAL_MAD * median(history.map(Math.abs)));
  const isLow = (month: number) => (departure(month, start) ?? 0) < -most;
  if (!isLow(last)) return null;
  let from = last;
  while (from > start && (departure(from - 1, start) ?? 0) < Math.log(COMPLETE)) from--;
  const months = from === last ? monthFromIndex(last) : `${monthFromIndex(from)} to ${monthFromIndex(last)}`;
  return `${months}: the last month has ${Math.exp(departure(last, start)!).toFixed(2)} times the usual cases`;
}

/** Cases in two months of the records that have both. */
function sumsIn(records: readonly Series[], month: number, other: number): [number, number] {
  const sums: [number, number] = [0, 0];
  for (const { first, values } of records) {
    const [value, otherValue] = [values[month - first] ?? null, values[other - first] ?? null];
    if (value === null || otherValue === null) continue;
    sums[0] += value;
    sums[1] += otherValue;
  }
  return sums;
}

/** Case records that end years before the rain or the surveys, or begin years after both. */
export function anotherCalendar({ cases, climate, surveys }: Content): string[] {
  const months = (rows: readonly { period: string }[]) => rows.map(({ period }) => monthIndex(period));
  const latest = (indexes: readonly number[]) => indexes.reduce((most, month) => Math.max(most, month), 0);
  const [records, rain] = [months(cases), months(climate)];
  const surveyed = surveys.map(({ survey_year }) => 12 * survey_year + 11);
  const [last, other] = [latest(records), Math.max(latest(rain), latest(surveyed))];
  if (records.length === 0 || other === 0) return [];
  const first = records.reduce((least, month) => Math.min(least, month));
  const span = `cases from ${monthFromIndex(first)} to ${monthFromIndex(last)}`;
  const others = rain.length > 0 ? (surveyed.length > 0 ? 'rain and surveys' : 'rain') : 'surveys';
  const isApart = first - other > 12 * YEARS_APART || other - last > 12 * YEARS_APART;
  return isApart ? [`${span}, ${others} until ${monthFromIndex(other)}`] : [];
}
