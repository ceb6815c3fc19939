import type { Random } from '../../lib/numerics/random.ts';
import { MIN_SEASONAL_INDEX } from './inputs.ts';

/**
 * The error of the seasonal index: for each state an error E of standard deviation `sd` (share of the peak), smooth
 * over the year. The surveys pin down the months of fieldwork, so the effect of an error on another month is its effect
 * there minus its mean effect in the months of fieldwork:
 *
 *   ln(max(S + E, 0.01) / S) in the month, minus its mean over fieldwork.
 */
export interface SeasonError {
  sd: number;
  /** ln of each LGA's index, by month of the year. */
  log_season: readonly ArrayLike<number>[];
  /** Share of the children examined in each month of the year; sums to 1, or all 0 if the season is unknown. */
  fieldwork: readonly number[];
}

/** ln(max(S + E, 0.01) / S): the effect of an error on ln S in the same month. */
export function logIndexShift(logIndex: number, error: number): number {
  return Math.log(Math.max(Math.exp(logIndex) + error, MIN_SEASONAL_INDEX)) - logIndex;
}

const HARMONIC_COUNT = 2;

/**
 * Errors of every state's index by month, `errors[12 * state + month]`: a yearly plus a half-yearly wave of random
 * phase.
 */
export function drawSeasonErrors(states: number, sd: number, random: Random): Float64Array {
  const errors = new Float64Array(12 * states);
  const harmonicSd = sd / Math.sqrt(HARMONIC_COUNT);
  for (let s = 0; s < states; s++)
    for (let harmonic = 1; harmonic <= HARMONIC_COUNT; harmonic++) {
      const [a, b] = [harmonicSd * random.normal(), harmonicSd * random.normal()];
      for (let m = 0; m < 12; m++) {
        const angle = (2 * Math.PI * harmonic * m) / 12;
        errors[12 * s + m]! += a * Math.cos(angle) + b * Math.sin(angle);
      }
    }
  return errors;
}
