import type { Method } from '../catalog/values.ts';
import { monthOf, type Period } from '../contract/months.ts';
import { solveForward } from '../numerics/sparse-cholesky.ts';
import { logit } from '../numerics/special.ts';
import type { CaseShift } from './case-shift.ts';
import { comparedOf } from './compared.ts';
import { fitAt, type RiskFit, type ThetaPoint } from './fit.ts';
import { POSITIVE } from './hyperparameters.ts';
import { estimateInThreads } from './in-threads.ts';
import { type PreparedRisk, timeOf } from './inputs.ts';
import type { Constants } from './latent.ts';
import { type Optimum, usualStart } from './optimum.ts';
import { type Drawing, drawPaths, type Paths, type PredictedMonth } from './paths.ts';
import type { AreaEstimates } from './prediction.ts';
import { drawStreams } from './streams.ts';
import { valuesIn } from './varying.ts';

/**
 * The parts of the prior that are fixed, not fitted, since four rounds cannot tell them apart. Slopes of 0.1 logit a year
 * that last some five years, and 0.1 logit per root year besides: over the eleven years of Nigeria's surveys a standard
 * deviation of 0.9. Chosen on made-up countries and on the round of 2018 from those before it. Changes act over regions
 * of 300 km: ranges of 150 to 1200 km fit the real data equally well.
 */
const GIVEN = {
  nation_drift: 0.1,
  nation_slope: 0.1,
  slope_years: 5,
  range_change_km: 300,
} as const;

/**
 * The fixed parts of the prior: those of every country, and those that `parameters.risk` of model.json gives.
 * @param test that of the score: the catalog's offset is of rapid tests against microscopy, whichever the score is by
 */
export const constantsOf = ({ season_exponent, test_offset }: PriorOf, test: Method): Constants => ({
  season_exponent,
  test_offset: test_offset ? { mean: test === 'rdt' ? -test_offset.mean : test_offset.mean, sd: test_offset.sd } : null,
  ...GIVEN,
});

type PriorOf = Pick<Constants, 'season_exponent'> & { test_offset?: Constants['test_offset'] | undefined };

export interface RiskEstimate {
  /** Scores by month and area: `lgas.mean[m * lgas + a]`, in the order of the areas handed in. */
  lgas: AreaEstimates;
  states: AreaEstimates;
  fit: FitSummary;
}

/** What joint draws depend on besides the observations. */
export type DrawsOf = PriorOf & { draws: number; seed: number };

/** Posterior of the hyperparameters on their search scale, and of γ; for the model card. */
export interface FitSummary {
  hyperparameters: { name: string; scale: 'log' | 'logit'; mean: number; sd: number }[];
  season_exponent: { mean: number; sd: number };
  log_posterior: number;
  /** On the search scale, in `hyperparameters`' order. */
  optimum: Optimum;
  /** The points that draws were shared out over: with them, the same draws can be had again. */
  points: ThetaPoint[];
}

/** Hyperparameters by name, as `FitSummary` names them, on their own scale. */
export type Start = Readonly<Record<string, number>>;

/**
 * Fits the risk model to all rounds and scores every LGA and state in every period.
 * @param start where to begin the search for the hyperparameters' mode, which is found wherever it begins
 * @param progress gets the share done
 * @param cases what case records say of the months after the last survey; null: the usual season alone
 */
export async function estimateRisk(
  prepared: PreparedRisk,
  periods: Period[],
  { draws, seed, start = {}, ...prior }: DrawsOf & { start?: Start | undefined },
  progress: (share: number, what: string) => void = () => {},
  cases: CaseShift | null = null,
): Promise<RiskEstimate> {
  const [mesh, times, observations, constants] = observedBy(prepared, prior);
  const data = { mesh, times, observations, constants, drawing: drawingOf(prepared, periods, cases), seed };
  const { fit, ...estimates } = await estimateInThreads(data, draws, startFrom(prepared, start), progress);
  return { ...estimates, fit: summariseFit(fit, prepared) };
}

/** The joint draws of an estimate of the same observations, from the points that its fit ended with. */
export function pathsAt(
  prepared: PreparedRisk,
  periods: readonly Period[],
  { draws, seed, ...prior }: DrawsOf,
  points: readonly ThetaPoint[],
  cases: CaseShift | null,
): Paths {
  const fit = fitAt(...observedBy(prepared, prior), points);
  return drawPaths(fit, drawingOf(prepared, periods, cases), draws, drawStreams(seed));
}

const observedBy = ({ mesh, times, observed, test }: PreparedRisk, prior: PriorOf) =>
  [mesh, times, observed.map((o) => o.risk), constantsOf(prior, test)] as const;

const drawingOf = (prepared: PreparedRisk, periods: readonly Period[], cases: CaseShift | null): Drawing => {
  const { season_error: sd, log_season, fieldwork } = prepared;
  return { months: monthsOf(prepared, periods), season: { sd, log_season, fieldwork }, cases };
};

/** Names and scales of the hyperparameters, in θ's order. */
function namesOf({ rounds, observed }: PreparedRisk): { name: string; scale: 'log' | 'logit' }[] {
  const clustered = rounds.filter((_, r) => observed.some((o) => o.risk.clustered && o.risk.round === r));
  return [
    ...POSITIVE.map((name) => ({ name, scale: 'log' as const })),
    ...clustered.map((year) => ({ name: `rho_${year}`, scale: 'logit' as const })),
  ];
}

/** θ of the hyperparameters that are named; the usual start for the others. */
function startFrom(prepared: PreparedRisk, start: Start): number[] {
  const names = namesOf(prepared);
  return usualStart(names.length - POSITIVE.length).map((usual, i) => {
    const { name, scale } = names[i]!;
    const given = start[name];
    if (given === undefined) return usual;
    return scale === 'log' ? Math.log(given) : logit(given);
  });
}

const monthsOf = ({ log_season, fieldwork_ends, varying }: PreparedRisk, periods: readonly Period[]) =>
  periods.map((period): PredictedMonth => {
    const month = monthOf(period) - 1;
    const compared = comparedOf(period, periods, fieldwork_ends);
    const told = varying.map((covariate) => valuesIn(covariate, period));
    return { time: timeOf(period), month, log_season: log_season[month]!, varying: told, compared };
  });

function summariseFit(fit: RiskFit, prepared: PreparedRisk): FitSummary {
  const thetas = fit.points.map((p) => p.theta);
  const moments = (value: (k: number) => number) => {
    const mean = fit.points.reduce((sum, p, k) => sum + p.weight * value(k), 0);
    return { mean, sd: Math.sqrt(fit.points.reduce((sum, p, k) => sum + p.weight * (value(k) - mean) ** 2, 0)) };
  };
  const at = fit.layout.gamma;
  const exponent = moments((k) => fit.points[k]!.mode.x[at]!);
  return {
    hyperparameters: namesOf(prepared).map((named, i) => ({ ...named, ...moments((k) => thetas[k]![i]!) })),
    season_exponent: { mean: exponent.mean, sd: Math.hypot(exponent.sd, deviationOf(fit, at)) },
    log_posterior: fit.log_posterior,
    optimum: fit.optimum,
    points: fit.points.map(({ theta, weight }) => ({ theta, weight })),
  };
}

/** Posterior standard deviation of one unknown at θ's mode. */
function deviationOf({ points, layout }: RiskFit, at: number): number {
  const unit = new Float64Array(layout.size);
  unit[at] = 1;
  const { factor } = points[0]!.mode;
  return Math.sqrt(solveForward(factor, unit).reduce((sum, v) => sum + v * v, 0));
}
