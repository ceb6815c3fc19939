import { covariateName } from '../../catalog/covariates.ts';
import type { Covariate } from '../../catalog/model.ts';
import { addMonths, calendarMonth, type Period } from '../../contract/months.ts';
import type * as ingest from '../../ingest/ingest-tables.ts';
import type { Areas } from '../../ingest/ingest-tables.ts';
import { InputLocation } from '../../lib/bad-input.ts';
import type { TableRow } from '../../lib/tables/table.ts';
import type { PredictionCells } from '../../measure/zonal/zonal-tables.ts';
import { TRANSFORMS } from './covariate-columns.ts';

/** A covariate by month: the value of every LGA at each time of a table. */
export interface VaryingCovariate {
  name: string;
  /** A month uses the value of this many months before it. */
  lag_months: number;
  /** `YYYY-MM` or `YYYY`, ascending. */
  times: readonly string[];
  /** By time, then by LGA in the areas' order; standardised over population and times (mean 0, variance 1). */
  values: readonly Float64Array<ArrayBuffer>[];
  /**
   * Replacement for months missing from the table, by month of the year; null if it is the value of the nearest year.
   */
  usual: readonly Float64Array<ArrayBuffer>[] | null;
}

/**
 * The catalog's covariates by month, in its order. Under `departure` the LGA's mean of that month of the year (of all
 * years, if values are yearly) is subtracted, which removes spatial and seasonal differences.
 * @throws BadInput if a covariate is the same everywhere and always, or outside the domain of its transform
 */
export function varyingCovariates(
  entries: readonly Covariate[],
  lgas: Areas['lgas'],
  cells: Pick<PredictionCells, 'lga_code' | 'population'>,
  rows: readonly TableRow<typeof ingest.COVARIATES>[],
): VaryingCovariate[] {
  const people = new Map<string, number>();
  cells.lga_code.forEach((code, c) => {
    people.set(code, (people.get(code) ?? 0) + cells.population[c]!);
  });
  const weights = lgas.map(({ lga_code }) => people.get(lga_code)!);
  const position = new Map(lgas.map(({ lga_code }, a) => [lga_code, a]));
  const bySource = Map.groupBy(rows, ({ covariate }) => covariate);
  return entries
    .filter(({ time }) => time === 'each' || time === 'departure')
    .map((entry): VaryingCovariate => {
      const name = covariateName(entry);
      const location = new InputLocation('model.json', `parameters.risk.covariates, ${name}`);
      const sourceRows = bySource.get(entry.source) ?? [];
      const times = [...new Set(sourceRows.map(({ time }) => time!))].sort();
      const values = times.map(() => new Float64Array(lgas.length));
      const valuesByTime = new Map(times.map((time, t) => [time, values[t]!]));
      for (const { lga_code, time, value } of sourceRows) {
        const transformed = TRANSFORMS[entry.transform](value);
        if (!Number.isFinite(transformed))
          throw location.error(
            `the value ${value} with the transform ${entry.transform}`,
            'a transform defined for it',
          );
        valuesByTime.get(time!)![position.get(lga_code)!] = transformed;
      }
      const yearly = times[0]!.length === 4;
      const groups = [...Map.groupBy(times.keys(), (t) => (yearly ? 0 : calendarMonth(times[t]! as Period) - 1))];
      if (entry.time === 'departure')
        for (const [, group] of groups) {
          const usual = elementwiseMean(group.map((t) => values[t]!));
          for (const t of group) for (let a = 0; a < lgas.length; a++) values[t]![a]! -= usual[a]!;
        }
      if (!standardise(values, weights)) throw location.error('the same value everywhere', 'a covariate that varies');
      const usual = Array.from({ length: 12 }, () => new Float64Array(lgas.length));
      if (!yearly) for (const [month, group] of groups) usual[month] = elementwiseMean(group.map((t) => values[t]!));
      const nearest = yearly && entry.time === 'each';
      return { name, lag_months: entry.lag_months ?? 0, times, values, usual: nearest ? null : usual };
    });
}

/** A covariate's values for the LGAs in a month. */
export function valuesIn({ lag_months, times, values, usual }: VaryingCovariate, period: Period): Float64Array {
  const then = addMonths(period, -lag_months);
  const time = times[0]!.length === 4 ? then.slice(0, 4) : then;
  const index = times.indexOf(time);
  if (index !== -1) return values[index]!;
  if (usual) return usual[calendarMonth(then) - 1]!;
  const distance = (candidate: string) => Math.abs(Number(candidate) - Number(time));
  return values[times.reduce((best, candidate, t) => (distance(candidate) < distance(times[best]!) ? t : best), 0)]!;
}

function elementwiseMean(arrays: readonly Float64Array[]): Float64Array<ArrayBuffer> {
  return Float64Array.from(arrays[0]!, (_, a) => arrays.reduce((sum, values) => sum + values[a]!, 0) / arrays.length);
}

/**
 * Standardises in place to weighted mean 0 and variance 1 over LGAs and times; returns false if the values do not vary.
 */
function standardise(values: readonly Float64Array[], weights: readonly number[]): boolean {
  const total = values.length * weights.reduce((sum, w) => sum + w, 0);
  const average = (of: (v: number) => number) =>
    values.reduce((sum, areaValues) => sum + areaValues.reduce((part, v, a) => part + weights[a]! * of(v), 0), 0) /
    total;
  const mean = average((v) => v);
  const variance = average((v) => (v - mean) ** 2);
  if (!(variance > 1e-12 * average((v) => v * v))) return false;
  for (const areaValues of values)
    for (let a = 0; a < areaValues.length; a++) areaValues[a] = (areaValues[a]! - mean) / Math.sqrt(variance);
  return true;
}
