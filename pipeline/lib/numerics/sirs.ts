/**
 * SIRS with seasonal transmission, on its yearly cycle. Shares of the population, in months:
 *
 *   dS/dt = (1 − S − I) / immune − β(t) S I        susceptible
 *   dI/dt = β(t) S I − I / infectious              infectious; R = 1 − S − I is immune
 *   β(t)  = b (y + (1 − y) s(t))                   y: share year-round; s: season, 1 at its peak
 *
 * (Kermack & McKendrick 1933 with waning; seasonal forcing as in Keeling & Rohani 2008, chapter 5.)
 */
export interface Durations {
  infectious_months: number;
  immune_months: number;
}
export interface SirsParameters extends Durations {
  /** b: new infections per infection and month at the season's peak, in a fully susceptible population. */
  transmission_rate: number;
  /** y */
  share_year_round: number;
}

/**
 * s(t), the season of transmission: twelve mid-month values, January first, interpolated linearly and delayed by
 * `lag_months`. It has one kink in each month.
 */
export interface LaggedSeason {
  monthly: readonly number[];
  lag_months: number;
}

export interface SirsCycle {
  /** New infections per person in each month of the year, January first. */
  incidence: number[];
  /**
   * Effective reproduction number by month: the infections that one infection would cause in its course if conditions
   * did not change, β(t) S(t) × infectious months, averaged over the month. It is above 1 while I grows, since dI/dt =
   * (R(t) − 1) I / infectious.
   */
  reproduction_number: number[];
  /** Shares at the start of the year. */
  susceptible: number;
  infectious: number;
  /** False if the model did not converge to a yearly cycle (another period, or too slow). */
  converged: boolean;
}

const CONVERGED_CHANGE = 1e-12;
const MAX_YEARS = 400;
/**
 * Terms of the Taylor series, and the longest step times the fastest rate: together the error is below 1e-10 (tested).
 */
const TAYLOR_TERMS = 10;
const LONGEST_STEP = 1;

/** s at `t` months from the start of January. */
export function seasonAt({ monthly, lag_months }: LaggedSeason, t: number): number {
  const position = t - 0.5 - lag_months;
  const monthBefore = Math.floor(position);
  const valueInMonth = (month: number) => monthly[((month % 12) + 12) % 12]!;
  return (
    valueInMonth(monthBefore) + (position - monthBefore) * (valueInMonth(monthBefore + 1) - valueInMonth(monthBefore))
  );
}

/** An interval of the year on which β is linear. */
interface Interval {
  /** Month that contains it, 0-11. */
  month: number;
  /** Its length in months. */
  h: number;
  /** β at its start, and the increase of β over it. */
  beta: number;
  betaIncrease: number;
}

/** Divides the year into intervals at the ends of months and at kinks, none longer than the rates allow. */
function yearIntervals(parameters: SirsParameters, season: LaggedSeason): Interval[] {
  const { transmission_rate, share_year_round, infectious_months, immune_months } = parameters;
  const beta = (t: number) => transmission_rate * (share_year_round + (1 - share_year_round) * seasonAt(season, t));
  const kink = (((season.lag_months + 0.5) % 1) + 1) % 1;
  const fastestRate = transmission_rate * Math.max(1, ...season.monthly) + 1 / infectious_months + 1 / immune_months;
  const intervals: Interval[] = [];
  for (let month = 0; month < 12; month++) {
    for (const [from, to] of [
      [0, kink],
      [kink, 1],
    ] as const) {
      if (!(to > from)) continue;
      const [start, end] = [beta(month + from), beta(month + to)];
      const parts = Math.ceil(((to - from) * fastestRate) / LONGEST_STEP);
      const betaIncrease = (end - start) / parts;
      for (let k = 0; k < parts; k++)
        intervals.push({ month, h: (to - from) / parts, beta: start + k * betaIncrease, betaIncrease });
    }
  }
  return intervals;
}

/**
 * The yearly cycle to which the model converges. On an interval of length h with linear β, S and I are power series in
 * u = t / h: with p = S I and n = β p (new infections), coefficient by coefficient,
 *
 *   pₖ = Σⱼ Sⱼ Iₖ₋ⱼ       nₖ = β₀ pₖ + β₁ pₖ₋₁
 *   Sₖ₊₁ = h / (k + 1) × ((δₖ₀ − Sₖ − Iₖ) / immune − nₖ)
 *   Iₖ₊₁ = h / (k + 1) × (nₖ − Iₖ / infectious)
 *
 * and the interval's infections are h Σ nₖ / (k + 1) (Taylor's method, Jorba & Zou 2005, Experimental Mathematics
 * 14:99). Starts from the equilibrium under the year's mean β; if mean β × infectious months ≤ 1, infection dies out.
 */
export function sirsCycle(parameters: SirsParameters, season: LaggedSeason): SirsCycle {
  const intervals = yearIntervals(parameters, season);
  const recovery = 1 / parameters.infectious_months;
  const waning = 1 / parameters.immune_months;

  let meanBeta = 0;
  for (const { h, beta, betaIncrease } of intervals) meanBeta += ((beta + betaIncrease / 2) * h) / 12;
  let s = Math.min(1, recovery / meanBeta);
  let i = ((1 - s) * waning) / (waning + recovery);
  const incidence = new Array<number>(12).fill(0);
  const reproduction = new Array<number>(12).fill(0);
  const seriesS = new Float64Array(TAYLOR_TERMS + 1);
  const seriesI = new Float64Array(TAYLOR_TERMS + 1);

  for (let year = 0; year < MAX_YEARS; year++) {
    const startS = s;
    const startI = i;
    incidence.fill(0);
    reproduction.fill(0);
    for (const { month, h, beta, betaIncrease } of intervals) {
      seriesS[0] = s;
      seriesI[0] = i;
      let product = 0;
      for (let k = 0; k < TAYLOR_TERMS; k++) {
        const previousProduct = product;
        product = 0;
        for (let j = 0; j <= k; j++) product += seriesS[j]! * seriesI[k - j]!;
        const infections = beta * product + betaIncrease * previousProduct;
        const stepFactor = h / (k + 1);
        seriesS[k + 1] = stepFactor * (waning * ((k === 0 ? 1 : 0) - seriesS[k]! - seriesI[k]!) - infections);
        seriesI[k + 1] = stepFactor * (infections - recovery * seriesI[k]!);
        s += seriesS[k + 1]!;
        i += seriesI[k + 1]!;
        incidence[month]! += stepFactor * infections;
        reproduction[month]! +=
          (stepFactor * (beta * seriesS[k]! + betaIncrease * (k > 0 ? seriesS[k - 1]! : 0))) / recovery;
      }
    }
    if (Math.abs(s - startS) + Math.abs(i - startI) < CONVERGED_CHANGE)
      return { incidence, reproduction_number: reproduction, susceptible: s, infectious: i, converged: true };
  }
  return { incidence, reproduction_number: reproduction, susceptible: s, infectious: i, converged: false };
}

/**
 * The effect of a month's rain on transmission, as a share of the wettest month's: rⁿ / (rⁿ + Kⁿ) with n = 2, so that a
 * few showers have little effect, and rain in excess of what the ground can hold has no further effect. Without any
 * rain there is no season, and all values are 1.
 * @param rain_mm twelve values
 * @param half_saturation_mm K
 * @param steepness n
 */
export function rainForcing(rain_mm: readonly number[], half_saturation_mm: number, steepness = 2): number[] {
  const effects = rain_mm.map((rain) => rain ** steepness / (rain ** steepness + half_saturation_mm ** steepness));
  const largest = Math.max(...effects);
  return effects.map((value) => (largest > 0 ? value / largest : 1));
}
