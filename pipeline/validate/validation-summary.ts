import { studentQuantile } from '../lib/numerics/student-t.ts';
import type { RiskModel } from '../model/risk/risk-tables.ts';
import type { HeldOutCell } from './cross-validation.ts';
import {
  coverageShare,
  groupByFold,
  meanAbsoluteError,
  meanCrps,
  meanLogScore,
  meanOverFolds,
  SCORED_MODELS,
  summariseRounds,
  weightedMean,
} from './score-summary.ts';
import type { CovariateEffect, FoldMean, PlaceScore, ScoredModel, Validation } from './validation.ts';

type Row = Omit<HeldOutCell, 'draws'>;

const BINS = 10;

/**
 * Summary of cross-validation: scores of each model overall and by round, their difference, and calibration.
 * @param rows held-out cells, each once per model
 * @param publishedModel the published model
 * @param zoneByState zones by the code of their states; null if there are none
 * @param covariates effects of the catalog's covariates
 * @throws RangeError if there are no rows
 */
export function summariseValidation(
  rows: Row[],
  publishedModel: RiskModel,
  block_degrees: number,
  zoneByState: ReadonlyMap<string, string | null> = new Map(),
  covariates: CovariateEffect[] = [],
): Validation {
  const modelRows = (model: ScoredModel) => rows.filter((row) => row.model === model);
  const folds = groupByFold(modelRows('spatial'));
  const difference = {
    log_score: meanDifference(rows, meanLogScore),
    crps: meanDifference(rows, meanCrps),
    mean_absolute_error: meanDifference(rows, meanAbsoluteError),
  };
  const better = betterModel(difference.log_score, folds.length);
  return {
    score: publishedModel,
    better,
    words: describeDifference(publishedModel, better, difference.log_score, folds.length),
    folds: folds.map((foldRows) => ({
      fold: foldRows[0]!.fold,
      cells: foldRows.length,
      children_examined: foldRows.reduce((sum, row) => sum + row.examined, 0),
    })),
    block_degrees,
    scores: summariseRounds(rows),
    difference,
    covariates,
    pit: SCORED_MODELS.map((model) => ({ model, cells: histogram(modelRows(model).map((row) => row.pit)) })),
    zones: summarisePlaces(modelRows(publishedModel), ({ state_code }) => zoneByState.get(state_code) ?? null),
    states: summarisePlaces(modelRows(publishedModel), ({ state_code }) => state_code),
    calibration: SCORED_MODELS.map((model) => ({ model, groups: calibrationGroups(modelRows(model)) })),
  };
}

/** Spatial minus baseline, paired by fold, since a difficult fold is difficult for both. */
function meanDifference(rows: Row[], value: (rows: Row[]) => number): FoldMean {
  return meanOverFolds(
    groupByFold(rows).map((foldRows) => {
      const modelValue = (model: RiskModel) => value(foldRows.filter((row) => row.model === model));
      return modelValue('spatial') - modelValue('baseline');
    }),
  );
}

/**
 * The model with the higher log score by a two-sided t test of the folds' differences at 5%; null if neither is better.
 */
function betterModel({ mean, standard_error }: FoldMean, folds: number): RiskModel | null {
  if (standard_error === null) return null;
  if (Math.abs(mean) <= studentQuantile(0.975, folds - 1) * standard_error) return null;
  return mean > 0 ? 'spatial' : 'baseline';
}

const NAMES = { spatial: 'spatial model', baseline: 'baseline' } as const;

function describeDifference(
  publishedModel: RiskModel,
  better: RiskModel | null,
  { mean, standard_error }: FoldMean,
  folds: number,
) {
  const error = standard_error === null ? '' : ` ± ${standard_error.toFixed(3)}`;
  const [first, second] = mean >= 0 ? (['spatial', 'baseline'] as const) : (['baseline', 'spatial'] as const);
  const difference = `the ${NAMES[first]}'s log score is ${Math.abs(mean).toFixed(3)}${error} above the ${NAMES[second]}'s`;
  const verdict = better === null ? 'neither is clearly better' : `the ${NAMES[better]} is better`;
  return `The score is the ${NAMES[publishedModel]}'s; on ${folds} folds of held-out surveys ${difference}: ${verdict}.`;
}

function summarisePlaces(rows: Row[], codeOfRow: (row: Row) => string | null): PlaceScore[] {
  return [...Map.groupBy(rows, codeOfRow)]
    .flatMap(([code, placeRows]) =>
      code === null ? [] : [{ code, ...compareGroup(placeRows), in_90: coverageShare(placeRows, 0.9) }],
    )
    .sort((a, b) => a.in_90 - b.in_90 || (a.code < b.code ? -1 : 1));
}

function histogram(pits: number[]): number[] {
  const counts = new Array<number>(BINS).fill(0);
  for (const pit of pits) counts[Math.min(BINS - 1, Math.floor(pit * BINS))]!++;
  return counts;
}

function calibrationGroups(rows: Row[]) {
  const sorted = rows.toSorted((a, b) => a.mean - b.mean || (a.cell_id < b.cell_id ? -1 : 1));
  const groups = Math.min(BINS, sorted.length);
  return Array.from({ length: groups }, (_, group) => {
    const groupRows = sorted.slice(
      Math.round((group * sorted.length) / groups),
      Math.round(((group + 1) * sorted.length) / groups),
    );
    return compareGroup(groupRows);
  });
}

const compareGroup = (rows: Row[]) => ({
  cells: rows.length,
  predicted: weightedMean(rows, (row) => row.mean),
  observed: weightedMean(rows, (row) => row.observed),
});
