/**
 * Moves the value that sorting `values[from..to]` would put at index k of the array to that index and returns it:
 * within that range no earlier value is larger, no later one smaller. Quickselect (Hoare 1961, Commun. ACM 4:321),
 * median of three.
 * @param values finite; reordered
 */
export function quickselect(values: Float64Array, k: number, from = 0, to = values.length - 1): number {
  let [low, high] = [from, to];
  while (low < high) {
    const pivot = medianOfThree(values[low]!, values[(low + high) >> 1]!, values[high]!);
    let [i, j] = [low, high];
    while (i <= j) {
      while (values[i]! < pivot) i++;
      while (values[j]! > pivot) j--;
      if (i > j) break;
      const swapped = values[i]!;
      values[i++] = values[j]!;
      values[j--] = swapped;
    }
    if (k <= j) high = j;
    else if (k >= i) low = i;
    else break;
  }
  return values[k]!;
}

const medianOfThree = (a: number, b: number, c: number) => Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));

/**
 * The same quantiles as `quantile` in quantiles.ts (type 7), without sorting.
 * @param values finite, at least one; reordered
 * @param shares ascending, 0 to 1
 */
export function selectQuantiles(values: Float64Array, shares: readonly number[]): number[] {
  const last = values.length - 1;
  let from = 0;
  return shares.map((share) => {
    const position = share * last;
    const lowerIndex = Math.floor(position);
    const lower = quickselect(values, lowerIndex, from);
    from = lowerIndex;
    if (position === lowerIndex) return lower;
    let upper = Number.POSITIVE_INFINITY;
    for (let i = lowerIndex + 1; i <= last; i++) if (values[i]! < upper) upper = values[i]!;
    return lower + (position - lowerIndex) * (upper - lower);
  });
}
