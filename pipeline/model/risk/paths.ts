import { drawLevels, drawPatterns, monthsGivenRounds } from './between-rounds.ts';
import { drawBatches, drawShare, type Share, type Streams } from './draws.ts';
import type { FitPoint, LatentStructure, Posterior } from './fit.ts';
import { CURVE, fitCurve, prevalenceOn } from './mean-prevalence.ts';
import { predictorRows, rowValue } from './places.ts';
import { drawSeasonErrors, errorShift, type SeasonError } from './season-error.ts';
import { termsAtLevel } from './terms.ts';

/** A month to predict. */
export interface PredictedMonth {
  /** Middle of the month, in years. */
  time: number;
  /** Month of the year, 0 for January. */
  month: number;
  /** ln of each LGA's seasonal index; the same for a month of the year in all years. */
  log_season: ArrayLike<number>;
  /** Positions of the same month of earlier years with which it is compared. */
  compared?: { year: number | null; survey: number | null };
}

/**
 * Joint draws of all quantities that determine monthly prevalence, as plain arrays. A draw of an LGA takes 36 bytes,
 * plus 4 for each round and for each gap, including those before the first and after the last round, whatever the
 * number of its cells and months. The arrays that draws fill are in memory shared by threads.
 */
export interface Paths {
  months: readonly PredictedMonth[];
  draws: number;
  rounds: number;
  states: number;
  state_of: Int32Array;
  /** People by LGA. */
  people: Float64Array;
  /** Number of rounds up to each month; 0 is before the first round. */
  gap: Int32Array;
  /** Conditional distribution of the field of change given the rounds, by point of the hyperparameters. */
  change: { weights: Float64Array; deviation: Float64Array }[];
  /** Point of the hyperparameters by draw. */
  point: Int32Array;
  /** Season exponent by draw. */
  gamma: Float64Array;
  /**
   * Errors of the seasonal index, `[(draw * states + state) * 12 + month of the year]`; null if it is taken as exact.
   */
  errors: Float64Array | null;
  /** `[(draw * states + state) * months + m]`, logit. */
  levels: Float32Array;
  /**
   * `[(draw * lgas + lga) * width]`: the part that is constant over the months (logit), the field of change at each
   * round, its pattern of departure in each gap, and the curve that converts a shift of the LGA's cells to its mean
   * prevalence.
   */
  parts: Float32Array;
}

const pathWidth = (rounds: number) => 1 + rounds + (rounds + 1) + CURVE;

/** The inputs that all draws of the paths share. */
export interface PathInputs {
  months: readonly PredictedMonth[];
  /** Error of the seasonal index; null takes the index as exact. */
  season: SeasonError | null;
}

/**
 * Draws the paths of all LGAs.
 *
 * Between two rounds, the time-varying terms are conditioned on both; beyond them they drift, so that ranges widen with
 * the time since the last survey. For the nation and the states, departures are exact joint draws over the months. The
 * field of change has one pattern of departure within a gap between rounds, scaled to each month's standard deviation.
 */
export function drawPaths(fit: Posterior, inputs: PathInputs, draws: number, streams: Streams): Paths {
  const paths = emptyPaths(fit, inputs, draws);
  for (const share of drawBatches(fit.points, draws))
    fillPaths(paths, fit, fit.points[share.point]!, share, inputs, streams);
  return paths;
}

const shared = {
  float64: (length: number) => new Float64Array(new SharedArrayBuffer(8 * length)),
  float32: (length: number) => new Float32Array(new SharedArrayBuffer(4 * length)),
};

/** Allocates paths for `fillPaths`. */
export function emptyPaths(fit: Posterior, { months, season }: PathInputs, draws: number): Paths {
  const { mesh, layout, points } = fit;
  const { cells, first_cell, state_of, states } = mesh;
  const lgas = state_of.length;
  const rounds = layout.times.length;
  const people = new Float64Array(lgas);
  for (let a = 0; a < lgas; a++)
    for (let c = first_cell[a]!; c < first_cell[a + 1]!; c++) people[a]! += cells.population[c]!;
  const times = months.map(({ time }) => time);
  const point = new Int32Array(draws);
  for (const share of drawBatches(points, draws)) point.fill(share.point, share.first, share.first + share.count);
  return {
    months,
    draws,
    rounds,
    states,
    state_of,
    people,
    point,
    gap: Int32Array.from(months, ({ time }) => layout.times.filter((t) => t <= time).length),
    change: points.map((thetaPoint) => monthsGivenRounds(fit, thetaPoint, times).change),
    gamma: shared.float64(draws),
    errors: season && shared.float64(draws * states * 12),
    levels: shared.float32(draws * states * months.length),
    parts: shared.float32(draws * lgas * pathWidth(rounds)),
  };
}

/** Draws one batch of the paths. */
export function fillPaths(
  paths: Paths,
  structure: LatentStructure,
  point: FitPoint,
  share: Share,
  { months, season }: PathInputs,
  streams: Streams,
): void {
  const { mesh, layout } = structure;
  const { cells, first_cell, state_of, states } = mesh;
  const { rounds, people } = paths;
  const lgas = state_of.length;
  const width = pathWidth(rounds);
  const weights = Float64Array.from(cells.population, (persons, c) => persons / people[cells.lga[c]!]!);
  const conditionals = monthsGivenRounds(
    structure,
    point,
    months.map(({ time }) => time),
  );
  const { season: exponent, change } = layout.terms;
  const lasting = predictorRows(termsAtLevel(layout.terms, 'lga'), state_of.keys());
  const changes = layout.times.map((_, round) => predictorRows([change], state_of.keys(), { round, log_season: [] }));
  const everyMonth = [...months.keys()];
  const shifts = new Float64Array(months.length);
  const byMonth = new Float64Array(12);
  let d = share.first;
  for (const draw of drawShare(point, share, streams)) {
    const { x, random } = draw;
    paths.gamma[d] = x[exponent.positions[0]!]!;
    const levels = drawLevels(structure, draw, conditionals, months.length);
    const patterns = drawPatterns(structure, draw);
    if (season) paths.errors!.set(drawSeasonErrors(states, season.sd, random), d * states * 12);
    paths.levels.set(levels, d * states * months.length);
    for (let a = 0; a < lgas; a++) {
      const offset = (d * lgas + a) * width;
      const s = state_of[a]!;
      let constant = rowValue(lasting, a, x);
      if (season) {
        const errors = paths.errors!.subarray((d * states + s) * 12, (d * states + s + 1) * 12);
        let pinned = 0;
        for (let month = 0; month < 12; month++) {
          byMonth[month] = errorShift(season.log_season[month]![a]!, errors[month]!);
          pinned += season.fieldwork[month]! * byMonth[month]!;
        }
        constant -= paths.gamma[d]! * pinned;
      }
      paths.parts[offset] = constant;
      for (let r = 0; r < rounds; r++) paths.parts[offset + 1 + r] = rowValue(changes[r]!, a, x);
      for (let gap = 0; gap <= rounds; gap++) paths.parts[offset + 1 + rounds + gap] = patterns[gap * lgas + a]!;
      drawShifts(paths, d, a, everyMonth, season ? byMonth : null, shifts);
      let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
      for (let m = 0; m < shifts.length; m++) {
        low = Math.min(low, shifts[m]!);
        high = Math.max(high, shifts[m]!);
      }
      const [from, to] = [first_cell[a]!, first_cell[a + 1]!];
      const odds = new Float64Array(to - from);
      for (let i = 0; i < odds.length; i++) odds[i] = Math.exp(-rowValue(layout.cells, from + i, x));
      fitCurve(odds, weights.subarray(from, to), [low, high], paths.parts, offset + width - CURVE);
    }
    d++;
  }
}

/**
 * The shift common to all cells of LGA `a` in some months of draw `d`, logit.
 * @param byMonth shifts of ln S due to the error of the index, by month of the year; null if there is no such error
 */
function drawShifts(
  { months, rounds, states, state_of, gap, change, point, gamma, levels, parts }: Paths,
  d: number,
  a: number,
  positions: readonly number[],
  byMonth: Float64Array | null,
  to: Float64Array,
): void {
  const offset = (d * state_of.length + a) * pathWidth(rounds);
  const level = (d * states + state_of[a]!) * months.length;
  const { weights, deviation } = change[point[d]!]!;
  for (let k = 0; k < positions.length; k++) {
    const m = positions[k]!;
    const { month, log_season } = months[m]!;
    let value = parts[offset]! + levels[level + m]!;
    for (let r = 0; r < rounds; r++) value += weights[m * rounds + r]! * parts[offset + 1 + r]!;
    value += deviation[m]! * parts[offset + 1 + rounds + gap[m]!]!;
    to[k] = value + gamma[d]! * (log_season[a]! + (byMonth ? byMonth[month]! : 0));
  }
}

/** Joint draws of prevalence in some months; for area a and draw d in the k-th of them `[k][a * draws + d]`. */
export interface MonthDraws {
  /** Positions among the months of the paths, ascending. */
  months: readonly number[];
  lgas: Float64Array[];
  /** Population-weighted means over the state's LGAs. */
  states: Float64Array[];
}

/** Joint draws of prevalence in one month of the year, for all years. @param month 0 for January */
export function drawMonths(paths: Paths, month: number): MonthDraws {
  const { draws, rounds, states, state_of, people, errors, parts } = paths;
  const months = [...paths.months.keys()].filter((m) => paths.months[m]!.month === month);
  const count = state_of.length;
  const width = pathWidth(rounds);
  const lgas = months.map(() => new Float64Array(count * draws));
  const shifts = new Float64Array(months.length);
  const byMonth = errors && new Float64Array(12);
  for (let a = 0; a < count; a++) {
    const logSeason = paths.months[months[0]!]!.log_season[a]!;
    for (let d = 0; d < draws; d++) {
      if (byMonth) byMonth[month] = errorShift(logSeason, errors[(d * states + state_of[a]!) * 12 + month]!);
      drawShifts(paths, d, a, months, byMonth, shifts);
      const curve = (d * count + a + 1) * width - CURVE;
      for (let k = 0; k < months.length; k++) lgas[k]![a * draws + d] = prevalenceOn(parts, curve, shifts[k]!);
    }
  }
  const total = new Float64Array(states);
  for (let a = 0; a < count; a++) total[state_of[a]!]! += people[a]!;
  const stateDraws = lgas.map((monthDraws) => {
    const means = new Float64Array(states * draws);
    for (let a = 0; a < count; a++) {
      const s = state_of[a]!;
      const share = people[a]! / total[s]!;
      for (let d = 0; d < draws; d++) means[s * draws + d]! += share * monthDraws[a * draws + d]!;
    }
    return means;
  });
  return { months, lgas, states: stateDraws };
}
