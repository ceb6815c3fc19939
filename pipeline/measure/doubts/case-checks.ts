/** Case records that contradict each other, the people or the rain. */
import { calendarMonth, monthFromIndex } from '../../contract/months.ts';
import { correlation, mean, median } from '../../lib/numerics/averages.ts';
import {
  areaNames,
  byState,
  type Content,
  caseSeries,
  nonMissing,
  type Series,
  totalsIn,
  weatherSeries,
} from './content.ts';

/** Late reports change a month's sum by a few per cent. */
const SUM_TOLERANCE = 0.05;
/** The middle of fewer areas is not the usual one. */
const LEAST_AREAS = 5;
/** An area with this many people for each of the others together may have as many cases as they. */
const LARGE = 0.5;
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
/** In fewer cases, chance makes such multiples. */
const LEAST_APART = 100;
/** Without cases for half a year or more: in shorter stretches, chance decides what rises. */
const LEAST_BLANK = 6;
/**
 * An area that counts another one's cases has more than this many times its usual ones, and as many more as the other
 * one usually has, up to the same factor. Of 399 years of LGAs of Nigeria, 30 had such a rise nearby by chance.
 */
const TAKEN_FACTOR = 2;
/** With fewer years, none is the usual one. */
const LEAST_YEARS = 3;
/** The middle of fewer areas would be moved by one of them. */
const LEAST_OTHERS = 3;
/** Cases follow rain by the time of one generation of mosquitoes and one of parasites, and fade over a season. */
const LATEST_LAG = 4;
/** Correlations of the records' season with rain: as good as none, and as good as a season. */
const NO_SEASON = 0.3;
const A_SEASON = 0.7;

/** Areas without any record in a state, or states in the country, most of which report. */
export function neverReported(content: Content): string[] {
  const { areas } = content;
  const names = areaNames(areas);
  const series = caseSeries(content);
  const reported = new Set(series.map(({ code }) => code));
  const missing = (codes: readonly string[], of: string) => {
    const silent = codes.filter((code) => !reported.has(code));
    return silent.length === 0 || silent.length >= codes.length / 2
      ? []
      : [`${silent.map((code) => names.get(code)).join(', ')} (${of})`];
  };
  const states = areas.states.map(({ state_code }) => state_code);
  return [
    ...missing(states, `the other ${states.filter((code) => reported.has(code)).length} report`),
    ...states.flatMap((state) => {
      const codes = areas.lgas.filter(({ state_code }) => state_code === state).map(({ lga_code }) => lga_code);
      return missing(
        codes,
        `${codes.filter((code) => reported.has(code)).length} others of ${names.get(state)} report`,
      );
    }),
  ];
}

/** States whose record differs from the sum of their areas' in months in which all of these report. */
export function sumsApart(content: Content): string[] {
  const series = caseSeries(content);
  const seriesByState = byState(series);
  return series.flatMap((state) => {
    const areas = seriesByState.get(state.code) ?? [];
    const count = content.areas.lgas.filter(({ state_code }) => state_code === state.code).length;
    if (!state.of_state || areas.length < count) return [];
    const apart = state.values.flatMap((value, i) => {
      const parts = areas.map((area) => area.values[state.first + i - area.first] ?? null);
      if (value === null || parts.includes(null)) return [];
      const sum = nonMissing(parts).reduce((a, b) => a + b, 0);
      return Math.abs(sum - value) > SUM_TOLERANCE * Math.max(sum, value)
        ? [`${monthFromIndex(state.first + i)} ${value} instead of ${sum}`]
        : [];
    });
    return apart.length === 0
      ? []
      : [`${state.name} in ${apart.length} ${apart.length === 1 ? 'month' : 'months'}, such as ${apart[0]}`];
  });
}

/** Areas with as many cases as all others of their state together, although they do not have most of the people. */
export const totalsAmongAreas = (content: Content): string[] =>
  [...byState(caseSeries(content)).values()].flatMap((areas) => {
    const amounts = areas.map(({ code, name, values }) => ({ code, name, amount: sum(nonMissing(values)) }));
    const peopleIn = (group: typeof amounts) => sum(group.map(({ code }) => content.people.get(code) ?? 0));
    const isLarge = (largest: string) => {
      const rest = amounts.filter(({ name }) => name !== largest);
      return peopleIn(amounts.filter(({ name }) => name === largest)) > LARGE * peopleIn(rest);
    };
    return totalsIn(amounts)
      .filter(({ name }) => !isLarge(name))
      .map(({ name, amount, rest }) => `${name}: ${amount} cases, ${rest} in the ${areas.length - 1} others together`);
  });

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** Areas whose cases per person are far from those of their state. */
export function incidenceApart(content: Content): string[] {
  return [...byState(caseSeries(content)).values()].flatMap((areas) => {
    const rated = areas.flatMap(({ code, name, values }) => {
      const people = content.people.get(code) ?? 0;
      const cases = 12 * mean(nonMissing(values));
      return people > 0 && cases > 0 ? [{ name, rate: (1000 * cases) / people }] : [];
    });
    if (rated.length < LEAST_AREAS) return [];
    const usual = median(rated.map(({ rate }) => rate));
    return rated.flatMap(({ name, rate }) =>
      Math.abs(Math.log(rate / usual)) > Math.log(INCIDENCE_FACTOR)
        ? [`${name}: ${rate.toFixed(0)} cases a year per 1000 people, where ${usual.toFixed(0)} are usual`]
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
  return series.flatMap((silent) =>
    blankStretches(silent).flatMap((months) => {
      const years = 12 * Math.ceil(months.length / 12);
      const sides = [-years, years].flatMap((by) => {
        const lost = casesIn(silent, months, by);
        const changes = series.flatMap((area) => {
          const [usual, now] = [casesIn(area, months, by), casesIn(area, months, 0)];
          return usual && now && area.state_code === silent.state_code ? [now / usual] : [];
        });
        return lost && changes.length >= LEAST_OTHERS ? [{ by, lost, change: median(changes) }] : [];
      });
      return series.flatMap((area) => {
        const isNear = area.state_code === silent.state_code || content.neighbours[silent.code]?.includes(area.code);
        const now = casesIn(area, months, 0);
        if (!isNear || now === null) return [];
        const compared = sides.flatMap(({ by, lost, change }) => {
          const usual = change * (casesIn(area, months, by) ?? 0);
          return usual > 0 ? [{ times: now / usual, taken: (now - usual) / (change * lost) }] : [];
        });
        const isTaken = compared.every(
          ({ times, taken }) => times > TAKEN_FACTOR && taken > 1 / TAKEN_FACTOR && taken < TAKEN_FACTOR,
        );
        return compared.length > 0 && isTaken
          ? [
              `${silent.name} has none from ${monthFromIndex(months[0]!)} to ${monthFromIndex(months.at(-1)!)}, when ${area.name} has ${mean(compared.map(({ times }) => times)).toFixed(1)} times its usual ones`,
            ]
          : [];
      });
    }),
  );
}

/** Successive unknown months of a record, by `monthIndex`. */
function blankStretches({ first, values }: Series): number[][] {
  const stretches: number[][] = [[]];
  for (const [i, value] of values.entries())
    if (value === null) stretches.at(-1)!.push(first + i);
    else stretches.push([]);
  return stretches.filter((months) => months.length >= LEAST_BLANK);
}

/** An area's cases in some months moved `by` months; null if one is unknown. */
function casesIn({ first, values }: Series, months: readonly number[], by: number): number | null {
  const cases = months.map((month) => values[month + by - first] ?? null);
  return cases.includes(null) ? null : nonMissing(cases).reduce((a, b) => a + b, 0);
}

/** Months with many times the cases of the months around them and of the same month a year earlier and later. */
export const monthsApart = (content: Content): string[] =>
  caseSeries(content).flatMap(({ name, first, values }) =>
    values.flatMap((value, i) => {
      const around = nonMissing([-12, -1, 1, 12].map((by) => values[i + by] ?? null));
      const most = Math.max(...around);
      if (value === null || value < LEAST_APART || around.length < 3 || value <= DIGIT_FACTOR * most) return [];
      return [
        `${name}: ${value} cases in ${monthFromIndex(first + i)}, at most ${most} in the months around and a year apart`,
      ];
    }),
  );

/** Years in which an area's cases are a multiple of its other years' and the rest of the state's are not. */
export function yearsApart(content: Content): string[] {
  return [...byState(caseSeries(content)).values()].flatMap((areas) => {
    if (areas.length < LEAST_OTHERS) return [];
    const departures = areas.map((area) => {
      const levels = yearlyLevels(area);
      const usual = median([...levels.values()]);
      return new Map([...levels].map(([year, level]) => [year, level - usual]));
    });
    const stateDeparture = (year: string) => median(departures.flatMap((byYear) => byYear.get(year) ?? []));
    return areas.flatMap(({ name }, i) => {
      const relative = [...departures[i]!].map(([year, departure]) => ({
        year,
        apart: departure - stateDeparture(year),
      }));
      const usual = median(relative.map(({ apart }) => apart));
      if (relative.length < LEAST_YEARS) return [];
      return relative.flatMap(({ year, apart }) =>
        apart - usual > Math.log(SUSPECTED_FACTOR)
          ? [`${name}: ${year} has ${Math.exp(apart - usual).toFixed(1)} times the cases of its other years`]
          : [],
      );
    });
  });
}

/** The logarithm of the mean month by calendar year, for years with at least half of their months known. */
function yearlyLevels({ first, values }: Series): Map<string, number> {
  const years = Map.groupBy(values.keys(), (i) => monthFromIndex(first + i).slice(0, 4));
  return new Map(
    [...years].flatMap(([year, months]) => {
      const counts = nonMissing(months.map((i) => values[i]!));
      return counts.length < 6 ? [] : [[year, Math.log1p(mean(counts))] as const];
    }),
  );
}

/** States whose cases do not follow their rain within a season, but would at another time of the year. */
export function seasonsApart(content: Content): string[] {
  const names = areaNames(content.areas);
  const rain = byState(weatherSeries(content, 'rain_mm'));
  return [...Map.groupBy(caseSeries(content), ({ state_code }) => state_code)].flatMap(([state, records]) => {
    const cases = usualYear(records, Math.log1p);
    const wet = usualYear(rain.get(state) ?? [], Math.sqrt);
    if (!cases || !wet) return [];
    const fits = wet.map((_, lag) =>
      correlation(
        cases,
        wet.map((_, month) => wet[(month - lag + 12) % 12]!),
      ),
    );
    const lag = fits.indexOf(Math.max(...fits));
    const near = Math.max(...fits.slice(0, LATEST_LAG + 1));
    return near < NO_SEASON && fits[lag]! > A_SEASON
      ? [
          `${names.get(state)}: cases fit the rain of ${lag} months before (correlation ${fits[lag]!.toFixed(2)}), not of up to ${LATEST_LAG} (${near.toFixed(2)})`,
        ]
      : [];
  });
}

/** Means of the months of the year; null unless every month is known. */
function usualYear(series: readonly Series[], scale: (value: number) => number): number[] | null {
  const months = Array.from({ length: 12 }, (): number[] => []);
  for (const { first, values } of series)
    for (const [i, value] of values.entries())
      if (value !== null) months[calendarMonth(monthFromIndex(first + i)) - 1]!.push(scale(value));
  return months.every((values) => values.length > 0) ? months.map(mean) : null;
}
