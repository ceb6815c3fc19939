import { BadInput } from '../../lib/bad-input.ts';
import { correlation, mean } from '../../lib/numerics/averages.ts';
import { minimiseBoundedSquares } from '../../lib/numerics/bounded-squares.ts';
import type { Random } from '../../lib/numerics/random.ts';
import { type Durations, rainForcing, type SirsCycle, seasonAt, sirsCycle } from '../../lib/numerics/sirs.ts';

/** Parameters of the effect of rain on the season of cases, the same everywhere. */
export interface RainSeason {
  /** Rain at which the seasonal part of transmission is at half its maximum, mm a month. */
  half_saturation_mm: number;
  /** Months by which transmission follows rain. */
  lag_months: number;
  /** New infections per infection in a month without rain, in a fully susceptible population. */
  dry_reproduction_number: number;
  /** Share of peak transmission that does not depend on rain. */
  share_year_round: number;
}
/** A place's usual rain by month (mm, January first) and the recorded season of its cases (shares of the peak). */
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

const PARAMETER_BOUNDS = [
  { low: 10, high: 400, log: true },
  { low: 0, high: 4 },
  { low: 1.1, high: 8, log: true },
  { low: 0.2, high: 1 },
];
const SEARCH_STARTS = 6;

/** The yearly cycle of an SIRS model whose transmission follows a place's usual rain. */
function rainCycle(rain_mm: readonly number[], rainSeason: RainSeason, durations: Durations): SirsCycle {
  const transmission_rate =
    rainSeason.dry_reproduction_number / rainSeason.share_year_round / durations.infectious_months;
  const season = { monthly: rainForcing(rain_mm, rainSeason.half_saturation_mm), lag_months: rainSeason.lag_months };
  return sirsCycle({ transmission_rate, share_year_round: rainSeason.share_year_round, ...durations }, season);
}

/**
 * Expected cases by month as shares of the peak, January first: new infections on the yearly cycle.
 * @throws BadInput if the model does not converge to a cycle with these durations
 */
export function expectedSeason(rain_mm: readonly number[], rainSeason: RainSeason, durations: Durations): number[] {
  const { incidence, converged } = rainCycle(rain_mm, rainSeason, durations);
  if (!converged)
    throw new BadInput({
      file: 'model.json',
      where: 'parameters.transmission',
      found:
        `infectious_months ${durations.infectious_months} and immune_months ${durations.immune_months}, with which ` +
        'the season does not converge to a yearly cycle',
      expected: 'durations with which it does',
    });
  return scaleToPeak(incidence);
}

/**
 * Least squares between expected and recorded seasons over all records; the defaults if there are none.
 *
 * The seasonal swing is determined by the SIRS with the same parameters everywhere; twelve records support nothing
 * finer (alternatives that were tested: MODEL.md, section 9).
 */
export function fitRainSeason(records: readonly SeasonRecord[], durations: Durations, random: Random): RainSeason {
  if (records.length === 0) return DEFAULT_RAIN_SEASON;
  const residuals = (parameters: readonly number[]) =>
    records.flatMap(({ rain_mm, season }) => {
      const expected = scaleToPeak(rainCycle(rain_mm, toRainSeason(parameters), durations).incidence);
      return expected.map((value, month) => value - season[month]!);
    });
  return toRainSeason(
    minimiseBoundedSquares(residuals, PARAMETER_BOUNDS, { starts: SEARCH_STARTS, random, iterations: 25 }).parameters,
  );
}

/**
 * Rain-driven transmission by month, January first: the mean of s(t) over the month, without the part that does not
 * depend on rain and without immunity. s is linear between delayed mid-months, so it has one kink in each month.
 */
export function rainTransmission(rain_mm: readonly number[], { half_saturation_mm, lag_months }: RainSeason): number[] {
  const season = { monthly: rainForcing(rain_mm, half_saturation_mm), lag_months };
  const kink = (lag_months + 0.5) % 1;
  const spanMean = (from: number, to: number) => ((seasonAt(season, from) + seasonAt(season, to)) / 2) * (to - from);
  return rain_mm.map((_, month) => spanMean(month, month + kink) + spanMean(month + kink, month + 1));
}

/** The lag in full months, 0 to 6, with the highest correlation of rain and expected cases; the shortest of equals. */
export function lagInMonths(rain_mm: readonly number[], cases: readonly number[]): number {
  let best = { lag: 0, r: Number.NEGATIVE_INFINITY };
  for (let lag = 0; lag <= 6; lag++) {
    const correlationAtLag = correlation(
      cases.map((_, month) => rain_mm[(month + 12 - lag) % 12]!),
      cases,
    );
    if (correlationAtLag > best.r) best = { lag, r: correlationAtLag };
  }
  return best.lag;
}

/** Mean over the years by calendar month, January first, of a monthly series that starts in month `first` (0-11). */
export function meanByCalendarMonth(series: readonly number[], first: number): number[] {
  return Array.from({ length: 12 }, (_, month) => mean(series.filter((_, t) => (first + t) % 12 === month)));
}

function toRainSeason([
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
