/**
 * Quantile of ascending values by linear interpolation between order statistics (Hyndman and Fan 1996, type 7, R's
 * default).
 * @param sorted at least one
 * @param share 0 to 1
 */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  const position = share * (sorted.length - 1);
  const lowerIndex = Math.floor(position);
  const lower = sorted[lowerIndex]!;
  const upper = sorted[Math.min(lowerIndex + 1, sorted.length - 1)]!;
  return lower + (position - lowerIndex) * (upper - lower);
}
