import { studentQuantile } from '../lib/numerics/student-t.ts';
import type { RiskModel } from '../model/risk/risk-tables.ts';
import type { HeldOut } from './cross-validation.ts';
import {
  byFold,
  MODELS,
  meanAbsoluteError,
  meanCrps,
  meanLogScore,
  overFolds,
  summariseRounds,
  weighted,
} from './score-summary.ts';
import type { CovariateEffect, OverFolds, ScoredModel, Validation } from './validation.ts';

type Row = Omit<HeldOut, 'draws'>;

const BINS = 10;

/**
 * Summary of cross-validation: scores of each model overall and by round, their difference, and calibration.
 * @param rows held-out cells, each once per model
 * @param score the published model
 * @param covariates effects of the catalog's covariates
 * @throws RangeError if there are no rows
 */
export function summariseValidation(
  rows: Row[],
  score: RiskModel,
  block_degrees: number,
  covariates: CovariateEffect[] = [],
): Validation {
  const modelRows = (model: ScoredModel) => rows.filter((row) => row.model === model);
  const folds = byFold(modelRows('spatial'));
  const difference = {
    log_score: paired(rows, meanLogScore),
    crps: paired(rows, meanCrps),
    mean_absolute_error: paired(rows, meanAbsoluteError),
  };
  const better = betterModel(difference.log_score, folds.length);
  return {
    score,
    better,
    words: describe(score, better, difference.log_score, folds.length),
    folds: folds.map((foldRows) => ({
      fold: foldRows[0]!.fold,
      cells: foldRows.length,
      children_examined: foldRows.reduce((sum, row) => sum + row.examined, 0),
    })),
    block_degrees,
    scores: summariseRounds(rows),
    difference,
    covariates,
    pit: MODELS.map((model) => ({ model, cells: histogram(modelRows(model).map((row) => row.pit)) })),
    calibration: MODELS.map((model) => ({ model, groups: calibrate(modelRows(model)) })),
  };
}

/** Spatial minus baseline, paired by fold, since a difficult fold is difficult for both. */
function paired(rows: Row[], value: (rows: Row[]) => number): OverFolds {
  return overFolds(
    byFold(rows).map((foldRows) => {
      const modelValue = (model: RiskModel) => value(foldRows.filter((row) => row.model === model));
      return modelValue('spatial') - modelValue('baseline');
    }),
  );
}

/**
 * The model with the higher log score by a two-sided t test of the folds' differences at 5%; null if neither is better.
 */
function betterModel({ mean, standard_error }: OverFolds, folds: number): RiskModel | null {
  if (standard_error === null) return null;
  if (Math.abs(mean) <= studentQuantile(0.975, folds - 1) * standard_error) return null;
  return mean > 0 ? 'spatial' : 'baseline';
}

const NAMES = { spatial: 'spatial model', baseline: 'baseline' } as const;

function describe(score: RiskModel, better: RiskModel | null, { mean, standard_error }: OverFolds, folds: number) {
  const error = standard_error === null ? '' : ` ± ${standard_error.toFixed(3)}`;
  const [first, second] = mean >= 0 ? (['spatial', 'baseline'] as const) : (['baseline', 'spatial'] as const);
  const gap = `the ${NAMES[first]}'s log score is ${Math.abs(mean).toFixed(3)}${error} above the ${NAMES[second]}'s`;
  const verdict = better === null ? 'neither is clearly better' : `the ${NAMES[better]} is better`;
  return `The score is the ${NAMES[score]}'s; on ${folds} folds of held-out surveys ${gap}: ${verdict}.`;
}

function histogram(pits: number[]): number[] {
  const counts = new Array<number>(BINS).fill(0);
  for (const pit of pits) counts[Math.min(BINS - 1, Math.floor(pit * BINS))]!++;
  return counts;
}

function calibrate(rows: Row[]) {
  const sorted = rows.toSorted((a, b) => a.mean - b.mean || (a.cell_id < b.cell_id ? -1 : 1));
  const groups = Math.min(BINS, sorted.length);
  return Array.from({ length: groups }, (_, group) => {
    const groupRows = sorted.slice(
      Math.round((group * sorted.length) / groups),
      Math.round(((group + 1) * sorted.length) / groups),
    );
    return {
      cells: groupRows.length,
      predicted: weighted(groupRows, (row) => row.mean),
      observed: weighted(groupRows, (row) => row.observed),
    };
  });
}
