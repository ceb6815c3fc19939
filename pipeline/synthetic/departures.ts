import { addMonths, monthIndex, type Period } from '../contract/months.ts';
import { type Random, randomStream } from '../lib/numerics/random.ts';
import type { Cells } from './cells.ts';
import { CAMPAIGN, HALVES, LGA_EFFECT_SD, STRENGTHS, TREND, type TruthFamily } from './families.ts';
import { drawField, type Field, fieldByYear } from './field.ts';
import type { Geography } from './geography.ts';
import { KM_PER_DEGREE_LATITUDE, KM_PER_DEGREE_LONGITUDE } from './noise.ts';
import { STATES } from './states.ts';

/**
 * A campaign: from `first` on, logit prevalence in a state changes by `step`, half of which has faded after two years.
 */
export interface Campaign {
  /** Position in `STATES`. */
  state_index: number;
  first: Period;
  /** Negative, logit. */
  step: number;
}
/**
 * Two fields, one on each side of a line: a place at x km along the line's normal is in the first half if x <
 * offset_km.
 */
export interface Halves {
  direction: [number, number];
  offset_km: number;
  range_km: [number, number];
  sd_factor: [number, number];
  fields: [Field, Field];
}
/** How a truth departs from the model that is fitted; null for each departure that its family lacks. */
export interface Departures {
  family: TruthFamily;
  /** By LGA, logit. */
  lga_effects: number[] | null;
  campaigns: Campaign[] | null;
  /** By state: difference of its slope from the nation's, logit per year from 2010 on. */
  state_slopes: number[] | null;
  halves: Halves | null;
}
/** The recipe that departures alter. */
interface AlteredRecipe {
  trend: number;
  range_km: number;
  year_correlation: number;
}

/** Within this distance of the line between the halves, the two fields are blended. */
const BLEND_KM = 25;

/**
 * Draws a family's departures, each from its own random stream, so that families of one seed share everything else. A
 * departure of strength s interpolates between the recipe's value (s = 0) and that of the full family (s = 1).
 */
export function drawDepartures(
  seed: number,
  family: TruthFamily,
  geography: Geography,
  cells: Cells,
  recipe: AlteredRecipe,
): Departures {
  const strength = STRENGTHS[family];
  const stream = (name: string) => randomStream(seed, `truth ${name}`);
  const { lga_effects, campaigns, trend, nonstationary } = strength;
  return {
    family,
    lga_effects: lga_effects > 0 ? drawLgaEffects(stream('lga-effects'), lga_effects, geography) : null,
    campaigns: campaigns > 0 ? drawCampaigns(stream('campaigns'), campaigns) : null,
    state_slopes: trend > 0 ? drawStateSlopes(stream('trend'), trend) : null,
    halves: nonstationary > 0 ? drawHalves(seed, stream('nonstationary'), nonstationary, cells, recipe) : null,
  };
}

/** The nation's slope under a family, logit per year; `slope` is the recipe's. */
export function nationalSlope(family: TruthFamily, slope: number): number {
  const { trend } = STRENGTHS[family];
  return trend > 0 ? (1 - trend) * slope + trend * TREND.nation : slope;
}

function drawLgaEffects(random: Random, strength: number, { lgas }: Geography): number[] {
  return lgas.map(() => strength * LGA_EFFECT_SD * random.normal());
}

function drawCampaigns(random: Random, strength: number): Campaign[] {
  const chosenStates = shuffle(random, [...STATES.keys()]).slice(
    0,
    Math.round(CAMPAIGN.share_of_states * STATES.length),
  );
  const months = monthIndex(CAMPAIGN.last) - monthIndex(CAMPAIGN.first) + 1;
  const [weakest, strongest] = CAMPAIGN.steps;
  return chosenStates
    .sort((a, b) => a - b)
    .map((stateIndex) => ({
      state_index: stateIndex,
      first: addMonths(CAMPAIGN.first, Math.floor(months * random.uniform())),
      step: strength * (weakest + (strongest - weakest) * random.uniform()),
    }));
}

/**
 * Of two states of similar population, one gets a higher and the other a lower slope, so the nation's hardly changes.
 */
function drawStateSlopes(random: Random, strength: number): number[] {
  const slopes = new Array<number>(STATES.length).fill(0);
  const byPeople = [...STATES.keys()].sort((a, b) => STATES[b]!.people - STATES[a]!.people || a - b);
  for (let i = 0; i < byPeople.length; i += 2) {
    const sign = random.uniform() < 0.5 ? -1 : 1;
    slopes[byPeople[i]!] = sign * strength * TREND.state;
    if (i + 1 < byPeople.length) slopes[byPeople[i + 1]!] = -sign * strength * TREND.state;
  }
  return slopes;
}

function drawHalves(seed: number, random: Random, strength: number, cells: Cells, recipe: AlteredRecipe): Halves {
  const angle = 2 * Math.PI * random.uniform();
  const direction: [number, number] = [Math.cos(angle), Math.sin(angle)];
  const positions = cells.lga_index.map((_, i) => kmAlongNormal(direction, cells, i)).sort((a, b) => a - b);
  const interpolate = (usual: number, full: number) => usual ** (1 - strength) * full ** strength;
  const range_km = HALVES.range_km.map((full) => interpolate(recipe.range_km, full)) as [number, number];
  return {
    direction,
    offset_km: positions[Math.floor(positions.length / 2)]!,
    range_km,
    sd_factor: HALVES.sd_factor.map((full) => 1 + strength * (full - 1)) as [number, number],
    fields: [
      drawField(seed, 'truth first half', range_km[0], recipe.year_correlation),
      drawField(seed, 'truth second half', range_km[1], recipe.year_correlation),
    ],
  };
}

function kmAlongNormal([x, y]: [number, number], cells: Cells, cell: number): number {
  return x * cells.longitude[cell]! * KM_PER_DEGREE_LONGITUDE + y * cells.latitude[cell]! * KM_PER_DEGREE_LATITUDE;
}

/** Share of the first half's field in the variance at a place: 1 well inside the half, 0 well outside. */
export function firstHalfShare({ direction, offset_km }: Halves, cells: Cells, cell: number): number {
  const position = (offset_km - kmAlongNormal(direction, cells, cell) + BLEND_KM) / (2 * BLEND_KM);
  const share = Math.min(1, Math.max(0, position));
  return share * share * (3 - 2 * share);
}

/** Values by year and cell: each half has its own field and standard deviation, blended at the line. */
export function blendHalves(halves: Halves, cells: Cells): Float64Array[] {
  const [firstField, secondField] = halves.fields.map((field) => fieldByYear(field, cells)) as [
    Float64Array[],
    Float64Array[],
  ];
  const [firstSd, secondSd] = halves.sd_factor;
  return firstField.map((values, k) =>
    values.map((value, i) => {
      const share = firstHalfShare(halves, cells, i);
      return Math.sqrt(share) * firstSd * value + Math.sqrt(1 - share) * secondSd * secondField[k]![i]!;
    }),
  );
}

/** By LGA, logit: the sum of all departures except halves in a month, `years` years after the start of 2010. */
export function departureByLga(
  departures: Departures,
  { lgas }: Geography,
  period: Period,
  years: number,
): Float64Array {
  const { lga_effects, campaigns, state_slopes } = departures;
  const byState = STATES.map((_, stateIndex) => (state_slopes ? state_slopes[stateIndex]! * years : 0));
  for (const { state_index, first, step } of campaigns ?? []) {
    const yearsSince = (monthIndex(period) - monthIndex(first) + 0.5) / 12;
    if (yearsSince > 0) byState[state_index]! += step * 2 ** (-yearsSince / CAMPAIGN.half_life_years);
  }
  return Float64Array.from(lgas, ({ state_index }, i) => (lga_effects?.[i] ?? 0) + byState[state_index]!);
}

/** Fisher-Yates shuffle, in place. */
function shuffle<T>(random: Random, values: T[]): T[] {
  for (let i = values.length - 1; i > 0; i--) {
    const j = Math.floor((i + 1) * random.uniform());
    [values[i], values[j]] = [values[j]!, values[i]!];
  }
  return values;
}
