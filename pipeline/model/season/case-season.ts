import { mean, median } from '../../lib/numerics/averages.ts';
import { detrendLogs } from '../../lib/numerics/detrend-logs.ts';
import { hasEnoughCasesForLogs, logCases } from '../../lib/numerics/log-cases.ts';

export interface CaseMonths {
  /** Month of the year of the first value, 0 (January) to 11. */
  first_month: number;
  /** Cases by month; null if nothing credible was reported. */
  cases: readonly (number | null)[];
  /** Indices of unusual months, whose counts are used for the trend but not for the season. */
  unusualMonths: ReadonlySet<number>;
}

/** A place's season on the log scale, January first, each month relative to the trend of its year. */
export interface LogSeason {
  logs: number[];
  /** Sampling variance of a month, from its scatter over the years; infinite if there is one year only. */
  variance: number;
}

/** Variance of a median relative to that of a mean, of normal values. */
const MEDIAN_VARIANCE = Math.PI / 2;

/**
 * The median over years of ln(cases / trend) by month, where the trend is the centred 12-month geometric mean (2 × 12,
 * with the end months at half weight). Growth of reporting cancels in the ratio, and one unusual year does not move the
 * median. A month counts if its entire window is known; for the trend, gaps of up to three months are interpolated
 * linearly on the log scale. A month without a case counts as half a case.
 * @returns null if a month of the year is never known, or there is less than one case a month on average
 */
export function estimateLogSeason({ first_month, cases, unusualMonths }: CaseMonths): LogSeason | null {
  if (!hasEnoughCasesForLogs(cases.filter((value) => value !== null))) return null;
  const logs = cases.map((value) => (value === null ? null : logCases(value)));
  const logsByMonth: number[][] = Array.from({ length: 12 }, () => []);
  for (const [t, log] of detrendLogs(logs).entries())
    if (log !== null && !unusualMonths.has(t)) logsByMonth[(first_month + t) % 12]!.push(log);
  if (logsByMonth.some((values) => values.length === 0)) return null;
  const squares = logsByMonth.flatMap((values) => values.map((value) => (value - mean(values)) ** 2));
  const degreesOfFreedom = squares.length - 12;
  const scatterVariance =
    degreesOfFreedom > 0
      ? squares.reduce((sum, square) => sum + square, 0) / degreesOfFreedom
      : Number.POSITIVE_INFINITY;
  return {
    logs: logsByMonth.map(median),
    variance: MEDIAN_VARIANCE * scatterVariance * mean(logsByMonth.map((values) => 1 / values.length)),
  };
}

/** A season on the log scale as shares of the peak month. */
export function sharesOfPeak(logs: readonly number[]): number[] {
  const peak = Math.max(...logs);
  return logs.map((value) => Math.exp(value - peak));
}

/**
 * A place's season from its monthly cases (`estimateLogSeason`), as shares of the peak month; null if it is unknown.
 */
export function caseSeason(months: CaseMonths): number[] | null {
  const season = estimateLogSeason(months);
  return season && sharesOfPeak(season.logs);
}

/**
 * Monthly cases of a state: the sum over the LGAs that reported throughout, if these have at least half of all reported
 * cases, else the cases of all divided by the share that those that reported usually have. A month in which this is
 * less than half is null: the sum alone would make gaps appear as growth or season.
 * @param lgas one series per LGA, of equal length
 */
export function sumReportingLgas(lgas: readonly (readonly (number | null)[])[]): (number | null)[] {
  const alwaysReporting = lgas.filter((cases) => cases.every((value) => value !== null));
  if (alwaysReporting.length > 0 && 2 * sumKnown(alwaysReporting.flat()) >= sumKnown(lgas.flat()))
    return monthlySums(alwaysReporting);
  const shares = reportingShares(lgas);
  return monthlySums(lgas).map((cases, t) => (2 * shares[t]! < 1 ? null : cases / shares[t]!));
}

const sumKnown = (cases: readonly (number | null)[]) => cases.reduce<number>((total, value) => total + (value ?? 0), 0);

const monthlySums = (lgas: readonly (readonly (number | null)[])[]): number[] =>
  lgas[0]!.map((_, t) => sumKnown(lgas.map((cases) => cases[t]!)));

/** By month: the share of the LGAs that reported in the cases of all, by the means of the 13 months around it. */
function reportingShares(lgas: readonly (readonly (number | null)[])[]): number[] {
  return lgas[0]!.map((_, t) => {
    const usualCases = lgas.map((cases) => {
      const reported = cases.slice(Math.max(0, t - 6), t + 7).filter((value) => value !== null);
      return reported.length > 0 ? mean(reported) : 0;
    });
    return sumKnown(usualCases.filter((_, i) => lgas[i]![t] !== null)) / (sumKnown(usualCases) || 1);
  });
}
