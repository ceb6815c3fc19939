/** A name in lower case, reduced to its letters and digits, without accents. */
export const plain = (name: string): string =>
  name
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');

/** Names at least this alike may mean the same. */
export const ALIKE = 0.6;

const pairsOf = (name: string) => new Set(Array.from(name.slice(1), (letter, i) => name[i]! + letter));

/** The share of pairs of letters that two plain names have in common (Dice's coefficient), from 0 to 1. */
export function likeness(one: string, other: string): number {
  if (one === other) return 1;
  const [pairs, others] = [pairsOf(one), pairsOf(other)];
  const shared = [...pairs].filter((pair) => others.has(pair)).length;
  return (2 * shared) / (pairs.size + others.size || 1);
}
