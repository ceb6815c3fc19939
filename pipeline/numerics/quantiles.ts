/**
 * Quantiles of a sample by linear interpolation between order statistics (Hyndman and Fan 1996, type 7, R's default).
 * @param values at least one; not changed
 * @param shares 0 to 1
 */
export function quantiles(values: Float64Array, shares: readonly number[]): number[] {
  const sorted = Float64Array.from(values).sort();
  return shares.map((share) => {
    const at = share * (sorted.length - 1);
    const below = Math.floor(at);
    const a = sorted[below]!;
    const b = sorted[Math.min(below + 1, sorted.length - 1)]!;
    return a + (at - below) * (b - a);
  });
}
