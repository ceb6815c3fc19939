import type { HeldOut } from './cross-validation.ts';
import type { HeldOutScores, OverFolds } from './validation.ts';

type Row = Omit<HeldOut, 'draws'>;

const LEVELS = [0.5, 0.8, 0.9, 0.95];

/** Rows by fold, folds ascending. */
export function byFold(rows: Row[]): Row[][] {
  return [...Map.groupBy(rows, (row) => row.fold)].sort(([a], [b]) => a - b).map(([, own]) => own);
}

/** Mean and standard error over folds, with one value per fold. */
export function overFolds(values: number[]): OverFolds {
  const n = values.length;
  const mean = values.reduce((a, b) => a + b, 0) / n;
  const squares = values.reduce((sum, v) => sum + (v - mean) ** 2, 0);
  return { mean, standard_error: n > 1 ? Math.sqrt(squares / (n - 1) / n) : null };
}

export const meanLogScore = (rows: Row[]) => plain(rows, (r) => r.log_score);
export const meanCrps = (rows: Row[]) => plain(rows, (r) => r.crps);
export const meanAbsoluteError = (rows: Row[]) => weighted(rows, (r) => Math.abs(r.mean - r.observed));

function plain(rows: Row[], value: (r: Row) => number): number {
  return rows.reduce((sum, r) => sum + value(r), 0) / rows.length;
}

/** Mean weighted by the number of children examined. */
export function weighted(rows: Row[], value: (r: Row) => number): number {
  return rows.reduce((sum, r) => sum + r.examined * value(r), 0) / rows.reduce((sum, r) => sum + r.examined, 0);
}

/** Scores of one model's held-out cells. @throws RangeError if there are none */
export function summariseScores(rows: Row[]): Omit<HeldOutScores, 'model' | 'survey_year'> {
  if (rows.length === 0) throw new RangeError('no held-out cells to score');
  const folds = byFold(rows);
  const [mx, my] = [weighted(rows, (r) => r.mean), weighted(rows, (r) => r.observed)];
  const covariance = weighted(rows, (r) => (r.mean - mx) * (r.observed - my));
  const deviations = Math.sqrt(
    weighted(rows, (r) => (r.mean - mx) ** 2) * weighted(rows, (r) => (r.observed - my) ** 2),
  );
  return {
    cells: rows.length,
    log_score: overFolds(folds.map(meanLogScore)),
    crps: overFolds(folds.map(meanCrps)),
    mean_absolute_error: overFolds(folds.map(meanAbsoluteError)),
    // the correlation is undefined if all observations or predictions are equal
    correlation: deviations > 0 ? covariance / deviations : 0,
    coverage: LEVELS.map((level) => ({ level, share: plain(rows, (r) => Number(Math.abs(r.pit - 0.5) <= level / 2)) })),
  };
}
