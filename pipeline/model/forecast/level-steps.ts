/**
 * Lasting changes of an area's level. The case model's noise takes them for a series of outliers, so a step function is
 * added to the usual course and filtered on a grid: the multi-process idea of Harrison and Stevens (MODEL.md, section
 * 4).
 */
import { mean } from '../../lib/numerics/averages.ts';
import { drawIndex } from '../../lib/numerics/distributions.ts';
import type { Random } from '../../lib/numerics/random.ts';
import { digamma, trigamma } from '../../lib/numerics/special.ts';
import type { Estimates } from './area-posteriors.ts';
import { NOISE_DF, NOISE_MIXTURE } from './case-noise.ts';
import { mixQuantiles, sumQuantiles } from './mixed-quantiles.ts';

/** Steps, as factors of the rate in logarithms: e^-4.5 to e^12, with 1, the usual, at index `USUAL`. */
const SPACING = 0.15;
const USUAL = 30;
export const STEPS = Float64Array.from({ length: 111 }, (_, i) => (i - USUAL) * SPACING);

/** Chances in a month: that a step begins; in a step, of another step and of its end; and of an outlier. */
export const CHANCES = { begin: 0.02, again: 0.06, end: 0.1, outlier: 0.03 };
/** Scale of steps about the usual, in logarithms of the rate: Student's t, as the noise. */
export const STEP_SCALE = 1.1;
/** Cases a month about which steps are expected where fewer are usual: an introduction. */
const INTRODUCED = 1;
/** A likelihood so small that a count beyond all steps says nothing. */
const LEAST = 1e-300;
/** Months at the end of a record in which steps are looked for. A change that has lasted longer is the usual. */
const LOOK_BACK = 24;

/** Chances of the steps, in the order of `STEPS`. */
type Distribution = Float64Array;

/** What an area's record says about its step. */
export interface LevelStep {
  /** In the last month. */
  last: Distribution;
  /** Of a step that begins. */
  begun: Distribution;
}

/**
 * The step in the last month of a record.
 * @param cases by month; NaN if unknown
 * @param course logarithm of the usual rate by month, as all other months tell it; NaN where cases are unknown
 * @param scale scale of the noise
 */
export function filterSteps(cases: Float64Array, course: Estimates, scale: number): LevelStep {
  const usual = mean(course.mean.filter((value) => !Number.isNaN(value)));
  const begun = beginning(Number.isNaN(usual) ? 0 : Math.max(0, Math.log(INTRODUCED) - usual));
  let last: Distribution = new Float64Array(STEPS.length);
  last[USUAL] = 1;
  for (let t = Math.max(0, cases.length - LOOK_BACK); t < cases.length; t++) {
    last = nextMonth(last, begun);
    if (Number.isNaN(cases[t]!)) continue;
    const likelihood = stepLikelihood(cases[t]!, course.mean[t]!, course.variance[t]!, scale);
    const outlier = Math.max(LEAST, CHANCES.outlier * weightedSum(likelihood, begun));
    last = normalised(last.map((chance, i) => chance * ((1 - CHANCES.outlier) * likelihood[i]! + outlier)));
  }
  return { last, begun };
}

/** Chances of the steps in the months 1 to `months` after the last. */
export function stepsAhead({ last, begun }: LevelStep, months: number): Distribution[] {
  const ahead: Distribution[] = [];
  for (let h = 0; h < months; h++) ahead.push(nextMonth(ahead[h - 1] ?? last, begun));
  return ahead;
}

/** A draw of the steps in the months 1 to `months` after the last, jointly. */
export function drawSteps({ last, begun }: LevelStep, months: number, random: Random): number[] {
  let step = pick(last, random);
  return Array.from({ length: months }, () => {
    const u = random.uniform();
    const begin = step === USUAL ? CHANCES.begin : CHANCES.again;
    if (u < begin) step = pick(begun, random);
    else if (u < begin + CHANCES.end) step = USUAL;
    return STEPS[step]!;
  });
}

function pick(chances: Distribution, random: Random): number {
  let sum = 0;
  const cumulative = chances.map((chance) => {
    sum += chance;
    return sum;
  });
  return drawIndex(random, cumulative);
}

/** The 99 quantiles of the logarithm of a rate whose usual course has these quantiles, with its step. */
export function quantilesWithStep(usual: Float64Array, chances: Distribution): Float64Array {
  const others = chances.slice();
  others[USUAL] = 0;
  const share = others.reduce((a, b) => a + b);
  return share === 0 ? usual : mixQuantiles(usual, sumQuantiles(usual, STEPS, others), share);
}

/** @param above logarithm of the factor by which an introduction is above the usual; 0 where cases are usual */
const beginning = (above: number): Distribution =>
  normalised(STEPS.map((step) => (1 + ((step - above) / STEP_SCALE) ** 2 / NOISE_DF) ** (-(NOISE_DF + 1) / 2)));

function nextMonth(now: Distribution, begun: Distribution): Distribution {
  const usual = now[USUAL]!;
  const begins = CHANCES.begin * usual + CHANCES.again * (1 - usual);
  const next = now.map((chance, i) => chance * (1 - CHANCES.again - CHANCES.end) + begun[i]! * begins);
  next[USUAL] = (1 - CHANCES.begin) * usual + CHANCES.end * (1 - usual) + begun[USUAL]! * begins;
  return next;
}

const normalised = (chances: Distribution): Distribution => {
  const sum = chances.reduce((a, b) => a + b);
  return chances.map((chance) => chance / sum);
};

const weightedSum = (values: Float64Array, weights: Float64Array): number =>
  values.reduce((sum, value, i) => sum + value * weights[i]!, 0);

/** Counts from which ln k is taken as normal with the variance of the logarithm of a gamma variable. */
const MANY = 30;
/** Standard deviations from which a normal density is taken as 0. */
const REACH = 6;

/** The likelihood of a count by step, up to a factor: Poisson, its rate with normal and Student's t noise. */
export function stepLikelihood(count: number, course: number, variance: number, scale: number): Float64Array {
  if (count >= MANY) {
    const spread = variance + trigamma(count + 0.5);
    return noiseDensity((digamma(count + 0.5) - course) / SPACING + USUAL, STEPS.length, spread, scale);
  }
  const half = Math.ceil((REACH * Math.sqrt(variance + (scale * scale) / NOISE_MIXTURE[0]!.weight)) / SPACING);
  const noise = noiseDensity(half, 2 * half + 1, variance, scale);
  const total = noise.reduce((a, b) => a + b);
  const poisson = Float64Array.from({ length: STEPS.length + 2 * half }, (_, i) => {
    const log = course + STEPS[0]! + (i - half) * SPACING;
    return Math.exp(count * log - Math.exp(log));
  });
  return STEPS.map((_, i) => {
    let sum = 0;
    for (let e = 0; e < noise.length; e++) sum += noise[e]! * poisson[i + e]!;
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
    const sd = Math.sqrt(variance + (scale * scale) / weight) / SPACING;
    const last = Math.min(points - 1, centre + REACH * sd);
    for (let i = Math.max(0, Math.ceil(centre - REACH * sd)); i <= last; i++)
      density[i]! += (share / sd) * Math.exp(-(((i - centre) / sd) ** 2) / 2);
  }
  return density;
}
