import { addMonths, calendarMonth, monthIndex, type Period, periodRange } from '../contract/months.ts';
import { randomStream } from '../lib/numerics/random.ts';
import { expit } from '../lib/numerics/special.ts';
import type { Cells } from './cells.ts';
import { blendHalves, type Departures, departureByLga, drawDepartures, nationalSlope } from './departures.ts';
import type { TruthFamily } from './families.ts';
import { drawField, FIELD_FIRST_YEAR, type Field, fieldByYear } from './field.ts';
import type { Geography } from './geography.ts';

/**
 * The made-up truth. For a place x in LGA l and a month t,
 *
 *   logit p(x, t) = intercept + density · log10(persons per km² / 100) + elevation · km above the sea
 *                 + trend · (t − 2010, years) + sigma · field(x, t) + gamma · log s_l(month of t)
 *
 * field: variance 1, Matérn of smoothness 1 and range `range_km` over space; correlation `year_correlation`^|years|
 * over time at the middles of years, with linear interpolation between them. s: the seasonal index, 1 at its peak. The
 * positivity of a survey cluster has a beta distribution with mean p and variance p (1 − p) rho. Other families of
 * truth add effects of LGAs, campaigns and slopes of states, or have two fields (departures.ts).
 */
export interface PrevalenceRecipe {
  intercept: number;
  density: number;
  elevation: number;
  trend: number;
  gamma: number;
  sigma: number;
  range_km: number;
  year_correlation: number;
  rho: number;
}
export interface Prevalence {
  recipe: PrevalenceRecipe;
  /** Null if the departures have two fields instead. */
  field: Field | null;
  departures: Departures;
  periods: Period[];
  /** Share testing positive in a pooled cell in a month. */
  shareAt(cell: number, period: Period): number;
  /** By period and LGA: population-weighted share. */
  by_lga: number[][];
}

export const PREVALENCE_FIRST: Period = '2010-01';
export const PREVALENCE_LAST: Period = '2024-04';
/** Distribution of the seasonal exponent, which the fitted model may use as its prior. */
export const GAMMA = { mean: 0.4, sd: 0.1 };
/** National prevalence in the autumn of 2010, which determines the intercept. Nigeria's 2010 survey found 42%. */
const LEVEL_2010 = 0.4;

/** @param season by LGA: the seasonal index from January to December, 1 at its peak */
export function makePrevalence(
  seed: number,
  family: TruthFamily,
  geography: Geography,
  cells: Cells,
  season: number[][],
): Prevalence {
  const random = randomStream(seed, 'prevalence');
  const drawBetween = (low: number, high: number) => low + (high - low) * random.uniform();
  const recipe: PrevalenceRecipe = {
    intercept: 0,
    density: drawBetween(-0.75, -0.45),
    elevation: drawBetween(-0.7, -0.3),
    trend: drawBetween(-0.09, -0.06),
    gamma: GAMMA.mean + GAMMA.sd * random.normal(),
    sigma: drawBetween(0.6, 0.8),
    range_km: drawBetween(150, 300),
    year_correlation: drawBetween(0.93, 0.97),
    rho: drawBetween(0.06, 0.12),
  };
  const departures = drawDepartures(seed, family, geography, cells, recipe);
  recipe.trend = nationalSlope(family, recipe.trend);
  const { halves } = departures;
  const field = halves ? null : drawField(seed, 'prevalence field', recipe.range_km, recipe.year_correlation);
  const fieldByKnot = halves ? blendHalves(halves, cells) : fieldByYear(field!, cells);
  const constantTerms = cells.population_density.map(
    (density, i) => recipe.density * Math.log10(density / 100) + (recipe.elevation * cells.elevation_m[i]!) / 1000,
  );
  const logSeason = season.map((index) => index.map((value) => recipe.gamma * Math.log(value)));

  const monthLogits = (period: Period) => {
    const month = calendarMonth(period) - 1;
    const years = yearsSince2010(period);
    // Knots are the middles of years.
    const position = 2010 + years - 0.5 - FIELD_FIRST_YEAR;
    const knot = Math.floor(position);
    const nextWeight = position - knot;
    const [before, after] = [fieldByKnot[knot]!, fieldByKnot[knot + 1]!];
    const lgaDepartures = departureByLga(departures, geography, period, years);
    return Float64Array.from(constantTerms, (value, i) => {
      const fieldLogit = recipe.sigma * ((1 - nextWeight) * before[i]! + nextWeight * after[i]!);
      const lga = cells.lga_index[i]!;
      const logit = recipe.intercept + value + recipe.trend * years + fieldLogit + lgaDepartures[lga]!;
      return logit + logSeason[lga]![month]!;
    });
  };
  recipe.intercept = findIntercept(cells, monthLogits);

  const periods = periodRange(PREVALENCE_FIRST, PREVALENCE_LAST);
  const logitsByPeriod = new Map<Period, Float64Array>();
  const cachedLogits = (period: Period) => {
    const logits = logitsByPeriod.get(period) ?? monthLogits(period);
    logitsByPeriod.set(period, logits);
    return logits;
  };
  const shareAt = (cell: number, period: Period) => expit(cachedLogits(period)[cell]!);
  const by_lga = periods.map((period) => {
    const positive = new Array<number>(season.length).fill(0);
    const people = new Array<number>(season.length).fill(0);
    for (const [cell, lga] of cells.lga_index.entries()) {
      positive[lga]! += cells.population[cell]! * shareAt(cell, period);
      people[lga]! += cells.population[cell]!;
    }
    return positive.map((sum, lga) => sum / people[lga]!);
  });
  return { recipe, field, departures, periods, shareAt, by_lga };
}

/** Years from the start of 2010 to the middle of the month. */
function yearsSince2010(period: Period): number {
  return (monthIndex(period) - monthIndex('2010-01') + 0.5) / 12;
}

/** The intercept for which the nation's mean of September to December 2010 is `LEVEL_2010`, by bisection. */
function findIntercept(cells: Cells, monthLogits: (period: Period) => Float64Array): number {
  const months = [0, 1, 2, 3].map((i) => addMonths('2010-09', i));
  const logitsByMonth = months.map(monthLogits);
  const people = cells.population.reduce((sum, persons) => sum + persons, 0);
  const nationalPrevalence = (intercept: number) => {
    let positive = 0;
    for (const values of logitsByMonth) {
      for (const [cell, value] of values.entries()) positive += cells.population[cell]! * expit(intercept + value);
    }
    return positive / people / months.length;
  };
  let [low, high] = [-10, 10];
  for (let i = 0; i < 50; i++) {
    const middle = (low + high) / 2;
    if (nationalPrevalence(middle) < LEVEL_2010) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
