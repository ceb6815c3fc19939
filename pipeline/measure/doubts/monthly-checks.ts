/** Monthly records that are possible month by month and impossible as a whole. */
import { monthFromIndex } from '../../contract/months.ts';
import { correlation, mean, median } from '../../lib/numerics/averages.ts';
import { binomialTail } from '../../lib/numerics/binomial-tail.ts';
import { findIsolatedZeros } from './case-checks.ts';
import {
  type Content,
  caseSeries,
  groupLgasByState,
  nonMissing,
  percent,
  type Series,
  weatherSeries,
} from './content.ts';

/** Half a year: shorter stretches may agree where little rain or few cases are counted. */
const STRETCH_MONTHS = 6;
/** Digits that must agree: with twelve, a chance agreement among all pairs of a large country's months is unlikely. */
const LEAST_DIGITS = 12;
/**
 * Small neighbouring areas may take their rain from the same cell of a grid, but then in most months, and several do.
 */
const SHARED_CELL_SHARE = 1 / 3;
const LEAST_SHARING_PAIRS = 3;
/** The longest dry season of an LGA of Nigeria is five months; a whole year is a gap. */
const DRY_MONTHS = 12;
/** Rain given to a tenth of a millimetre repeats once by chance, never for so long. */
const LEAST_SAME_MONTHS = 4;
/** Fewer cases may be as many month after month. */
const LEAST_REPEATED = 100;
/** Monthly rain varies by 0.64 of its mean or more in Nigeria, and by 0.25 in made-up countries. */
const LEAST_VARIATION = 0.1;
/**
 * Months that fit those around better by this much in correlation when they are shifted: a season shifted by one month
 * loses 0.13, and unshifted rain always fits best.
 */
const SHIFT_GAIN = 0.1;
/** Case records vary more from area to area, so a shift must be as clear as two seasons opposite each other. */
const CASES_SHIFT_GAIN = 0.35;
const LEAST_SHIFTED_CORRELATION = 0.7;
const MOST_SHIFT_MONTHS = 6;
/** Squared distance to another year over that to the same year: 0.29 at least in Nigeria, 0.57 in made-up countries. */
const MOST_DISTANCE_RATIO = 0.15;
/** With fewer areas, of a state or of a country, chance decides what fits. */
const LEAST_AREAS = 6;
/** A month with more rain, mm, lies in the rains. */
const LEAST_WET_MM = 50;
/** The rain of a whole country differs by less than this factor from year to year; in Nigeria by 1.2. */
const RAIN_YEAR_FACTOR = 2.5;
/** Of a year's rain: where the three driest months have less in one year, none has so much in another. */
const MOST_DRY_SHARE = 0.06;
const LEAST_DRY_SHARE = 0.13;
/** A step among the largest tenth of a record has a chance of a tenth to stand at its end. */
const LARGE_STEP_SHARE = 0.1;
/** A pattern is found if it would arise by chance in a state once in ten thousand. */
const MOST_CHANCE = 1e-4;

/** Stretches are looked up by a weighted sum, with weights that have no common measure. */
const WEIGHTS = [2, 3, 5, 7, 11, 13].map(Math.sqrt);

interface Copy {
  original: Series;
  duplicate: Series;
  /** Months, as indices into their values. */
  originalStart: number;
  duplicateStart: number;
  months: number;
}

/** Stretches of months whose rain is that of another time or area. */
export const copiedRain = (content: Content): string[] => findCopies(content, weatherSeries(content, 'rain_mm'));

/** Stretches of months whose cases are those of another time or area. */
export const copiedCases = (content: Content): string[] =>
  findCopies({ neighbours: content.neighbours, gridded: false }, caseSeries(content));

function findCopies(
  { neighbours, gridded }: Pick<Content, 'neighbours' | 'gridded'>,
  series: readonly Series[],
): string[] {
  const seen = new Map<number, { record: Series; start: number }>();
  const copies = new Map<string, Copy>();
  for (const record of series) {
    const digits = record.values.map(significantDigits);
    for (let start = 0; start + STRETCH_MONTHS <= record.values.length; start++) {
      if (!isDistinct(record.values, digits, start)) continue;
      let key = 0;
      for (let i = 0; i < STRETCH_MONTHS; i++) key += WEIGHTS[i]! * record.values[start + i]!;
      const earlier = seen.get(key);
      if (!earlier) seen.set(key, { record, start });
      else if (WEIGHTS.every((_, i) => record.values[start + i] === earlier.record.values[earlier.start + i]))
        addStretch(copies, {
          original: earlier.record,
          duplicate: record,
          originalStart: earlier.start,
          duplicateStart: start,
          months: STRETCH_MONTHS,
        });
    }
  }
  const isFromSharedCell = ({ original, duplicate, originalStart, duplicateStart, months }: Copy) =>
    original.first + originalStart === duplicate.first + duplicateStart &&
    (neighbours[original.code]?.includes(duplicate.code) ?? false) &&
    months > SHARED_CELL_SHARE * duplicate.values.length;
  const sharedCount = [...copies.values()].filter(isFromSharedCell).length;
  const isExplained = (copy: Copy) => {
    const { original, duplicate, originalStart, duplicateStart } = copy;
    if (original.first + originalStart !== duplicate.first + duplicateStart) return false;
    const isOnlyArea = original.of_state !== duplicate.of_state && original.state_code === duplicate.state_code;
    return isOnlyArea || gridded || (isFromSharedCell(copy) && sharedCount >= LEAST_SHARING_PAIRS);
  };
  return [...copies.values()].filter((copy) => !isExplained(copy)).map(describeCopy);
}

/** Whether all months of a stretch are known, and a copy of it could not arise by chance. */
function isDistinct(values: Series['values'], digits: readonly number[], start: number): boolean {
  let sum = 0;
  for (let i = start; i < start + STRETCH_MONTHS; i++) {
    if (values[i] === null) return false;
    if (values[i] !== values[i - 1] || i === start) sum += digits[i]!;
  }
  return sum >= LEAST_DIGITS;
}

/** The digits of a value that would have to agree by chance: none of a zero, and at most five. */
const significantDigits = (value: number | null) =>
  value === null || value === 0 ? 0 : Math.min(5, String(value).replace('.', '').length);

/** Adds a stretch to the copy that it continues: between the same areas, at the same distance in time. */
function addStretch(copies: Map<string, Copy>, copy: Copy): void {
  const key = `${copy.original.code} ${copy.duplicate.code} ${copy.duplicateStart - copy.originalStart}`;
  const earlierCopy = copies.get(key);
  if (earlierCopy)
    earlierCopy.months += Math.min(
      STRETCH_MONTHS,
      copy.duplicateStart + STRETCH_MONTHS - (earlierCopy.duplicateStart + earlierCopy.months),
    );
  else copies.set(key, copy);
}

function describeCopy({ original, duplicate, originalStart, duplicateStart, months }: Copy): string {
  const duplicateMonth = monthFromIndex(duplicate.first + duplicateStart);
  const originalMonth = monthFromIndex(original.first + originalStart);
  return original === duplicate
    ? `${duplicate.name}: ${months} months from ${duplicateMonth} are those from ${originalMonth}`
    : `${original.name} from ${originalMonth} and ${duplicate.name} from ${duplicateMonth}: the same ${months} months, of one of the two`;
}

/** Areas without rain for a year, with the same rain in successive months, or with rain that hardly varies. */
export function constantRain(content: Content): string[] {
  return weatherSeries(content, 'rain_mm').flatMap(({ name, first, values }) => {
    const rain = nonMissing(values);
    const dryRun = longestRun(rain, (value) => value === 0);
    const equalRun = longestRun(rain, (value, before) => value > 0 && value === before);
    const meanRain = mean(rain);
    const standardDeviation = Math.sqrt(mean(rain.map((value) => (value - meanRain) ** 2)));
    const finding =
      dryRun.length >= DRY_MONTHS
        ? `no rain for ${dryRun.length} months from ${monthFromIndex(first + dryRun.start)}`
        : equalRun.length + 1 >= LEAST_SAME_MONTHS
          ? `${rain[equalRun.start]} mm in ${equalRun.length + 1} successive months from ${monthFromIndex(first + equalRun.start - 1)}`
          : standardDeviation < LEAST_VARIATION * meanRain
            ? `rain varies by only ${Math.round((100 * standardDeviation) / meanRain)}% from month to month`
            : null;
    return finding === null ? [] : [`${name}: ${finding}`];
  });
}

/** Areas with the same cases for half a year: a column that was filled down. */
export const repeatedCases = (content: Content): string[] =>
  caseSeries(content).flatMap(({ name, first, values }) => {
    const equalRun = longestRun(
      values,
      (value, before) => value !== null && value >= LEAST_REPEATED && value === before,
    );
    return equalRun.length + 1 >= STRETCH_MONTHS
      ? [
          `${name}: ${values[equalRun.start]} cases in ${equalRun.length + 1} successive months from ${monthFromIndex(first + equalRun.start - 1)}`,
        ]
      : [];
  });

function longestRun<Value>(values: readonly Value[], continues: (value: Value, before: Value | undefined) => boolean) {
  let [longest, length] = [{ length: 0, start: 0 }, 0];
  for (const [i, value] of values.entries()) {
    length = continues(value, values[i - 1]) ? length + 1 : 0;
    if (length > longest.length) longest = { length, start: i - length + 1 };
  }
  return longest;
}

/** Rain that fits the areas around better some months earlier or later: of an area, or of a state as a whole. */
export function shiftedRain(content: Content): string[] {
  const { areas, neighbours } = content;
  const series = weatherSeries(content, 'rain_mm');
  if (series.length < LEAST_AREAS) return [];
  const rainByLga = new Map(series.map((area) => [area.code, area.values as number[]]));
  const rainAround = (codes: readonly string[]) => {
    const neighbourCodes = new Set(codes.flatMap((code) => neighbours[code] ?? []));
    for (const code of codes) neighbourCodes.delete(code);
    return [...neighbourCodes].flatMap((code) => (rainByLga.has(code) ? [rainByLga.get(code)!] : []));
  };
  const states = areas.states.map(({ state_code, state }) => ({
    name: `${state_code} ${state}`,
    codes: areas.lgas.filter((lga) => lga.state_code === state_code).map(({ lga_code }) => lga_code),
  }));
  const shiftTogether = ({ name, codes }: { name: string; codes: string[] }) => {
    const rainInside = codes.flatMap((code) => (rainByLga.has(code) ? [rainByLga.get(code)!] : []));
    const rainOutside = rainAround(codes);
    const shift =
      rainInside.length > 0 && rainOutside.length > 0
        ? bestShift(averageSeries(rainInside), averageSeries(rainOutside))
        : null;
    return shift !== null && shift.gain > SHIFT_GAIN ? [{ name, codes, shift }] : [];
  };
  const shiftedStates = states.flatMap(shiftTogether);
  // A state that is shifted makes its neighbours look shifted, too.
  const explainedCodes = new Set(
    shiftedStates.flatMap(({ codes }) => codes.concat(codes.flatMap((code) => neighbours[code] ?? []))),
  );
  const shiftedLgas = series
    .filter(({ code }) => !explainedCodes.has(code))
    .flatMap(({ code, name }) => shiftTogether({ name, codes: [code] }));
  return [...shiftedStates, ...shiftedLgas].map(({ name, shift }) => `${name} by ${describeShift(shift)}`);
}

interface Shift {
  months: number;
  gain: number;
  correlation: number;
}

/** The shift of `values`, at most half a year, that fits `reference` best, and what it gains in correlation. */
function bestShift(values: readonly number[], reference: readonly number[]): Shift {
  const correlationAt = (shift: number) =>
    correlation(
      values.slice(Math.max(0, shift), values.length + Math.min(0, shift)),
      reference.slice(Math.max(0, -shift), values.length - Math.max(0, shift)),
    );
  const unshiftedCorrelation = correlationAt(0);
  let best: Shift = { months: 0, gain: 0, correlation: unshiftedCorrelation };
  for (let shift = -MOST_SHIFT_MONTHS; shift <= MOST_SHIFT_MONTHS; shift++) {
    const shiftedCorrelation = correlationAt(shift);
    if (shiftedCorrelation > best.correlation)
      best = { months: shift, gain: shiftedCorrelation - unshiftedCorrelation, correlation: shiftedCorrelation };
  }
  return best;
}

const describeShift = ({ months }: Shift) =>
  `${Math.abs(months)} ${Math.abs(months) === 1 ? 'month' : 'months'} ${months > 0 ? 'late' : 'early'}`;

const averageSeries = (series: readonly (readonly number[])[]): number[] =>
  series[0]!.map((_, month) => series.reduce((sum, values) => sum + values[month]!, 0) / series.length);

/** Years of an area's rain that fit the neighbours' rain of another year far better than that of the same year. */
export function exchangedYears(content: Content): string[] {
  // Roots, so that the wettest months do not decide alone.
  const series = weatherSeries(content, 'rain_mm').map((area) => ({
    name: area.name,
    code: area.code,
    first: area.first,
    values: area.values.map((value) => Math.sqrt(value!)),
  }));
  const rainByLga = new Map(series.map(({ code, values }) => [code, values]));
  return series.flatMap(({ name, code, first, values }) => {
    const neighbourRain = (content.neighbours[code] ?? []).flatMap((neighbour) =>
      rainByLga.has(neighbour) ? [rainByLga.get(neighbour)!] : [],
    );
    if (neighbourRain.length === 0) return [];
    const neighbourMean = averageSeries(neighbourRain);
    const yearStarts = values.flatMap((_, start) =>
      (first + start) % 12 === 0 && start + 12 <= values.length ? [start] : [],
    );
    // Shares of the year: years that are as wet as each other are no sign.
    const sharesFrom = (rain: readonly number[], start: number) => {
      const year = rain.slice(start, start + 12);
      return year.map((value) => value / (mean(year) || 1));
    };
    const distance = (start: number, otherStart: number) => {
      const others = sharesFrom(neighbourMean, otherStart);
      return sharesFrom(values, start).reduce((sum, share, month) => sum + (share - others[month]!) ** 2, 0);
    };
    const findBest = (start: number) =>
      yearStarts.reduce((a, b) => (distance(start, b) < distance(start, a) ? b : a), start);
    return yearStarts.flatMap((start) => {
      const sameYear = distance(start, start);
      const bestStart = findBest(start);
      // The other year stands elsewhere, too, and the rest in their places; or else years or areas are not told apart.
      const rest = yearStarts.filter((one) => one !== start && one !== bestStart);
      const isExchange =
        distance(start, bestStart) < MOST_DISTANCE_RATIO * sameYear &&
        findBest(bestStart) !== bestStart &&
        2 * rest.filter((one) => findBest(one) === one).length >= rest.length;
      return isExchange
        ? [
            `${name}: the rain of ${yearOfMonth(first + start)} fits that of its neighbours in ${yearOfMonth(first + bestStart)}`,
          ]
        : [];
    });
  });
}

/** Months with 0 mm, where the months around and those of the years around are wet. */
export const isolatedDryMonths = (content: Content): string[] =>
  findIsolatedZeros(weatherSeries(content, 'rain_mm'), LEAST_WET_MM);

/** Years whose rain in all areas together is many times that of the others, or a small part of it: of another unit. */
export function unusualRainYears(content: Content): string[] {
  const series = weatherSeries(content, 'rain_mm');
  const rainByYear = new Map<string, number[]>();
  for (const { first, values } of series)
    for (const start of values.keys())
      if ((first + start) % 12 === 0 && start + 12 <= values.length) {
        const year = yearOfMonth(first + start);
        const sum = values.slice(start, start + 12).reduce<number>((total, value) => total + value!, 0);
        rainByYear.set(year, [...(rainByYear.get(year) ?? []), sum]);
      }
  const years = [...rainByYear].map(([year, sums]) => ({ year, rain: mean(sums) }));
  const usual = median(years.map(({ rain }) => rain));
  return years.flatMap(({ year, rain }) =>
    Math.max(rain / usual, usual / rain) > RAIN_YEAR_FACTOR
      ? [`${year}: ${Math.round(rain)} mm in the mean area, ${Math.round(usual)} in the middle year`]
      : [],
  );
}

/** Years without the dry months that the other years have, as of rain in percent of normal. */
export function seasonlessYears(content: Content): string[] {
  const series = weatherSeries(content, 'rain_mm');
  const drySharesByYear = new Map<string, number[]>();
  for (const { first, values } of series)
    for (const [start] of values.entries()) {
      if ((first + start) % 12 !== 0 || start + 12 > values.length) continue;
      const months = nonMissing(values.slice(start, start + 12)).sort((a, b) => a - b);
      if (mean(months) === 0) continue;
      const share = mean(months.slice(0, 3)) / mean(months) / 4;
      const year = yearOfMonth(first + start);
      drySharesByYear.set(year, [...(drySharesByYear.get(year) ?? []), share]);
    }
  const dryShares = [...drySharesByYear].map(([year, shares]) => ({ year, share: median(shares) }));
  const least = Math.min(...dryShares.map(({ share }) => share));
  return dryShares
    .filter(({ share }) => share > LEAST_DRY_SHARE && least < MOST_DRY_SHARE)
    .map(
      ({ year, share }) =>
        `${year}: the three driest months have ${percent(share)} of the year's rain, in other years ${percent(least)}`,
    );
}

const yearOfMonth = (month: number) => monthFromIndex(month).slice(0, 4);

/** Case records of an area that fit those of the rest of its state better some months earlier or later. */
export function shiftedCases(content: Content): string[] {
  return [...groupLgasByState(caseSeries(content)).values()].flatMap((areas) => {
    const firstMonth = Math.max(...areas.map((area) => area.first));
    const endMonth = Math.min(...areas.map((area) => area.first + area.values.length));
    if (areas.length < LEAST_AREAS || endMonth - firstMonth < 24) return [];
    const logSeries = areas.map((area) => {
      const values = area.values.slice(firstMonth - area.first, endMonth - area.first);
      const meanLog = mean(nonMissing(values).map(Math.log1p));
      return values.map((value) => (value === null ? meanLog : Math.log1p(value)));
    });
    return areas.flatMap(({ name }, i) => {
      const shift = bestShift(logSeries[i]!, averageSeries(logSeries.filter((_, j) => j !== i)));
      return shift.gain > CASES_SHIFT_GAIN && shift.correlation > LEAST_SHIFTED_CORRELATION
        ? [`${name} by ${describeShift(shift)}`]
        : [];
    });
  });
}

/**
 * States whose areas' records begin with the last month of the area before, or end with the first month of the area
 * after: a column that is one row off.
 */
export function casesRowOff(content: Content): string[] {
  const logDistance = (a: number, b: number) => Math.abs(Math.log1p(a) - Math.log1p(b));
  return [...groupLgasByState(caseSeries(content))].flatMap(([state, areas]) => {
    const completeRecords = areas.map(({ values }) => nonMissing(values)).filter((values) => values.length > 2);
    const successivePairs = completeRecords.slice(1).map((after, i) => [completeRecords[i]!, after] as const);
    if (completeRecords.length < LEAST_AREAS) return [];
    const isLarge = (step: number, values: readonly number[]) =>
      values.slice(1).filter((value, i) => logDistance(value, values[i]!) >= step).length <
      LARGE_STEP_SHARE * values.length;
    const lateAreas = successivePairs.filter(([before, after]) => {
      const step = logDistance(after[0]!, after[1]!);
      return isLarge(step, after) && logDistance(before.at(-1)!, after[0]!) < step;
    });
    const earlyAreas = successivePairs.filter(([before, after]) => {
      const step = logDistance(before.at(-2)!, before.at(-1)!);
      return isLarge(step, before) && logDistance(before.at(-1)!, after[0]!) < step;
    });
    const moreOften = Math.max(lateAreas.length, earlyAreas.length);
    return binomialTail(moreOften, successivePairs.length, LARGE_STEP_SHARE) < MOST_CHANCE
      ? [`${state}: ${moreOften} of ${successivePairs.length} areas continue the record of the one before`]
      : [];
  });
}
