import { mean, median } from '../../lib/numerics/averages.ts';

/** Gaps up to this many months are interpolated for the trend. */
const BRIDGED_MONTHS = 3;

export interface CaseMonths {
  /** Month of the year of the first value, 0 (January) to 11. */
  first_month: number;
  /** Cases by month; null if nothing credible was reported. */
  cases: readonly (number | null)[];
  /** Indices of unusual months, whose counts are used for the trend but not for the season. */
  unusual: ReadonlySet<number>;
}

/**
 * A place's season from its monthly cases, as shares of the peak month, January first: exp of the median over years of
 * ln(cases / trend), where the trend is the centred 12-month geometric mean (2 × 12, with the end months at half
 * weight). Growth of reporting cancels in the ratio, and one unusual year does not move the median. A month counts if
 * its entire window is known; for the trend, gaps of up to three months are interpolated linearly on the log scale.
 * @returns null if a month of the year is never known
 */
export function caseSeason({ first_month, cases, unusual }: CaseMonths): number[] | null {
  const logs = cases.map((value) => (value !== null && value > 0 ? Math.log(value) : null));
  const byMonth: number[][] = Array.from({ length: 12 }, () => []);
  for (const [t, log] of logsOverTrend(logs).entries())
    if (log !== null && !unusual.has(t)) byMonth[(first_month + t) % 12]!.push(log);
  if (byMonth.some((values) => values.length === 0)) return null;
  const season = byMonth.map(median);
  const peak = Math.max(...season);
  return season.map((value) => Math.exp(value - peak));
}

/**
 * Monthly logarithms minus their trend, the centred 12-month mean (2 × 12, with the end months at half weight), which
 * has no yearly rhythm. Gaps of up to three months are interpolated for the trend; the result is null if the month or
 * part of its window of thirteen months is unknown.
 */
export function logsOverTrend(logs: readonly (number | null)[]): (number | null)[] {
  const bridged = bridgeGaps(logs);
  return logs.map((log, t) => {
    const window = bridged.slice(Math.max(0, t - 6), t + 7);
    if (log === null || window.length < 13 || window.includes(null)) return null;
    const known = window as number[];
    return log - (mean(known.slice(0, 12)) + mean(known.slice(1))) / 2;
  });
}

/** Interpolates linearly in runs of up to `BRIDGED_MONTHS` nulls with values on both sides. */
function bridgeGaps(values: readonly (number | null)[]): (number | null)[] {
  const filled = [...values];
  let last: number | null = null;
  for (const [t, value] of values.entries()) {
    if (value === null) continue;
    if (last !== null && t - last - 1 <= BRIDGED_MONTHS) {
      const from = values[last]!;
      for (let i = last + 1; i < t; i++) filled[i] = from + ((value - from) * (i - last)) / (t - last);
    }
    last = t;
  }
  return filled;
}

/**
 * Monthly cases of a state, summed over the LGAs that reported throughout; one with gaps would appear as growth or
 * season. Null if there is no such LGA, or if these LGAs have less than half of all reported cases.
 * @param lgas one series per LGA, of equal length
 */
export function sumReporting(lgas: readonly (readonly (number | null)[])[]): number[] | null {
  const throughout = lgas.filter((cases): cases is readonly number[] => cases.every((value) => value !== null));
  const total = (series: readonly (readonly (number | null)[])[]) =>
    series.reduce((sum, cases) => sum + cases.reduce<number>((part, value) => part + (value ?? 0), 0), 0);
  if (throughout.length === 0 || total(throughout) < total(lgas) / 2) return null;
  return throughout[0]!.map((_, t) => throughout.reduce((sum, cases) => sum + cases[t]!, 0));
}
