import type { HeldOut } from './cross-validation.ts';

/** A mean over folds, each fold weighing the same, and its standard error over them (null for a single fold). */
export interface OverFolds {
  mean: number;
  standard_error: number | null;
}
export interface ScoreSummary {
  cells: number;
  log_score: OverFolds;
  crps: OverFolds;
  /** Of the posterior mean from the observed share, weighted by children examined. */
  mean_absolute_error: OverFolds;
  /** Of posterior mean and observed share, weighted by children examined, over all cells. */
  correlation: number;
  /** Share of cells whose randomised probability integral transform lies in the central 50, 80, 90 and 95%. */
  coverage: { level: number; share: number }[];
}

const LEVELS = [0.5, 0.8, 0.9, 0.95];

/** Scores of one model's held-out cells. @throws RangeError for none */
export function summariseScores(rows: HeldOut[]): ScoreSummary {
  if (rows.length === 0) throw new RangeError('no held-out cells to score');
  const folds = [...new Set(rows.map((r) => r.fold))]
    .sort((a, b) => a - b)
    .map((k) => rows.filter((r) => r.fold === k));
  const overFolds = (value: (own: HeldOut[]) => number): OverFolds => {
    const values = folds.map(value);
    const mean = values.reduce((a, b) => a + b, 0) / values.length;
    const squares = values.reduce((sum, v) => sum + (v - mean) ** 2, 0);
    const n = values.length;
    return { mean, standard_error: n > 1 ? Math.sqrt(squares / (n - 1) / n) : null };
  };
  const weighted = (own: HeldOut[], value: (r: HeldOut) => number) =>
    own.reduce((sum, r) => sum + r.examined * value(r), 0) / own.reduce((sum, r) => sum + r.examined, 0);
  const plain = (own: HeldOut[], value: (r: HeldOut) => number) =>
    own.reduce((sum, r) => sum + value(r), 0) / own.length;

  const [mx, my] = [weighted(rows, (r) => r.mean), weighted(rows, (r) => r.observed)];
  const covariance = weighted(rows, (r) => (r.mean - mx) * (r.observed - my));
  const deviations = Math.sqrt(
    weighted(rows, (r) => (r.mean - mx) ** 2) * weighted(rows, (r) => (r.observed - my) ** 2),
  );
  return {
    cells: rows.length,
    log_score: overFolds((own) => plain(own, (r) => r.log_score)),
    crps: overFolds((own) => plain(own, (r) => r.crps)),
    mean_absolute_error: overFolds((own) => weighted(own, (r) => Math.abs(r.mean - r.observed))),
    correlation: covariance / deviations,
    coverage: LEVELS.map((level) => ({ level, share: plain(rows, (r) => Number(Math.abs(r.pit - 0.5) <= level / 2)) })),
  };
}
