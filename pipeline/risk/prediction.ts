import { quantile } from '../numerics/quantiles.ts';
import { expit, logit } from '../numerics/special.ts';
import { changeAt, type Draw, drawLatent, lastingPart, type Streams } from './draws.ts';
import type { RiskFit } from './fit.ts';
import { kernelsOf } from './latent.ts';
import { drawMatern, scaleOf } from './matern-lattice.ts';
import { type Conditional, conditionalAt } from './over-time.ts';
import { drawSeasonErrors, type SeasonError } from './season-error.ts';

/** Posterior mean and central 90% of prevalence; values of area a in month m at `m * areas + a`. */
export interface AreaScores {
  mean: Float64Array;
  low: Float64Array;
  high: Float64Array;
}

/** A month to predict: its middle in years, on the scale of the rounds' times, and ln of each LGA's seasonal index. */
export interface PredictedMonth {
  time: number;
  /** Month of the year, 0 for January. */
  month: number;
  log_season: ArrayLike<number>;
}

/**
 * Prevalence of every LGA and state in every month, from one set of joint draws: cells to LGAs to states, weighted by
 * population.
 *
 * Between two rounds, what changes is tied to both; beyond them it drifts, so that ranges widen with the distance from the
 * last survey. The nation and the states depart by exact joint draws over the months. The field of change keeps, within a
 * gap between rounds, one pattern of departure that is scaled to each month's standard deviation.
 * @param season how wrong the season may be; null takes it as given
 */
export function predictRisk(
  fit: RiskFit,
  months: PredictedMonth[],
  draws: number,
  streams: Streams,
  season: SeasonError | null,
) {
  const { mesh, layout } = fit;
  const lgas = mesh.state_of.length;
  const { cells, first_cell, state_of } = mesh;
  const overTime = conditionalsOf(fit, months);
  const gaps = months.map(({ time }) => layout.times.filter((t) => t <= time).length);
  const drawn = [...drawLatent(fit, draws, streams)].map((draw) => {
    const conditionals = overTime.get(draw.point)!;
    return {
      ...draw,
      change: conditionals.change,
      levels: drawLevels(fit, draw, conditionals, months.length),
      patterns: drawPatterns(fit, draw),
      season: season && drawSeasonErrors(mesh.states, season.sd, draw.random),
    };
  });

  const lgaScores = emptyScores(months.length * lgas);
  const stateScores = emptyScores(months.length * mesh.states);
  const sums = Array.from({ length: mesh.states }, () => new Float64Array(months.length * draws));
  const people = new Float64Array(mesh.states);
  const prevalence = new Float64Array(months.length * draws);
  const shift = new Float64Array(months.length);
  const rounds = layout.times.length;
  for (let a = 0; a < lgas; a++) {
    const [from, to] = [first_cell[a]!, first_cell[a + 1]!];
    const weights = Float64Array.from({ length: to - from }, (_, i) => cells.population[from + i]!);
    const total = weights.reduce((sum, w) => sum + w, 0);
    for (let i = 0; i < weights.length; i++) weights[i]! /= total;
    const lasting = new Float64Array(to - from);
    const s = state_of[a]!;

    drawn.forEach((draw, d) => {
      const { x, change, levels, patterns } = draw;
      for (let i = 0; i < lasting.length; i++) lasting[i] = lastingPart(mesh, layout, x, from + i);
      const own = layout.times.map((_, r) => changeAt(mesh, layout, x, a, r));
      const gamma = x[layout.gamma]!;
      const error = season && draw.season ? season.shifts(a, s, draw.season) : null;
      months.forEach(({ month, log_season }, m) => {
        let value = x[layout.lga(a)]! + levels[s * months.length + m]!;
        for (let r = 0; r < rounds; r++) value += change.weights[m * rounds + r]! * own[r]!;
        value += change.deviation[m]! * patterns[gaps[m]! * lgas + a]!;
        shift[m] = value + gamma * (log_season[a]! + (error ? error[month]! : 0));
      });
      meanPrevalences(lasting, weights, shift, (m, p) => {
        prevalence[m * draws + d] = p;
      });
    });

    const sum = sums[s]!;
    people[s]! += total;
    for (let k = 0; k < prevalence.length; k++) sum[k]! += total * prevalence[k]!;
    summarise(prevalence, draws, lgas, a, 1, lgaScores);
  }
  for (let s = 0; s < mesh.states; s++) summarise(sums[s]!, draws, mesh.states, s, 1 / people[s]!, stateScores);
  return { lgas: lgaScores, states: stateScores };
}

function emptyScores(size: number): AreaScores {
  return { mean: new Float64Array(size), low: new Float64Array(size), high: new Float64Array(size) };
}

function summarise(values: Float64Array, draws: number, areas: number, a: number, scale: number, to: AreaScores): void {
  for (let m = 0; m * draws < values.length; m++) {
    const sorted = values.slice(m * draws, (m + 1) * draws).sort();
    to.mean[m * areas + a] = (scale * sorted.reduce((sum, v) => sum + v, 0)) / draws;
    to.low[m * areas + a] = scale * quantile(sorted, 0.05);
    to.high[m * areas + a] = scale * quantile(sorted, 0.95);
  }
}

/** How the months hang on the rounds, for each point of the hyperparameters. */
function conditionalsOf({ layout, constants, points }: RiskFit, months: PredictedMonth[]) {
  const at = months.map(({ time }) => time);
  return new Map(
    points.map((point) => {
      const { nation, state, change } = kernelsOf(layout.times, constants, point.hyperparameters);
      return [
        point,
        {
          nation: conditionalAt(nation, layout.times, at),
          state: conditionalAt(state, layout.times, at),
          change: conditionalAt(change, layout.times, at),
        },
      ];
    }),
  );
}

/** The nation's level and a state's departure from it in every month of a draw: `levels[state * months + m]`. */
function drawLevels(
  { mesh, layout }: RiskFit,
  { x, random }: Draw,
  { nation, state }: { nation: Conditional; state: Conditional },
  months: number,
): Float64Array {
  const rounds = layout.times.length;
  const add = ({ weights, root }: Conditional, at: (round: number) => number, to: Float64Array) => {
    const noise = Float64Array.from(to, () => random.normal());
    for (let m = 0; m < months; m++) {
      for (let r = 0; r < rounds; r++) to[m]! += weights[m * rounds + r]! * x[at(r)]!;
      for (let k = 0; k <= m; k++) to[m]! += root[m * months + k]! * noise[k]!;
    }
  };
  const country = new Float64Array(months);
  add(nation, layout.mu, country);
  const levels = new Float64Array(mesh.states * months);
  for (let s = 0; s < mesh.states; s++) {
    const own = levels.subarray(s * months, (s + 1) * months);
    own.set(country);
    add(state, (r) => layout.state(s, r), own);
  }
  return levels;
}

/** A draw's patterns of departure of the field of change, one per gap between rounds: `patterns[gap * lgas + a]`. */
function drawPatterns({ mesh, layout, constants }: RiskFit, { point, random }: Draw) {
  const gaps = layout.times.length + 1;
  const lgas = mesh.state_of.length;
  const scale = scaleOf(mesh.change, constants.range_change_km, point.hyperparameters.sigma_change);
  const patterns = new Float64Array(gaps * lgas);
  for (let gap = 0; gap < gaps; gap++) {
    const field = drawMatern(mesh.change, scale, random);
    for (let a = 0; a < lgas; a++)
      for (let k = 0; k < 4; k++)
        patterns[gap * lgas + a]! += mesh.lga_weights[4 * a + k]! * field[mesh.lga_nodes[4 * a + k]!]!;
  }
  return patterns;
}

const NODES = 6;

/**
 * Σ_c weight_c expit(lasting_c + shift) for many shifts. The log odds of the mean are nearly linear in the shift, so they
 * are replaced by a polynomial through six Chebyshev nodes over the shifts' span (error below 2e-5 over four logits).
 */
export function meanPrevalences(
  lasting: Float64Array,
  weights: Float64Array,
  shifts: Float64Array,
  put: (index: number, prevalence: number) => void,
): void {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const s of shifts) {
    low = Math.min(low, s);
    high = Math.max(high, s);
  }
  const middle = (low + high) / 2;
  const half = Math.max((high - low) / 2, 1e-6);
  const coefficients = new Float64Array(NODES);
  for (let k = 0; k < NODES; k++) {
    const angle = (Math.PI * (k + 0.5)) / NODES;
    const at = middle + half * Math.cos(angle);
    let mean = 0;
    for (let i = 0; i < lasting.length; i++) mean += weights[i]! * expit(lasting[i]! + at);
    const value = logit(Math.min(Math.max(mean, 1e-300), 1 - 1e-15)) - at;
    for (let j = 0; j < NODES; j++) coefficients[j]! += ((j === 0 ? 1 : 2) / NODES) * value * Math.cos(j * angle);
  }
  for (let m = 0; m < shifts.length; m++) {
    // Clenshaw's recurrence
    const t = (shifts[m]! - middle) / half;
    let [b1, b2] = [0, 0];
    for (let j = NODES - 1; j > 0; j--) [b1, b2] = [2 * t * b1 - b2 + coefficients[j]!, b1];
    put(m, expit(shifts[m]! + t * b1 - b2 + coefficients[0]!));
  }
}
