/** Covariances of the processes over months, from their hyperparameters. */

/** Parameters of the process of an area, a state or the country: standard deviations of its independent components. */
export interface ProcessParameters {
  /** 0 if there is no constant. */
  constant_sd: number;
  /** `months` is the time in which its correlation falls to 1/e. */
  level: { sd: number; months: number };
  season_sd: number;
  /** Shock confined to a single month. */
  shock_sd: number;
}

/** @param smoothness length scale of the periodic season */
export function processCovariance(
  { constant_sd, level, season_sd, shock_sd }: ProcessParameters,
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
  const covariance = new Float64Array(n * n);
  for (let t = 0; t < n; t++) for (let u = 0; u < n; u++) covariance[t * n + u] = byLag[Math.abs(t - u)]!;
  return covariance;
}
