import { assertTestCounts, likelihoodTerm, type TestCounts } from '../../lib/numerics/beta-binomial.ts';
import { choleskyDense, logDeterminant, solveCholesky, solveUpper } from '../../lib/numerics/dense.ts';
import { minimiseNelderMead } from '../../lib/numerics/nelder-mead.ts';
import type { Random } from '../../lib/numerics/random.ts';
import { expit, logit } from '../../lib/numerics/special.ts';

const NATION_LOGIT_SD = 1.6;

/**
 * The simple baseline that accompanies the risk model: each state's shrunken mean per survey round, with the season.
 *
 *   y_i ~ beta-binomial(n_i, p_i, ρ)                 clusters;   binomial where `clustered` is false
 *   logit p_i = μ_r + α_kr + γ Λ_i                   r round, k state, Λ_i ln of the seasonal index
 *   α_kr ~ N(0, σ_α²),  γ ~ N(mean, sd²),  μ_r ~ N(0, 1.6²): nearly uniform in prevalence
 *
 * σ_α and ρ maximise the Laplace-approximated marginal likelihood (empirical Bayes); μ, α and γ keep their joint
 * posterior. A state without a survey in a round is μ_r + N(0, σ_α²).
 */
export interface BaselineObservation extends TestCounts {
  state_code: string;
  survey_year: number;
  /** ln of the seasonal index (peak month = 1) at the place, in the month of the survey. */
  log_season: number;
  /**
   * Whether the children share a location, so that ρ applies; false for a state's figure with an effective sample size.
   */
  clustered: boolean;
}

export interface BaselineFit {
  states: string[];
  /** Survey years, ascending. */
  rounds: number[];
  /** Standard deviation of states around the round's mean, σ_α, logit. */
  state_logit_sd: number;
  /** Overdispersion of clusters. */
  rho: number;
  /**
   * `posteriorDraws[d][s * rounds.length + r]`: posterior draw of μ_r + α_kr, logit of prevalence where the seasonal
   * index is 1.
   */
  posteriorDraws: Float64Array[];
  /** γ, one value per draw. */
  season_exponent: Float64Array;
}

/**
 * Fits the baseline and draws from its posterior.
 * @param states all states, surveyed or not
 * @param seasonExponentPrior prior of γ
 * @throws RangeError if a cluster has no children, or a survey's state is not listed
 */
export function fitBaseline(
  observations: BaselineObservation[],
  states: string[],
  seasonExponentPrior: NormalPrior,
  draws: number,
  random: Random,
): BaselineFit {
  const rounds = [...new Set(observations.map(({ survey_year }) => survey_year))].sort((a, b) => a - b);
  if (rounds.length === 0) throw new RangeError('no survey observations, expected at least one');
  const model: BaselineModel = {
    observations: observations.map((observation) => indexObservation(observation, states, rounds)),
    roundCount: rounds.length,
    unknownCount: rounds.length + states.length * rounds.length + 1,
    seasonExponentPrior,
  };
  let mode = startingValues(model);
  const minimum = minimiseNelderMead(
    ([logStateSd, logitRho]) => {
      const fit = jointMode(model, Math.exp(logStateSd!), expit(logitRho!), mode);
      if (!fit) return Number.POSITIVE_INFINITY;
      mode = fit.x;
      return -(fit.logMarginal + logPrior(Math.exp(logStateSd!), expit(logitRho!)));
    },
    [Math.log(0.6), logit(0.12)],
    { tolerance: 1e-5, maxEvaluations: 120 },
  );
  const state_logit_sd = Math.exp(minimum.x[0]!);
  const rho = expit(minimum.x[1]!);
  const fit = jointMode(model, state_logit_sd, rho, mode);
  if (!fit) throw new Error('the baseline did not converge: expected a mode within 50 steps');
  return { states, rounds, state_logit_sd, rho, ...drawPosterior(model, fit, draws, random) };
}

interface NormalPrior {
  mean: number;
  sd: number;
}

/** The unknowns are μ by round, then α by state and round, and γ last. */
interface BaselineModel {
  observations: IndexedObservation[];
  /** Number of rounds. */
  roundCount: number;
  /** Number of unknowns. */
  unknownCount: number;
  /** Prior of γ. */
  seasonExponentPrior: NormalPrior;
}

/** An observation with the positions of μ_r and α_kr among the unknowns. */
interface IndexedObservation extends BaselineObservation {
  muIndex: number;
  alphaIndex: number;
}

function indexObservation(observation: BaselineObservation, states: string[], rounds: number[]): IndexedObservation {
  assertTestCounts(observation, `${observation.state_code} ${observation.survey_year}`);
  const s = states.indexOf(observation.state_code);
  if (s < 0) throw new RangeError(`area ${observation.state_code} of a survey is not among the ${states.length} known`);
  const muIndex = rounds.indexOf(observation.survey_year);
  return { ...observation, muIndex, alphaIndex: rounds.length + s * rounds.length + muIndex };
}

/** μ at each round's positivity, α at 0, γ at its prior mean. */
function startingValues({ observations, roundCount, unknownCount, seasonExponentPrior }: BaselineModel): Float64Array {
  const start = new Float64Array(unknownCount);
  for (let r = 0; r < roundCount; r++) {
    const roundObservations = observations.filter((observation) => observation.muIndex === r);
    const positive = roundObservations.reduce((sum, observation) => sum + observation.positive, 0);
    start[r] = logit(
      (positive + 0.5) / (roundObservations.reduce((sum, observation) => sum + observation.examined, 0) + 1),
    );
  }
  start[unknownCount - 1] = seasonExponentPrior.mean;
  return start;
}

/** A joint mode of (μ, α, γ), the Cholesky factor of the precision there, and ln of the marginal likelihood. */
interface JointMode {
  x: Float64Array;
  factor: Float64Array;
  logMarginal: number;
}

/** The joint mode by Newton's method with step halving; null if it is not found within 50 steps. */
function jointMode(model: BaselineModel, stateSd: number, rho: number, start: Float64Array): JointMode | null {
  const { unknownCount } = model;
  let x = start.slice();
  let current = logJoint(model, stateSd, rho, x, true);
  for (let iteration = 0; iteration < 50; iteration++) {
    const factor =
      choleskyDense(current.precision, unknownCount) ??
      choleskyDense(logJoint(model, stateSd, rho, x, false).precision, unknownCount);
    if (!factor) return null;
    const step = solveCholesky(factor, unknownCount, current.gradient.slice());
    const gain = step.reduce((sum, v, i) => sum + v * current.gradient[i]!, 0);
    if (gain < 1e-10) return { x, factor, logMarginal: current.value - 0.5 * logDeterminant(factor, unknownCount) };
    let length = 1;
    for (;;) {
      const moved = x.map((v, i) => v + length * step[i]!);
      const candidate = logJoint(model, stateSd, rho, moved, true);
      if (candidate.value >= current.value || length < 1e-6) {
        x = moved;
        current = candidate;
        break;
      }
      length /= 2;
    }
  }
  return null;
}

/**
 * ln of the joint density at x, its gradient and minus its second derivatives.
 * @param exactCurvature the observed curvature, as Laplace's formula requires; otherwise without its rare negative
 *   terms
 */
function logJoint(
  { observations, roundCount, unknownCount, seasonExponentPrior }: BaselineModel,
  stateSd: number,
  rho: number,
  x: Float64Array,
  exactCurvature: boolean,
) {
  let value = 0;
  const gradient = new Float64Array(unknownCount);
  const precision = new Float64Array(unknownCount * unknownCount);
  for (let i = 0; i < unknownCount; i++) {
    const isSeason = i === unknownCount - 1;
    const priorPrecision = 1 / (isSeason ? seasonExponentPrior.sd : i < roundCount ? NATION_LOGIT_SD : stateSd) ** 2;
    const deviation = x[i]! - (isSeason ? seasonExponentPrior.mean : 0);
    value += 0.5 * Math.log(priorPrecision) - 0.5 * priorPrecision * deviation * deviation;
    gradient[i] = -priorPrecision * deviation;
    precision[i * unknownCount + i] = priorPrecision;
  }
  for (const observation of observations) {
    const eta = x[observation.muIndex]! + x[observation.alphaIndex]! + x[unknownCount - 1]! * observation.log_season;
    const term = likelihoodTerm(observation, eta, observation.clustered ? rho : 0);
    const curvature = exactCurvature ? -term.hessian : Math.max(0, -term.hessian);
    value += term.value;
    const columns = [observation.muIndex, observation.alphaIndex, unknownCount - 1];
    const weights = [1, 1, observation.log_season];
    for (let a = 0; a < 3; a++) {
      gradient[columns[a]!]! += weights[a]! * term.gradient;
      for (let b = 0; b <= a; b++)
        precision[columns[a]! * unknownCount + columns[b]!]! += weights[a]! * weights[b]! * curvature;
    }
  }
  return { value, gradient, precision };
}

function drawPosterior(
  { roundCount, unknownCount }: BaselineModel,
  { x: mode, factor }: JointMode,
  draws: number,
  random: Random,
): Pick<BaselineFit, 'posteriorDraws' | 'season_exponent'> {
  const season_exponent = new Float64Array(draws);
  const posteriorDraws = Array.from({ length: draws }, (_, d) => {
    const normals = Float64Array.from({ length: unknownCount }, () => random.normal());
    const noise = solveUpper(factor, unknownCount, normals);
    const x = mode.map((v, i) => v + noise[i]!);
    season_exponent[d] = x[unknownCount - 1]!;
    return Float64Array.from(
      { length: unknownCount - roundCount - 1 },
      (_, k) => x[k % roundCount]! + x[roundCount + k]!,
    );
  });
  return { posteriorDraws, season_exponent };
}

/**
 * Weak priors that keep σ_α and ρ off their bounds if the data are uninformative (one cluster, all zero): exponential
 * on σ_α with P(σ_α > 2) = 5%, as in Simpson et al. 2017 (Stat. Sci. 32:1) for a standard deviation; ρ uniform on (0,
 * 1). Both include the Jacobian of the scale of the search, ln σ_α and logit ρ.
 */
function logPrior(stateSd: number, rho: number): number {
  return (Math.log(0.05) / 2) * stateSd + Math.log(stateSd) + Math.log(rho) + Math.log1p(-rho);
}

/** Prevalence, one value per draw, in a state and survey round at a place with the seasonal index e^`logSeason`. */
export function drawBaselinePrevalence(
  fit: BaselineFit,
  stateCode: string,
  surveyYear: number,
  logSeason: number,
): Float64Array {
  const s = fit.states.indexOf(stateCode);
  const r = fit.rounds.indexOf(surveyYear);
  if (s < 0 || r < 0) throw new RangeError(`no baseline for ${stateCode} ${surveyYear}`);
  const stateRound = s * fit.rounds.length + r;
  return Float64Array.from(fit.posteriorDraws, (x, d) => expit(x[stateRound]! + fit.season_exponent[d]! * logSeason));
}
