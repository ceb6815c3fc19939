import type { Random } from '../../lib/numerics/random.ts';
import { LEAST_INDEX } from './inputs.ts';

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
export function errorShift(logIndex: number, error: number): number {
  return Math.log(Math.max(Math.exp(logIndex) + error, LEAST_INDEX)) - logIndex;
}

const HARMONICS = 2;

/**
 * Errors of every state's index by month, `errors[12 * state + month]`: a yearly plus a half-yearly wave of random
 * phase.
 */
export function drawSeasonErrors(states: number, sd: number, random: Random): Float64Array {
  const errors = new Float64Array(12 * states);
  const scale = sd / Math.sqrt(HARMONICS);
  for (let s = 0; s < states; s++)
    for (let h = 1; h <= HARMONICS; h++) {
      const [a, b] = [scale * random.normal(), scale * random.normal()];
      for (let m = 0; m < 12; m++) {
        const angle = (2 * Math.PI * h * m) / 12;
        errors[12 * s + m]! += a * Math.cos(angle) + b * Math.sin(angle);
      }
    }
  return errors;
}
