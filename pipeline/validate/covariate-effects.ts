/** Effects of covariates on the scores of held-out cells. */
import { studentQuantile } from '../lib/numerics/student-t.ts';
import type { FoldResult } from './fold.ts';
import { byFold, meanCrps, meanLogScore, overFolds } from './score-summary.ts';
import type { CovariateEffect } from './validation.ts';

/**
 * Mean score with the covariate minus that without it, paired by fold, since a difficult fold is difficult for both.
 * @param including held-out cells predicted by the spatial model with the covariate
 * @param excluding the same cells predicted without it
 */
export function covariateEffect(covariate: string, including: FoldResult, excluding: FoldResult): CovariateEffect {
  const [a, b] = [byFold(spatial(including)), byFold(spatial(excluding))];
  const paired = (score: typeof meanLogScore) => overFolds(a.map((fold, k) => score(fold) - score(b[k]!)));
  return { covariate, folds: a.length, log_score: paired(meanLogScore), crps: paired(meanCrps) };
}

const spatial = (rows: FoldResult) => rows.filter(({ model }) => model === 'spatial');

/** Describes an effect in a sentence, and whether it exceeds the variation between folds (t test, 95%). */
export function describeEffect({ covariate, folds, log_score, crps }: CovariateEffect): string {
  const { mean, standard_error } = log_score;
  const signed = (value: number, digits: number) => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(digits)}`;
  const error = standard_error === null ? '' : ` ± ${standard_error.toFixed(4)}`;
  const clear = standard_error !== null && Math.abs(mean) > studentQuantile(0.975, folds - 1) * standard_error;
  const verdict = clear ? (mean > 0 ? 'it improves the score' : 'it worsens the score') : 'no clear difference';
  return `${covariate}: held-out log score ${signed(mean, 4)}${error}, CRPS ${signed(crps.mean, 5)} with it: ${verdict}`;
}
