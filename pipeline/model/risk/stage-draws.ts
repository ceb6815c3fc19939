import type { StageIo } from '../../catalog/country-stage.ts';
import { UsageError } from '../../lib/errors.ts';
import { drawPathsAtPoints, type FitSummary } from './estimate.ts';
import { prepareRisk, readInputs } from './inputs.ts';
import type { Paths } from './paths.ts';
import { LGAS } from './risk-tables.ts';

/** Whether the stage's scores were computed from draws. */
export const hasDraws = (io: StageIo): boolean => readSpatialFit(io) !== null;

/**
 * Reproduces from the stage's artifacts the draws from which its scores were computed. The posterior is computed again
 * at the points of the hyperparameters with which the fit ended, which takes a fraction of the time of the search.
 * @throws UsageError if the score is the baseline, which has no joint draws
 */
export function reproducePaths(io: StageIo): Paths {
  const fit = readSpatialFit(io);
  if (!fit)
    throw new UsageError(
      'parameters.risk.score: found baseline, expected spatial, since only the spatial model has joint draws; or ' +
        'the surveys are too few for scores',
    );
  const { risk, seed } = io.model.parameters;
  const periods = [...new Set(io.table(LGAS).map(({ period }) => period))];
  return drawPathsAtPoints(prepareRisk(readInputs(io)), periods, { ...risk, seed }, fit.points);
}

const readSpatialFit = (io: StageIo) => io.artifact<{ spatial: FitSummary | null }>('risk/evidence').spatial;
