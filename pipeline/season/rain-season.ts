import { BadInput } from '../bad-input.ts';
import { correlation, mean } from '../numerics/averages.ts';
import { minimiseBounded } from '../numerics/bounded-squares.ts';
import type { Random } from '../numerics/random.ts';
import { type SirsCycle, seasonAt, sirsCycle } from './sirs.ts';

/** How rain makes a season of cases, the same everywhere. */
export interface RainSeason {
  /** Rain at which transmission's seasonal part is at half its ceiling, mm a month. */
  half_saturation_mm: number;
  /** Months by which transmission follows rain. */
  lag_months: number;
  /** New infections per infection in a month without rain, if everybody were susceptible. */
  dry_reproduction_number: number;
  /** Share of the peak's transmission that needs no rain. */
  share_year_round: number;
}
export interface Durations {
  infectious_months: number;
  immune_months: number;
}
/** A place's usual rain by month (mm, January first) and the season of its cases (shares of the peak). */
export interface SeasonRecord {
  rain_mm: readonly number[];
  season: readonly number[];
}

/** The fit to Nigeria's twelve state records (infectious 2, immune 3 months), used for a country without records. */
export const DEFAULT_RAIN_SEASON: RainSeason = {
  half_saturation_mm: 75,
  lag_months: 2.4,
  dry_reproduction_number: 2.5,
  share_year_round: 0.6,
};

const BOUNDS = [
  { low: 10, high: 400, log: true },
  { low: 0, high: 4 },
  { low: 1.1, high: 8, log: true },
  { low: 0.2, high: 1 },
];
const STARTS = 6;

/**
 * The effect of a month's rain on transmission, as a share of the wettest month's: rⁿ / (rⁿ + Kⁿ) with n = 2, so that a
 * few showers do little, and more rain than the ground can hold has no further effect. Without any rain there is no
 * season, and all values are 1.
 * @param rain_mm twelve values
 * @param half_saturation_mm K
 * @param steepness n
 */
export function rainForcing(rain_mm: readonly number[], half_saturation_mm: number, steepness = 2): number[] {
  const passed = rain_mm.map((rain) => rain ** steepness / (rain ** steepness + half_saturation_mm ** steepness));
  const most = Math.max(...passed);
  return passed.map((value) => (most > 0 ? value / most : 1));
}

/** The yearly cycle of an SIRS model whose transmission follows a place's usual rain. */
function rainCycle(rain_mm: readonly number[], rain: RainSeason, durations: Durations): SirsCycle {
  const transmission_rate = rain.dry_reproduction_number / rain.share_year_round / durations.infectious_months;
  const season = { monthly: rainForcing(rain_mm, rain.half_saturation_mm), lag_months: rain.lag_months };
  return sirsCycle({ transmission_rate, share_year_round: rain.share_year_round, ...durations }, season);
}

/**
 * Expected cases by month as shares of the peak, January first: new infections on the yearly cycle.
 * @throws BadInput for durations under which the model does not settle on a cycle
 */
export function expectedSeason(rain_mm: readonly number[], rain: RainSeason, durations: Durations): number[] {
  const { incidence, settled } = rainCycle(rain_mm, rain, durations);
  if (!settled)
    throw new BadInput(
      'model.json',
      'parameters.transmission',
      `infectious_months ${durations.infectious_months} and immune_months ${durations.immune_months}, under which the season settles on no yearly cycle`,
      'others',
    );
  return scaleToPeak(incidence);
}

/**
 * Least squares between expected and recorded seasons over all records; the defaults if there are none.
 *
 * How far a season swings is the SIRS's, the same parameters everywhere; twelve records support nothing finer. Left out,
 * Nigeria's states are off by .096 of the peak, 7 of 144 months on the wrong side of half. Looked at as well, with these
 * figures held out: a power of the index (.092, 7), a floor of reports (.093, 7), the power moved by annual rain, dry
 * months or temperature (.092-.095, 7), rain × temperature (.099, 7), losses on logarithms (.095-.113, 7), durations in
 * the fit (.098, 7); none finds a low month. A deeper swing is refuted: the power 1.3 gives 17 wrong months, 2 gives 42.
 * Nor do drier places swing more in the records: Kebbi and Zamfara fall to .56 and .61, Nasarawa and Plateau to .45 and .43.
 */
export function fitRainSeason(records: readonly SeasonRecord[], durations: Durations, random: Random): RainSeason {
  if (records.length === 0) return DEFAULT_RAIN_SEASON;
  const residuals = (parameters: readonly number[]) =>
    records.flatMap(({ rain_mm, season }) => {
      const expected = scaleToPeak(rainCycle(rain_mm, named(parameters), durations).incidence);
      return expected.map((value, month) => value - season[month]!);
    });
  return named(minimiseBounded(residuals, BOUNDS, { starts: STARTS, random, iterations: 25 }).parameters);
}

/**
 * The part of transmission that rain makes, by month, January first: the mean of s(t) over the month, without what needs
 * no rain and without people's immunity. s runs straight between mid-months and is late by the lag, so it bends once.
 */
export function rainTransmission(rain_mm: readonly number[], { half_saturation_mm, lag_months }: RainSeason): number[] {
  const season = { monthly: rainForcing(rain_mm, half_saturation_mm), lag_months };
  const bend = (lag_months + 0.5) % 1;
  const mean = (from: number, to: number) => ((seasonAt(season, from) + seasonAt(season, to)) / 2) * (to - from);
  return rain_mm.map((_, month) => mean(month, month + bend) + mean(month + bend, month + 1));
}

/** The lag in whole months, 0 to 6, at which rain and expected cases correlate best; the shortest of equals. */
export function wholeLag(rain_mm: readonly number[], cases: readonly number[]): number {
  let best = { lag: 0, r: Number.NEGATIVE_INFINITY };
  for (let lag = 0; lag <= 6; lag++) {
    const r = correlation(
      cases.map((_, month) => rain_mm[(month + 12 - lag) % 12]!),
      cases,
    );
    if (r > best.r) best = { lag, r };
  }
  return best.lag;
}

/** Usual amount by calendar month, January first: mean over the years of a monthly series that starts in month `first` (0-11). */
export function usualByMonth(series: readonly number[], first: number): number[] {
  return Array.from({ length: 12 }, (_, month) => mean(series.filter((_, t) => (first + t) % 12 === month)));
}

function named([
  half_saturation_mm,
  lag_months,
  dry_reproduction_number,
  share_year_round,
]: readonly number[]): RainSeason {
  return {
    half_saturation_mm: half_saturation_mm!,
    lag_months: lag_months!,
    dry_reproduction_number: dry_reproduction_number!,
    share_year_round: share_year_round!,
  };
}

function scaleToPeak(values: readonly number[]): number[] {
  const peak = Math.max(...values);
  return values.map((value) => value / peak);
}
