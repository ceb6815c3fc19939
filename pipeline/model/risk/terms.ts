import type { Random } from '../../lib/numerics/random.ts';
import {
  type FromHyperparameters,
  fieldPrior,
  type GaussianPrior,
  independentPrior,
  kroneckerPrior,
  processPrior,
} from './gaussian-prior.ts';
import type { Hyperparameters } from './hyperparameters.ts';
import { drawMatern, maternScale } from './matern-lattice.ts';
import type { Mesh } from './mesh.ts';
import { brownian, dampedDrift, type Kernel, ornsteinUhlenbeck, sumKernels } from './time-processes.ts';

/** Parameters of the prior that are fixed, not estimated. */
export interface PriorConstants {
  season_exponent: { mean: number; sd: number };
  /** Logit of prevalence by another test minus that by the score's; null if all rows are by the score's. */
  test_offset: { mean: number; sd: number } | null;
  /** Brownian drift of the national level, logit per root year. Three steps between rounds cannot identify it. */
  nation_drift: number;
  /** Standard deviation of the national slope, logit per year. */
  nation_slope: number;
  /** Years for which national and state slopes keep their direction. */
  slope_years: number;
  /** Range of the field of change: weather and campaigns act over regions. */
  range_change_km: number;
}

const NATION_SD = 1.6;
const COVARIATE_SD = 0.5;

/** When and how a place was surveyed. */
export interface SurveyContext {
  /** Index into the rounds' times. */
  round: number;
  /** ln of each LGA's seasonal index in the month of the survey. */
  log_season: ArrayLike<number>;
  /** Whether the result is by a test other than the score's. */
  other_test?: boolean;
}

/** An unknown, counted within its term, and its weight in a linear predictor. */
export type WeightedUnknown = readonly [unknown: number, weight: number];

/** A term of the linear predictor: a weighted sum of unknowns. */
export interface Term {
  prior: GaussianPrior;
  /** Prior mean of each unknown, 0 unless given. */
  mean?: number;
  /** Whether nearly every observation depends on its unknowns, which are then eliminated last. */
  eliminate_last?: boolean;
  /** Whether its value belongs to a cell or an LGA for ever, or to an LGA in a survey. */
  varies_by: 'cell' | 'lga' | 'survey';
  /** Its unknowns in the predictor of a cell or LGA. */
  row(index: number, survey: SurveyContext): WeightedUnknown[];
}

/** A term with the position of each of its unknowns in the latent vector. */
export type PositionedTerm = Term & { positions: Int32Array };

/**
 * The linear predictor of the risk model, term by term. A further random effect is a further entry. Unknowns have the
 * positions in which they are listed here, until `createLayout` orders them.
 * @param roundsWithOtherTest rounds with rows by another test
 */
export function linearPredictor(
  mesh: Mesh,
  times: readonly number[],
  constants: PriorConstants,
  roundsWithOtherTest: readonly number[],
) {
  const { cells, cell_nodes, cell_weights, lga_nodes, lga_weights, state_by_lga, stateCount } = mesh;
  const { season_exponent, nation_drift, nation_slope, slope_years, range_change_km } = constants;
  // without rows by another test no unknown has this prior
  const testOffset = constants.test_offset ?? { mean: 0, sd: 1 };
  const rounds = times.length;
  const [firstTime, lastTime] = [times[0]!, times.at(-1)!];

  const nationKernel: FromHyperparameters<Kernel> = () =>
    sumKernels(
      { scale: NATION_SD, kernel: () => 1 },
      { scale: nation_drift, kernel: brownian(firstTime) },
      { scale: nation_slope, kernel: dampedDrift(firstTime, slope_years) },
    );
  // the drift starts in the middle, so that persistent differences between states are left to place and lga
  const stateKernel: FromHyperparameters<Kernel> = ({ sigma_state, tau_state_years, sigma_slope }) =>
    sumKernels(
      { scale: sigma_state, kernel: ornsteinUhlenbeck(tau_state_years) },
      { scale: sigma_slope, kernel: dampedDrift((firstTime + lastTime) / 2, slope_years) },
    );
  const changeKernel: FromHyperparameters<Kernel> = ({ tau_years }) => ornsteinUhlenbeck(tau_years);
  const changeScale = ({ sigma_change }: Hyperparameters) =>
    maternScale(mesh.change_field, range_change_km, sigma_change);
  const nodeWeights = (nodes: Int32Array, weights: Float64Array, k: number): WeightedUnknown[] =>
    [4 * k, 4 * k + 1, 4 * k + 2, 4 * k + 3].map((index) => [nodes[index]!, weights[index]!]);

  let unknownCount = 0;
  const addTerm = <NewTerm extends Term>(term: NewTerm) => {
    const firstPosition = unknownCount;
    unknownCount += term.prior.count;
    return { ...term, positions: Int32Array.from({ length: term.prior.count }, (_, k) => firstPosition + k) };
  };
  return {
    /** φ_cᵀβ: covariates, standardised. */
    covariates: addTerm({
      prior: independentPrior(cells.feature_count, () => COVARIATE_SD),
      eliminate_last: true,
      varies_by: 'cell',
      row: (c) =>
        Array.from({ length: cells.feature_count }, (_, f) => [f, cells.features[c * cells.feature_count + f]!]),
    }),
    /** γ ln S_am: season, with its exponent. */
    season: addTerm({
      prior: independentPrior(1, () => season_exponent.sd),
      mean: season_exponent.mean,
      eliminate_last: true,
      varies_by: 'survey',
      row: (lga, { log_season }) => [[0, log_season[lga]!]],
    }),
    /** μ_r: nation by round. */
    nation: addTerm({
      prior: processPrior(times, nationKernel),
      kernel: nationKernel,
      /** The area that a state belongs to. */
      area: (_: number) => 0,
      eliminate_last: true,
      varies_by: 'survey',
      row: (_, { round }) => [[round, 1]],
    }),
    /** z(c): persistent spatial field. */
    place: addTerm({
      prior: fieldPrior(mesh.place_field, ({ range_km, sigma_place }) =>
        maternScale(mesh.place_field, range_km, sigma_place),
      ),
      varies_by: 'cell',
      row: (c) => nodeWeights(cell_nodes, cell_weights, c),
    }),
    /** w_r(a): field of change by round. */
    change: addTerm({
      // an Ornstein-Uhlenbeck process is a Markov process
      prior: kroneckerPrior(fieldPrior(mesh.change_field, changeScale), processPrior(times, changeKernel, 1)),
      kernel: changeKernel,
      /** A draw of the field at one time. */
      draw: (hyperparameters: Hyperparameters, random: Random) =>
        drawMatern(mesh.change_field, changeScale(hyperparameters), random),
      varies_by: 'survey',
      row: (lga, { round }) =>
        nodeWeights(lga_nodes, lga_weights, lga).map(([node, weight]) => [node * rounds + round, weight]),
    }),
    /** v_r(k): state by round. */
    state: addTerm({
      prior: kroneckerPrior(
        independentPrior(stateCount, () => 1),
        processPrior(times, stateKernel),
      ),
      kernel: stateKernel,
      area: (index: number) => index,
      varies_by: 'survey',
      row: (lga, { round }) => [[state_by_lga[lga]! * rounds + round, 1]],
    }),
    /** u_a: persistent LGA effect. */
    lga: addTerm({
      prior: independentPrior(state_by_lga.length, ({ sigma_lga }) => sigma_lga),
      varies_by: 'lga',
      row: (lga) => [[lga, 1]],
    }),
    /** δ_r: offset of rows by another test, by round. */
    other_test: addTerm({
      prior: independentPrior(roundsWithOtherTest.length, () => testOffset.sd),
      mean: testOffset.mean,
      eliminate_last: true,
      varies_by: 'survey',
      row: (_, { round, other_test }) => (other_test ? [[roundsWithOtherTest.indexOf(round), 1]] : []),
    }),
  };
}

export type Terms = ReturnType<typeof linearPredictor>;

/** The terms at some levels, in their order. */
export const termsVaryingBy = (terms: Terms, ...extents: Term['varies_by'][]): PositionedTerm[] =>
  Object.values<PositionedTerm>(terms).filter(({ varies_by }) => extents.includes(varies_by));

/** Terms by round with the unknowns `area * rounds + round`, whose months are drawn area by area, in this order. */
export const levelTerms = ({ nation, state }: Terms) => [nation, state];
