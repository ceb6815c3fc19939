import { randomStream } from '../../lib/numerics/random.ts';
import type { Durations } from '../../lib/numerics/sirs.ts';
import {
  abekuProjection,
  type History,
  lastYearMean,
  meanAbsoluteErrors,
  type ProjectedYear,
  type Projection,
  sameMonthLastYear,
  sameMonthLastYears,
  scoredMonths,
  seasonalShapeCorrelation,
  shapeTimesLevel,
} from './projection.ts';
import { type CaseRecord, fitSirs, isSufficientForFit } from './sirs-fit.ts';

/** Candidate designs of the projection: the fitted cycle at the level of this many last months. */
export const CANDIDATE_LEVEL_MONTHS = [3, 6, 12] as const;

/** A state's complete record, starting in a January. */
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
  /** Mean absolute error by method; `model` is the chosen design. Empty if nothing could be scored. */
  errors: Record<string, number>;
  /** Correlation of `model`. */
  seasonal_shape_correlation: number;
  /** The correlation by method. */
  shape_correlations: Record<string, number>;
}
export interface DevelopedProjections {
  level_months: number;
  development_years: number[];
  development: Scores;
  /** Every projected year, `model` among its methods. */
  years: ProjectedYear[];
}
export interface ProjectionTest extends DevelopedProjections {
  held_back: Scores;
}

/**
 * Projects each state a year ahead, from every January of the development years that has enough months before it for a
 * fit. A fit uses only the months before its origin. The chosen design is the one of `CANDIDATE_LEVEL_MONTHS` with the
 * smallest error.
 */
export function developProjections(
  records: readonly ProjectionRecord[],
  settings: ProjectionSettings,
): DevelopedProjections {
  const { development_first, held_back_year } = settings;
  const projected = projectYears(records, settings, development_first, held_back_year - 1);
  const errors = meanAbsoluteErrors(projected);
  const level_months = CANDIDATE_LEVEL_MONTHS.reduce((best, n) =>
    errors[levelMethod(n)]! < errors[levelMethod(best)]! ? n : best,
  );
  const years = projected.map((year) => addChosenMethods(year, level_months));
  return {
    level_months,
    development_years: [...new Set(years.map(({ year }) => year))].sort((a, b) => a - b),
    development: scoreProjections(years),
    years,
  };
}

/** Scores the design chosen in development on the held-back year. */
export function scoreHeldBack(
  records: readonly ProjectionRecord[],
  settings: ProjectionSettings,
  developed: DevelopedProjections,
): ProjectionTest {
  const { held_back_year } = settings;
  const heldBackYears = projectYears(records, settings, held_back_year, held_back_year).map((year) =>
    addChosenMethods(year, developed.level_months),
  );
  return { ...developed, held_back: scoreProjections(heldBackYears), years: [...developed.years, ...heldBackYears] };
}

function projectYears(
  records: readonly ProjectionRecord[],
  settings: ProjectionSettings,
  firstYear: number,
  lastYear: number,
): ProjectedYear[] {
  return records.flatMap((record) =>
    projectableYears(record)
      .filter((year) => year >= firstYear && year <= lastYear)
      .map((year) => projectYear(record, year, settings)),
  );
}

/** Adds the chosen design as `model`, and its geometric mean with Abeku's adjustment. */
function addChosenMethods(year: ProjectedYear, level_months: number): ProjectedYear {
  const model = year.methods[levelMethod(level_months)]!;
  const geometricMeans = model.map((value, month) => {
    const abekuValue = year.methods.abeku_raw![month]!;
    return value === null || abekuValue === null ? null : Math.sqrt(value * abekuValue);
  });
  return { ...year, methods: { model, model_and_abeku: geometricMeans, ...year.methods } };
}

/** The method's name for the model at the level of the last `months` months. */
export const levelMethod = (months: number) => `model_level_of_${months}_months`;

/** Years of the record that have enough months before them to fit a model. */
function projectableYears(record: ProjectionRecord): number[] {
  const years = Array.from({ length: Math.ceil(record.per_1000.length / 12) }, (_, k) => record.first_year + k);
  return years.filter((year) => isSufficientForFit(recordBefore(record, year)));
}

/** The part of the record before a year. */
function recordBefore({ first_year, per_1000, masked }: ProjectionRecord, year: number): CaseRecord {
  const origin = (year - first_year) * 12;
  return {
    first_month: 0,
    per_1000: per_1000.slice(0, origin),
    masked: new Set([...masked].filter((t) => t < origin)),
  };
}

function projectYear(record: ProjectionRecord, year: number, settings: ProjectionSettings): ProjectedYear {
  const origin = (year - record.first_year) * 12;
  const before = recordBefore(record, year);
  const history: History = { reported: before.per_1000, masked: before.masked };
  const fit = fitSirs(before, record.rain_mm, settings.durations, {
    starts: settings.starts,
    random: randomStream(settings.seed, `projection ${record.state_code} ${year}`),
  });
  const candidateProjections = CANDIDATE_LEVEL_MONTHS.map((n): [string, Projection] => [
    levelMethod(n),
    shapeTimesLevel(history, fit.cycle.incidence, n),
  ]);
  return {
    state_code: record.state_code,
    year,
    reported: Array.from({ length: 12 }, (_, month) => record.per_1000[origin + month] ?? null),
    methods: {
      same_month_last_year: sameMonthLastYear(history),
      same_month_last_three_years: sameMonthLastYears(history),
      abeku_raw: abekuProjection(history, 'raw'),
      abeku_log: abekuProjection(history, 'log'),
      flat: lastYearMean(history),
      ...Object.fromEntries(candidateProjections),
    },
  };
}

function scoreProjections(years: readonly ProjectedYear[]): Scores {
  return {
    months: years.reduce((sum, year) => sum + scoredMonths(year).length, 0),
    errors: meanAbsoluteErrors(years),
    seasonal_shape_correlation: seasonalShapeCorrelation(years, 'model'),
    shape_correlations: Object.fromEntries(
      Object.keys(years[0]?.methods ?? {}).map((name) => [name, seasonalShapeCorrelation(years, name)]),
    ),
  };
}
