import { conditionMonthsOnRounds, drawChangePatterns, drawLevels } from './between-rounds.ts';
import { predictorRows, rowValue } from './cell-predictors.ts';
import { type DrawBatch, drawBatches, drawOneBatch, type StreamForDraw } from './draws.ts';
import type { FitPoint, LatentStructure, Posterior } from './fit.ts';
import { CURVE_LENGTH, curvePrevalence, fitCurve } from './mean-prevalence.ts';
import { drawSeasonErrors, logIndexShift, type SeasonError } from './season-error.ts';
import { termsVaryingBy } from './terms.ts';

/** A month to predict. */
export interface PredictedMonth {
  /** Middle of the month, in years. */
  time: number;
  /** Month of the year, 0 for January. */
  month: number;
  /** ln of each LGA's seasonal index; the same for a month of the year in all years. */
  log_season: ArrayLike<number>;
  /** Positions of the same month of earlier years with which it is compared. */
  comparison?: { year: number | null; survey: number | null };
}

/**
 * Joint draws of all quantities that determine monthly prevalence, as plain arrays. A draw of an LGA takes 36 bytes,
 * plus 4 for each round and for each gap, including those before the first and after the last round, whatever the
 * number of its cells and months. The arrays that draws fill are in memory shared by threads.
 */
export interface Paths {
  months: readonly PredictedMonth[];
  drawCount: number;
  roundCount: number;
  stateCount: number;
  state_by_lga: Int32Array;
  /** People by LGA. */
  populations: Float64Array;
  /** Number of rounds up to each month; 0 is before the first round. */
  gap_of_month: Int32Array;
  /** Conditional distribution of the field of change given the rounds, by point of the hyperparameters. */
  change: { weights: Float64Array; deviation: Float64Array }[];
  /** Point of the hyperparameters by draw. */
  point_of_draw: Int32Array;
  /** Season exponent by draw. */
  gamma: Float64Array;
  /**
   * Errors of the seasonal index, `[(draw * states + state) * 12 + month of the year]`; null if it is taken as exact.
   */
  season_errors: Float64Array | null;
  /** `[(draw * states + state) * months + m]`, logit. */
  state_levels: Float32Array;
  /**
   * `[(draw * lgas + lga) * width]`: the part that is constant over the months (logit), the field of change at each
   * round, its pattern of departure in each gap, and the curve that converts a shift of the LGA's cells to its mean
   * prevalence.
   */
  lga_parts: Float32Array;
}

const pathWidth = (roundCount: number) => 1 + roundCount + (roundCount + 1) + CURVE_LENGTH;

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
export function drawPaths(fit: Posterior, inputs: PathInputs, drawCount: number, streams: StreamForDraw): Paths {
  const paths = emptyPaths(fit, inputs, drawCount);
  for (const batch of drawBatches(fit.points, drawCount))
    fillPathBatch(paths, fit, fit.points[batch.point]!, batch, inputs, streams);
  return paths;
}

const allocateShared = {
  float64: (length: number) => new Float64Array(new SharedArrayBuffer(8 * length)),
  float32: (length: number) => new Float32Array(new SharedArrayBuffer(4 * length)),
};

/** Allocates paths for `fillPathBatch`. */
export function emptyPaths(fit: Posterior, { months, season }: PathInputs, drawCount: number): Paths {
  const { mesh, layout, points } = fit;
  const { cells, first_cell, state_by_lga, stateCount } = mesh;
  const lgaCount = state_by_lga.length;
  const rounds = layout.times.length;
  const populations = new Float64Array(lgaCount);
  for (let a = 0; a < lgaCount; a++)
    for (let c = first_cell[a]!; c < first_cell[a + 1]!; c++) populations[a]! += cells.population[c]!;
  const monthTimes = months.map(({ time }) => time);
  const point_of_draw = new Int32Array(drawCount);
  for (const share of drawBatches(points, drawCount))
    point_of_draw.fill(share.point, share.first, share.first + share.count);
  return {
    months,
    drawCount,
    roundCount: rounds,
    stateCount,
    state_by_lga,
    populations,
    point_of_draw,
    gap_of_month: Int32Array.from(months, ({ time }) => layout.times.filter((t) => t <= time).length),
    change: points.map((thetaPoint) => conditionMonthsOnRounds(fit, thetaPoint, monthTimes).change),
    gamma: allocateShared.float64(drawCount),
    season_errors: season && allocateShared.float64(drawCount * stateCount * 12),
    state_levels: allocateShared.float32(drawCount * stateCount * months.length),
    lga_parts: allocateShared.float32(drawCount * lgaCount * pathWidth(rounds)),
  };
}

/** Draws one batch of the paths. */
export function fillPathBatch(
  paths: Paths,
  structure: LatentStructure,
  point: FitPoint,
  share: DrawBatch,
  { months, season }: PathInputs,
  streams: StreamForDraw,
): void {
  const { mesh, layout } = structure;
  const { cells, first_cell, state_by_lga, stateCount } = mesh;
  const { roundCount, populations } = paths;
  const lgaCount = state_by_lga.length;
  const width = pathWidth(roundCount);
  const weights = Float64Array.from(cells.population, (persons, c) => persons / populations[cells.lga[c]!]!);
  const conditionals = conditionMonthsOnRounds(
    structure,
    point,
    months.map(({ time }) => time),
  );
  const { season: exponent, change } = layout.terms;
  const constantRows = predictorRows(termsVaryingBy(layout.terms, 'lga'), state_by_lga.keys());
  const changeRows = layout.times.map((_, round) =>
    predictorRows([change], state_by_lga.keys(), { round, log_season: [] }),
  );
  const allMonths = [...months.keys()];
  const shifts = new Float64Array(months.length);
  const errorShifts = new Float64Array(12);
  let d = share.first;
  for (const draw of drawOneBatch(point, share, streams)) {
    const { x, random } = draw;
    paths.gamma[d] = x[exponent.positions[0]!]!;
    const levels = drawLevels(structure, draw, conditionals, months.length);
    const patterns = drawChangePatterns(structure, draw);
    if (season) paths.season_errors!.set(drawSeasonErrors(stateCount, season.sd, random), d * stateCount * 12);
    paths.state_levels.set(levels, d * stateCount * months.length);
    for (let a = 0; a < lgaCount; a++) {
      const offset = (d * lgaCount + a) * width;
      const s = state_by_lga[a]!;
      let constant = rowValue(constantRows, a, x);
      if (season) {
        const errors = paths.season_errors!.subarray((d * stateCount + s) * 12, (d * stateCount + s + 1) * 12);
        let fieldworkShift = 0;
        for (let month = 0; month < 12; month++) {
          errorShifts[month] = logIndexShift(season.log_season[month]![a]!, errors[month]!);
          fieldworkShift += season.fieldwork[month]! * errorShifts[month]!;
        }
        constant -= paths.gamma[d]! * fieldworkShift;
      }
      paths.lga_parts[offset] = constant;
      for (let r = 0; r < roundCount; r++) paths.lga_parts[offset + 1 + r] = rowValue(changeRows[r]!, a, x);
      for (let gap = 0; gap <= roundCount; gap++)
        paths.lga_parts[offset + 1 + roundCount + gap] = patterns[gap * lgaCount + a]!;
      computeShifts(paths, d, a, allMonths, season ? errorShifts : null, shifts);
      let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
      for (let m = 0; m < shifts.length; m++) {
        low = Math.min(low, shifts[m]!);
        high = Math.max(high, shifts[m]!);
      }
      const [from, to] = [first_cell[a]!, first_cell[a + 1]!];
      const odds = new Float64Array(to - from);
      for (let i = 0; i < odds.length; i++) odds[i] = Math.exp(-rowValue(layout.cell_rows, from + i, x));
      fitCurve(odds, weights.subarray(from, to), [low, high], paths.lga_parts, offset + width - CURVE_LENGTH);
    }
    d++;
  }
}

/**
 * The shift common to all cells of LGA `a` in some months of draw `d`, logit.
 * @param errorShifts shifts of ln S due to the error of the index, by month of the year; null if there is no such error
 */
function computeShifts(
  {
    months,
    roundCount,
    stateCount,
    state_by_lga,
    gap_of_month,
    change,
    point_of_draw,
    gamma,
    state_levels,
    lga_parts,
  }: Paths,
  d: number,
  a: number,
  positions: readonly number[],
  errorShifts: Float64Array | null,
  target: Float64Array,
): void {
  const offset = (d * state_by_lga.length + a) * pathWidth(roundCount);
  const levelOffset = (d * stateCount + state_by_lga[a]!) * months.length;
  const { weights, deviation } = change[point_of_draw[d]!]!;
  for (let k = 0; k < positions.length; k++) {
    const m = positions[k]!;
    const { month, log_season } = months[m]!;
    let value = lga_parts[offset]! + state_levels[levelOffset + m]!;
    for (let r = 0; r < roundCount; r++) value += weights[m * roundCount + r]! * lga_parts[offset + 1 + r]!;
    value += deviation[m]! * lga_parts[offset + 1 + roundCount + gap_of_month[m]!]!;
    target[k] = value + gamma[d]! * (log_season[a]! + (errorShifts ? errorShifts[month]! : 0));
  }
}

/** Joint draws of prevalence in some months; for area a and draw d in the k-th of them `[k][a * draws + d]`. */
export interface MonthDraws {
  /** Positions among the months of the paths, ascending. */
  months: readonly number[];
  lgas: Float64Array[];
  /** Population-weighted means over the state's LGAs, and over all. */
  states: Float64Array[];
  nation: Float64Array[];
}

/** Joint draws of prevalence in one month of the year, for all years. @param month 0 for January */
export function drawPrevalence(paths: Paths, month: number): MonthDraws {
  const { drawCount, roundCount, stateCount, state_by_lga, populations, season_errors, lga_parts } = paths;
  const months = [...paths.months.keys()].filter((m) => paths.months[m]!.month === month);
  const lgaCount = state_by_lga.length;
  const width = pathWidth(roundCount);
  const lgas = months.map(() => new Float64Array(lgaCount * drawCount));
  const shifts = new Float64Array(months.length);
  const errorShifts = season_errors && new Float64Array(12);
  for (let a = 0; a < lgaCount; a++) {
    const logSeason = paths.months[months[0]!]!.log_season[a]!;
    for (let d = 0; d < drawCount; d++) {
      if (errorShifts)
        errorShifts[month] = logIndexShift(logSeason, season_errors[(d * stateCount + state_by_lga[a]!) * 12 + month]!);
      computeShifts(paths, d, a, months, errorShifts, shifts);
      const curve = (d * lgaCount + a + 1) * width - CURVE_LENGTH;
      for (let k = 0; k < months.length; k++)
        lgas[k]![a * drawCount + d] = curvePrevalence(lga_parts, curve, shifts[k]!);
    }
  }
  const statePopulation = new Float64Array(stateCount);
  for (let a = 0; a < lgaCount; a++) statePopulation[state_by_lga[a]!]! += populations[a]!;
  const stateDraws = lgas.map((monthDraws) => {
    const means = new Float64Array(stateCount * drawCount);
    for (let a = 0; a < lgaCount; a++) {
      const s = state_by_lga[a]!;
      const weight = populations[a]! / statePopulation[s]!;
      for (let d = 0; d < drawCount; d++) means[s * drawCount + d]! += weight * monthDraws[a * drawCount + d]!;
    }
    return means;
  });
  const people = statePopulation.reduce((sum, population) => sum + population, 0);
  const nation = stateDraws.map((monthDraws) =>
    Float64Array.from({ length: drawCount }, (_, d) =>
      statePopulation.reduce((sum, population, s) => sum + (population / people) * monthDraws[s * drawCount + d]!, 0),
    ),
  );
  return { months, lgas, states: stateDraws, nation };
}
