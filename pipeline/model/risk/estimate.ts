import { POSITIVE_HYPERPARAMETERS } from '../../catalog/model.ts';
import type { Method } from '../../catalog/shared-schemas.ts';
import { calendarMonth, type Period } from '../../contract/months.ts';
import { solveForward } from '../../lib/numerics/sparse-cholesky.ts';
import { logit } from '../../lib/numerics/special.ts';
import { comparisonPositions } from './comparison-months.ts';
import { fitAtPoints, type RiskFit, type ThetaPoint } from './fit.ts';
import { estimateInThreads } from './in-threads.ts';
import { midMonth, type PreparedRisk } from './inputs.ts';
import { defaultTheta, type Optimum } from './optimum.ts';
import { drawPaths, type PathInputs, type Paths, type PredictedMonth } from './paths.ts';
import type { Estimates } from './prediction.ts';
import { antitheticStreams } from './streams.ts';
import type { PriorConstants } from './terms.ts';

/**
 * Parameters of the prior that are fixed, since four rounds cannot identify them. Slopes of 0.1 logit per year that
 * last some five years, plus Brownian motion of 0.1 logit per root year, have a standard deviation of 0.9 over the
 * eleven years of Nigeria's surveys. They were chosen on made-up countries and on the 2018 round predicted from those
 * before it. Changes act over regions of 300 km: ranges of 150 to 1200 km fit the real data equally well.
 */
const FIXED_CONSTANTS = {
  nation_drift: 0.1,
  nation_slope: 0.1,
  slope_years: 5,
  range_change_km: 300,
} as const;

/**
 * The fixed parameters of the prior: those common to all countries, and those from `parameters.risk` of model.json.
 * @param test the score's test; the catalog's offset is that of rapid tests relative to microscopy, whichever it is
 */
export const priorConstants = ({ season_exponent, test_offset }: PriorSettings, test: Method): PriorConstants => ({
  season_exponent,
  test_offset: test_offset ? { mean: test === 'rdt' ? -test_offset.mean : test_offset.mean, sd: test_offset.sd } : null,
  ...FIXED_CONSTANTS,
});

type PriorSettings = Pick<PriorConstants, 'season_exponent'> & {
  test_offset?: PriorConstants['test_offset'] | undefined;
};

export interface RiskEstimate extends Estimates {
  fit: FitSummary;
}

/** The settings on which joint draws depend, in addition to the observations. */
export type DrawSettings = PriorSettings & { draws: number; seed: number };

/** Posterior of the hyperparameters on their search scale, and of γ; for the model card. */
export interface FitSummary {
  hyperparameters: { name: string; scale: 'log' | 'logit'; mean: number; sd: number }[];
  season_exponent: { mean: number; sd: number };
  log_posterior: number;
  /** On the search scale, in `hyperparameters`' order. */
  optimum: Optimum;
  /** The points around which draws were taken; the same draws can be reproduced from them. */
  points: ThetaPoint[];
}

/** Hyperparameters by name, as in `FitSummary`, on their natural scale. */
export type StartingValues = Readonly<Record<string, number>>;

/**
 * Fits the risk model to all rounds and scores every LGA and state in every period.
 * @param start where the search for the mode of the hyperparameters starts; the result does not depend on it
 * @param onProgress receives the share done
 */
export async function estimateRisk(
  prepared: PreparedRisk,
  periods: Period[],
  { draws, seed, start = {}, ...prior }: DrawSettings & { start?: StartingValues | undefined },
  onProgress: (share: number, what: string) => void = () => {},
): Promise<RiskEstimate> {
  const [mesh, times, observations, constants] = fitArguments(prepared, prior);
  const data = { mesh, times, observations, constants, pathInputs: toPathInputs(prepared, periods), seed };
  const { fit, ...estimates } = await estimateInThreads(data, draws, startingTheta(prepared, start), onProgress);
  return { ...estimates, fit: summariseFit(fit, prepared) };
}

/** The joint draws of an earlier estimate from the same observations, at the points with which its fit ended. */
export function drawPathsAtPoints(
  prepared: PreparedRisk,
  periods: readonly Period[],
  { draws, seed, ...prior }: DrawSettings,
  points: readonly ThetaPoint[],
): Paths {
  const fit = fitAtPoints(...fitArguments(prepared, prior), points);
  return drawPaths(fit, toPathInputs(prepared, periods), draws, antitheticStreams(seed));
}

const fitArguments = ({ mesh, times, observations, score_method }: PreparedRisk, prior: PriorSettings) =>
  [mesh, times, observations.map(({ risk }) => risk), priorConstants(prior, score_method)] as const;

const toPathInputs = (prepared: PreparedRisk, periods: readonly Period[]): PathInputs => {
  const { season_error: sd, log_season, fieldwork } = prepared;
  return { months: toPredictedMonths(prepared, periods), season: { sd, log_season, fieldwork } };
};

/** Names and scales of the hyperparameters, in θ's order. */
function hyperparameterNames({ rounds, observations }: PreparedRisk): { name: string; scale: 'log' | 'logit' }[] {
  const clusteredRounds = rounds.filter((_, r) =>
    observations.some((observation) => observation.risk.clustered && observation.risk.round === r),
  );
  return [
    ...POSITIVE_HYPERPARAMETERS.map((name) => ({ name, scale: 'log' as const })),
    ...clusteredRounds.map((year) => ({ name: `rho_${year}`, scale: 'logit' as const })),
  ];
}

/** θ at the given values, and at the usual start for hyperparameters that are not given. */
function startingTheta(prepared: PreparedRisk, start: StartingValues): number[] {
  const hyperparameters = hyperparameterNames(prepared);
  return defaultTheta(hyperparameters.length - POSITIVE_HYPERPARAMETERS.length).map((defaultValue, i) => {
    const { name, scale } = hyperparameters[i]!;
    const startingValue = start[name];
    if (startingValue === undefined) return defaultValue;
    return scale === 'log' ? Math.log(startingValue) : logit(startingValue);
  });
}

const toPredictedMonths = ({ log_season, fieldwork_ends }: PreparedRisk, periods: readonly Period[]) =>
  periods.map((period): PredictedMonth => {
    const month = calendarMonth(period) - 1;
    const comparison = comparisonPositions(period, periods, fieldwork_ends);
    return { time: midMonth(period), month, log_season: log_season[month]!, comparison };
  });

function summariseFit(fit: RiskFit, prepared: PreparedRisk): FitSummary {
  const thetas = fit.points.map(({ theta }) => theta);
  const moments = (value: (k: number) => number) => {
    const mean = fit.points.reduce((sum, point, k) => sum + point.weight * value(k), 0);
    return {
      mean,
      sd: Math.sqrt(fit.points.reduce((sum, point, k) => sum + point.weight * (value(k) - mean) ** 2, 0)),
    };
  };
  const exponentPosition = fit.layout.terms.season.positions[0]!;
  const exponent = moments((k) => fit.points[k]!.mode.x[exponentPosition]!);
  return {
    hyperparameters: hyperparameterNames(prepared).map((hyperparameter, i) => ({
      ...hyperparameter,
      ...moments((k) => thetas[k]![i]!),
    })),
    season_exponent: { mean: exponent.mean, sd: Math.hypot(exponent.sd, posteriorDeviation(fit, exponentPosition)) },
    log_posterior: fit.log_posterior,
    optimum: fit.optimum,
    points: fit.points.map(({ theta, weight }) => ({ theta, weight })),
  };
}

/** Posterior standard deviation of one unknown at the mode of θ. */
function posteriorDeviation({ points, layout }: RiskFit, exponentPosition: number): number {
  const unit = new Float64Array(layout.size);
  unit[exponentPosition] = 1;
  const { factor } = points[0]!.mode;
  return Math.sqrt(solveForward(factor, unit).reduce((sum, v) => sum + v * v, 0));
}
