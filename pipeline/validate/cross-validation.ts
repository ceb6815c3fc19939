import type { Model } from '../catalog/model.ts';
import { UsageError } from '../lib/errors.ts';
import { drawBetaBinomial } from '../lib/numerics/distributions.ts';
import { quantile } from '../lib/numerics/quantiles.ts';
import { randomStream } from '../lib/numerics/random.ts';
import { drawBaselinePrevalence, fitBaseline } from '../model/risk/baseline.ts';
import { meanPrevalence, surveyPredictor } from '../model/risk/cell-predictors.ts';
import { drawLatent } from '../model/risk/draws.ts';
import { priorConstants } from '../model/risk/estimate.ts';
import { fitRisk } from '../model/risk/fit.ts';
import type { PreparedRisk, RiskInputs, SurveyObservation } from '../model/risk/inputs.ts';
import type { Optimum } from '../model/risk/optimum.ts';
import type { PriorConstants } from '../model/risk/terms.ts';
import { fairCrps, logScore, randomisedPit } from './scores.ts';
import type { ScoredModel } from './validation.ts';

/** Posterior draws of a held-out cell's prevalence (without cluster noise) and of the overdispersion. */
export interface HeldOutDraws {
  prevalence: Float64Array;
  rho: Float64Array;
}

export interface HeldOutCell {
  cell_id: string;
  model: ScoredModel;
  fold: number;
  survey_year: number;
  state_code: string;
  /** Children examined, and the share of them who tested positive. */
  examined: number;
  observed: number;
  /** Posterior mean, then quantiles of the observed share. */
  mean: number;
  q025: number;
  q05: number;
  q25: number;
  q50: number;
  q75: number;
  q95: number;
  q975: number;
  log_score: number;
  crps: number;
  /** Randomised probability integral transform of the observed share. */
  pit: number;
  draws: HeldOutDraws;
}

/** Settings of cross-validation. */
export interface CrossValidationSettings {
  states: string[];
  /** Fold of each LGA. */
  foldByLga: Map<string, number>;
  constants: PriorConstants;
  draws: number;
  seed: number;
  /**
   * Optimum of the fit to all observations, for quick fits (see `fitRisk`). A fold finds its own optimum from there:
   * held-out cells influence only the path to it (NUMERICS.md, section 8, states the effect).
   */
  near_optimum: Optimum | null;
  /** Skips the baseline and the national mean, whose scores do not depend on covariates. */
  spatial_only?: boolean;
}

/** The settings for a country. @param nearOptimum null for full fits of each fold */
export function crossValidationSettings(
  model: Model,
  { areas }: RiskInputs,
  { score_method: test }: PreparedRisk,
  foldByLga: Map<string, number>,
  nearOptimum: Optimum | null,
): CrossValidationSettings {
  const { risk, seed } = model.parameters;
  return {
    states: areas.states.map((state) => state.state_code),
    foldByLga,
    constants: priorConstants(risk, test),
    draws: risk.draws,
    seed,
    near_optimum: nearOptimum,
  };
}

/**
 * Predicts every cell with models fitted without its fold. Rounds and clusters known by state only are left out
 * throughout, since their figures may include the held-out places.
 * @param onProgress called before each fold, with the share of folds that are done
 * @throws UsageError if a surveyed LGA has no fold
 */
export function crossValidate(
  prepared: PreparedRisk,
  settings: CrossValidationSettings,
  onProgress: (share: number, what: string) => void = () => {},
): HeldOutCell[] {
  return foldNumbers(prepared, settings.foldByLga).flatMap((fold, i, folds) => {
    onProgress(i / folds.length, `fold ${fold}`);
    return [...predictFold(prepared, fold, settings)];
  });
}

/** The folds with surveyed cells, ascending. */
export function foldNumbers({ observations: observed }: PreparedRisk, foldByLga: Map<string, number>): number[] {
  const folds = placedObservations(observed).map((observation) => foldNumber(foldByLga, observation));
  return [...new Set(folds)].sort((a, b) => a - b);
}

/** Observations with a known LGA, which can be held out. */
export function placedObservations(observed: SurveyObservation[]): (SurveyObservation & { lga_code: string })[] {
  return observed.filter(
    (observation): observation is SurveyObservation & { lga_code: string } => observation.lga_code !== null,
  );
}

function foldNumber(foldByLga: Map<string, number>, { lga_code }: { lga_code: string }): number {
  const fold = foldByLga.get(lga_code);
  if (fold === undefined) throw new UsageError(`surveyed area ${lga_code} has no fold`);
  return fold;
}

/**
 * Predicts the cells of one fold with each model. Cells of a round without cells in other folds are left out.
 * @param onUsualStart called if the fit cannot start at `near_optimum`
 * @throws Error that names the fold and its surveys if the risk model does not converge
 */
export function* predictFold(
  { mesh, rounds, times, observations: observed }: PreparedRisk,
  fold: number,
  { states, foldByLga, constants, draws, seed, near_optimum: like, spatial_only = false }: CrossValidationSettings,
  onUsualStart: () => void = () => {},
): Generator<HeldOutCell> {
  const cells = placedObservations(observed);
  const trainingCells = cells.filter((observation) => foldNumber(foldByLga, observation) !== fold);
  if (trainingCells.length === 0)
    throw new UsageError(
      `fold ${fold} contains all ${cells.length} surveyed cells, expected some in other folds to fit to`,
    );
  const trainingRounds = [...new Set(trainingCells.map((observation) => observation.risk.round))].sort((a, b) => a - b);
  const testCells = cells.filter(
    (observation) => foldNumber(foldByLga, observation) === fold && trainingRounds.includes(observation.risk.round),
  );
  const withTrainingRound = (observation: SurveyObservation) => ({
    ...observation.risk,
    round: trainingRounds.indexOf(observation.risk.round),
  });
  const stream = (name: string) => randomStream(seed, `cross-validate/${fold}/${name}`);

  const trainingTimes = trainingRounds.map((round) => times[round]!);
  const fitTrainingCells = () => {
    try {
      return fitRisk(mesh, trainingTimes, trainingCells.map(withTrainingRound), constants, like, onUsualStart);
    } catch (error) {
      const years = trainingRounds.map((round) => rounds[round]).join(', ');
      const trainingData = `${trainingCells.length} surveyed cells of ${years} outside fold ${fold}`;
      throw new Error(`${trainingData}: ${(error as Error).message}`, { cause: error });
    }
  };
  const spatialFit = fitTrainingCells();
  const places = testCells.map((observation) =>
    surveyPredictor(mesh, spatialFit.layout, withTrainingRound(observation)),
  );
  const prevalence = testCells.map(() => new Float64Array(draws));
  const rho = trainingRounds.map(() => new Float64Array(draws));
  let draw = 0;
  for (const { x, point } of drawLatent(spatialFit, draws, (index) => stream(`spatial ${index}`))) {
    for (const [round, roundRho] of point.rho.entries()) rho[round]![draw] = roundRho;
    places.forEach((place, i) => {
      prevalence[i]![draw] = meanPrevalence(place, x);
    });
    draw++;
  }
  yield* testCells.map((observation, i) =>
    scoreCell(
      observation,
      'spatial',
      fold,
      rounds,
      { prevalence: prevalence[i]!, rho: rho[withTrainingRound(observation).round]! },
      stream(`spatial/${observation.risk.name}`),
    ),
  );

  if (spatial_only) return;
  // the national mean of the round is the baseline for a country that consists of one state
  const nationalUnit = (observation: SurveyObservation) => ({ ...observation.baseline, state_code: WHOLE_COUNTRY });
  for (const { model, units, baselineUnit } of [
    { model: 'baseline', units: states, baselineUnit: (observation: SurveyObservation) => observation.baseline },
    { model: 'national', units: [WHOLE_COUNTRY], baselineUnit: nationalUnit },
  ] as const) {
    const baselineFit = fitBaseline(
      trainingCells.map(baselineUnit),
      [...units],
      constants.season_exponent,
      draws,
      stream(model),
    );
    const baselineRho = new Float64Array(draws).fill(baselineFit.rho);
    yield* testCells.map((observation) => {
      const { state_code, survey_year, log_season } = baselineUnit(observation);
      const baselineDraws = {
        prevalence: drawBaselinePrevalence(baselineFit, state_code, survey_year, log_season),
        rho: baselineRho,
      };
      return scoreCell(observation, model, fold, rounds, baselineDraws, stream(`${model}/${observation.risk.name}`));
    });
  }
}

const WHOLE_COUNTRY = 'country';

function scoreCell(
  observation: SurveyObservation,
  model: HeldOutCell['model'],
  fold: number,
  rounds: number[],
  fittedDraws: HeldOutDraws,
  random: ReturnType<typeof randomStream>,
): HeldOutCell {
  const { examined, positive, name, round, clustered } = observation.risk;
  const { prevalence, rho } = fittedDraws;
  const draws = clustered ? fittedDraws : { prevalence, rho: rho.map(() => 0) };
  const observed = positive / examined;
  // survey-weighted counts need not be integers; a cell with less than half a child is drawn as one child
  const trials = Math.max(1, Math.round(examined));
  const shares = draws.prevalence
    .map((share, draw) => drawBetaBinomial(random, trials, share, draws.rho[draw]!) / trials)
    .sort();
  return {
    cell_id: name,
    model,
    fold,
    survey_year: rounds[round]!,
    state_code: observation.baseline.state_code,
    examined,
    observed,
    mean: draws.prevalence.reduce((sum, share) => sum + share, 0) / draws.prevalence.length,
    q025: quantile(shares, 0.025),
    q05: quantile(shares, 0.05),
    q25: quantile(shares, 0.25),
    q50: quantile(shares, 0.5),
    q75: quantile(shares, 0.75),
    q95: quantile(shares, 0.95),
    q975: quantile(shares, 0.975),
    log_score: logScore(observation.risk, draws.prevalence, draws.rho),
    crps: fairCrps(shares, observed),
    pit: randomisedPit(shares, observed, random),
    draws,
  };
}
