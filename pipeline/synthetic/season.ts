import { type Sirs, simulateSirs } from './sirs.ts';

/** How rain determines the season, everywhere in the made-up country. */
export const SEASON_RECIPE = {
  lag_months: 1,
  half_saturation_mm: 120,
  sirs: { b: 3.6, share_year_round: 0.5, infectious_months: 0.8, immune_months: 3.5 } satisfies Sirs,
};

/**
 * Forcing of transmission by rain, by month of year, 1 at its peak: rain `lag_months` earlier, which saturates as
 * rain / (rain + half_saturation_mm).
 */
export function rainForcing(rain_mm: number[]): number[] {
  const { lag_months, half_saturation_mm } = SEASON_RECIPE;
  return scaleToPeak(
    rain_mm.map((_, month) => {
      const rain = rain_mm[(month + 12 - lag_months) % 12]!;
      return rain / (rain + half_saturation_mm);
    }),
  );
}

/**
 * The true seasonal index, January first, 1 at its peak: new infections on the yearly cycle of an SIRS under `forcing`.
 */
export function seasonIndex(forcing: number[]): number[] {
  return scaleToPeak(simulateSirs(SEASON_RECIPE.sirs, forcing, 12));
}

export function scaleToPeak(values: number[]): number[] {
  const peak = Math.max(...values);
  return values.map((value) => value / peak);
}
