/** Lists of at most this many entries are shown whole: months of a year, corners of a small outline. */
const WHOLE = 12;

/**
 * An answer short enough for a page, and still of its schema: long lists keep their first entries, and rings of an outline
 * their first points and the last, which closes them.
 */
export function shortened(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (!Array.isArray(value))
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shortened(item)]));
  if (value.length <= WHOLE && !value.some((item) => item !== null && typeof item === 'object')) return value;
  const isRing = Array.isArray(value[0]) && typeof value[0][0] === 'number';
  const kept = value.length <= 4 && isRing ? value : isRing ? [...value.slice(0, 3), value.at(-1)] : value.slice(0, 1);
  return kept.map(shortened);
}
