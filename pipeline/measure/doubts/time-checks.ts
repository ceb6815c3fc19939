/** Case records whose months are not what they are read as: added up, not yet complete, or of another calendar. */
import { monthFromIndex, monthIndex } from '../../contract/months.ts';
import { median } from '../../lib/numerics/averages.ts';
import { type Content, caseSeries, type Series, usualDeparture } from './content.ts';

/** So many rises from month to month, and hardly a fall among them, have no chance in monthly counts. */
const LEAST_RISES = 12;
/** Falls among the steps within a year: corrections of a sum that is never less than the month before. */
const MOST_FALLS_SHARE = 0.1;
/** Turns of the year at which a sum that starts again falls; in a new year's first month an epidemic may begin. */
const LEAST_TURN_FALLS_SHARE = 0.8;
/** Late reports bring a few per cent; a month below this part of what leads to expect it lacks more. */
const LEAST_COMPLETE_SHARE = 0.75;
/**
 * A drop must exceed the usual departure, as a standard deviation, so many times. Of 85 months with which Nigeria's
 * records might have ended, 6 are doubted.
 */
const MOST_DEVIATIONS = 3;
/** As many months before the last ones say what is usual, and at most so many of the last are doubted. */
const LEAST_MONTHS = 6;
const LAST_MONTHS = 3;
/** In fewer cases a month, chance decides. */
const LEAST_CASES = 100;
/** The calendars of Ethiopia and Nepal are 7 years behind and 56 ahead; files are seldom so far apart. */
const MOST_YEARS_APART = 5;

/** Rises of a year without a fall, in this many areas at least. */
const LEAST_YEAR_RISES = 9;
const LEAST_AREAS = 3;

/** Records that never fall within a year, or not at all, and fall where the next year begins; in some years, too. */
export function cumulativeRecords(content: Content): string[] {
  const series = caseSeries(content);
  const wholeRecords = cumulativeWhole(series);
  return wholeRecords.length > 0 ? wholeRecords : cumulativeYears(series);
}

/** Years in which the records of several areas never fall. */
function cumulativeYears(series: readonly Series[]): string[] {
  const risingYears = series.flatMap(({ name, first, values }) =>
    values.flatMap((_, start) => {
      const year = values.slice(start, start + 12);
      if ((first + start) % 12 !== 0 || year.length < 12) return [];
      const changes = year.slice(1).flatMap((value, i) => (value === null || year[i] === null ? [] : value - year[i]!));
      const isRising = changes.every((change) => change >= 0);
      const rises = changes.filter((change) => change > 0).length;
      return isRising && rises >= LEAST_YEAR_RISES ? [{ name, year: monthFromIndex(first + start).slice(0, 4) }] : [];
    }),
  );
  return [...Map.groupBy(risingYears, ({ year }) => year)].flatMap(([year, areas]) =>
    areas.length < LEAST_AREAS ? [] : [`${year}: cases never fall in ${areas.map(({ name }) => name).join(', ')}`],
  );
}

const cumulativeWhole = (series: readonly Series[]): string[] =>
  series.flatMap(({ name, first, values }) => {
    const steps = values.flatMap((value, i) => {
      const previous = values[i - 1] ?? null;
      return value === null || previous === null || value === previous
        ? []
        : [{ month: (first + i) % 12, change: value - previous }];
    });
    const countRises = (someSteps: typeof steps) => someSteps.filter(({ change }) => change > 0).length;
    const neverFalls = (someSteps: typeof steps) =>
      countRises(someSteps) >= LEAST_RISES &&
      someSteps.length - countRises(someSteps) <= MOST_FALLS_SHARE * someSteps.length;
    const turnMonth = Array.from({ length: 12 }, (_, month) => month).find((month) => {
      const turnSteps = steps.filter((step) => step.month === month);
      const falls = turnSteps.length - countRises(turnSteps);
      return (
        falls > 0 &&
        falls >= LEAST_TURN_FALLS_SHARE * turnSteps.length &&
        neverFalls(steps.filter((step) => step.month !== month))
      );
    });
    if (turnMonth === undefined)
      return neverFalls(steps) ? [`${name}: cases never fall from one month to the next`] : [];
    const turnText = monthFromIndex(12 * 2000 + turnMonth).slice(5);
    return [`${name}: cases never fall within a year and fall at its turn, in month ${turnText}`];
  });

/**
 * The last months of the records, if all areas together have far fewer cases than the year before and the months until
 * then lead to expect.
 */
export function incompleteMonths(content: Content): string[] {
  const series = caseSeries(content);
  return [true, false].flatMap((areStates) => {
    const records = series.filter(({ of_state }) => of_state === areStates);
    const allLow = describeLowMonths(records);
    if (allLow) return [`${allLow} in all areas`];
    const groups = areStates ? [] : [...Map.groupBy(records, ({ state_code }) => state_code)];
    return groups.flatMap(([state, stateRecords]) => {
      const stateLow = describeLowMonths(stateRecords);
      return stateLow ? [`${stateLow} in ${state}`] : [];
    });
  });
}

/** Which of the last months are low, and how low the last one is; null if none is. */
function describeLowMonths(records: readonly Series[]): string | null {
  const lastMonth = Math.max(...records.map(({ first, values }) => first + values.length - 1));
  const firstMonth = Math.min(...records.map((record) => record.first));
  const changeByMonth = new Map<number, number>();
  for (let month = firstMonth + 12; month <= lastMonth; month++) {
    const [currentSum, previousSum] = sumInBothMonths(records, month, month - 12);
    if (previousSum >= LEAST_CASES) changeByMonth.set(month, Math.log((currentSum + 1) / (previousSum + 1)));
  }
  /** The change beside that of the year until then, without the last months themselves. */
  const departureFromUsual = (month: number, until = month) => {
    const usualChanges = Array.from({ length: 12 }, (_, i) => changeByMonth.get(until - 1 - i) ?? []).flat();
    return usualChanges.length < LEAST_MONTHS || !changeByMonth.has(month)
      ? null
      : changeByMonth.get(month)! - median(usualChanges);
  };
  const firstDoubted = lastMonth - LAST_MONTHS + 1;
  const pastDepartures = Array.from(
    { length: firstDoubted - firstMonth },
    (_, i) => departureFromUsual(firstMonth + i) ?? [],
  ).flat();
  if (pastDepartures.length < LEAST_MONTHS) return null;
  const mostDeparture = Math.max(-Math.log(LEAST_COMPLETE_SHARE), MOST_DEVIATIONS * usualDeparture(pastDepartures));
  const isLow = (month: number) => (departureFromUsual(month, firstDoubted) ?? 0) < -mostDeparture;
  if (!isLow(lastMonth)) return null;
  let firstLow = lastMonth;
  while (
    firstLow > firstDoubted &&
    (departureFromUsual(firstLow - 1, firstDoubted) ?? 0) < Math.log(LEAST_COMPLETE_SHARE)
  )
    firstLow--;
  const months =
    firstLow === lastMonth ? monthFromIndex(lastMonth) : `${monthFromIndex(firstLow)} to ${monthFromIndex(lastMonth)}`;
  return `${months}: the last month has ${Math.exp(departureFromUsual(lastMonth, firstDoubted)!).toFixed(2)} times the usual cases`;
}

/** Cases in two months of the records that have both. */
function sumInBothMonths(records: readonly Series[], month: number, otherMonth: number): [number, number] {
  const sums: [number, number] = [0, 0];
  for (const { first, values } of records) {
    const [value, otherValue] = [values[month - first] ?? null, values[otherMonth - first] ?? null];
    if (value === null || otherValue === null) continue;
    sums[0] += value;
    sums[1] += otherValue;
  }
  return sums;
}

/** Case records that end years before the rain or the surveys, or begin years after both. */
export function otherCalendars({ cases, climate, surveys }: Content): string[] {
  const monthsIn = (rows: readonly { period: string }[]) => rows.map(({ period }) => monthIndex(period));
  const latest = (indexes: readonly number[]) => indexes.reduce((most, month) => Math.max(most, month), 0);
  const [caseMonths, rainMonths] = [monthsIn(cases), monthsIn(climate)];
  const surveyMonths = surveys.map(({ survey_year }) => 12 * survey_year + 11);
  const [lastCaseMonth, lastOtherMonth] = [latest(caseMonths), Math.max(latest(rainMonths), latest(surveyMonths))];
  if (caseMonths.length === 0 || lastOtherMonth === 0) return [];
  const firstCaseMonth = caseMonths.reduce((least, month) => Math.min(least, month));
  const span = `cases from ${monthFromIndex(firstCaseMonth)} to ${monthFromIndex(lastCaseMonth)}`;
  const otherFiles = rainMonths.length > 0 ? (surveyMonths.length > 0 ? 'rain and surveys' : 'rain') : 'surveys';
  const isDistant =
    firstCaseMonth - lastOtherMonth > 12 * MOST_YEARS_APART || lastOtherMonth - lastCaseMonth > 12 * MOST_YEARS_APART;
  return isDistant ? [`${span}, ${otherFiles} until ${monthFromIndex(lastOtherMonth)}`] : [];
}
