import type { StageIo } from '../engine/stage.ts';
import { UsageError } from '../errors.ts';
import { caseShiftOf } from './case-shift.ts';
import { type FitSummary, pathsAt } from './estimate.ts';
import { inputsOf, prepareRisk } from './inputs.ts';
import type { Paths } from './paths.ts';

/** Whether the stage's scores come of draws. */
export const hasDraws = (io: StageIo): boolean => summaryOf(io) !== null;

/**
 * The very draws that the stage's scores were made of, from its artifacts: the posterior is found anew at the points of the
 * hyperparameters that the fit ended with, which takes a fraction of the search for them.
 * @throws UsageError where the baseline is the score, which has no joint draws
 */
export function pathsOfStage(io: StageIo): Paths {
  const summary = summaryOf(io);
  if (!summary)
    throw new UsageError('parameters.risk.score: found baseline, expected spatial, the model whose draws are joint');
  const { risk, seed } = io.model.parameters;
  const periods = [...new Set(io.table('risk/lgas').map(({ period }) => period))];
  const cases = caseShiftOf(io.table('link/shift'), io.table('ingest/states'), periods);
  return pathsAt(prepareRisk(inputsOf(io)), periods, { ...risk, seed }, summary.points, cases);
}

const summaryOf = (io: StageIo) => io.artifact<{ spatial: FitSummary | null }>('risk/evidence').spatial;
