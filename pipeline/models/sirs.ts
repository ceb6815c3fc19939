/**
 * SIRS with seasonal transmission, on its yearly cycle. Shares of the people, months:
 *
 *   dS/dt = (1 − S − I) / immune − β(t) S I        susceptible
 *   dI/dt = β(t) S I − I / infectious              infectious; R = 1 − S − I is immune
 *   β(t)  = b (y + (1 − y) s(t))                   y: share year-round; s: season, 1 at its peak
 *
 * (Kermack & McKendrick 1933 with waning; seasonal forcing as in Keeling & Rohani 2008, chapter 5.)
 */
export interface SirsParameters {
  /** b: new infections per infection and month among susceptibles only, at the season's peak. */
  transmission_rate: number;
  /** y */
  share_year_round: number;
  infectious_months: number;
  immune_months: number;
}

/**
 * Runge-Kutta steps a month. Where the season's bends fall on steps (whole lags) the incidence is within 1e-6 of exact
 * for such rates as fits reach, elsewhere within 3e-4 of itself, most often 6e-5: below the decimals published (tested).
 */
export const STEPS_PER_MONTH = 8;
const STEADY = 1e-10;
const MOST_YEARS = 400;

export interface SirsCycle {
  /** New infections per person in each month of the year, January first. */
  incidence: number[];
  /** New infections per infection by month: β(t) S(t) × infectious months, averaged over the month. */
  reproduction_number: number[];
  /** At the year's start. */
  susceptible: number;
  infectious: number;
  /** False where the years did not settle on a yearly cycle (another period, or too slow). */
  settled: boolean;
}

/**
 * s(t) at every half step of the year, from twelve monthly values taken at mid-month, straight between, and `lag` months late.
 * @returns 24 × `steps` values, the first at the start of January
 */
export function seasonGrid(monthly: readonly number[], lag_months: number, steps = STEPS_PER_MONTH): Float64Array {
  return Float64Array.from({ length: 24 * steps }, (_, k) => {
    const at = k / (2 * steps) - 0.5 - lag_months;
    const before = Math.floor(at);
    const share = at - before;
    const value = (month: number) => monthly[((month % 12) + 12) % 12]!;
    return value(before) * (1 - share) + value(before + 1) * share;
  });
}

/** β at every half step of the year. */
export function transmissionGrid(
  { transmission_rate, share_year_round }: SirsParameters,
  season: Float64Array,
): Float64Array {
  return season.map((s) => transmission_rate * (share_year_round + (1 - share_year_round) * s));
}

/**
 * The yearly cycle that the model settles on, by the classical fourth-order Runge-Kutta method. Starts from the
 * equilibrium under the year's mean β; without any where mean β × infectious months ≤ 1, infection dies out.
 * @param season s(t) as `seasonGrid` gives it
 */
export function sirsCycle(parameters: SirsParameters, season: Float64Array): SirsCycle {
  const beta = transmissionGrid(parameters, season);
  const steps = season.length / 24;
  const recovery = 1 / parameters.infectious_months;
  const waning = 1 / parameters.immune_months;
  const h = 1 / steps;

  let meanBeta = 0;
  for (const value of beta) meanBeta += value / beta.length;
  let s = Math.min(1, recovery / meanBeta);
  let i = ((1 - s) * waning) / (waning + recovery);
  const incidence = new Array<number>(12).fill(0);
  const reproduction = new Array<number>(12).fill(0);

  for (let year = 0; year < MOST_YEARS; year++) {
    const startS = s;
    const startI = i;
    incidence.fill(0);
    reproduction.fill(0);
    for (let step = 0; step < 12 * steps; step++) {
      const b0 = beta[2 * step]!;
      const b1 = beta[2 * step + 1]!;
      const b2 = beta[step === 12 * steps - 1 ? 0 : 2 * step + 2]!;
      const n1 = b0 * s * i;
      const ds1 = waning * (1 - s - i) - n1;
      const di1 = n1 - recovery * i;
      const s2 = s + (h / 2) * ds1;
      const i2 = i + (h / 2) * di1;
      const n2 = b1 * s2 * i2;
      const ds2 = waning * (1 - s2 - i2) - n2;
      const di2 = n2 - recovery * i2;
      const s3 = s + (h / 2) * ds2;
      const i3 = i + (h / 2) * di2;
      const n3 = b1 * s3 * i3;
      const ds3 = waning * (1 - s3 - i3) - n3;
      const di3 = n3 - recovery * i3;
      const s4 = s + h * ds3;
      const i4 = i + h * di3;
      const n4 = b2 * s4 * i4;
      const ds4 = waning * (1 - s4 - i4) - n4;
      const di4 = n4 - recovery * i4;
      const month = Math.floor(step / steps);
      incidence[month]! += (h / 6) * (n1 + 2 * n2 + 2 * n3 + n4);
      reproduction[month]! += (h / 6) * (b0 * s + 2 * b1 * s2 + 2 * b1 * s3 + b2 * s4) * parameters.infectious_months;
      s += (h / 6) * (ds1 + 2 * ds2 + 2 * ds3 + ds4);
      i += (h / 6) * (di1 + 2 * di2 + 2 * di3 + di4);
    }
    if (Math.abs(s - startS) + Math.abs(i - startI) < STEADY)
      return { incidence, reproduction_number: reproduction, susceptible: s, infectious: i, settled: true };
  }
  return { incidence, reproduction_number: reproduction, susceptible: s, infectious: i, settled: false };
}
