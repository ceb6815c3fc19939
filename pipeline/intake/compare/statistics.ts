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

/** Null if there are no values. */
export function medianOrNull(values: readonly number[]): number | null {
  return values.length === 0 ? null : quantile(Float64Array.from(values).sort(), 0.5);
}
