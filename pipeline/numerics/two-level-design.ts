/** Orders less one of the designs: primes that leave 3 when divided by 4. */
const PRIMES = [3, 7, 11, 19, 23, 31];

/**
 * A two-level design of Plackett & Burman (1946, Biometrika 33:305) by Paley's construction: points of ±1 along each of
 * `m` axes whose mean is 0 and whose covariance is the identity.
 * @returns 4 to 32 points, the fewest that m axes allow
 * @throws RangeError for more than 31 axes
 */
export function twoLevelDesign(m: number): number[][] {
  const q = PRIMES.find((prime) => prime >= m);
  if (q === undefined) throw new RangeError(`a design of ${m} axes, expected at most ${PRIMES.at(-1)}`);
  const squares = new Set(Array.from({ length: q }, (_, i) => (i * i) % q));
  const shifted = Array.from({ length: q }, (_, i) =>
    Array.from({ length: m }, (_, j) => (squares.has((i + j) % q) ? 1 : -1)),
  );
  return [...shifted, Array.from({ length: m }, () => -1)];
}
