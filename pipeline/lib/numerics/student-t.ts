/**
 * P(T ≤ t) of Student's t with integer degrees of freedom, by the finite series of Abramowitz and Stegun
 * (1964), 26.7.3 (odd) and 26.7.4 (even).
 */
export function studentCdf(t: number, degreesOfFreedom: number): number {
  const theta = Math.atan(t / Math.sqrt(degreesOfFreedom));
  const cosine = Math.cos(theta);
  const isOdd = degreesOfFreedom % 2 === 1;
  let term = isOdd ? cosine : 1;
  let sum = degreesOfFreedom === 1 ? 0 : term;
  for (let k = isOdd ? 3 : 2; k <= degreesOfFreedom - 2; k += 2) {
    term *= (cosine * cosine * (k - 1)) / k;
    sum += term;
  }
  const centralProbability = isOdd ? (2 / Math.PI) * (theta + Math.sin(theta) * sum) : Math.sin(theta) * sum;
  return 0.5 + centralProbability / 2;
}

/**
 * The t with P(T ≤ t) = p, by bisection to machine precision.
 * @throws RangeError unless 0 < p < 1 and the degrees of freedom are a positive integer
 */
export function studentQuantile(p: number, degreesOfFreedom: number): number {
  if (!(p > 0 && p < 1 && degreesOfFreedom >= 1 && Number.isInteger(degreesOfFreedom)))
    throw new RangeError(
      `p ${p} and ${degreesOfFreedom} degrees of freedom: expected 0 < p < 1 and a positive integer`,
    );
  let bound = 1;
  while (studentCdf(bound, degreesOfFreedom) < Math.max(p, 1 - p)) bound *= 2;
  let [low, high] = [-bound, bound];
  for (let i = 0; i < 200 && high - low > Number.EPSILON * bound; i++) {
    const middle = (low + high) / 2;
    if (studentCdf(middle, degreesOfFreedom) < p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
