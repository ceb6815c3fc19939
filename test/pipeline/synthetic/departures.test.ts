/** Each family's truth has the documented strength, measured from prevalence alone if possible. */
import { expect, test } from 'vitest';
import { monthIndex } from '../../../pipeline/contract/months.ts';
import { type Cells, poolCells } from '../../../pipeline/synthetic/cells.ts';
import { blendHalves, firstHalfShare } from '../../../pipeline/synthetic/departures.ts';
import { FAMILIES, type TruthFamily } from '../../../pipeline/synthetic/families.ts';
import { makeGeography } from '../../../pipeline/synthetic/geography.ts';
import { KM_PER_DEGREE_LATITUDE, KM_PER_DEGREE_LONGITUDE } from '../../../pipeline/synthetic/noise.ts';
import { makePopulation } from '../../../pipeline/synthetic/population.ts';
import { makePrevalence, type Prevalence } from '../../../pipeline/synthetic/prevalence.ts';
import { STATES } from '../../../pipeline/synthetic/states.ts';
import { makeTerrain } from '../../../pipeline/synthetic/terrain.ts';

const SEED = 1;
const geography = makeGeography(SEED);
const cells = thin(poolCells(geography, makePopulation(SEED, geography), makeTerrain(SEED)));
// The season does not matter for these tests.
const flat = geography.lgas.map(() => new Array<number>(12).fill(1));
const truths = Object.fromEntries(
  FAMILIES.map((family) => [family, makePrevalence(SEED, family, geography, cells, flat)]),
) as Record<TruthFamily, Prevalence>;

/** A tenth of the cells, but at least one of every LGA: enough for measurements, and fast. */
function thin(all: Cells): Cells {
  const kept = all.lga_index.flatMap((lga, i) => (i % 10 === 0 || all.lga_index[i - 1] !== lga ? [i] : []));
  const pick = (values: number[]) => kept.map((i) => values[i]!);
  return {
    lga_index: pick(all.lga_index),
    longitude: pick(all.longitude),
    latitude: pick(all.latitude),
    population: pick(all.population),
    population_density: pick(all.population_density),
    elevation_m: pick(all.elevation_m),
    pooled_cell: all.pooled_cell,
  };
}

const sum = (values: Iterable<number>) => [...values].reduce((total, value) => total + value, 0);
const mean = (values: number[]) => sum(values) / values.length;
const sd = (values: number[]) => Math.sqrt(mean(values.map((value) => value * value)) - mean(values) ** 2);
const logit = (share: number) => Math.log(share / (1 - share));
/** One cell of each LGA: between two families of one seed, its prevalence differs only by their departures. */
const cellOf = geography.lgas.map((_, lga) => cells.lga_index.indexOf(lga));
/** By LGA: the family's logit minus that of `matern`, without the difference of their intercepts. */
function difference(family: TruthFamily, period: string): number[] {
  const [own, plain] = [truths[family], truths.matern];
  return cellOf.map(
    (cell) =>
      logit(own.shareAt(cell, period)) -
      logit(plain.shareAt(cell, period)) -
      own.recipe.intercept +
      plain.recipe.intercept,
  );
}

test('every family has the same national level in the autumn of 2010', () => {
  const people = geography.lgas.map((_, lga) =>
    sum(cells.population.filter((_, cell) => cells.lga_index[cell] === lga)),
  );
  for (const { by_lga, periods } of Object.values(truths)) {
    const level = ['2010-09', '2010-10', '2010-11', '2010-12'].map((period) => {
      const row = by_lga[periods.indexOf(period)]!;
      return sum(row.map((share, lga) => share * people[lga]!)) / sum(people);
    });
    expect(mean(level)).toBeCloseTo(0.4, 6);
  }
});

test.each([
  ['lga-effects', 1],
  ['mixed', 0.5],
] as const)('%s: LGA effects have a standard deviation of 0.3 × %d logit', (family, strength) => {
  const { lga_effects } = truths[family].departures;
  // The sampling error of a standard deviation of 774 is 2.5%.
  expect(sd(lga_effects!)).toBeGreaterThan(0.3 * strength * 0.92);
  expect(sd(lga_effects!)).toBeLessThan(0.3 * strength * 1.08);
  expect(Math.abs(mean(lga_effects!))).toBeLessThan(0.04 * strength);
});

test('lga-effects: the truth includes the effects, the same in every month', () => {
  const effects = truths['lga-effects'].departures.lga_effects!;
  for (const period of ['2010-11', '2018-10', '2024-04'])
    for (const [lga, moved] of difference('lga-effects', period).entries()) expect(moved).toBeCloseTo(effects[lga]!, 8);
});

test.each([
  ['campaigns', 1],
  ['mixed', 0.5],
] as const)('%s: 12 of 37 states have a step of -0.5 to -1 logit × %d', (family, strength) => {
  const { campaigns } = truths[family].departures;
  expect(new Set(campaigns!.map(({ state_index: state }) => state)).size).toBe(12);
  for (const { step, first } of campaigns!) {
    expect(step / strength).toBeLessThanOrEqual(-0.5);
    expect(step / strength).toBeGreaterThanOrEqual(-1);
    expect(first >= '2010-01' && first <= '2023-12').toBe(true);
  }
  expect(new Set(campaigns!.map(({ first }) => first.slice(0, 4))).size).toBeGreaterThan(5);
});

test('campaigns: the truth falls by the step, half of which is left after two years, in these states alone', () => {
  const { campaigns } = truths.campaigns.departures;
  const early = campaigns!.find(({ first }) => first > '2010-01' && first < '2020-01')!;
  const inState = geography.lgas.findIndex(({ state_index: state }) => state === early.state_index);
  const at = (months: number) => {
    const index = monthIndex(early.first) + months;
    const period = truths.matern.periods.find((other) => monthIndex(other) === index)!;
    return difference('campaigns', period)[inState]!;
  };
  expect(at(-1)).toBeCloseTo(0, 8);
  // The middle of its first month is half a month after its start.
  expect(at(0)).toBeCloseTo(early.step * 2 ** (-0.5 / 24), 8);
  expect(at(24) / at(0)).toBeCloseTo(0.5, 8);
  const without = geography.lgas.findIndex(
    ({ state_index: state }) => !campaigns!.some((campaign) => campaign.state_index === state),
  );
  for (const period of ['2012-01', '2023-12']) expect(difference('campaigns', period)[without]).toBeCloseTo(0, 8);
});

test('trend: the nation falls by 0.1 logit a year, and states by 0.1 more or less', () => {
  const years = 13;
  const [first, last] = ['2010-11', '2023-11'].map((period) => difference('trend', period));
  // Add the slope of matern, which both families contain.
  const slopes = first!.map((start, lga) => (last![lga]! - start) / years + truths.matern.recipe.trend);
  const byState = STATES.map((_, at) => slopes[geography.lgas.findIndex(({ state_index: state }) => state === at)]!);
  for (const slope of byState) expect(Math.abs(slope + 0.1)).toBeCloseTo(0.1, 8);
  expect(byState.filter((slope) => slope < -0.1).length).toBeOneOf([18, 19]);
  const people = STATES.map(({ people }) => people);
  const nation = sum(byState.map((slope, state) => slope * people[state]!)) / sum(people);
  expect(nation).toBeGreaterThan(-0.11);
  expect(nation).toBeLessThan(-0.09);
});

test('mixed: the slope is half way from that of matern to -0.1, with states 0.05 above or below', () => {
  const { departures, recipe } = truths.mixed;
  expect(recipe.trend).toBeCloseTo((truths.matern.recipe.trend - 0.1) / 2, 12);
  for (const slope of departures.state_slopes!) expect(Math.abs(slope)).toBeCloseTo(0.05, 12);
});

test('nonstationary: each half has half of the cells, and its own standard deviation and correlation range', () => {
  const halves = truths.nonstationary.departures.halves!;
  expect(halves.range_km).toEqual([60, 300]);
  const shares = cells.lga_index.map((_, cell) => firstHalfShare(halves, cells, cell));
  expect(mean(shares)).toBeGreaterThan(0.48);
  expect(mean(shares)).toBeLessThan(0.52);
  const years = blendHalves(halves, cells);
  const inside = (half: number) => [...cells.lga_index.keys()].filter((cell) => shares[cell] === (half === 0 ? 1 : 0));
  // A country contains many patches of 60 km but few of 300 km, so the tolerance is wider for the second half.
  const spread = (half: number) => sd(inside(half).map((cell) => years[9]![cell]!));
  expect(spread(0)).toBeGreaterThan(2 * 0.85);
  expect(spread(0)).toBeLessThan(2 * 1.15);
  expect(spread(1)).toBeGreaterThan(0.6);
  expect(spread(1)).toBeLessThan(1.4);
  const correlation = correlationAt(inside(0), years[9]!, 60);
  expect(correlation).toBeGreaterThan(0);
  expect(correlation).toBeLessThan(0.3);
  expect(correlationAt(inside(1), years[9]!, 60)).toBeGreaterThan(0.6);
});

/** Correlation of the field between cells about `km` apart. */
function correlationAt(inside: number[], values: Float64Array, km: number): number {
  const pairs: [number, number][] = [];
  const some = inside.filter((_, i) => i % 2 === 0);
  for (const [i, one] of some.entries()) {
    for (const another of some.slice(i + 1)) {
      const x = (cells.longitude[one]! - cells.longitude[another]!) * KM_PER_DEGREE_LONGITUDE;
      const y = (cells.latitude[one]! - cells.latitude[another]!) * KM_PER_DEGREE_LATITUDE;
      if (Math.abs(Math.hypot(x, y) - km) < 3)
        pairs.push([values[one]!, values[another]!], [values[another]!, values[one]!]);
    }
  }
  const [first, second] = [pairs.map(([one]) => one), pairs.map(([, another]) => another)];
  return (mean(pairs.map(([a, b]) => a * b)) - mean(first) * mean(second)) / (sd(first) * sd(second));
}

test('mixed: the halves differ by half as much, with ranges on a log scale', () => {
  const halves = truths.mixed.departures.halves!;
  expect(halves.sd_factor).toEqual([1.5, 1]);
  const own = truths.mixed.recipe.range_km;
  expect(halves.range_km[0]).toBeCloseTo(Math.sqrt(own * 60), 9);
  expect(halves.range_km[1]).toBeCloseTo(Math.sqrt(own * 300), 9);
});

test('matern has no departures, and families of one seed share the recipe', () => {
  expect(truths.matern.departures).toEqual({
    family: 'matern',
    lga_effects: null,
    campaigns: null,
    state_slopes: null,
    halves: null,
  });
  const { intercept: _, ...recipe } = truths.matern.recipe;
  for (const family of ['lga-effects', 'campaigns', 'nonstationary'] as const)
    expect(truths[family].recipe).toMatchObject(recipe);
});
