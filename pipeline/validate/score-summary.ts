import { mean } from '../lib/numerics/averages.ts';
import type { HeldOutCell } from './cross-validation.ts';
import type { FoldMean, HeldOutScores, ScoredModel } from './validation.ts';

type Row = Omit<HeldOutCell, 'draws'>;

export const SCORED_MODELS: readonly ScoredModel[] = ['spatial', 'baseline', 'national'];
const COVERAGE_LEVELS = [0.5, 0.8, 0.9, 0.95];

/** Rows by fold, folds ascending. */
export function groupByFold(rows: Row[]): Row[][] {
  return [...Map.groupBy(rows, (row) => row.fold)].sort(([a], [b]) => a - b).map(([, foldRows]) => foldRows);
}

/** Mean and standard error over folds, with one value per fold. */
export function meanOverFolds(values: number[]): FoldMean {
  const count = values.length;
  const average = mean(values);
  const squares = values.reduce((sum, value) => sum + (value - average) ** 2, 0);
  return { mean: average, standard_error: count > 1 ? Math.sqrt(squares / (count - 1) / count) : null };
}

export const meanLogScore = (rows: Row[]) => mean(rows.map(({ log_score }) => log_score));
export const meanCrps = (rows: Row[]) => mean(rows.map(({ crps }) => crps));
export const meanAbsoluteError = (rows: Row[]) => weightedMean(rows, (row) => Math.abs(row.mean - row.observed));

/** Mean weighted by the number of children examined. */
export function weightedMean(rows: Row[], value: (row: Row) => number): number {
  return (
    rows.reduce((sum, row) => sum + row.examined * value(row), 0) / rows.reduce((sum, row) => sum + row.examined, 0)
  );
}

/** Share of cells in the central range of that probability. */
export const coverageShare = (rows: Row[], level: number) =>
  mean(rows.map((row) => Number(Math.abs(row.pit - 0.5) <= level / 2)));

/** Scores of each model: all rounds, then round by round. @throws RangeError if there are no rows */
export function summariseRounds(rows: Row[]): HeldOutScores[] {
  const years = [...new Set(rows.map((row) => row.survey_year))].sort((a, b) => a - b);
  return SCORED_MODELS.flatMap((model) =>
    [null, ...years].map((survey_year) => {
      const roundRows = rows.filter(
        (row) => row.model === model && (survey_year ?? row.survey_year) === row.survey_year,
      );
      return { model, survey_year, ...summariseScores(roundRows) };
    }),
  );
}

/** Scores of one model's held-out cells. @throws RangeError if there are none */
export function summariseScores(rows: Row[]): Omit<HeldOutScores, 'model' | 'survey_year'> {
  if (rows.length === 0) throw new RangeError('no held-out cells to score');
  const folds = groupByFold(rows);
  const [meanPredicted, meanObserved] = [
    weightedMean(rows, (row) => row.mean),
    weightedMean(rows, ({ observed }) => observed),
  ];
  const covariance = weightedMean(rows, (row) => (row.mean - meanPredicted) * (row.observed - meanObserved));
  const deviations = Math.sqrt(
    weightedMean(rows, (row) => (row.mean - meanPredicted) ** 2) *
      weightedMean(rows, (row) => (row.observed - meanObserved) ** 2),
  );
  return {
    cells: rows.length,
    log_score: meanOverFolds(folds.map(meanLogScore)),
    crps: meanOverFolds(folds.map(meanCrps)),
    mean_absolute_error: meanOverFolds(folds.map(meanAbsoluteError)),
    // the correlation is undefined if all observations or predictions are equal
    correlation: deviations > 0 ? covariance / deviations : 0,
    coverage: COVERAGE_LEVELS.map((level) => ({ level, share: coverageShare(rows, level) })),
  };
}
