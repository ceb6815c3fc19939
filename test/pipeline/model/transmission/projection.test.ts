import { expect, test } from 'vitest';
import {
  abekuProjection,
  type History,
  lastYearMean,
  meanAbsoluteErrors,
  sameMonthLastYear,
  sameMonthLastYears,
  scoredMonths,
  seasonalShapeCorrelation,
  shapeTimesLevel,
} from '../../../../pipeline/model/transmission/projection.ts';
import {
  CANDIDATE_LEVEL_MONTHS,
  developProjections,
  levelMethod,
  type ProjectionRecord,
  type ProjectionSettings,
  scoreHeldBack,
} from '../../../../pipeline/model/transmission/projection-test.ts';

/** Two years: 1-12 in the first, twice that in the second. */
const RISING: History = {
  reported: Array.from({ length: 24 }, (_, t) => ((t % 12) + 1) * (t < 12 ? 1 : 2)),
  masked: new Set(),
};
const MONTHS = Array.from({ length: 12 }, (_, m) => m + 1);

test('the simple methods agree with hand calculations', () => {
  expect(sameMonthLastYear(RISING)).toEqual(MONTHS.map((m) => 2 * m));
  expect(sameMonthLastYears(RISING)).toEqual(MONTHS.map((m) => 1.5 * m));
  expect(lastYearMean(RISING)).toEqual(MONTHS.map(() => 13)); // mean of 2, 4 … 24
  // the month's mean is 1.5 m; October to December were 5, 5.5 and 6 above their means
  expect(abekuProjection(RISING, 'raw')).toEqual(MONTHS.map((m) => 1.5 * m + 5.5));
  // in logarithms the mean is ln m + ln 2 / 2 and the deviation ln 2 / 2, which gives last year's values
  for (const [i, value] of abekuProjection(RISING, 'log').entries()) expect(value).toBeCloseTo(2 * (i + 1), 10);
});

test("Abeku's adjustment never falls below 0", () => {
  const falling: History = {
    reported: [...MONTHS.map(() => 10), ...MONTHS.map((m) => (m === 1 ? 0 : m < 10 ? 10 : 0))],
    masked: new Set(),
  };
  // January's mean is 5, and the last three months were 5 below their means; October's 5 minus 5 is 0 too
  expect(abekuProjection(falling, 'raw')).toEqual([0, 5, 5, 5, 5, 5, 5, 5, 5, 0, 0, 0]);
  const deeper = { ...falling, reported: falling.reported.with(0, 2) };
  expect(abekuProjection(deeper, 'raw')[0]).toBe(0);
});

test('masked and unknown months are left out of means and do not count as 0', () => {
  const reported = [...RISING.reported];
  reported[13] = null;
  const history = { reported, masked: new Set([2]) };
  expect(sameMonthLastYear(history)[1]).toBeNull();
  expect(sameMonthLastYears(history).slice(1, 3)).toEqual([2, 6]);
  expect(lastYearMean(history)[0]).toBeCloseTo((156 - 4) / 11, 12);
});

test('the mean of three years uses the last three', () => {
  const history: History = { reported: Array.from({ length: 60 }, (_, t) => Math.floor(t / 12)), masked: new Set() };
  expect(sameMonthLastYears(history)[0]).toBe(3);
  expect(sameMonthLastYears(history, 5)[0]).toBe(2);
});

test('a shape is scaled to the level of the last months', () => {
  const shape = MONTHS.map((m) => m / 10);
  // October to December: 20 + 22 + 24 = 66, compared with 3.3
  for (const [i, value] of shapeTimesLevel(RISING, shape, 3).entries()) expect(value).toBeCloseTo(2 * (i + 1), 10);
  const holed = { ...RISING, reported: [...RISING.reported.slice(0, 23), null] };
  expect(shapeTimesLevel(holed, shape, 3)[0]).toBeCloseTo((0.1 * 42) / 2.1, 10);
  expect(shapeTimesLevel({ reported: new Array(24).fill(null), masked: new Set() }, shape, 3)[0]).toBeNull();
});

test('errors are over the months that every method could project, and shapes are pooled', () => {
  const year = {
    state_code: 'A',
    year: 2020,
    reported: [1, 2, 3, null, 5, 6, 7, 8, 9, 10, 11, 12],
    methods: { a: MONTHS.map((m) => m + 1), b: [null, ...MONTHS.slice(1)] },
  };
  expect(scoredMonths(year)).toEqual([1, 2, 4, 5, 6, 7, 8, 9, 10, 11]);
  expect(meanAbsoluteErrors([year])).toEqual({ a: 1, b: 0 });
  expect(seasonalShapeCorrelation([year, { ...year, state_code: 'B' }], 'b')).toBeCloseTo(1, 12);
  expect(meanAbsoluteErrors([])).toEqual({});
});

const RAIN = [3, 8, 30, 80, 140, 170, 190, 210, 230, 120, 15, 3];
const record = (per_1000: (number | null)[]): ProjectionRecord => ({
  state_code: 'A',
  first_year: 2018,
  per_1000,
  masked: new Set(),
  rain_mm: RAIN,
});
const SETTINGS = {
  durations: { infectious_months: 2, immune_months: 3 },
  development_first: 2019,
  held_back_year: 2022,
  starts: 2,
  seed: 1,
};
const testProjections = (records: ProjectionRecord[], settings: ProjectionSettings) =>
  scoreHeldBack(records, settings, developProjections(records, settings));
const CASES = Array.from({ length: 60 }, (_, t) => 3 + Math.sin((t - 4) / 1.9) + ((t * 5) % 7) / 20);

test('origins are Januaries with two years before them; the held-back year is separate', () => {
  const test = testProjections([record(CASES)], SETTINGS);
  expect(test.development_years).toEqual([2020, 2021]);
  expect([test.development.months, test.held_back.months]).toEqual([24, 12]);
  expect(test.years.map(({ year }) => year)).toEqual([2020, 2021, 2022]);
});

test('there is no leakage: later months do not affect a projection, nor does the held-back year affect the design', () => {
  const tested = testProjections([record(CASES)], SETTINGS);
  const other = testProjections([record(CASES.map((value, t) => (t < 36 ? value : 9 * value + (t % 5))))], SETTINGS);
  // 2020 and 2021 are projected from months up to 2019-12 and 2020-12, which are the same in both records
  const unchosen = ({ years }: typeof tested) =>
    years.slice(0, 2).map(({ methods }) => ({ ...methods, model: null, model_and_abeku: null }));
  expect(unchosen(other)).toEqual(unchosen(tested));
  expect(other.years[2]!.methods.flat).not.toEqual(tested.years[2]!.methods.flat);
  const later = testProjections([record(CASES.map((value, t) => (t < 48 ? value : 50 * value)))], SETTINGS);
  expect(later.level_months).toBe(tested.level_months);
  expect(later.years[2]!.methods).toEqual(tested.years[2]!.methods);
});

test('records too short for a projection have no scores and zero months', () => {
  const test = testProjections([record(CASES.slice(0, 24))], SETTINGS);
  expect(test.development.months).toBe(0);
  expect(test.held_back.months).toBe(0);
  expect(test.development_years).toEqual([]);
});

test('development does not use the held-back year', () => {
  const developed = developProjections([record(CASES)], SETTINGS);
  expect(developed.years.map(({ year }) => year)).toEqual([2020, 2021]);
  const cut = developProjections([record(CASES.slice(0, 48))], SETTINGS);
  expect(cut).toEqual(developed);
});

test('development chooses the level with the smallest error', () => {
  const flat = Array.from({ length: 60 }, (_, t) => 3 + Math.sin((t - 4) / 1.9));
  // the last quarter is halved every year, so a level of three months would be wrong for the entire next year
  const dipped = developProjections([record(flat.map((value, t) => (t % 12 > 8 ? value / 2 : value)))], SETTINGS);
  // each year has another level, which the last three months of the previous year indicate
  const stepped = developProjections(
    [record(flat.map((value, t) => value * (1 + Math.floor((t + 3) / 12))))],
    SETTINGS,
  );
  for (const { level_months, development } of [dipped, stepped]) {
    const levels = CANDIDATE_LEVEL_MONTHS.map((n) => development.errors[levelMethod(n)]!);
    expect(development.errors.model).toBe(Math.min(...levels));
    expect(development.errors[levelMethod(level_months)]).toBe(Math.min(...levels));
    expect(Math.max(...levels)).toBeGreaterThan(Math.min(...levels));
  }
  expect(stepped.level_months).toBe(3);
});

test("the combination of the model and Abeku's adjustment is their geometric mean; every method has a shape correlation", () => {
  const { development, years } = developProjections([record(CASES)], SETTINGS);
  const { model, abeku_raw, model_and_abeku } = years[0]!.methods;
  expect(model_and_abeku![4]).toBeCloseTo(Math.sqrt(model![4]! * abeku_raw![4]!), 12);
  expect(development.errors.model_and_abeku).toBeGreaterThan(0);
  expect(Object.keys(development.shape_correlations)).toEqual(Object.keys(development.errors));
  expect(development.shape_correlations.model).toBe(development.seasonal_shape_correlation);
  expect(development.shape_correlations.flat).toBe(0);
});

test('origins preceded only by years of zero cases or masked months are skipped without an error', () => {
  const zeros = developProjections([record(new Array(60).fill(0))], SETTINGS);
  expect(zeros.development.months).toBe(0);
  const masked = { ...record(CASES), masked: new Set(Array.from({ length: 36 }, (_, t) => t)) };
  expect(developProjections([masked], SETTINGS).development_years).toEqual([]);
  const [first] = developProjections(
    [{ ...masked, masked: new Set(Array.from({ length: 12 }, (_, t) => t)) }],
    SETTINGS,
  ).development_years;
  expect(first).toBe(2020);
});
