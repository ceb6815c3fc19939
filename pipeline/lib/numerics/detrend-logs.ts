import { mean } from './averages.ts';

/** Gaps up to this many months are interpolated for the trend. */
const BRIDGED_MONTHS = 3;

/**
 * Monthly logarithms minus their trend, the centred 12-month mean (2 × 12, with the end months at half weight), which
 * has no yearly rhythm. Gaps of up to three months are interpolated for the trend; the result is null if the month or
 * part of its window of thirteen months is unknown.
 */
export function detrendLogs(logs: readonly (number | null)[]): (number | null)[] {
  const bridged = bridgeGaps(logs);
  return logs.map((log, t) => {
    const window = bridged.slice(Math.max(0, t - 6), t + 7);
    if (log === null || window.length < 13 || window.includes(null)) return null;
    const months = window as number[];
    return log - (mean(months.slice(0, 12)) + mean(months.slice(1))) / 2;
  });
}

/** Interpolates linearly in runs of up to `BRIDGED_MONTHS` nulls with values on both sides. */
function bridgeGaps(values: readonly (number | null)[]): (number | null)[] {
  const filled = [...values];
  let lastKnown: number | null = null;
  for (const [t, value] of values.entries()) {
    if (value === null) continue;
    if (lastKnown !== null && t - lastKnown - 1 <= BRIDGED_MONTHS) {
      const startValue = values[lastKnown]!;
      for (let i = lastKnown + 1; i < t; i++)
        filled[i] = startValue + ((value - startValue) * (i - lastKnown)) / (t - lastKnown);
    }
    lastKnown = t;
  }
  return filled;
}
