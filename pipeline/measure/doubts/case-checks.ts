/** Case records that contradict each other, the people or the rain. */
import { calendarMonth, monthFromIndex, monthIndex } from '../../contract/months.ts';
import { correlation, mean, median } from '../../lib/numerics/averages.ts';
import {
  areaNames,
  type Content,
  caseSeries,
  findTotals,
  groupLgasByState,
  nonMissing,
  type Series,
  usualDeparture,
  weatherSeries,
} from './content.ts';

/** Late reports change a month's sum by a few per cent. */
const SUM_TOLERANCE = 0.05;
/** The middle of fewer areas is not the usual one. */
const LEAST_AREAS = 5;
/** An area with this many people for each of the others together may have as many cases as they. */
const LARGE_POPULATION_RATIO = 0.5;
/** Of 203 LGAs of Nigeria, 201 are within a factor of 5 of the middle of their state, in made-up countries all are. */
const INCIDENCE_FACTOR = 10;
/**
 * Suspected cases are twice the confirmed ones if half of the tests are positive. In one year, an LGA of
 * Nigeria has at most 2.1 times its usual share.
 */
const SUSPECTED_FACTOR = 2.2;
/**
 * A digit too many makes ten times as many cases. Of Nigeria's 10,000 months, none has 4.2 times as many as each of the
 * months around it and the same months of the years around it.
 */
const DIGIT_FACTOR = 5;
/** Cases of half a state's areas, and of so many, do not all fall below this part of every other year's by chance. */
const LOW_SHARE = 0.33;
const LEAST_LOW_AREAS = 3;
/** In fewer cases, chance makes such multiples, and months without any. */
const LEAST_OUTLYING_CASES = 100;
/** Without cases for half a year or more: in shorter stretches, chance decides what rises. */
const LEAST_BLANK_MONTHS = 6;
/**
 * An area that counts another one's cases has more than this many times its usual ones, and as many more as the other
 * one usually has, up to the same factor. Of 399 years of LGAs of Nigeria, 30 had such a rise nearby by chance.
 */
const TRANSFER_FACTOR = 2;
/** Outbreaks and rain move some areas; what moves this share of them by the factor at once is seldom malaria. */
const STEP_FACTOR = 1.6;
const STEP_SHARE = 0.9;
/** Of a log-normal tail with so many months in the last tenth below a power of ten, some would be above it (by 99.6%). */
const NEAR_SHARE = 0.9;
const LEAST_NEAR = 8;
/** Below, a tenth is a few numbers only. */
const LEAST_LIMIT = 1000;
/** With fewer years, none is the usual one. */
const LEAST_YEARS = 3;
/** The middle of fewer areas would be moved by one of them. */
const LEAST_OTHER_AREAS = 3;
/** Where more areas than this begin late, reporting was taken up area by area. */
const MOST_PARTIAL_SHARE = 0.25;
/** A change beside the others' must exceed the usual one, as a standard deviation, so many times. */
const MOST_DEVIATIONS = 3;
/** Cases follow rain by the time of one generation of mosquitoes and one of parasites, and fade over a season. */
const MOST_LAG_MONTHS = 4;
/** Correlations of the records' season with rain: as good as none, and as good as a season. */
const NO_SEASON_CORRELATION = 0.3;
const SEASON_CORRELATION = 0.7;

/** Areas without any record in a state, or states in the country, most of which report. */
export function neverReported(content: Content): string[] {
  const { areas } = content;
  const names = areaNames(areas);
  const series = caseSeries(content);
  const reported = new Set(series.map(({ code }) => code));
  const describeSilent = (codes: readonly string[], reporting: string) => {
    const silentCodes = codes.filter((code) => !reported.has(code));
    return silentCodes.length === 0 || silentCodes.length >= codes.length / 2
      ? []
      : [`${silentCodes.map((code) => names.get(code)).join(', ')} (${reporting})`];
  };
  const states = areas.states.map(({ state_code }) => state_code);
  return [
    ...describeSilent(states, `the other ${states.filter((code) => reported.has(code)).length} report`),
    ...states.flatMap((state) => {
      const codes = areas.lgas.filter(({ state_code }) => state_code === state).map(({ lga_code }) => lga_code);
      return describeSilent(
        codes,
        `${codes.filter((code) => reported.has(code)).length} others of ${names.get(state)} report`,
      );
    }),
  ];
}

/** States whose record differs from the sum of their areas' in months in which all of these report. */
export function mismatchedSums(content: Content): string[] {
  const series = caseSeries(content);
  const seriesByState = groupLgasByState(series);
  return series.flatMap((state) => {
    const areas = seriesByState.get(state.code) ?? [];
    const count = content.areas.lgas.filter(({ state_code }) => state_code === state.code).length;
    if (!state.of_state || areas.length < count) return [];
    const mismatches = state.values.flatMap((value, i) => {
      const areaValues = areas.map((area) => area.values[state.first + i - area.first] ?? null);
      if (value === null || areaValues.includes(null)) return [];
      const total = sum(nonMissing(areaValues));
      return Math.abs(total - value) > SUM_TOLERANCE * Math.max(total, value)
        ? [`${monthFromIndex(state.first + i)} ${value} instead of ${total}`]
        : [];
    });
    return mismatches.length === 0
      ? []
      : [
          `${state.name} in ${mismatches.length} ${mismatches.length === 1 ? 'month' : 'months'}, such as ${mismatches[0]}`,
        ];
  });
}

/** Areas with as many cases as all others of their state together, although they do not have most of the people. */
export const findCaseTotals = (content: Content): string[] =>
  [...groupLgasByState(caseSeries(content)).values()].flatMap((areas) => {
    const caseTotals = areas.map(({ code, name, values }) => ({ code, name, amount: sum(nonMissing(values)) }));
    const peopleIn = (group: typeof caseTotals) => sum(group.map(({ code }) => content.people.get(code) ?? 0));
    const isLarge = (largest: string) => {
      const otherAreas = caseTotals.filter(({ name }) => name !== largest);
      return (
        peopleIn(caseTotals.filter(({ name }) => name === largest)) > LARGE_POPULATION_RATIO * peopleIn(otherAreas)
      );
    };
    return findTotals(caseTotals)
      .filter(({ name }) => !isLarge(name))
      .map(({ name, amount, rest }) => `${name}: ${amount} cases, ${rest} in the ${areas.length - 1} others together`);
  });

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** Areas whose cases per person are far from those of their state. */
export function outlyingIncidence(content: Content): string[] {
  return [...groupLgasByState(caseSeries(content)).values()].flatMap((areas) => {
    const incidences = areas.flatMap(({ code, name, values }) => {
      const people = content.people.get(code) ?? 0;
      const cases = 12 * mean(nonMissing(values));
      return people > 0 && cases > 0 ? [{ name, rate: (1000 * cases) / people }] : [];
    });
    if (incidences.length < LEAST_AREAS) return [];
    const usualRate = median(incidences.map(({ rate }) => rate));
    return incidences.flatMap(({ name, rate }) =>
      Math.abs(Math.log(rate / usualRate)) > Math.log(INCIDENCE_FACTOR)
        ? [`${name}: ${rate.toFixed(0)} cases a year per 1000 people, where ${usualRate.toFixed(0)} are usual`]
        : [],
    );
  });
}

/**
 * Months without cases in an area, in which another one has as many more as that area usually has: compared with the
 * same months of the years before and after, so that a lasting change is none.
 */
export function countedElsewhere(content: Content): string[] {
  const series = caseSeries(content).filter(({ of_state }) => !of_state);
  return series.flatMap((silentArea) =>
    listStretches(silentArea.values, (value) => value === null).flatMap((stretch) => {
      if (stretch.length < LEAST_BLANK_MONTHS) return [];
      const months = stretch.map((i) => silentArea.first + i);
      const shiftMonths = 12 * Math.ceil(months.length / 12);
      const comparisons = [-shiftMonths, shiftMonths].flatMap((offset) => {
        const lostCases = casesIn(silentArea, months, offset);
        const changes = series.flatMap((area) => {
          const [usualCases, casesNow] = [casesIn(area, months, offset), casesIn(area, months, 0)];
          return usualCases && casesNow && area.state_code === silentArea.state_code ? [casesNow / usualCases] : [];
        });
        return lostCases && changes.length >= LEAST_OTHER_AREAS ? [{ offset, lostCases, change: median(changes) }] : [];
      });
      return series.flatMap((area) => {
        const isNear =
          area.state_code === silentArea.state_code || content.neighbours[silentArea.code]?.includes(area.code);
        const casesNow = casesIn(area, months, 0);
        if (!isNear || casesNow === null) return [];
        const rises = comparisons.flatMap(({ offset, lostCases, change }) => {
          const expectedCases = change * (casesIn(area, months, offset) ?? 0);
          return expectedCases > 0
            ? [{ multiple: casesNow / expectedCases, takenShare: (casesNow - expectedCases) / (change * lostCases) }]
            : [];
        });
        const hasTakenCases = rises.every(
          ({ multiple, takenShare }) =>
            multiple > TRANSFER_FACTOR && takenShare > 1 / TRANSFER_FACTOR && takenShare < TRANSFER_FACTOR,
        );
        return rises.length > 0 && hasTakenCases
          ? [
              `${silentArea.name} has none ${describeMonths(silentArea.first, stretch)}, when ${area.name} has ${mean(rises.map(({ multiple }) => multiple)).toFixed(1)} times its usual ones`,
            ]
          : [];
      });
    }),
  );
}

/** Stretches of successive months that meet a condition, as indices into the values. */
function listStretches(values: Series['values'], condition: (value: number | null) => boolean): number[][] {
  const stretches: number[][] = [[]];
  for (const [i, value] of values.entries())
    if (condition(value)) stretches.at(-1)!.push(i);
    else stretches.push([]);
  return stretches.filter((stretch) => stretch.length > 0);
}

const describeMonths = (first: number, stretch: readonly number[]) =>
  stretch.length === 1
    ? `in ${monthFromIndex(first + stretch[0]!)}`
    : `from ${monthFromIndex(first + stretch[0]!)} to ${monthFromIndex(first + stretch.at(-1)!)}`;

/**
 * Areas whose record begins, or ends, half a year or more away from that of most areas; and the area nearby which has
 * as many more while this one has none: a new area's cases were counted in the one that it was part of.
 */
export function partialRecords(content: Content): string[] {
  const series = caseSeries(content).filter(({ of_state }) => !of_state);
  // Masked months are declared as unknown.
  const reportedRows = content.cases.filter(({ confirmed, masked }) => confirmed !== null || masked);
  const rowsByArea = Map.groupBy(reportedRows, ({ lga_code }) => lga_code);
  const records = series.flatMap((area) => {
    const months = (rowsByArea.get(area.code) ?? []).map(({ period }) => monthIndex(period));
    return months.length === 0 ? [] : [{ area, start: Math.min(...months), end: Math.max(...months) }];
  });
  if (records.length < LEAST_AREAS) return [];
  return (['start', 'end'] as const).flatMap((side) => {
    const usualMonth = median(records.map((record) => record[side]));
    const missingMonths = (record: (typeof records)[number]) =>
      side === 'start' ? record.start - usualMonth : usualMonth - record.end;
    const partial = records.filter((record) => missingMonths(record) >= LEAST_BLANK_MONTHS);
    if (partial.length > MOST_PARTIAL_SHARE * records.length) return [];
    return partial.map(({ area, start, end }) => {
      const yearInside = Array.from({ length: 12 }, (_, i) => (side === 'start' ? start + i : end - i));
      const counterpart = findCounterpart(content, series, area, yearInside, side === 'start' ? -12 : 12);
      const [verb, month] = side === 'start' ? ['begins in', start] : ['ends with', end];
      return `${area.name} ${verb} ${monthFromIndex(month)}, most others ${monthFromIndex(usualMonth)}${counterpart}`;
    });
  });
}

/**
 * The area nearby whose cases differ from a year outside of a record to the year inside by as many as the record has.
 */
function findCounterpart(
  { neighbours }: Content,
  series: readonly Series[],
  area: Series,
  yearInside: readonly number[],
  offset: number,
): string {
  const changes = series.flatMap((other) => {
    const [inside, outside] = [casesIn(other, yearInside, 0), casesIn(other, yearInside, offset)];
    return other === area || !inside || !outside ? [] : [{ other, inside, outside, change: inside / outside }];
  });
  const areaCases = casesIn(area, yearInside, 0);
  if (changes.length < LEAST_OTHER_AREAS || !areaCases) return '';
  const usualChange = median(changes.map(({ change }) => change));
  const usual = usualDeparture(changes.map(({ change }) => Math.log(change / usualChange)));
  const isTaken = ({ other, inside, outside, change }: (typeof changes)[number]) => {
    const takenShare = (outside * usualChange - inside) / areaCases;
    return (
      (other.state_code === area.state_code || neighbours[area.code]?.includes(other.code)) &&
      takenShare > 1 / TRANSFER_FACTOR &&
      takenShare < TRANSFER_FACTOR &&
      Math.log(usualChange / change) > MOST_DEVIATIONS * usual
    );
  };
  const taken = changes.filter(isTaken).toSorted((a, b) => a.change - b.change)[0];
  return taken
    ? `, and ${taken.other.name} has ${(1 / taken.change).toFixed(1)} times the cases in the year without it: both may be in its record`
    : '';
}

/** An area's cases in some months moved `offset` months; null if one is unknown. */
function casesIn({ first, values }: Series, months: readonly number[], offset: number): number | null {
  const cases = months.map((month) => values[month + offset - first] ?? null);
  return cases.includes(null) ? null : sum(nonMissing(cases));
}

/** Months with many times the cases of the months around them and of the same month a year earlier and later. */
export const outlyingMonths = (content: Content): string[] =>
  caseSeries(content).flatMap(({ name, first, values }) =>
    values.flatMap((value, i) => {
      const surroundingCases = nonMissing([-12, -1, 1, 12].map((offset) => values[i + offset] ?? null));
      const mostAround = Math.max(...surroundingCases);
      if (
        value === null ||
        value < LEAST_OUTLYING_CASES ||
        surroundingCases.length < 3 ||
        value <= DIGIT_FACTOR * mostAround
      )
        return [];
      return [
        `${name}: ${value} cases in ${monthFromIndex(first + i)}, at most ${mostAround} in the months around and a year apart`,
      ];
    }),
  );

/**
 * Months with 0 cases, where the months around and those of the years around have hundreds each: nothing was reported.
 */
export const isolatedZeroMonths = (content: Content): string[] =>
  findIsolatedZeros(caseSeries(content), LEAST_OUTLYING_CASES);

/** Months of 0 whose neighbours, and those of the years around, have `least` or more. */
export const findIsolatedZeros = (series: readonly Series[], least: number): string[] =>
  series.flatMap(({ name, first, values }) =>
    listStretches(values, (value) => value === 0).flatMap((stretch) => {
      const [start, end] = [stretch[0]!, stretch.at(-1)!];
      const shiftMonths = 12 * Math.ceil(stretch.length / 12);
      const yearsAround = stretch.flatMap((i) => [values[i - shiftMonths] ?? null, values[i + shiftMonths] ?? null]);
      const surroundingCases = nonMissing([values[start - 1] ?? null, values[end + 1] ?? null, ...yearsAround]);
      const leastAround = Math.min(...surroundingCases);
      if (surroundingCases.length < 2 || leastAround < least) return [];
      return [
        `${name}: 0 ${describeMonths(first, stretch)}, at least ${leastAround} in the months around and a year apart`,
      ];
    }),
  );

/**
 * Months in which at least half of a state's areas have a small part of what is usual at that time of the year, after
 * which they come back: no more was tested or reported.
 */
export function lowMonths(content: Content): string[] {
  return [...groupLgasByState(caseSeries(content))].flatMap(([state, series]) => {
    const isLow = ({ first, values }: Series, month: number) => {
      const value = values[month - first] ?? null;
      const others = nonMissing(values.filter((_, i) => i !== month - first && (first + i - month) % 12 === 0));
      return value !== null && value > 0 && others.length >= 2 && value < LOW_SHARE * Math.min(...others);
    };
    const firstMonth = Math.min(...series.map(({ first }) => first));
    const lastMonth = Math.max(...series.map(({ first, values }) => first + values.length - 1));
    const lowCounts = Array.from(
      { length: lastMonth - firstMonth + 1 },
      (_, i) => series.filter((area) => isLow(area, firstMonth + i)).length,
    );
    const isLowMonth = (count: number | null) => count! >= Math.max(LEAST_LOW_AREAS, series.length / 2);
    return listStretches(lowCounts, isLowMonth).flatMap((stretch) =>
      stretch.length < 2 || stretch.at(-1) === lowCounts.length - 1
        ? []
        : [`${state} ${describeMonths(firstMonth, stretch)}, in ${lowCounts[stretch[0]!]} of ${series.length} areas`],
    );
  });
}

/** Years in which an area's cases are a multiple of its other years' and the rest of the state's are not. */
export function outlyingYears(content: Content): string[] {
  return [...groupLgasByState(caseSeries(content)).values()].flatMap((areas) => {
    if (areas.length < LEAST_OTHER_AREAS) return [];
    const departures = areas.map((area) => {
      const logMeans = logMeanByYear(area);
      const usualLogMean = median([...logMeans.values()]);
      return new Map([...logMeans].map(([year, logMean]) => [year, logMean - usualLogMean]));
    });
    const stateDeparture = (year: string) => median(departures.flatMap((byYear) => byYear.get(year) ?? []));
    return areas.flatMap(({ name }, i) => {
      const differences = [...departures[i]!].map(([year, departure]) => ({
        year,
        difference: departure - stateDeparture(year),
      }));
      const usualDifference = median(differences.map(({ difference }) => difference));
      if (differences.length < LEAST_YEARS) return [];
      return differences.flatMap(({ year, difference }) =>
        difference - usualDifference > Math.log(SUSPECTED_FACTOR)
          ? [
              `${name}: ${year} has ${Math.exp(difference - usualDifference).toFixed(1)} times the cases of its other years`,
            ]
          : [],
      );
    });
  });
}

/** A power of ten that no month reaches, though many come near: a digit was cut off, or the largest numbers were. */
export function cutDigits(content: Content): string[] {
  const counts = caseSeries(content).flatMap(({ of_state, values }) => (of_state ? [] : nonMissing(values)));
  const limit = 10 ** Math.ceil(Math.log10(1 + counts.reduce((a, b) => Math.max(a, b), 0)));
  const near = counts.filter((count) => count >= NEAR_SHARE * limit).length;
  return limit >= LEAST_LIMIT && near >= LEAST_NEAR
    ? [`${near} months of areas have ${NEAR_SHARE * limit} to ${limit - 1}, and none ${limit} or more`]
    : [];
}

/**
 * The month from which on nearly all areas have many times the cases of a year before, or a part of them, for a year,
 * and had not before.
 */
export function commonSteps(content: Content): string[] {
  const areas = caseSeries(content).filter(({ of_state }) => !of_state);
  const changesFrom = ({ first, values }: Series, month: number, months: number) =>
    Array.from({ length: months }, (_, i) => month + i - first).flatMap((i) => {
      const [count, countBefore] = [values[i], values[i - 12]];
      return count == null || countBefore == null ? [] : Math.log((count + 1) / (countBefore + 1));
    });
  const firstMonth = Math.min(...areas.map(({ first }) => first));
  const lastMonth = Math.max(...areas.map(({ first, values }) => first + values.length - 1));
  const steps = Array.from({ length: Math.max(0, lastMonth - firstMonth + 1) }, (_, i) => {
    const month = firstMonth + i;
    const changes = areas.flatMap((area) => {
      const [before, after] = [changesFrom(area, month - 3, 3), changesFrom(area, month, 12)];
      if (before.length < 3 || after.length < 12) return [];
      const [step, change] = [mean(after.slice(0, 3)) - mean(before), mean(after)];
      return step * change > 0 ? Math.sign(step) * Math.min(Math.abs(step), Math.abs(change)) : 0;
    });
    const rises = changes.filter((change) => change > Math.log(STEP_FACTOR)).length;
    const falls = changes.filter((change) => change < -Math.log(STEP_FACTOR)).length;
    const isStep = changes.length >= LEAST_AREAS && Math.max(rises, falls) >= STEP_SHARE * changes.length;
    return { month, change: isStep ? median(changes) : 0 };
  });
  const [largest] = steps.sort((a, b) => Math.abs(b.change) - Math.abs(a.change));
  return largest && largest.change !== 0
    ? [
        `from ${monthFromIndex(largest.month)} on, ${Math.exp(largest.change).toFixed(2)} times the cases of a year before, in the middle area`,
      ]
    : [];
}

/** The logarithm of the mean month by calendar year, for years with at least half of their months known. */
function logMeanByYear({ first, values }: Series): Map<string, number> {
  const indexesByYear = Map.groupBy(values.keys(), (i) => monthFromIndex(first + i).slice(0, 4));
  return new Map(
    [...indexesByYear].flatMap(([year, indexes]) => {
      const counts = nonMissing(indexes.map((i) => values[i]!));
      return counts.length < 6 ? [] : [[year, Math.log1p(mean(counts))] as const];
    }),
  );
}

/** States whose cases do not follow their rain within a season, but would at another time of the year. */
export function mismatchedSeasons(content: Content): string[] {
  const names = areaNames(content.areas);
  const rain = groupLgasByState(weatherSeries(content, 'rain_mm'));
  return [...Map.groupBy(caseSeries(content), ({ state_code }) => state_code)].flatMap(([state, records]) => {
    const casesByMonth = meanByCalendarMonth(records, Math.log1p);
    const rainByMonth = meanByCalendarMonth(rain.get(state) ?? [], Math.sqrt);
    if (!casesByMonth || !rainByMonth) return [];
    const correlationByLag = rainByMonth.map((_, lag) =>
      correlation(
        casesByMonth,
        rainByMonth.map((_, month) => rainByMonth[(month - lag + 12) % 12]!),
      ),
    );
    const bestLag = correlationByLag.indexOf(Math.max(...correlationByLag));
    const correlationNearby = Math.max(...correlationByLag.slice(0, MOST_LAG_MONTHS + 1));
    return correlationNearby < NO_SEASON_CORRELATION && correlationByLag[bestLag]! > SEASON_CORRELATION
      ? [
          `${names.get(state)}: cases fit the rain of ${bestLag} months before (correlation ${correlationByLag[bestLag]!.toFixed(2)}), not of up to ${MOST_LAG_MONTHS} (${correlationNearby.toFixed(2)})`,
        ]
      : [];
  });
}

/** Means of the months of the year; null unless every month is known. */
function meanByCalendarMonth(series: readonly Series[], scale: (value: number) => number): number[] | null {
  const months = Array.from({ length: 12 }, (): number[] => []);
  for (const { first, values } of series)
    for (const [i, value] of values.entries())
      if (value !== null) months[calendarMonth(monthFromIndex(first + i)) - 1]!.push(scale(value));
  return months.every((values) => values.length > 0) ? months.map(mean) : null;
}
