/**
 * Quantile of ascending values by linear interpolation between order statistics (Hyndman and Fan 1996, type 7, R's
 * default).
 * @param sorted at least one
 * @param share 0 to 1
 */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  const position = share * (sorted.length - 1);
  const below = Math.floor(position);
  const a = sorted[below]!;
  const b = sorted[Math.min(below + 1, sorted.length - 1)]!;
  return a + (position - below) * (b - a);
}
