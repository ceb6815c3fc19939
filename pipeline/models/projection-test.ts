import { randomStream } from '../numerics/random.ts';
import {
  abeku,
  flat,
  type History,
  meanAbsoluteErrors,
  type ProjectedYear,
  type Projection,
  sameMonthLastYear,
  sameMonthLastYears,
  scoredMonths,
  seasonalShapeCorrelation,
  shapeTimesLevel,
} from './projection.ts';
import type { Durations } from './rain-season.ts';
import { fitSirs } from './sirs-fit.ts';

/** The designs of the model's projection: its fitted cycle at the level of this many last months. */
export const LEVEL_MONTHS = [3, 6, 12] as const;
const LEAST_MONTHS = 24;

/** A state's whole record from a January on. */
export interface ProjectionRecord {
  state_code: string;
  first_year: number;
  per_1000: readonly (number | null)[];
  masked: ReadonlySet<number>;
  rain_mm: readonly number[];
}
export interface ProjectionSettings {
  durations: Durations;
  development_first: number;
  held_back_year: number;
  starts: number;
  seed: number;
}
export interface Scores {
  months: number;
  /** Mean absolute error by method; `model` is the chosen design. Empty where nothing could be scored. */
  errors: Record<string, number>;
  seasonal_shape_correlation: number;
}
export interface ProjectionTest {
  level_months: number;
  development_years: number[];
  development: Scores;
  held_back: Scores;
  /** Every projected year, `model` among its methods. */
  years: ProjectedYear[];
}

/**
 * Projects each state a year ahead from every January that has two years of months before it. A fit sees nothing but
 * the months before its origin. The design is the one of `LEVEL_MONTHS` with the least error over the development
 * years; with that fixed, the held-back year is scored.
 */
export function testProjections(records: readonly ProjectionRecord[], settings: ProjectionSettings): ProjectionTest {
  const { development_first, held_back_year } = settings;
  const projectYears = (from: number, to: number) =>
    records.flatMap((record) =>
      yearsOf(record)
        .filter((year) => year >= from && year <= to)
        .map((year) => projectYear(record, year, settings)),
    );
  const developed = projectYears(development_first, held_back_year - 1);
  const errors = meanAbsoluteErrors(developed);
  const level_months = LEVEL_MONTHS.reduce((best, n) => (errors[design(n)]! < errors[design(best)]! ? n : best));
  const chosen = (year: ProjectedYear): ProjectedYear => ({
    ...year,
    methods: { model: year.methods[design(level_months)]!, ...year.methods },
  });
  const development = developed.map(chosen);
  const held = projectYears(held_back_year, held_back_year).map(chosen);
  return {
    level_months,
    development_years: [...new Set(developed.map(({ year }) => year))].sort((a, b) => a - b),
    development: score(development),
    held_back: score(held),
    years: [...development, ...held],
  };
}

const design = (months: number) => `model_level_of_${months}_months`;

/** Years of the record that begin after at least two years of reported months. */
function yearsOf({ first_year, per_1000 }: ProjectionRecord): number[] {
  const years = Array.from({ length: Math.ceil(per_1000.length / 12) }, (_, k) => first_year + k);
  const before = (year: number) => per_1000.slice(0, (year - first_year) * 12).filter((value) => value !== null);
  return years.filter((year) => before(year).length >= LEAST_MONTHS);
}

function projectYear(record: ProjectionRecord, year: number, settings: ProjectionSettings): ProjectedYear {
  const origin = (year - record.first_year) * 12;
  const history: History = {
    reported: record.per_1000.slice(0, origin),
    masked: new Set([...record.masked].filter((t) => t < origin)),
  };
  const fit = fitSirs(
    { first_month: 0, per_1000: history.reported, masked: history.masked },
    record.rain_mm,
    settings.durations,
    { starts: settings.starts, random: randomStream(settings.seed, `projection ${record.state_code} ${year}`) },
  );
  const models = LEVEL_MONTHS.map((n): [string, Projection] => [
    design(n),
    shapeTimesLevel(history, fit.cycle.incidence, n),
  ]);
  return {
    state_code: record.state_code,
    year,
    reported: Array.from({ length: 12 }, (_, month) => record.per_1000[origin + month] ?? null),
    methods: {
      same_month_last_year: sameMonthLastYear(history),
      same_month_last_three_years: sameMonthLastYears(history),
      abeku_raw: abeku(history, 'raw'),
      abeku_log: abeku(history, 'log'),
      flat: flat(history),
      ...Object.fromEntries(models),
    },
  };
}

function score(years: readonly ProjectedYear[]): Scores {
  return {
    months: years.reduce((sum, year) => sum + scoredMonths(year).length, 0),
    errors: meanAbsoluteErrors(years),
    seasonal_shape_correlation: seasonalShapeCorrelation(years, 'model'),
  };
}
