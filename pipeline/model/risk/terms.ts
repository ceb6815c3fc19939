import type { Random } from '../../lib/numerics/random.ts';
import { type By, field, type GaussianPrior, independent, overTime, product } from './gaussian-prior.ts';
import type { Hyperparameters } from './hyperparameters.ts';
import { drawMatern, scaleOf } from './matern-lattice.ts';
import type { Mesh } from './mesh.ts';
import { brownian, dampedDrift, type Kernel, ornsteinUhlenbeck, sumOf } from './over-time.ts';

/** Parameters of the prior that are fixed, not estimated. */
export interface Constants {
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
export interface Survey {
  /** Index into the rounds' times. */
  round: number;
  /** ln of each LGA's seasonal index in the month of the survey. */
  log_season: ArrayLike<number>;
  /**
   * Each covariate by month: its values for the LGAs in the month of the survey. All observations have the same ones.
   */
  varying?: readonly ArrayLike<number>[];
  /** Whether the result is by a test other than the score's. */
  other_test?: boolean;
}

/** An unknown, counted within its term, and its weight in a linear predictor. */
export type Entry = readonly [unknown: number, weight: number];

/** A term of the linear predictor: a weighted sum of its own unknowns. */
export interface Term {
  prior: GaussianPrior;
  /** Prior mean of each unknown, 0 unless given. */
  mean?: number;
  /** Whether nearly every observation depends on its unknowns, which are then eliminated last. */
  everywhere?: boolean;
  /**
   * What its value belongs to: a cell or an LGA for ever, the nation or a state in a round (a level), an LGA in a round
   * (a field), or an LGA in a survey.
   */
  of: 'cell' | 'lga' | 'level' | 'field' | 'survey';
  /** Its unknowns in the predictor of a cell or LGA. */
  row(place: number, survey: Survey): Entry[];
}

/** A term by round whose months are drawn exactly, area by area; its unknowns are `area * rounds + round`. */
export interface Level extends Term {
  of: 'level';
  /** Covariance over time, by which months away from the rounds are predicted. */
  kernel: By<Kernel>;
  /** The area that a state belongs to. */
  area(state: number): number;
}

/** A term by round that varies within states; the months of all of them follow the field of change. */
export interface Field extends Term {
  of: 'field';
  kernel: By<Kernel>;
  /** A draw of the field at one time. */
  draw(hyperparameters: Hyperparameters, random: Random): Float64Array;
}

/** Its unknowns' positions in the latent vector. */
export interface Positions {
  at: Int32Array;
}

/**
 * The linear predictor of the risk model, term by term. A further random effect is a further entry.
 * @param otherTests rounds with rows by another test
 * @param varying number of covariates by month
 */
export function termsOf(
  mesh: Mesh,
  times: readonly number[],
  constants: Constants,
  otherTests: readonly number[],
  varying: number,
) {
  const { cells, cell_nodes, cell_weights, lga_nodes, lga_weights, state_of, states } = mesh;
  const { season_exponent, nation_drift, nation_slope, slope_years, range_change_km } = constants;
  // without rows by another test no unknown has this prior
  const offset = constants.test_offset ?? { mean: 0, sd: 1 };
  const rounds = times.length;
  const [first, last] = [times[0]!, times.at(-1)!];

  const nation: By<Kernel> = () =>
    sumOf(
      { scale: NATION_SD, kernel: () => 1 },
      { scale: nation_drift, kernel: brownian(first) },
      { scale: nation_slope, kernel: dampedDrift(first, slope_years) },
    );
  // the drift starts in the middle, so that persistent differences between states are left to place and lga
  const state: By<Kernel> = ({ sigma_state, tau_state_years, sigma_slope }) =>
    sumOf(
      { scale: sigma_state, kernel: ornsteinUhlenbeck(tau_state_years) },
      { scale: sigma_slope, kernel: dampedDrift((first + last) / 2, slope_years) },
    );
  const change: By<Kernel> = ({ tau_years }) => ornsteinUhlenbeck(tau_years);
  const changeScale = ({ sigma_change }: Hyperparameters) => scaleOf(mesh.change, range_change_km, sigma_change);
  const fourNodes = (nodes: Int32Array, weights: Float64Array, k: number): Entry[] =>
    [4 * k, 4 * k + 1, 4 * k + 2, 4 * k + 3].map((at) => [nodes[at]!, weights[at]!]);

  return {
    /** φ_cᵀβ: covariates, standardised. */
    covariates: {
      prior: independent(cells.feature_count, () => COVARIATE_SD),
      everywhere: true,
      of: 'cell',
      row: (c) =>
        Array.from({ length: cells.feature_count }, (_, f) => [f, cells.features[c * cells.feature_count + f]!]),
    },
    /** γ ln S_am: season, with its exponent. */
    season: {
      prior: independent(1, () => season_exponent.sd),
      mean: season_exponent.mean,
      everywhere: true,
      of: 'survey',
      row: (lga, { log_season }) => [[0, log_season[lga]!]],
    },
    /** μ_r: nation by round. */
    nation: {
      prior: overTime(times, nation),
      kernel: nation,
      area: () => 0,
      everywhere: true,
      of: 'level',
      row: (_, { round }) => [[round, 1]],
    },
    /** z(c): persistent spatial field. */
    place: {
      prior: field(mesh.place, ({ range_km, sigma_place }) => scaleOf(mesh.place, range_km, sigma_place)),
      of: 'cell',
      row: (c) => fourNodes(cell_nodes, cell_weights, c),
    },
    /** w_r(a): field of change by round. */
    change: {
      // an Ornstein-Uhlenbeck process is a Markov process
      prior: product(field(mesh.change, changeScale), overTime(times, change, 1)),
      kernel: change,
      draw: (hyperparameters: Hyperparameters, random: Random) =>
        drawMatern(mesh.change, changeScale(hyperparameters), random),
      of: 'field',
      row: (lga, { round }) =>
        fourNodes(lga_nodes, lga_weights, lga).map(([node, weight]) => [node * rounds + round, weight]),
    },
    /** v_r(k): state by round. */
    state: {
      prior: product(
        independent(states, () => 1),
        overTime(times, state),
      ),
      kernel: state,
      area: (own: number) => own,
      of: 'level',
      row: (lga, { round }) => [[state_of[lga]! * rounds + round, 1]],
    },
    /** u_a: persistent LGA effect. */
    lga: {
      prior: independent(state_of.length, ({ sigma_lga }) => sigma_lga),
      of: 'lga',
      row: (lga) => [[lga, 1]],
    },
    /** δ_r: offset of rows by another test, by round. */
    other_test: {
      prior: independent(otherTests.length, () => offset.sd),
      mean: offset.mean,
      everywhere: true,
      of: 'survey',
      row: (_, { round, other_test }) => (other_test ? [[otherTests.indexOf(round), 1]] : []),
    },
    /** φ_aqᵀb: covariates by month, standardised. */
    varying: {
      prior: independent(varying, () => COVARIATE_SD),
      everywhere: true,
      of: 'survey',
      row: (lga, survey) => (survey.varying ?? []).map((values, k) => [k, values[lga]!]),
    },
  } satisfies Record<string, Term | Level | Field>;
}

export type Terms = ReturnType<typeof termsOf>;

/** The terms with the positions of their unknowns. */
export type Located = { [Name in keyof Terms]: Terms[Name] & Positions };

/** The number of unknowns of all terms. */
export const sizeOf = (terms: Terms): number =>
  Object.values<Term>(terms).reduce((sum, { prior }) => sum + prior.count, 0);

/** Gives every unknown its position; they are numbered term by term. */
export function locate(terms: Terms, positions: Int32Array): Located {
  let first = 0;
  const located = Object.entries<Term>(terms).map(([name, term]) => {
    const at = positions.subarray(first, first + term.prior.count);
    first += term.prior.count;
    return [name, { ...term, at }];
  });
  return Object.fromEntries(located);
}

/** The levels in their order, in which their months are drawn. */
export const levelsOf = (terms: Located) =>
  Object.values<Term & Positions>(terms).filter((term): term is Level & Positions => term.of === 'level');
