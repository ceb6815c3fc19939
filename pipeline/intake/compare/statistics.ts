/** Statistics for comparing two releases. */
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
export function distribution(values: readonly (number | null)[]): Distribution {
  const sorted = Float64Array.from(values.filter((value) => value !== null)).sort();
  const n = sorted.length;
  const missing = values.length - n;
  const quantileAt = (share: number) => (n === 0 ? null : quantile(sorted, share));
  return {
    n,
    missing,
    min: quantileAt(0),
    q1: quantileAt(0.25),
    median: quantileAt(0.5),
    q3: quantileAt(0.75),
    max: quantileAt(1),
    mean: n === 0 ? null : sorted.reduce((a, b) => a + b) / n,
  };
}

/** Null if there are no values. */
export function medianOrNull(values: readonly number[]): number | null {
  return values.length === 0 ? null : quantile(Float64Array.from(values).sort(), 0.5);
}
