import { quantile } from '../numerics/quantiles.ts';
import type { Random } from '../numerics/random.ts';
import { expit, logit } from '../numerics/special.ts';
import { changingPart, type Draw, drawLatent, lastingPart } from './draws.ts';
import type { RiskFit } from './fit.ts';
import { drawMatern, scaleOf } from './matern-lattice.ts';

/** Posterior mean and central 90% of prevalence; values of area a in month m at `m * areas + a`. */
export interface AreaScores {
  mean: Float64Array;
  low: Float64Array;
  high: Float64Array;
}

/** A month to predict: its middle in years, on the scale of the rounds' times, and ln of each LGA's seasonal index. */
export interface PredictedMonth {
  time: number;
  log_season: ArrayLike<number>;
}

/**
 * Prevalence of every LGA and state in every month, from one set of joint draws: cells to LGAs to states, weighted by
 * population.
 *
 * Between two rounds, what changes is tied to both; beyond them it drifts, so that ranges widen with the distance from the
 * last survey. Within a gap a draw keeps one pattern of departure, scaled to each month's standard deviation: every month
 * has the right spread, and the months of a draw move together.
 */
export function predictRisk(fit: RiskFit, months: PredictedMonth[], draws: number, random: Random) {
  const { mesh, layout } = fit;
  const lgas = mesh.state_of.length;
  const { cells, first_cell, state_of } = mesh;
  const drawn = [...drawLatent(fit, draws, random)];
  const departures = drawn.map((draw) => drawDepartures(fit, draw, random));
  const bridges = new Map(
    fit.points.map((point) => [
      point,
      months.map((m) => bridge(layout.times, m.time, point.hyperparameters.tau_years)),
    ]),
  );

  const lgaScores = emptyScores(months.length * lgas);
  const stateScores = emptyScores(months.length * mesh.states);
  const sums = Array.from({ length: mesh.states }, () => new Float64Array(months.length * draws));
  const people = new Float64Array(mesh.states);
  const prevalence = new Float64Array(months.length * draws);
  const shift = new Float64Array(months.length);
  for (let a = 0; a < lgas; a++) {
    const [from, to] = [first_cell[a]!, first_cell[a + 1]!];
    const weights = Float64Array.from({ length: to - from }, (_, i) => cells.population[from + i]!);
    const total = weights.reduce((sum, w) => sum + w, 0);
    for (let i = 0; i < weights.length; i++) weights[i]! /= total;
    const lasting = new Float64Array(to - from);

    drawn.forEach(({ x, point }, d) => {
      for (let i = 0; i < lasting.length; i++) lasting[i] = lastingPart(mesh, layout, x, from + i);
      const rounds = layout.times.map((_, r) => changingPart(mesh, layout, x, a, r));
      const nation = layout.times.map((_, r) => x[layout.mu(r)]!);
      const departure = departures[d]!;
      bridges.get(point)!.forEach((b, m) => {
        shift[m] =
          b.before_nation * nation[b.before]! +
          b.after_nation * nation[b.after]! +
          b.before_local * (rounds[b.before]! - nation[b.before]!) +
          b.after_local * (rounds[b.after]! - nation[b.after]!) +
          b.sd_nation * fit.constants.nation_drift * departure.nation[b.gap]! +
          b.sd_local * departure.local[b.gap * lgas + a]! +
          x[layout.gamma]! * months[m]!.log_season[a]!;
      });
      meanPrevalences(lasting, weights, shift, (m, p) => {
        prevalence[m * draws + d] = p;
      });
    });

    const s = state_of[a]!;
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

/** How a month depends on the rounds before and after it. */
export interface Bridge {
  before: number;
  after: number;
  /** The gap in which it lies: r is the gap before round r, and the last is the one after all rounds. */
  gap: number;
  before_nation: number;
  after_nation: number;
  before_local: number;
  after_local: number;
  /** For a Brownian motion of unit drift; years^½. */
  sd_nation: number;
  /** For an Ornstein-Uhlenbeck process of unit variance. */
  sd_local: number;
}

/** Conditional means and deviations at `time` given values at `times` (Brownian and Ornstein-Uhlenbeck bridges). */
export function bridge(times: number[], time: number, tau: number): Bridge {
  const next = times.findIndex((t) => t > time);
  const gap = next === -1 ? times.length : next;
  const before = Math.max(gap - 1, 0);
  const after = Math.min(gap, times.length - 1);
  if (before === after) {
    const away = Math.abs(time - times[before]!);
    const phi = Math.exp(-away / tau);
    return {
      ...{ before, after, gap, before_nation: 1, after_nation: 0, before_local: phi, after_local: 0 },
      ...{ sd_nation: Math.sqrt(away), sd_local: Math.sqrt(1 - phi * phi) },
    };
  }
  const since = time - times[before]!;
  const until = times[after]! - time;
  const [p, q] = [Math.exp(-since / tau), Math.exp(-until / tau)];
  const whole = 1 - p * p * q * q;
  return {
    ...{ before, after, gap, before_nation: until / (since + until), after_nation: since / (since + until) },
    ...{ before_local: (p * (1 - q * q)) / whole, after_local: (q * (1 - p * p)) / whole },
    sd_nation: Math.sqrt((since * until) / (since + until)),
    sd_local: Math.sqrt(((1 - p * p) * (1 - q * q)) / whole),
  };
}

/** A draw's patterns of departure, one per gap: standard normal for the nation; w and v by LGA on their prior's scale. */
function drawDepartures({ mesh, layout, constants }: RiskFit, { point }: Draw, random: Random) {
  const gaps = layout.times.length + 1;
  const lgas = mesh.state_of.length;
  const { sigma_change, sigma_state } = point.hyperparameters;
  const scale = scaleOf(mesh.change, constants.range_change_km, sigma_change);
  const local = new Float64Array(gaps * lgas);
  for (let gap = 0; gap < gaps; gap++) {
    const field = drawMatern(mesh.change, scale, random);
    const states = Float64Array.from({ length: mesh.states }, () => sigma_state * random.normal());
    for (let a = 0; a < lgas; a++) {
      let value = states[mesh.state_of[a]!]!;
      for (let k = 0; k < 4; k++) value += mesh.lga_weights[4 * a + k]! * field[mesh.lga_nodes[4 * a + k]!]!;
      local[gap * lgas + a] = value;
    }
  }
  return { nation: Float64Array.from({ length: gaps }, () => random.normal()), local };
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
