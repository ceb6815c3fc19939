/** The size of a made-up country; Nigeria's by default. */
import { addMonths, type Period } from '../contract/months.ts';
import { UsageError } from '../lib/errors.ts';
import { randomStream } from '../lib/numerics/random.ts';
import { STATES } from './states.ts';

export interface CountrySize {
  /** Number of states: those of the 37 that are nearest to one that the seed selects. */
  states: number;
  /** Number of LGAs; every state has at least one. */
  lgas: number;
  /** Total number of clusters in the three survey rounds with coordinates. */
  clusters: number;
  /** Estimated months, and months of the longest case records; both end with 2023-12. */
  months: number;
  /** Cells of the population raster per degree, a multiple of 120. */
  cells_per_degree: number;
}

export const NIGERIAN_SIZE: CountrySize = { states: 37, lgas: 774, clusters: 1970, months: 108, cells_per_degree: 120 };
const LAST_MONTH: Period = '2023-12';

/**
 * The requested size; LGAs and clusters are proportional to states by default.
 * @throws UsageError if it is out of range
 */
export function countrySize(requested: Partial<CountrySize>): CountrySize {
  const states = requested.states ?? NIGERIAN_SIZE.states;
  const usual = (name: 'lgas' | 'clusters') => Math.round((NIGERIAN_SIZE[name] * states) / NIGERIAN_SIZE.states);
  const size = { ...NIGERIAN_SIZE, lgas: usual('lgas'), clusters: usual('clusters'), ...requested };
  const requireRange = (name: keyof CountrySize, least: number, most: number) => {
    if (size[name] >= least && size[name] <= most) return;
    throw new UsageError(`${name}: found ${size[name]}, expected ${least} to ${most}`);
  };
  requireRange('states', 2, STATES.length);
  requireRange('lgas', 2 * states, 7 * usual('lgas'));
  requireRange('clusters', 20 * states, 100 * usual('clusters'));
  requireRange('months', 72, 240);
  requireRange('cells_per_degree', 120, 1200);
  if (size.cells_per_degree % 120 !== 0)
    throw new UsageError(`cells_per_degree: found ${size.cells_per_degree}, expected a multiple of 120`);
  return size;
}

/** Positions in `STATES` of the country's states, ascending. */
export function chooseStates(seed: number, { states }: CountrySize): number[] {
  const all = [...STATES.keys()];
  if (states === all.length) return all;
  const { longitude, latitude } =
    STATES[Math.floor(all.length * randomStream(seed, 'states that are kept').uniform())]!;
  const distance = (state: number) =>
    Math.hypot(STATES[state]!.longitude - longitude, STATES[state]!.latitude - latitude);
  return all
    .sort((a, b) => distance(a) - distance(b) || a - b)
    .slice(0, states)
    .sort((a, b) => a - b);
}

/** Number of LGAs of each state of `kept`, in proportion to its usual number; the largest remainders are rounded up. */
export function lgaCounts({ lgas }: CountrySize, stateIndexes: readonly number[]): number[] {
  const usual = stateIndexes.reduce((sum, state) => sum + STATES[state]!.lgas, 0);
  const shares = stateIndexes.map((state) => (STATES[state]!.lgas * lgas) / usual);
  const counts = shares.map((share) => Math.max(1, Math.floor(share)));
  const byRemainder = [...stateIndexes.keys()].sort((a, b) => (shares[b]! % 1) - (shares[a]! % 1) || a - b);
  let remaining = lgas - counts.reduce((sum, count) => sum + count, 0);
  for (const k of byRemainder) if (remaining-- > 0) counts[k]!++;
  return counts;
}

/** First month of a span of `months` that ends with the last estimated month. */
export const firstMonth = (months: number): Period => addMonths(LAST_MONTH, 1 - months);
