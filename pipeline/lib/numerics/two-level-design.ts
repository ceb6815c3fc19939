/** Sizes of the designs minus one: primes congruent to 3 modulo 4. */
const PRIMES = [3, 7, 11, 19, 23, 31];

/**
 * A two-level design of Plackett & Burman (1946, Biometrika 33:305) by Paley's construction: points with coordinates ±1
 * along `m` axes, whose mean is 0 and whose covariance is the identity.
 * @returns 4 to 32 points, the smallest such design for m axes
 * @throws RangeError if there are more than 31 axes
 */
export function twoLevelDesign(m: number): number[][] {
  const q = PRIMES.find((prime) => prime >= m);
  if (q === undefined) throw new RangeError(`a design for ${m} axes, expected at most ${PRIMES.at(-1)}`);
  const quadraticResidues = new Set(Array.from({ length: q }, (_, i) => (i * i) % q));
  const points = Array.from({ length: q }, (_, i) =>
    Array.from({ length: m }, (_, j) => (quadraticResidues.has((i + j) % q) ? 1 : -1)),
  );
  return [...points, Array.from({ length: m }, () => -1)];
}
