import { correlation, mean } from '../../lib/numerics/averages.ts';

/** The data known at an origin, a January: the months before it, oldest first, in cases per 1,000; null if unknown. */
export interface History {
  reported: readonly (number | null)[];
  masked: ReadonlySet<number>;
}
/** Twelve months from the origin onwards; null if the method cannot project a month. */
export type Projection = (number | null)[];

const meanReported = (values: readonly (number | null | undefined)[]): number | null => {
  const reported = values.filter((value) => value !== null && value !== undefined);
  return reported.length > 0 ? mean(reported) : null;
};
const byMonth = (value: (month: number) => number | null): Projection =>
  Array.from({ length: 12 }, (_, month) => value(month));
const withoutMasked = ({ reported, masked }: History) => reported.map((value, t) => (masked.has(t) ? null : value));

/** The same month last year. */
export function sameMonthLastYear({ reported }: History): Projection {
  return byMonth((month) => reported.at(month - 12) ?? null);
}

/** Mean of the same month over the last three years, as far as known and without masked months. */
export function sameMonthLastYears(history: History, years = 3): Projection {
  const months = withoutMasked(history);
  return byMonth((month) =>
    meanReported(
      Array.from({ length: Math.min(years, Math.floor(months.length / 12)) }, (_, k) =>
        months.at(month - 12 * (k + 1)),
      ),
    ),
  );
}

/** The mean of the last twelve months, for every month. */
export function lastYearMean({ reported }: History): Projection {
  const level = meanReported(reported.slice(-12));
  return byMonth(() => level);
}

/**
 * Seasonal adjustment with the last three observations, Abeku et al. 2002 (Trop Med Int Health 7:851), their best
 * method in Ethiopia: the month's mean over earlier years, plus the mean deviation of the last three months from their
 * means. All earlier years are used, because records are short; Abeku et al. found three years to work best. It works
 * on raw cases or on logarithms.
 */
export function abekuProjection(history: History, scale: 'raw' | 'log'): Projection {
  const months = withoutMasked(history).map((value) => {
    if (value === null || scale === 'raw') return value;
    return value > 0 ? Math.log(value) : null;
  });
  const usualByMonth = byMonth((month) => meanReported(months.filter((_, t) => t % 12 === month)));
  const meanDeviation = meanReported(
    [9, 10, 11].map((month) => {
      const value = months.at(month - 12) ?? null;
      return value === null || usualByMonth[month] == null ? null : value - usualByMonth[month]!;
    }),
  );
  return usualByMonth.map((value) => {
    if (value === null || meanDeviation === null) return null;
    return scale === 'raw' ? Math.max(0, value + meanDeviation) : Math.exp(value + meanDeviation);
  });
}

/**
 * A shape scaled to the recent level: shape × (Σ reported / Σ shape) over the last `months` months before the origin.
 * @param shape twelve values, January first, any unit
 */
export function shapeTimesLevel({ reported }: History, shape: readonly number[], months: number): Projection {
  let reportedSum = 0;
  let shapeSum = 0;
  for (const [monthsBack, value] of reported.slice(-months).reverse().entries()) {
    if (value === null) continue;
    reportedSum += value;
    shapeSum += shape.at(-1 - (monthsBack % 12))!;
  }
  return byMonth((month) => (shapeSum > 0 ? (shape[month]! * reportedSum) / shapeSum : null));
}

/** One year's projections by method, and the reported values. */
export interface ProjectedYear {
  state_code: string;
  year: number;
  reported: Projection;
  methods: Record<string, Projection>;
}

/** Months that were reported and that every method could project, so that errors are comparable. */
export function scoredMonths({ reported, methods }: ProjectedYear): number[] {
  const allProjections = [reported, ...Object.values(methods)];
  return reported.flatMap((_, month) => (allProjections.every((values) => values[month] !== null) ? [month] : []));
}

/** Mean absolute error of each method over all scored months; NaN if there are none. */
export function meanAbsoluteErrors(years: readonly ProjectedYear[]): Record<string, number> {
  const methodNames = Object.keys(years[0]?.methods ?? {});
  return Object.fromEntries(
    methodNames.map((name) => [
      name,
      mean(
        years.flatMap((year) => scoredMonths(year).map((m) => Math.abs(year.methods[name]![m]! - year.reported[m]!))),
      ),
    ]),
  );
}

/** Correlation, pooled over years, of projected with reported values, each month divided by the mean of its year. */
export function seasonalShapeCorrelation(years: readonly ProjectedYear[], method: string): number {
  const shapes = (valuesOf: (year: ProjectedYear) => Projection) =>
    years.flatMap((year) => {
      const values = scoredMonths(year).map((month) => valuesOf(year)[month]!);
      const level = mean(values);
      return values.map((value) => (level > 0 ? value / level : 0));
    });
  return correlation(
    shapes((year) => year.methods[method]!),
    shapes((year) => year.reported),
  );
}
