/**
 * Lasting changes of an area's level. The case model's noise takes them for a series of outliers, so a step function is
 * added to the usual course and filtered on a grid: the multi-process idea of Harrison and Stevens (MODEL.md, section
 * 4).
 */
import { mean } from '../../lib/numerics/averages.ts';
import { dot } from '../../lib/numerics/dense-products.ts';
import { drawIndex } from '../../lib/numerics/distributions.ts';
import type { Random } from '../../lib/numerics/random.ts';
import { digamma, trigamma } from '../../lib/numerics/special.ts';
import type { MonthlyEstimates } from './area-posteriors.ts';
import { NOISE_DF, NOISE_MIXTURE } from './case-noise.ts';
import { mixQuantiles, sumQuantiles } from './mixed-quantiles.ts';

/** Steps, as factors of the rate in logarithms: e^-4.5 to e^12, with 1, the usual, at index `USUAL_INDEX`. */
const STEP_SPACING = 0.15;
const USUAL_INDEX = 30;
export const STEP_GRID = Float64Array.from({ length: 111 }, (_, i) => (i - USUAL_INDEX) * STEP_SPACING);

/** Chances in a month: that a step begins; in a step, of another step and of its end; and of an outlier. */
export const STEP_CHANCES = { begin: 0.02, again: 0.06, end: 0.1, outlier: 0.03 };
/** Scale of a step about the level that it begins from, in logarithms of the rate: Student's t, as the noise. */
export const STEP_SCALE = 1.1;
/** Cases a month from which a step begins where fewer are usual: an introduction. */
const INTRODUCTION_CASES = 1;
/** A likelihood so small that a count beyond all steps says nothing. */
const LEAST_LIKELIHOOD = 1e-300;
/** Chance below which a step is not followed by another. */
export const NEGLIGIBLE_CHANCE = 1e-6;
/** Months at the end of a record in which steps are looked for. A change that has lasted longer is the usual. */
const FILTER_MONTHS = 24;

/** Chances of the steps, in the order of `STEP_GRID`. */
type StepChances = Float64Array;

/** Chances of the step that follows, by the level that it begins from. */
const NEXT_STEPS = Array.from(STEP_GRID, (level) =>
  normalise(STEP_GRID.map((step) => (1 + ((step - level) / STEP_SCALE) ** 2 / NOISE_DF) ** (-(NOISE_DF + 1) / 2))),
);
const CUMULATIVE_NEXT_STEPS = NEXT_STEPS.map(cumulativeSums);

/** What an area's record says about its step. */
export interface LevelStep {
  /** In the last month. */
  lastMonth: StepChances;
  /** The level, as a place on the grid, from which a step begins that follows the usual. */
  start: number;
}

/**
 * The step in the last month of a record.
 * @param cases by month; NaN if unknown
 * @param usualRate logarithm of the usual rate by month, as all other months tell it; NaN where cases are unknown
 * @param scale scale of the noise
 */
export function filterSteps(cases: Float64Array, usualRate: MonthlyEstimates, scale: number): LevelStep {
  const meanUsualRate = mean(usualRate.mean.filter((value) => !Number.isNaN(value)));
  const introduction = Number.isNaN(meanUsualRate) ? 0 : Math.log(INTRODUCTION_CASES) - meanUsualRate;
  const start = Math.min(STEP_GRID.length - 1, USUAL_INDEX + Math.max(0, Math.round(introduction / STEP_SPACING)));
  let lastMonth: StepChances = new Float64Array(STEP_GRID.length);
  lastMonth[USUAL_INDEX] = 1;
  for (let t = Math.max(0, cases.length - FILTER_MONTHS); t < cases.length; t++) {
    lastMonth = advanceMonth(lastMonth, start);
    if (Number.isNaN(cases[t]!)) continue;
    const likelihood = stepLikelihood(cases[t]!, usualRate.mean[t]!, usualRate.variance[t]!, scale);
    const outlierLikelihood = Math.max(LEAST_LIKELIHOOD, STEP_CHANCES.outlier * dot(likelihood, NEXT_STEPS[start]!));
    let sum = 0;
    for (let i = 0; i < lastMonth.length; i++)
      sum += lastMonth[i]! *= (1 - STEP_CHANCES.outlier) * likelihood[i]! + outlierLikelihood;
    for (let i = 0; i < lastMonth.length; i++) lastMonth[i]! /= sum;
  }
  return { lastMonth, start };
}

/** Chances of the steps in the months 1 to `months` after the last. */
export function stepsAhead({ lastMonth, start }: LevelStep, months: number): StepChances[] {
  const distributions: StepChances[] = [];
  for (let h = 0; h < months; h++) distributions.push(advanceMonth(distributions[h - 1] ?? lastMonth, start));
  return distributions;
}

/** Joint draws of the steps in the months 1 to `months` after the last. */
export function createStepSampler({ lastMonth, start }: LevelStep, months: number): (random: Random) => number[] {
  const cumulativeLast = cumulativeSums(lastMonth);
  return (random) => {
    let step = drawIndex(random, cumulativeLast);
    const steps: number[] = [];
    for (let h = 0; h < months; h++) {
      const uniform = random.uniform();
      const [startProbability, level] = step === USUAL_INDEX ? [STEP_CHANCES.begin, start] : [STEP_CHANCES.again, step];
      if (uniform < startProbability) step = drawIndex(random, CUMULATIVE_NEXT_STEPS[level]!);
      else if (uniform < startProbability + STEP_CHANCES.end) step = USUAL_INDEX;
      steps.push(STEP_GRID[step]!);
    }
    return steps;
  };
}

function cumulativeSums(chances: StepChances): Float64Array {
  let sum = 0;
  return chances.map((chance) => (sum += chance));
}

/** The 99 quantiles of the logarithm of a rate whose usual course has these quantiles, with its step. */
export function quantilesWithStep(usualQuantiles: Float64Array, chances: StepChances): Float64Array {
  const otherSteps = chances.slice();
  otherSteps[USUAL_INDEX] = 0;
  const stepProbability = otherSteps.reduce((a, b) => a + b);
  return stepProbability === 0
    ? usualQuantiles
    : mixQuantiles(usualQuantiles, sumQuantiles(usualQuantiles, STEP_GRID, otherSteps), stepProbability);
}

function advanceMonth(current: StepChances, start: number): StepChances {
  const { begin, again, end } = STEP_CHANCES;
  const usual = current[USUAL_INDEX]!;
  const next = current.map((chance) => (1 - again - end) * chance);
  next[USUAL_INDEX] = (1 - begin) * usual + end * (1 - usual);
  for (let level = 0; level < current.length; level++) {
    const isUsual = level === USUAL_INDEX;
    const stepChance = (isUsual ? begin : again) * current[level]!;
    const nextSteps = NEXT_STEPS[isUsual ? start : level]!;
    if (stepChance < NEGLIGIBLE_CHANCE) next[level]! += stepChance;
    else for (let i = 0; i < next.length; i++) next[i]! += stepChance * nextSteps[i]!;
  }
  return next;
}

function normalise(chances: StepChances): StepChances {
  const sum = chances.reduce((a, b) => a + b);
  return chances.map((chance) => chance / sum);
}

/** Counts from which ln k is taken as normal with the variance of the logarithm of a gamma variable. */
const NORMAL_FROM_COUNT = 30;
/** Standard deviations from which a normal density is taken as 0. */
const REACH_SD = 6;

/** The likelihood of a count by step, up to a factor: Poisson, its rate with normal and Student's t noise. */
export function stepLikelihood(count: number, usualLogRate: number, variance: number, scale: number): Float64Array {
  if (count >= NORMAL_FROM_COUNT) {
    const spread = variance + trigamma(count + 0.5);
    return noiseDensity(
      (digamma(count + 0.5) - usualLogRate) / STEP_SPACING + USUAL_INDEX,
      STEP_GRID.length,
      spread,
      scale,
    );
  }
  const reach = Math.ceil((REACH_SD * Math.sqrt(variance + (scale * scale) / NOISE_MIXTURE[0]!.weight)) / STEP_SPACING);
  const noiseWeights = noiseDensity(reach, 2 * reach + 1, variance, scale);
  const total = noiseWeights.reduce((a, b) => a + b);
  const poisson = Float64Array.from({ length: STEP_GRID.length + 2 * reach }, (_, i) => {
    const logRate = usualLogRate + STEP_GRID[0]! + (i - reach) * STEP_SPACING;
    return Math.exp(count * logRate - Math.exp(logRate));
  });
  return STEP_GRID.map((_, i) => {
    let sum = 0;
    for (let e = 0; e < noiseWeights.length; e++) sum += noiseWeights[e]! * poisson[i + e]!;
    return sum / total;
  });
}

/**
 * Density of a normal variable plus Student's t noise at the points of a grid with the steps' spacing.
 * @param centre where the density is highest, as a place on the grid
 * @param variance of the normal part
 */
function noiseDensity(centre: number, points: number, variance: number, scale: number): Float64Array {
  const density = new Float64Array(points);
  for (const { share, weight } of NOISE_MIXTURE) {
    const sd = Math.sqrt(variance + (scale * scale) / weight) / STEP_SPACING;
    const [firstPoint, lastPoint] = [centre - REACH_SD * sd, Math.min(points - 1, centre + REACH_SD * sd)];
    let i = Math.max(0, Math.ceil(firstPoint));
    // Ratios of neighbouring values are a geometric series.
    let value = (share / sd) * Math.exp(-(((i - centre) / sd) ** 2) / 2);
    let ratio = Math.exp((centre - i - 0.5) / sd ** 2);
    const ratioOfRatios = Math.exp(-1 / sd ** 2);
    for (; i <= lastPoint; i++) {
      density[i]! += value;
      value *= ratio;
      ratio *= ratioOfRatios;
    }
  }
  return density;
}
