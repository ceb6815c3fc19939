import { expit } from './special.ts';
import { studentQuantile } from './student-t.ts';

/** A cluster's input to the estimator. */
export interface ClusterSample {
  /** Children tested × sampling weight. */
  size: number;
  /** Share of them positive, 0-1. */
  positivity: number;
}

/** A ratio estimate with its design-based standard error and range; these are null if they cannot be estimated. */
export interface RatioEstimate {
  positivity: number;
  se: number | null;
  low: number | null;
  high: number | null;
}

const logit = (p: number) => Math.log(p / (1 - p));

/**
 * Positivity p = Σ nᵢyᵢ / Σ nᵢ over clusters i of size nᵢ and positivity yᵢ, with clusters as primary sampling units.
 *
 * Taylor linearisation: zᵢ = nᵢ(yᵢ − p) / Σn, se² = k/(k−1) Σ zᵢ² over k clusters (Σ zᵢ is 0). The range is on the
 * logit scale, logit p ± t(k−1) · se / (p(1−p)), as in R's `survey::svyciprop(method = "logit")` (Lumley 2010, Complex
 * Surveys: A Guide to Analysis Using R). `se`, `low` and `high` are null for a single cluster; `low` and `high` are
 * also null if p is exactly 0 or 1.
 * @param confidence confidence level of the range, such as 0.95
 */
export function ratioEstimate(clusters: readonly ClusterSample[], confidence: number): RatioEstimate {
  const total = clusters.reduce((sum, { size }) => sum + size, 0);
  const p = clusters.reduce((sum, { size, positivity }) => sum + size * positivity, 0) / total;
  const k = clusters.length;
  if (k < 2) return { positivity: p, se: null, low: null, high: null };
  const sumOfSquares = clusters.reduce(
    (sum, { size, positivity }) => sum + ((size * (positivity - p)) / total) ** 2,
    0,
  );
  const se = Math.sqrt((k / (k - 1)) * sumOfSquares);
  if (p <= 0 || p >= 1) return { positivity: p, se, low: null, high: null };
  const margin = (studentQuantile((1 + confidence) / 2, k - 1) * se) / (p * (1 - p));
  return { positivity: p, se, low: expit(logit(p) - margin), high: expit(logit(p) + margin) };
}
