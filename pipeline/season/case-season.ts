import { mean, median } from '../numerics/averages.ts';

/** Gaps up to this many months are bridged in the trend. */
const BRIDGED_MONTHS = 3;

export interface CaseMonths {
  /** Month of the year of the first value, 0 (January) to 11. */
  first_month: number;
  /** Cases, one value a month; null where nothing was reported, or nothing credible. */
  cases: readonly (number | null)[];
  /** Months of an unusual year, by index: real counts that belong to the trend but say nothing about the season. */
  unusual: ReadonlySet<number>;
}

/**
 * A place's season from its monthly cases, as shares of the peak month, January first: exp of the median over years of
 * ln(cases / trend), the trend being the centred 12-month geometric mean (2 × 12, the end months at half weight).
 * Growth of reporting cancels in the ratio, and one odd year does not move the median. A month counts if its whole window
 * is known; gaps of up to three months are bridged for the trend, in a straight line on the log scale.
 * @returns null if some month of the year is never known
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
 * Monthly logarithms minus their trend, the centred 12-month mean (2 × 12, the end months at half weight), which has no
 * yearly rhythm. Gaps of up to three months are bridged for the trend; the result is null where the month or its window
 * of thirteen months is unknown.
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

/** Fills runs of up to `BRIDGED_MONTHS` nulls that have values on both sides along the straight line between them. */
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
 * Cases of a state, month by month, summed over the LGAs that reported throughout; an LGA that comes and goes would look
 * like growth or season. Null if no LGA did, or if those that did have less than half of all reported cases.
 * @param lgas one series an LGA, equally long
 */
export function sumReporting(lgas: readonly (readonly (number | null)[])[]): number[] | null {
  const throughout = lgas.filter((cases): cases is readonly number[] => cases.every((value) => value !== null));
  const total = (series: readonly (readonly (number | null)[])[]) =>
    series.reduce((sum, cases) => sum + cases.reduce<number>((part, value) => part + (value ?? 0), 0), 0);
  if (throughout.length === 0 || total(throughout) < total(lgas) / 2) return null;
  return throughout[0]!.map((_, t) => throughout.reduce((sum, cases) => sum + cases[t]!, 0));
}
