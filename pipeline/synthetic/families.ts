/**
 * Families of truth: the ways in which a made-up country's prevalence departs from the risk model. The strengths were
 * fixed before any score was seen; `mixed` has all departures at half strength.
 */
export const FAMILIES = ['matern', 'lga-effects', 'campaigns', 'nonstationary', 'trend', 'mixed'] as const;
export type TruthFamily = (typeof FAMILIES)[number];

/** Standard deviation of the lasting effects of LGAs (independent, normal), logit. */
export const LGA_EFFECT_SD = 0.3;
/**
 * A campaign lowers prevalence in one state by a step between `steps`, logit, from a month in this span on; the step
 * fades.
 */
export const CAMPAIGN = {
  share_of_states: 1 / 3,
  steps: [-0.5, -1],
  half_life_years: 2,
  first: '2010-01',
  last: '2023-12',
} as const;
/** The field's range, km, and its relative standard deviation on each side of a line through the country. */
export const HALVES = { range_km: [60, 300], sd_factor: [2, 1] } as const;
/** Slopes, logit per year: the nation's, and the amount by which states are above or below it. */
export const TREND = { nation: -0.1, state: 0.1 };

/** Strength of each departure in a family: 1 is full strength. */
export interface Strengths {
  lga_effects: number;
  campaigns: number;
  nonstationary: number;
  trend: number;
}
const NO_DEPARTURES: Strengths = { lga_effects: 0, campaigns: 0, nonstationary: 0, trend: 0 };
export const STRENGTHS: Record<TruthFamily, Strengths> = {
  matern: NO_DEPARTURES,
  'lga-effects': { ...NO_DEPARTURES, lga_effects: 1 },
  campaigns: { ...NO_DEPARTURES, campaigns: 1 },
  nonstationary: { ...NO_DEPARTURES, nonstationary: 1 },
  trend: { ...NO_DEPARTURES, trend: 1 },
  mixed: { lga_effects: 0.5, campaigns: 0.5, nonstationary: 0.5, trend: 0.5 },
};

/** One-line descriptions; those after matern's complete the phrase "as matern, ". */
export const FAMILY_DESCRIPTIONS: Record<TruthFamily, string> = {
  matern: 'the truth that the risk model assumes: a slowly changing Matérn field, density, a season',
  'lga-effects': 'with lasting effects of LGAs, standard deviation 0.3 logit',
  campaigns: 'with a fall of 0.5 to 1 logit in a third of the states, which fades with a half-life of two years',
  nonstationary: 'but in one half the field has a range of 60 km and twice the standard deviation, in the other 300 km',
  trend: 'but the nation falls by 0.1 logit a year, half of the states by 0.2 and the others not at all',
  mixed: 'with all of these departures at half strength',
};

export function isFamily(text: string): text is TruthFamily {
  return (FAMILIES as readonly string[]).includes(text);
}
