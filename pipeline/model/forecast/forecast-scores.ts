/** Scores of forecasts given as quantiles. */

/** Probabilities of the quantiles of every forecast, .01 to .99. */
export const QUANTILE_LEVELS: readonly number[] = Array.from({ length: 99 }, (_, i) => (i + 1) / 100);

/** Index of the quantile of a percentage among the 99. */
export const percentIndex = (percent: number): number => percent - 1;

/**
 * Continuous ranked probability score: twice the mean pinball loss over the 99 quantiles (Gneiting and Raftery 2007;
 * Laio and Tamea 2007). For a point forecast it is the absolute error.
 * @param scale on which values are compared
 */
export function crps(quantiles: ArrayLike<number>, observed: number, scale = (value: number) => value): number {
  const scaledObserved = scale(observed);
  let sum = 0;
  for (let i = 0; i < QUANTILE_LEVELS.length; i++) {
    const error = scaledObserved - scale(quantiles[i]!);
    sum += error >= 0 ? QUANTILE_LEVELS[i]! * error : (QUANTILE_LEVELS[i]! - 1) * error;
  }
  return (2 * sum) / QUANTILE_LEVELS.length;
}

/** Whether the value is between two quantiles, ends included. */
export function covers(
  quantiles: ArrayLike<number>,
  observed: number,
  lowPercent: number,
  highPercent: number,
): boolean {
  return quantiles[percentIndex(lowPercent)]! <= observed && observed <= quantiles[percentIndex(highPercent)]!;
}
