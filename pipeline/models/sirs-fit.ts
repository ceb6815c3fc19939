import { correlation, mean } from '../numerics/averages.ts';
import { minimiseBounded } from '../numerics/bounded-squares.ts';
import type { Random } from '../numerics/random.ts';
import { type Durations, rainForcing } from './rain-season.ts';
import { driftSmoother } from './reporting-drift.ts';
import { type SirsCycle, type SirsParameters, seasonGrid, sirsCycle } from './sirs.ts';

/**
 * Rain at which transmission's season is at half its ceiling, mm a month: the 80 mm that Craig, Snow & le Sueur 1999
 * (Parasitol Today 15:105) take for stable transmission. Fixed beforehand, so that projections owe nothing to later cases.
 */
const HALF_SATURATION_MM = 80;
/** Mean over the year of new infections per infection among susceptibles only; share year-round; lag behind rain. */
const BOUNDS = [
  { low: 1.2, high: 20, log: true },
  { low: 0, high: 1 },
  { low: 0, high: 4 },
];

export interface CaseRecord {
  /** Month of the year of the first value, 0 (January) to 11. */
  first_month: number;
  /** Cases per 1,000 people, one value a month; null where nothing was reported. */
  per_1000: readonly (number | null)[];
  /** Months to leave out of the fit, by index. */
  masked: ReadonlySet<number>;
}
export interface SirsFit {
  parameters: SirsParameters;
  /** Months by which transmission follows rain. */
  lag_months: number;
  cycle: SirsCycle;
  /** Cases per 1,000 by the model, every month of the record. */
  modelled: number[];
  /** ln of reporting by month, up to a constant. */
  drift: number[];
  /** Of modelled with reported cases over the months in the fit. */
  correlation: number;
  /** The same of logarithms with the drift taken off both sides: what the season alone explains. */
  detrended_correlation: number;
  /** Penalised sum of squares on the log scale. */
  squares: number;
}

/**
 * Fits ln cases = ln incidence(month of the year) + drift(month) by least squares: incidence is the yearly cycle of an
 * SIRS under the place's usual rain, drift a slowly moving reporting fraction (`driftSmoother`). Three parameters are
 * searched from many starts; durations are assumed. Months without a report, of 0 cases or masked are left out.
 * @param rain_mm usual rain, twelve values
 */
export function fitSirs(
  record: CaseRecord,
  rain_mm: readonly number[],
  durations: Durations,
  { starts, random }: { starts: number; random: Random },
): SirsFit {
  const months = record.per_1000.length;
  const used = record.per_1000.map((value, t) => value !== null && value > 0 && !record.masked.has(t));
  const smooth = driftSmoother(used);
  const logs = record.per_1000.map((value, t) => (used[t] ? Math.log(value!) : 0));
  const forcing = rainForcing(rain_mm, HALF_SATURATION_MM);

  const evaluate = ([mean_reproduction, share_year_round, lag_months]: readonly number[]) => {
    const season = seasonGrid(forcing, lag_months!);
    const level = share_year_round! + (1 - share_year_round!) * mean(season);
    const transmission_rate = mean_reproduction! / level / durations.infectious_months;
    const parameters = { transmission_rate, share_year_round: share_year_round!, ...durations };
    const cycle = sirsCycle(parameters, season);
    const shape = Array.from({ length: months }, (_, t) => Math.log(cycle.incidence[(record.first_month + t) % 12]!));
    const { drift, steps } = smooth(logs.map((log, t) => log - shape[t]!));
    return { parameters, lag_months: lag_months!, cycle, shape, drift, steps };
  };
  const found = minimiseBounded(
    (free) => {
      const { shape, drift, steps } = evaluate(free);
      return [...logs.flatMap((log, t) => (used[t] ? [log - shape[t]! - drift[t]!] : [])), ...steps];
    },
    BOUNDS,
    { starts, random },
  );

  const { parameters, lag_months, cycle, shape, drift } = evaluate(found.parameters);
  const modelled = shape.map((value, t) => Math.exp(value + drift[t]!));
  const inUse = (values: readonly number[]) => values.filter((_, t) => used[t]);
  return {
    parameters,
    lag_months,
    cycle,
    modelled,
    drift,
    correlation: correlation(inUse(modelled), inUse(logs.map(Math.exp))),
    detrended_correlation: correlation(inUse(shape), inUse(logs.map((log, t) => log - drift[t]!))),
    squares: found.squares,
  };
}
