/** Arithmetic mean; NaN if there are no values. */
export function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]!;
  return sum / values.length;
}

/** Middle value, or the mean of the two middle ones; NaN if there are no values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Pearson's correlation; 0 if either side does not vary, so that a constant prediction scores 0. */
export function correlation(a: readonly number[], b: readonly number[]): number {
  const meanA = mean(a);
  const meanB = mean(b);
  let productSum = 0;
  let squaresA = 0;
  let squaresB = 0;
  for (const [i, value] of a.entries()) {
    productSum += (value - meanA) * (b[i]! - meanB);
    squaresA += (value - meanA) ** 2;
    squaresB += (b[i]! - meanB) ** 2;
  }
  return squaresA > 0 && squaresB > 0 ? productSum / Math.sqrt(squaresA * squaresB) : 0;
}
