/** Covariances of courses over months, from their hyperparameters. */

export interface Level {
  /** Standard deviation of the level, and the months in which its correlation falls to 1/e. */
  sd: number;
  months: number;
}

/** What a course of an area, a state or the country is made of. */
export interface Course {
  /** A constant; 0 where there is none. */
  constant_sd: number;
  level: Level;
  season_sd: number;
  /** What a month adds that no other month has. */
  shock_sd: number;
}

/** @param smoothness of the season: months within it by the sine of their distance in the year */
export function covarianceOf(
  { constant_sd, level, season_sd, shock_sd }: Course,
  smoothness: number,
  n: number,
): Float64Array {
  const byLag = Array.from({ length: n }, (_, lag) => {
    const sine = Math.sin((Math.PI * (lag % 12)) / 12);
    return (
      constant_sd ** 2 +
      level.sd ** 2 * Math.exp(-lag / level.months) +
      season_sd ** 2 * Math.exp((-2 * sine * sine) / smoothness ** 2) +
      (lag === 0 ? shock_sd ** 2 : 0)
    );
  });
  const k = new Float64Array(n * n);
  for (let t = 0; t < n; t++) for (let u = 0; u < n; u++) k[t * n + u] = byLag[Math.abs(t - u)]!;
  return k;
}
