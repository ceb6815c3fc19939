/** What a covariate does to the score of cells that were held out. */
import type { CovariateEffect } from '../artifacts.ts';
import { studentQuantile } from '../numerics/student-t.ts';
import type { FoldResult } from './fold.ts';
import { byFold, meanCrps, meanLogScore, overFolds } from './score-summary.ts';

/**
 * Mean score with the covariate less that without it, paired by fold, since what makes a fold hard is hard for both.
 * @param having held-out cells of the spatial model that was told of it, `lacking` the same cells of one that was not
 */
export function effectOf(covariate: string, having: FoldResult, lacking: FoldResult): CovariateEffect {
  const [a, b] = [byFold(spatial(having)), byFold(spatial(lacking))];
  const paired = (score: typeof meanLogScore) => overFolds(a.map((own, k) => score(own) - score(b[k]!)));
  return { covariate, folds: a.length, log_score: paired(meanLogScore), crps: paired(meanCrps) };
}

const spatial = (rows: FoldResult) => rows.filter(({ model }) => model === 'spatial');

/** In a sentence: by how much, and whether that is more than chance between folds explains (t test, 95%). */
export function describeEffect({ covariate, folds, log_score, crps }: CovariateEffect): string {
  const { mean, standard_error } = log_score;
  const signed = (value: number, digits: number) => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(digits)}`;
  const error = standard_error === null ? '' : ` ± ${standard_error.toFixed(4)}`;
  const clear = standard_error !== null && Math.abs(mean) > studentQuantile(0.975, folds - 1) * standard_error;
  const verdict = clear ? (mean > 0 ? 'it helps' : 'it does harm') : 'no clear difference';
  return `${covariate}: held-out log score ${signed(mean, 4)}${error}, CRPS ${signed(crps.mean, 5)} with it: ${verdict}`;
}
