/** Longer keys are worked out each time: what honest clients repeat is short, and the memory has a bound in bytes. */
const LONGEST_KEY = 256;

/**
 * `work`, a pure function of a text, with its results for up to `most` texts remembered. When full it forgets all and
 * begins again, so that whoever sends ever new texts costs the others a moment and no memory.
 */
export function remember<T>(most: number, work: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const result = work(text);
    if (text.length <= LONGEST_KEY) {
      if (known.size >= most) known.clear();
      known.set(text, result);
    }
    return result;
  };
}
