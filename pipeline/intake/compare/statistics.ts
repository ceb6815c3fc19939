/** Statistics for comparing two releases: distributions, the phase of the seasonal cycle. */
import { quantile } from '../../lib/numerics/quantiles.ts';

export interface Distribution {
  n: number;
  missing: number;
  min: number | null;
  q1: number | null;
  median: number | null;
  q3: number | null;
  max: number | null;
  mean: number | null;
}

/** Fields are null if there are no values. */
export function distributionOf(values: readonly (number | null)[]): Distribution {
  const known = Float64Array.from(values.filter((value) => value !== null)).sort();
  const n = known.length;
  const missing = values.length - n;
  const at = (share: number) => (n === 0 ? null : quantile(known, share));
  return {
    n,
    missing,
    min: at(0),
    q1: at(0.25),
    median: at(0.5),
    q3: at(0.75),
    max: at(1),
    mean: n === 0 ? null : known.reduce((a, b) => a + b) / n,
  };
}

/**
 * Phase of the first harmonic of a yearly cycle, in months from 0 (January) to 12, cyclic. Null without a clear cycle.
 * @param byMonth means of January to December
 */
export function phaseOf(byMonth: readonly number[]): number | null {
  const angle = (month: number) => (2 * Math.PI * month) / 12;
  const x = byMonth.reduce((sum, value, month) => sum + value * Math.cos(angle(month)), 0);
  const y = byMonth.reduce((sum, value, month) => sum + value * Math.sin(angle(month)), 0);
  const total = byMonth.reduce((sum, value) => sum + Math.abs(value), 0);
  if (!(Math.hypot(x, y) > 0.05 * total)) return null;
  return ((((Math.atan2(y, x) / (2 * Math.PI)) * 12) % 12) + 12) % 12;
}

/** Cyclic difference from `from` to `to` in months, −6 to 6. */
export const monthsBetween = (from: number, to: number): number => ((((to - from + 6) % 12) + 12) % 12) - 6;

/** Null if there are no values. */
export function medianOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : quantile(Float64Array.from(values).sort(), 0.5);
}
