/** Effects of covariates on the scores of held-out cells. */
import { studentQuantile } from '../lib/numerics/student-t.ts';
import type { FoldResult } from './fold-worker.ts';
import { groupByFold, meanCrps, meanLogScore, meanOverFolds } from './score-summary.ts';
import type { CovariateEffect } from './validation.ts';

/**
 * Mean score with the covariate minus that without it, paired by fold, since a difficult fold is difficult for both.
 * @param including held-out cells predicted by the spatial model with the covariate
 * @param excluding the same cells predicted without it
 */
export function covariateEffect(covariate: string, including: FoldResult, excluding: FoldResult): CovariateEffect {
  const [foldsIncluding, foldsExcluding] = [groupByFold(spatialRows(including)), groupByFold(spatialRows(excluding))];
  const meanDifference = (score: typeof meanLogScore) =>
    meanOverFolds(foldsIncluding.map((fold, k) => score(fold) - score(foldsExcluding[k]!)));
  return {
    covariate,
    folds: foldsIncluding.length,
    log_score: meanDifference(meanLogScore),
    crps: meanDifference(meanCrps),
  };
}

const spatialRows = (rows: FoldResult) => rows.filter(({ model }) => model === 'spatial');

/** Describes an effect in a sentence, and whether it exceeds the variation between folds (t test, 95%). */
export function describeEffect({ covariate, folds, log_score, crps }: CovariateEffect): string {
  const { mean, standard_error } = log_score;
  const signed = (value: number, digits: number) => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(digits)}`;
  const errorText = standard_error === null ? '' : ` ± ${standard_error.toFixed(4)}`;
  const isClear = standard_error !== null && Math.abs(mean) > studentQuantile(0.975, folds - 1) * standard_error;
  const verdict = isClear ? (mean > 0 ? 'it improves the score' : 'it worsens the score') : 'no clear difference';
  return `${covariate}: held-out log score ${signed(mean, 4)}${errorText}, CRPS ${signed(crps.mean, 5)} with it: ${verdict}`;
}
