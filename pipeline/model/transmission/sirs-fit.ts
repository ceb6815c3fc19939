import { correlation, mean } from '../../lib/numerics/averages.ts';
import { type BoundedSearch, minimiseBoundedSquares } from '../../lib/numerics/bounded-squares.ts';
import { detrendLogs } from '../../lib/numerics/detrend-logs.ts';
import {
  type Durations,
  rainForcing,
  type SirsCycle,
  type SirsParameters,
  sirsCycle,
} from '../../lib/numerics/sirs.ts';
import { driftSmoother } from './reporting-drift.ts';

/** Form of the effect of rain: the constants of `rainForcing`. */
export interface RainForm {
  half_saturation_mm: number;
  steepness: number;
}
/**
 * An assumption, fixed so that projections do not depend on later cases. It is of the order of the 80 mm that maps of
 * climatic suitability require of a month with transmission (Grover-Kopec et al. 2006, Malar J 5:38), which is a
 * threshold and not a half-saturation. `reproductionRange` includes other forms.
 */
const DEFAULT_RAIN_FORM: RainForm = { half_saturation_mm: 80, steepness: 2 };
/** Intervals of the mean reproduction number in a fully susceptible population, the year-round share, and the lag. */
const SEARCH_BOUNDS = [
  { low: 1.2, high: 20, log: true },
  { low: 0, high: 1 },
  { low: 0, high: 4 },
];

export interface CaseRecord {
  /** Month of the year of the first value, 0 (January) to 11. */
  first_month: number;
  /** Cases per 1,000 people by month; null if nothing was reported. */
  per_1000: readonly (number | null)[];
  /** Indices of months to leave out of the fit. */
  masked: ReadonlySet<number>;
}
/**
 * Reported months that a fit requires, how many of them must have cases and not be masked, and the share of them that
 * may be without a case.
 */
const MIN_REPORTED_MONTHS = 24;
const MIN_USED_MONTHS = 12;
const MAX_SHARE_WITHOUT_CASES = 0.1;

export interface SirsFit {
  /** The optimum in the parameters of the search, as a start for another search. */
  optimum: readonly number[];
  parameters: SirsParameters;
  /** Months by which transmission follows rain. */
  lag_months: number;
  cycle: SirsCycle;
  /** Modelled cases per 1,000 in every month of the record. */
  modelled: number[];
  /** ln of the reporting fraction by month, up to a constant. */
  drift: number[];
  /** Indices of the months in the fit. */
  used_months: number[];
  /** Correlation of modelled with reported cases over the months in the fit. */
  correlation: number;
  /**
   * How well the season alone explains the record: correlation of ln incidence by month of the year with ln reported
   * cases minus their centred 12-month mean (`detrendLogs`), a trend that does not depend on the fit. The drift would
   * not do: it can change its slope every three months and so absorb what the season misses. Null if no month's window
   * is known.
   */
  detrended_correlation: number | null;
  /** Penalised sum of squares on the log scale. */
  sum_of_squares: number;
}

/**
 * Whether a record is sufficient for a fit: two years of reports, including twelve months with cases and not masked. A
 * fit on logarithms leaves out months without a case, which in a record with many of them are its low season.
 */
export function isSufficientForFit(record: CaseRecord): boolean {
  const reported = record.per_1000.filter((value) => value !== null).length;
  const monthsWithoutCases = record.per_1000.filter((value, t) => value === 0 && !record.masked.has(t)).length;
  const usedCount = areMonthsUsed(record).filter(Boolean).length;
  return (
    reported >= MIN_REPORTED_MONTHS &&
    usedCount >= MIN_USED_MONTHS &&
    monthsWithoutCases <= MAX_SHARE_WITHOUT_CASES * reported
  );
}

function areMonthsUsed({ per_1000, masked }: CaseRecord): boolean[] {
  return per_1000.map((value, t) => value !== null && value > 0 && !masked.has(t));
}

/**
 * Fits ln cases = ln incidence(month of the year) + drift(month) by least squares: incidence is the yearly cycle of an
 * SIRS with the place's usual rain, drift a slowly varying reporting fraction (`driftSmoother`). Three parameters are
 * searched from many starts; durations are assumed. Months without a report, with 0 cases or masked are left out.
 * @param rain_mm usual rain, twelve values
 */
export function fitSirs(
  record: CaseRecord,
  rain_mm: readonly number[],
  durations: Durations,
  search: BoundedSearch,
  { half_saturation_mm, steepness }: RainForm = DEFAULT_RAIN_FORM,
): SirsFit {
  const months = record.per_1000.length;
  const isUsed = areMonthsUsed(record);
  const smoothDrift = driftSmoother(isUsed);
  const logs = record.per_1000.map((value, t) => (isUsed[t] ? Math.log(value!) : 0));
  const forcing = rainForcing(rain_mm, half_saturation_mm, steepness);

  const evaluate = ([mean_reproduction, share_year_round, lag_months]: readonly number[]) => {
    const season = { monthly: forcing, lag_months: lag_months! };
    const meanForcing = share_year_round! + (1 - share_year_round!) * mean(forcing);
    const transmission_rate = mean_reproduction! / meanForcing / durations.infectious_months;
    const parameters = { transmission_rate, share_year_round: share_year_round!, ...durations };
    const cycle = sirsCycle(parameters, season);
    const logIncidence = Array.from({ length: months }, (_, t) =>
      Math.log(cycle.incidence[(record.first_month + t) % 12]!),
    );
    const { drift, steps } = smoothDrift(logs.map((log, t) => log - logIncidence[t]!));
    return { parameters, lag_months: lag_months!, cycle, shape: logIncidence, drift, steps };
  };
  const minimum = minimiseBoundedSquares(
    (searched) => {
      const { shape: logIncidence, drift, steps } = evaluate(searched);
      return [...logs.flatMap((log, t) => (isUsed[t] ? [log - logIncidence[t]! - drift[t]!] : [])), ...steps];
    },
    SEARCH_BOUNDS,
    search,
  );

  const { parameters, lag_months, cycle, shape: logIncidence, drift } = evaluate(minimum.parameters);
  const modelled = logIncidence.map((value, t) => Math.exp(value + drift[t]!));
  const usedMonthsOf = (values: readonly number[]) => values.filter((_, t) => isUsed[t]);
  return {
    optimum: minimum.parameters,
    parameters,
    lag_months,
    cycle,
    modelled,
    drift,
    used_months: isUsed.flatMap((isUsed, t) => (isUsed ? [t] : [])),
    correlation: correlation(usedMonthsOf(modelled), usedMonthsOf(logs.map(Math.exp))),
    detrended_correlation: detrendedCorrelation(
      logIncidence,
      logs.map((log, t) => (isUsed[t] ? log : null)),
    ),
    sum_of_squares: minimum.sumOfSquares,
  };
}

function detrendedCorrelation(logIncidence: readonly number[], logs: readonly (number | null)[]): number | null {
  const pairs = detrendLogs(logs).flatMap((log, t) => (log === null ? [] : [[logIncidence[t]!, log] as const]));
  if (pairs.length === 0) return null;
  return correlation(
    pairs.map(([modelled]) => modelled),
    pairs.map(([, reported]) => reported),
  );
}
