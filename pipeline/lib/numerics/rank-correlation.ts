import { correlation } from './averages.ts';

/** Ranks from 1; ties share their mean rank. */
export function averageRanks(values: readonly number[]): number[] {
  const order = values.map((_, i) => i).sort((a, b) => values[a]! - values[b]!);
  const ranks = new Array<number>(values.length);
  for (let start = 0; start < order.length; ) {
    let end = start;
    while (end < order.length && values[order[end]!] === values[order[start]!]) end++;
    for (let i = start; i < end; i++) ranks[order[i]!] = (start + end + 1) / 2;
    start = end;
  }
  return ranks;
}

/** Spearman's rank correlation; null with fewer than three values or if either side is constant. */
export function rankCorrelation(a: readonly number[], b: readonly number[]): number | null {
  if (a.length < 3 || new Set(a).size < 2 || new Set(b).size < 2) return null;
  return correlation(averageRanks(a), averageRanks(b));
}
