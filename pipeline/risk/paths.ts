import { departuresOf, drawLevels, drawPatterns, overTimeOf } from './between-rounds.ts';
import { addCaseShift, type CaseShift } from './case-shift.ts';
import { changeAt, drawLatent, lastingPart, type Streams } from './draws.ts';
import type { Posterior } from './fit.ts';
import { CURVE, fitCurve, prevalenceOn } from './mean-prevalence.ts';
import { drawSeasonErrors, errorShift, type SeasonError } from './season-error.ts';

/**
 * A month to predict: its middle in years, on the scale of the rounds' times, ln of each LGA's seasonal index, which
 * months of one name share, and each covariate that is told by month.
 */
export interface PredictedMonth {
  time: number;
  /** Month of the year, 0 for January. */
  month: number;
  log_season: ArrayLike<number>;
  /** By covariate, then by LGA. */
  varying?: readonly ArrayLike<number>[];
  /** Where among the months those stand, of the same name, with which it is compared. */
  compared?: { year: number | null; survey: number | null };
}

/**
 * Joint draws of everything that prevalence in the months follows from, as plain arrays. A draw of an LGA takes 112 bytes
 * and another 4 for each round and for each gap between them, however many its cells and months are.
 */
export interface Paths {
  months: readonly PredictedMonth[];
  draws: number;
  rounds: number;
  states: number;
  state_of: Int32Array;
  /** People by LGA. */
  people: Float64Array;
  /** Before which round each month lies: 0 is before the first. */
  gap: Int32Array;
  /** How the field of change hangs on the rounds, by point of the hyperparameters; and the point of each draw. */
  change: { weights: Float64Array; deviation: Float64Array }[];
  point: Int32Array;
  /** The season's exponent by draw. */
  gamma: Float64Array;
  /** Coefficients of the covariates that are told by month, `[draw * covariates + k]`. */
  varying: Float64Array;
  /** Errors of the seasonal index, `[(draw * states + state) * 12 + month of the year]`; null where it is taken as given. */
  errors: Float64Array | null;
  /** `[(draw * states + state) * months + m]`, logit. */
  levels: Float32Array;
  /**
   * `[(draw * lgas + lga) * width]`: what is constant over the months (logit), the field of change at each round, its
   * pattern of departure in each gap, and the curve by which a shift of the LGA's cells becomes its mean prevalence.
   */
  parts: Float32Array;
}

const widthOf = (rounds: number) => 1 + rounds + (rounds + 1) + CURVE;

/**
 * Draws the paths of all LGAs.
 *
 * Between two rounds, what changes is tied to both; beyond them it drifts, so that ranges widen with the distance from the
 * last survey. The nation and the states depart by exact joint draws over the months. The field of change keeps, within a
 * gap between rounds, one pattern of departure that is scaled to each month's standard deviation.
 * @param season how wrong the season may be; null takes it as given
 * @param cases what case records say of the months after the last survey; null: the usual season alone
 */
export function drawPaths(
  fit: Posterior,
  months: readonly PredictedMonth[],
  draws: number,
  streams: Streams,
  season: SeasonError | null,
  cases: CaseShift | null = null,
): Paths {
  const { mesh, layout } = fit;
  const { cells, first_cell, state_of, states } = mesh;
  const lgas = state_of.length;
  const rounds = layout.times.length;
  const width = widthOf(rounds);
  const overTime = overTimeOf(
    fit,
    months.map(({ time }) => time),
  );
  const points = [...overTime.keys()];
  const people = new Float64Array(lgas);
  for (let a = 0; a < lgas; a++)
    for (let c = first_cell[a]!; c < first_cell[a + 1]!; c++) people[a]! += cells.population[c]!;
  const weights = Float64Array.from(cells.population, (persons, c) => persons / people[cells.lga[c]!]!);

  const paths: Paths = {
    ...{ months, draws, rounds, states, state_of, people },
    gap: Int32Array.from(months, ({ time }) => layout.times.filter((t) => t <= time).length),
    change: points.map((point) => overTime.get(point)!.change),
    point: new Int32Array(draws),
    gamma: new Float64Array(draws),
    varying: new Float64Array(draws * layout.varying.length),
    errors: season && new Float64Array(draws * states * 12),
    levels: new Float32Array(draws * states * months.length),
    parts: new Float32Array(draws * lgas * width),
  };
  const everyMonth = [...months.keys()];
  const shifts = new Float64Array(months.length);
  const byMonth = new Float64Array(12);
  let d = 0;
  for (const draw of drawLatent(fit, draws, streams)) {
    const { x, point, random } = draw;
    const conditionals = overTime.get(point)!;
    paths.point[d] = points.indexOf(point);
    paths.gamma[d] = x[layout.gamma]!;
    for (const [k, b] of layout.varying.entries()) paths.varying[d * layout.varying.length + k] = x[b]!;
    const levels = drawLevels(fit, draw, conditionals, months.length);
    const patterns = drawPatterns(fit, draw);
    if (season) paths.errors!.set(drawSeasonErrors(states, season.sd, random), d * states * 12);
    if (cases) addCaseShift(levels, cases, departuresOf(fit, draw, conditionals, levels), random);
    paths.levels.set(levels, d * states * months.length);
    for (let a = 0; a < lgas; a++) {
      const at = (d * lgas + a) * width;
      const s = state_of[a]!;
      let constant = x[layout.lga(a)]!;
      if (season) {
        const errors = paths.errors!.subarray((d * states + s) * 12, (d * states + s + 1) * 12);
        let pinned = 0;
        for (let month = 0; month < 12; month++) {
          byMonth[month] = errorShift(season.log_season[month]![a]!, errors[month]!);
          pinned += season.fieldwork[month]! * byMonth[month]!;
        }
        constant -= paths.gamma[d]! * pinned;
      }
      paths.parts[at] = constant;
      for (let r = 0; r < rounds; r++) paths.parts[at + 1 + r] = changeAt(mesh, layout, x, a, r);
      for (let gap = 0; gap <= rounds; gap++) paths.parts[at + 1 + rounds + gap] = patterns[gap * lgas + a]!;
      shiftsOf(paths, d, a, everyMonth, season ? byMonth : null, shifts);
      let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
      for (let m = 0; m < shifts.length; m++) {
        low = Math.min(low, shifts[m]!);
        high = Math.max(high, shifts[m]!);
      }
      const [from, to] = [first_cell[a]!, first_cell[a + 1]!];
      const lasting = new Float64Array(to - from);
      for (let i = 0; i < lasting.length; i++) lasting[i] = lastingPart(mesh, layout, x, from + i);
      fitCurve(lasting, weights.subarray(from, to), [low, high], paths.parts, at + width - CURVE);
    }
    d++;
  }
  return paths;
}

/**
 * What all cells of LGA `a` share in some months under draw `d`, logit.
 * @param byMonth shifts of ln S by the season's error, by month of the year; null: none
 */
function shiftsOf(
  { months, draws, rounds, states, state_of, gap, change, point, gamma, varying, levels, parts }: Paths,
  d: number,
  a: number,
  positions: readonly number[],
  byMonth: Float64Array | null,
  to: Float64Array,
): void {
  const at = (d * state_of.length + a) * widthOf(rounds);
  const level = (d * states + state_of[a]!) * months.length;
  const { weights, deviation } = change[point[d]!]!;
  const covariates = varying.length / draws;
  for (let k = 0; k < positions.length; k++) {
    const m = positions[k]!;
    const { month, log_season, varying: told } = months[m]!;
    let value = parts[at]! + levels[level + m]!;
    for (let c = 0; c < covariates; c++) value += varying[d * covariates + c]! * told![c]![a]!;
    for (let r = 0; r < rounds; r++) value += weights[m * rounds + r]! * parts[at + 1 + r]!;
    value += deviation[m]! * parts[at + 1 + rounds + gap[m]!]!;
    to[k] = value + gamma[d]! * (log_season[a]! + (byMonth ? byMonth[month]! : 0));
  }
}

/** Joint draws of prevalence in some months; of area a under draw d in the k-th of them `[k][a * draws + d]`. */
export interface MonthDraws {
  /** Positions among the months of the paths, ascending. */
  months: readonly number[];
  lgas: Float64Array[];
  /** Means over the state's LGAs weighted by people. */
  states: Float64Array[];
}

/** Joint draws of prevalence in the months of one name. @param month of the year, 0 for January */
export function drawMonths(paths: Paths, month: number): MonthDraws {
  const { draws, rounds, states, state_of, people, errors, parts } = paths;
  const months = [...paths.months.keys()].filter((m) => paths.months[m]!.month === month);
  const count = state_of.length;
  const width = widthOf(rounds);
  const lgas = months.map(() => new Float64Array(count * draws));
  const shifts = new Float64Array(months.length);
  const byMonth = errors && new Float64Array(12);
  for (let a = 0; a < count; a++) {
    const logSeason = paths.months[months[0]!]!.log_season[a]!;
    for (let d = 0; d < draws; d++) {
      if (byMonth) byMonth[month] = errorShift(logSeason, errors[(d * states + state_of[a]!) * 12 + month]!);
      shiftsOf(paths, d, a, months, byMonth, shifts);
      const curve = (d * count + a + 1) * width - CURVE;
      for (let k = 0; k < months.length; k++) lgas[k]![a * draws + d] = prevalenceOn(parts, curve, shifts[k]!);
    }
  }
  const total = new Float64Array(states);
  for (let a = 0; a < count; a++) total[state_of[a]!]! += people[a]!;
  const wholes = lgas.map((own) => {
    const whole = new Float64Array(states * draws);
    for (let a = 0; a < count; a++) {
      const s = state_of[a]!;
      const share = people[a]! / total[s]!;
      for (let d = 0; d < draws; d++) whole[s * draws + d]! += share * own[a * draws + d]!;
    }
    return whole;
  });
  return { months, lgas, states: wholes };
}
