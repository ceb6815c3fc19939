/** Longest list of numbers or texts that is kept whole, such as the months of a year. */
const MAX_PLAIN_LIST = 12;

/**
 * Shortens an answer to fit on a page, still valid by its schema: lists keep their first entry, and rings of an outline
 * their first points and the last one, which closes them. Case records are left out, since any valid key can read the
 * examples.
 */
export function shortenAnswer(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (!Array.isArray(value))
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shortenAnswer(item)]));
  const [first] = value;
  if (value.length <= MAX_PLAIN_LIST && !value.some((item) => item !== null && typeof item === 'object')) return value;
  if (first !== null && typeof first === 'object' && 'reported' in first) return [];
  const isRing = Array.isArray(first) && typeof first[0] === 'number';
  const shortList =
    value.length <= 4 && isRing ? value : isRing ? [...value.slice(0, 3), value.at(-1)] : value.slice(0, 1);
  return shortList.map(shortenAnswer);
}

/** The names of a CSV's columns and its first row. */
export const headAndFirstRow = (csv: string) => csv.split('\n', 2).join('\n');
