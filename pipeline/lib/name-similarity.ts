/** A name in lower case, reduced to its letters and digits, without accents. */
export const plainName = (name: string): string =>
  name
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');

/** The words of a name, each as `plainName` writes it. */
export const splitWords = (name: string): string[] => name.split(/[^\p{L}\p{M}\p{N}]+/u).map(plainName);

/** Among fewer names, a word that most of them have may be part of the names. */
const MIN_NAMES = 4;

/** The words, as `plainName` writes them, that most of the names have, such as District. */
export function sharedWords(names: Iterable<string>): ReadonlySet<string> {
  const distinct = new Set(names);
  const words = [...distinct].flatMap((name) => [...new Set(splitWords(name))]);
  const isShared = ([, uses]: readonly [string, readonly string[]]) => 2 * uses.length > distinct.size;
  return new Set(
    distinct.size < MIN_NAMES ? [] : [...Map.groupBy(words, (word) => word)].filter(isShared).map(([word]) => word),
  );
}

/** Reduces names as `plainName` does, and leaves out `words` unless nothing but numbers would be left. */
export function withoutWords(words: ReadonlySet<string>): (name: string) => string {
  return (name) => {
    const rest = splitWords(name).filter((word) => !words.has(word));
    return rest.some((word) => /\p{L}/u.test(word)) ? rest.join('') : plainName(name);
  };
}

/** Least similarity of names that may mean the same place. */
export const MIN_SIMILARITY = 0.6;

const letterPairs = (name: string) => new Set(Array.from(name.slice(1), (letter, i) => name[i]! + letter));

/** The share of pairs of letters that two plain names have in common (Dice's coefficient), from 0 to 1. */
export function nameSimilarity(a: string, b: string): number {
  if (a === b) return 1;
  const [pairsOfA, pairsOfB] = [letterPairs(a), letterPairs(b)];
  const shared = [...pairsOfA].filter((pair) => pairsOfB.has(pair)).length;
  return (2 * shared) / (pairsOfA.size + pairsOfB.size || 1);
}
