/**
 * Two facilities with the same counts month by month: one that is in the table under two ids, or a block that was
 * copied.
 */
import { monthFromIndex } from '../contract/months.ts';

interface FacilityCounts {
  /** With its area, as messages show it. */
  label: string;
  /** By `monthIndex`, null for a blank cell. */
  counts: ReadonlyMap<number, number | null>;
}

/** In shorter stretches, or fewer digits, two of ten thousand facilities may agree by chance within five years. */
const STRETCH_MONTHS = 6;
const LEAST_DIGITS = 15;

/** Each pair with the months of the stretches that it shares: `A and B, 6 months from 2017-01`. */
export function describeRepeats(facilities: readonly FacilityCounts[]): string[] {
  const earlierByStretch = new Map<string, FacilityCounts>();
  const monthsByPair = new Map<string, Set<number>>();
  for (const facility of facilities)
    for (const start of facility.counts.keys()) {
      const months = Array.from({ length: STRETCH_MONTHS }, (_, i) => start + i);
      const counts = months.map((month) => facility.counts.get(month) ?? null);
      // A count that is filled down is no further evidence.
      const distinctCounts = counts.filter((count, i) => count !== null && count !== counts[i - 1]);
      if (counts.includes(null) || distinctCounts.join('').length < LEAST_DIGITS) continue;
      const stretch = `${start} ${counts.join(' ')}`;
      const earlier = earlierByStretch.get(stretch);
      if (!earlier) earlierByStretch.set(stretch, facility);
      else {
        const pair = `${earlier.label} and ${facility.label}`;
        monthsByPair.set(pair, new Set([...(monthsByPair.get(pair) ?? []), ...months]));
      }
    }
  return [...monthsByPair].map(
    ([pair, months]) => `${pair}, ${months.size} months from ${monthFromIndex(Math.min(...months))}`,
  );
}
