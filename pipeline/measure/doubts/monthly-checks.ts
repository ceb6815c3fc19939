/** Monthly records that are possible month by month and impossible as a whole. */
import { monthFromIndex } from '../../contract/months.ts';
import { correlation, mean } from '../../lib/numerics/averages.ts';
import { binomialTail } from '../../lib/numerics/binomial-tail.ts';
import { byState, type Content, caseSeries, nonMissing, type Series, weatherSeries } from './content.ts';

/** Half a year: shorter stretches may agree where little rain or few cases are counted. */
const STRETCH = 6;
/** Digits that must agree: with twelve, a chance agreement among all pairs of a large country's months is unlikely. */
const LEAST_DIGITS = 12;
/**
 * Small neighbouring areas may take their rain from the same cell of a grid, but then in most months, and several do.
 */
const SHARED_CELL = 1 / 3;
const LEAST_SHARING = 3;
/** The longest dry season of an LGA of Nigeria is five months; a whole year is a gap. */
const DRY_MONTHS = 12;
/** Rain given to a tenth of a millimetre repeats once by chance, never for so long. */
const SAME_MONTHS = 4;
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
const CASES_SHIFTED = 0.7;
const MOST_SHIFT = 6;
/** Squared distance to another year over that to the same year: 0.29 at least in Nigeria, 0.57 in made-up countries. */
const OTHER_YEAR = 0.15;
/** With fewer areas, of a state or of a country, chance decides what fits. */
const LEAST_AREAS = 6;
/** A step among the largest tenth of a record has a chance of a tenth to stand at its end. */
const LARGE_STEPS = 0.1;
/** A pattern is found if it would arise by chance in a state once in ten thousand. */
const CHANCE = 1e-4;

/** Stretches are looked up by a weighted sum, with weights that have no common measure. */
const WEIGHTS = [2, 3, 5, 7, 11, 13].map(Math.sqrt);

interface Copy {
  from: Series;
  to: Series;
  /** Months, as indices into their values. */
  fromStart: number;
  toStart: number;
  months: number;
}

/** Stretches of months whose rain is that of another time or area. */
export const copiedRain = (content: Content): string[] => copiesAmong(content, weatherSeries(content, 'rain_mm'));

/** Stretches of months whose cases are those of another time or area. */
export const copiedCases = (content: Content): string[] =>
  copiesAmong({ neighbours: content.neighbours, gridded: false }, caseSeries(content));

function copiesAmong(
  { neighbours, gridded }: Pick<Content, 'neighbours' | 'gridded'>,
  series: readonly Series[],
): string[] {
  const seen = new Map<number, { record: Series; start: number }>();
  const copies = new Map<string, Copy>();
  for (const record of series) {
    const digits = record.values.map(significantDigits);
    for (let start = 0; start + STRETCH <= record.values.length; start++) {
      if (!isDistinct(record.values, digits, start)) continue;
      let key = 0;
      for (let i = 0; i < STRETCH; i++) key += WEIGHTS[i]! * record.values[start + i]!;
      const before = seen.get(key);
      if (!before) seen.set(key, { record, start });
      else if (WEIGHTS.every((_, i) => record.values[start + i] === before.record.values[before.start + i]))
        extend(copies, { from: before.record, to: record, fromStart: before.start, toStart: start, months: STRETCH });
    }
  }
  const isShared = ({ from, to, fromStart, toStart, months }: Copy) =>
    from.first + fromStart === to.first + toStart &&
    (neighbours[from.code]?.includes(to.code) ?? false) &&
    months > SHARED_CELL * to.values.length;
  const sharing = [...copies.values()].filter(isShared).length;
  const isExplained = (copy: Copy) => {
    const { from, to, fromStart, toStart } = copy;
    if (from.first + fromStart !== to.first + toStart) return false;
    const isOnlyArea = from.of_state !== to.of_state && from.state_code === to.state_code;
    return isOnlyArea || gridded || (isShared(copy) && sharing >= LEAST_SHARING);
  };
  return [...copies.values()].filter((copy) => !isExplained(copy)).map(describeCopy);
}

/** Whether all months of a stretch are known, and a copy of it could not arise by chance. */
function isDistinct(values: Series['values'], digits: readonly number[], start: number): boolean {
  let sum = 0;
  for (let i = start; i < start + STRETCH; i++) {
    if (values[i] === null) return false;
    if (values[i] !== values[i - 1] || i === start) sum += digits[i]!;
  }
  return sum >= LEAST_DIGITS;
}

/** The digits of a value that would have to agree by chance: none of a zero, and at most five. */
const significantDigits = (value: number | null) =>
  value === null || value === 0 ? 0 : Math.min(5, String(value).replace('.', '').length);

/** Adds a stretch to the copy that it continues: between the same areas, at the same distance in time. */
function extend(copies: Map<string, Copy>, copy: Copy): void {
  const key = `${copy.from.code} ${copy.to.code} ${copy.toStart - copy.fromStart}`;
  const before = copies.get(key);
  if (before) before.months += Math.min(STRETCH, copy.toStart + STRETCH - (before.toStart + before.months));
  else copies.set(key, copy);
}

function describeCopy({ from, to, fromStart, toStart, months }: Copy): string {
  const copyStart = monthFromIndex(to.first + toStart);
  const originalStart = monthFromIndex(from.first + fromStart);
  return from === to
    ? `${to.name}: ${months} months from ${copyStart} are those from ${originalStart}`
    : `${from.name} from ${originalStart} and ${to.name} from ${copyStart}: the same ${months} months, of one of the two`;
}

/** Areas without rain for a year, with the same rain in successive months, or with rain that hardly varies. */
export function constantRain(content: Content): string[] {
  return weatherSeries(content, 'rain_mm').flatMap(({ name, first, values }) => {
    const rain = nonMissing(values);
    const dry = longestRun(rain, (value) => value === 0);
    const same = longestRun(rain, (value, before) => value > 0 && value === before);
    const average = mean(rain);
    const spread = Math.sqrt(mean(rain.map((value) => (value - average) ** 2)));
    const finding =
      dry.length >= DRY_MONTHS
        ? `no rain for ${dry.length} months from ${monthFromIndex(first + dry.start)}`
        : same.length + 1 >= SAME_MONTHS
          ? `${rain[same.start]} mm in ${same.length + 1} successive months from ${monthFromIndex(first + same.start - 1)}`
          : spread < LEAST_VARIATION * average
            ? `rain varies by only ${Math.round((100 * spread) / average)}% from month to month`
            : null;
    return finding === null ? [] : [`${name}: ${finding}`];
  });
}

/** Areas with the same cases for half a year: a column that was filled down. */
export const repeatedCases = (content: Content): string[] =>
  caseSeries(content).flatMap(({ name, first, values }) => {
    const same = longestRun(values, (value, before) => value !== null && value >= LEAST_REPEATED && value === before);
    return same.length + 1 >= STRETCH
      ? [
          `${name}: ${values[same.start]} cases in ${same.length + 1} successive months from ${monthFromIndex(first + same.start - 1)}`,
        ]
      : [];
  });

function longestRun<Value>(values: readonly Value[], belongs: (value: Value, before: Value | undefined) => boolean) {
  let [longest, length] = [{ length: 0, start: 0 }, 0];
  for (const [i, value] of values.entries()) {
    length = belongs(value, values[i - 1]) ? length + 1 : 0;
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
  const around = (codes: readonly string[]) => {
    const near = new Set(codes.flatMap((code) => neighbours[code] ?? []));
    for (const code of codes) near.delete(code);
    return [...near].flatMap((code) => (rainByLga.has(code) ? [rainByLga.get(code)!] : []));
  };
  const states = areas.states.map(({ state_code, state }) => ({
    name: `${state_code} ${state}`,
    codes: areas.lgas.filter((lga) => lga.state_code === state_code).map(({ lga_code }) => lga_code),
  }));
  const shiftTogether = ({ name, codes }: { name: string; codes: string[] }) => {
    const inside = codes.flatMap((code) => (rainByLga.has(code) ? [rainByLga.get(code)!] : []));
    const outside = around(codes);
    const shift = inside.length > 0 && outside.length > 0 ? bestShift(meanSeries(inside), meanSeries(outside)) : null;
    return shift !== null && shift.gain > SHIFT_GAIN ? [{ name, codes, shift }] : [];
  };
  const whole = states.flatMap(shiftTogether);
  // A state that is shifted makes its neighbours look shifted, too.
  const explained = new Set(
    whole.flatMap(({ codes }) => codes.concat(codes.flatMap((code) => neighbours[code] ?? []))),
  );
  const single = series
    .filter(({ code }) => !explained.has(code))
    .flatMap(({ code, name }) => shiftTogether({ name, codes: [code] }));
  return [...whole, ...single].map(({ name, shift }) => `${name} by ${describeShift(shift)}`);
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
  const unshifted = correlationAt(0);
  let best: Shift = { months: 0, gain: 0, correlation: unshifted };
  for (let shift = -MOST_SHIFT; shift <= MOST_SHIFT; shift++) {
    const fit = correlationAt(shift);
    if (fit > best.correlation) best = { months: shift, gain: fit - unshifted, correlation: fit };
  }
  return best;
}

const describeShift = ({ months }: Shift) =>
  `${Math.abs(months)} ${Math.abs(months) === 1 ? 'month' : 'months'} ${months > 0 ? 'late' : 'early'}`;

const meanSeries = (series: readonly (readonly number[])[]): number[] =>
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
    const near = (content.neighbours[code] ?? []).flatMap((neighbour) =>
      rainByLga.has(neighbour) ? [rainByLga.get(neighbour)!] : [],
    );
    if (near.length === 0) return [];
    const neighbourMean = meanSeries(near);
    const starts = values.flatMap((_, start) =>
      (first + start) % 12 === 0 && start + 12 <= values.length ? [start] : [],
    );
    const distance = (a: number, b: number) => {
      let sum = 0;
      for (let month = 0; month < 12; month++) sum += (values[a + month]! - neighbourMean[b + month]!) ** 2;
      return sum;
    };
    return starts.flatMap((year) => {
      const sameYear = distance(year, year);
      const best = starts.reduce((a, b) => (distance(year, b) < distance(year, a) ? b : a), year);
      return distance(year, best) < OTHER_YEAR * sameYear
        ? [`${name}: the rain of ${yearAt(first + year)} fits that of its neighbours in ${yearAt(first + best)}`]
        : [];
    });
  });
}

const yearAt = (month: number) => monthFromIndex(month).slice(0, 4);

/** Case records of an area that fit those of the rest of its state better some months earlier or later. */
export function shiftedCases(content: Content): string[] {
  return [...byState(caseSeries(content)).values()].flatMap((areas) => {
    const first = Math.max(...areas.map((area) => area.first));
    const end = Math.min(...areas.map((area) => area.first + area.values.length));
    if (areas.length < LEAST_AREAS || end - first < 24) return [];
    const logs = areas.map((area) => {
      const values = area.values.slice(first - area.first, end - area.first);
      const usual = mean(nonMissing(values).map(Math.log1p));
      return values.map((value) => (value === null ? usual : Math.log1p(value)));
    });
    return areas.flatMap(({ name }, i) => {
      const shift = bestShift(logs[i]!, meanSeries(logs.filter((_, j) => j !== i)));
      return shift.gain > CASES_SHIFT_GAIN && shift.correlation > CASES_SHIFTED
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
  const apart = (a: number, b: number) => Math.abs(Math.log1p(a) - Math.log1p(b));
  return [...byState(caseSeries(content))].flatMap(([state, areas]) => {
    const whole = areas.map(({ values }) => nonMissing(values)).filter((values) => values.length > 2);
    const pairs = whole.slice(1).map((after, i) => [whole[i]!, after] as const);
    if (whole.length < LEAST_AREAS) return [];
    const isLarge = (step: number, values: readonly number[]) =>
      values.slice(1).filter((value, i) => apart(value, values[i]!) >= step).length < LARGE_STEPS * values.length;
    const late = pairs.filter(([before, after]) => {
      const step = apart(after[0]!, after[1]!);
      return isLarge(step, after) && apart(before.at(-1)!, after[0]!) < step;
    });
    const early = pairs.filter(([before, after]) => {
      const step = apart(before.at(-2)!, before.at(-1)!);
      return isLarge(step, before) && apart(before.at(-1)!, after[0]!) < step;
    });
    const most = Math.max(late.length, early.length);
    return binomialTail(most, pairs.length, LARGE_STEPS) < CHANCE
      ? [`${state}: ${most} of ${pairs.length} areas continue the record of the one before`]
      : [];
  });
}
