/**
 * Families of truth: what a made-up country's prevalence has beside the terms that the risk model knows. Strengths were
 * fixed before any score was seen and are those of the whole family; `mixed` has all of them at half strength.
 */
export const FAMILIES = ['matern', 'lga-effects', 'campaigns', 'nonstationary', 'trend', 'mixed'] as const;
/** Further families are for whoever wants to know; they do not count in the record. */
export const FURTHER_FAMILIES = ['late-season', 'informative', 'misplaced', 'linked', 'unlinked'] as const;
export const ALL_FAMILIES = [...FAMILIES, ...FURTHER_FAMILIES] as const;
export type TruthFamily = (typeof ALL_FAMILIES)[number];

/** Lasting effects of LGAs, independent normal: their standard deviation, logit. */
export const LGA_EFFECT_SD = 0.3;
/** Campaigns lower one state each: by a step between these, logit, in a month of these years; the step fades. */
export const CAMPAIGN = {
  share_of_states: 1 / 3,
  steps: [-0.5, -1],
  half_life_years: 2,
  first: '2010-01',
  last: '2023-12',
} as const;
/** The field's range on one side of a line through the country and on the other, km, and its standard deviation. */
export const HALVES = { range_km: [60, 300], sd_factor: [2, 1] } as const;
/** Slope in logit a year: the nation's, and how much more or less a state's is. */
export const TREND = { nation: -0.1, state: 0.1 };

/** `late-season`: months by which prevalence comes after the season that rain and cases have. */
export const SEASON_DELAY_MONTHS = 1;
/** `informative`: of two places that a survey might go to, how often it goes to that of higher prevalence. */
export const SEEKS_PREVALENCE = 0.75;
/** `misplaced`: one cluster in so many is given a place up to so far from its own. */
export const MISPLACED = { one_in: 20, reach_km: 50 };
/**
 * `linked` and `unlinked`: prevalence departs from the usual for some months (standard deviations in logit, one course of
 * the nation's and one of each state's), and so do reported cases: `linked` by as much over `elasticity`, `unlinked` by
 * courses of their own. To cases alone comes reporting, ln cases, and records by LGA are as long as those by state.
 */
export const LINK = {
  elasticity: 0.6,
  deviations: { nation_sd: 0.3, state_sd: 0.4, months: 9 },
  reporting: { nation_sd: 0, state_sd: 0.15, months: 4 },
  lga_cases_first: '2015-01',
} as const;

/** How much of each departure a family has: 1 is full strength. */
export interface Strengths {
  lga_effects: number;
  campaigns: number;
  nonstationary: number;
  trend: number;
}
const NONE: Strengths = { lga_effects: 0, campaigns: 0, nonstationary: 0, trend: 0 };
export const STRENGTHS: Record<TruthFamily, Strengths> = {
  matern: NONE,
  'lga-effects': { ...NONE, lga_effects: 1 },
  campaigns: { ...NONE, campaigns: 1 },
  nonstationary: { ...NONE, nonstationary: 1 },
  trend: { ...NONE, trend: 1 },
  mixed: { lga_effects: 0.5, campaigns: 0.5, nonstationary: 0.5, trend: 0.5 },
  // The truth of these is as matern's; what is wrong with them lies in the season and the surveys.
  'late-season': NONE,
  informative: NONE,
  misplaced: NONE,
  // These depart from month to month.
  linked: NONE,
  unlinked: NONE,
};

/** A line on each, for people. */
export const FAMILY_WORDS: Record<TruthFamily, string> = {
  matern: "the risk model's own kind of truth: a Matérn field that changes slowly, density, a season",
  'lga-effects': 'and lasting effects of LGAs, standard deviation 0.3 logit',
  campaigns: 'and in a third of the states a fall of 0.5 to 1 logit that fades with a half-life of two years',
  nonstationary: 'but the field has a range of 60 km and twice the standard deviation in one half, 300 km in the other',
  trend: 'but the nation falls by 0.1 logit a year, half of the states by 0.2 and the others not at all',
  mixed: 'and all of these departures at half strength',
  'late-season': 'but prevalence follows rain and cases a month later',
  informative: 'but three clusters in four stand where, of two places drawn, prevalence is higher',
  misplaced: 'but one cluster in twenty is given a place up to 50 km away',
  linked: 'but prevalence departs from the usual for months at a time, and reported cases with it',
  unlinked: 'but prevalence departs from the usual for months at a time, and reported cases depart by themselves',
};

export function isFamily(text: string): text is TruthFamily {
  return (ALL_FAMILIES as readonly string[]).includes(text);
}
