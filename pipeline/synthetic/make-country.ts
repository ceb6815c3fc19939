import { type LgaCases, makeLgaCases, makeStateCases, type StateCases } from './cases.ts';
import { type Cells, poolCells } from './cells.ts';
import { makeRain, meanRain, type Rain } from './climate.ts';
import type { TruthFamily } from './families.ts';
import { type Geography, makeGeography } from './geography.ts';
import type { Surface } from './noise.ts';
import { makePopulation, POPULATION_GRID, type Population } from './population.ts';
import { makePrevalence, type Prevalence } from './prevalence.ts';
import { cellCentre } from './raster.ts';
import { rainForcing, seasonIndex } from './season.ts';
import { type CountrySize, firstMonth, NIGERIAN_SIZE } from './size.ts';
import {
  buildFrame,
  CLUSTER_ROUNDS,
  STATE_ROUND,
  type SurveyCluster,
  type SurveyRound,
  takeSurvey,
} from './surveys.ts';
import { makeTerrain } from './terrain.ts';

/** A complete made-up country in memory, with its truth. Lists by LGA are in the order of `geography.lgas`. */
export interface SyntheticCountry {
  seed: number;
  size: CountrySize;
  geography: Geography;
  population: Population;
  terrain: Surface;
  rain: Rain;
  cells: Cells;
  /** By LGA: twelve values, January first. */
  rain_mm: number[][];
  forcing: number[][];
  season: number[][];
  prevalence: Prevalence;
  clusters: SurveyCluster[];
  state_round: SurveyCluster[];
  cases_states: StateCases[];
  cases_lgas: LgaCases[];
}

/**
 * Generates geography, population and weather; from these season and prevalence; and from those the records of surveys
 * and clinics. Each part draws from its own random streams under `seed`. `onProgress` is called before each part.
 */
export function makeCountry(
  seed: number,
  family: TruthFamily = 'matern',
  onProgress: (part: string) => void = () => {},
  size: CountrySize = NIGERIAN_SIZE,
): SyntheticCountry {
  onProgress('ground');
  const geography = makeGeography(seed, size);
  const terrain = makeTerrain(seed);
  onProgress('people');
  const population = makePopulation(seed, geography);
  const cells = poolCells(geography, population, terrain);
  onProgress('rain and season');
  const rain = makeRain(seed, geography);
  const rain_mm = centresByLga(geography, population).map((centres) => meanRain(rain, centres));
  const forcing = rain_mm.map(rainForcing);
  const season = forcing.map(seasonIndex);
  onProgress('prevalence');
  const prevalence = makePrevalence(seed, family, geography, cells, season);
  onProgress('surveys and cases');
  const frame = buildFrame(geography, population);
  const sampledCountry = { geography, frame, cells, prevalence };
  const people = Array.from(population.by_lga);
  const cases_states = makeStateCases(seed, geography, people, forcing, firstMonth(size.months));
  const scaleRound = (round: SurveyRound): SurveyRound => ({
    ...round,
    clusters: Math.round((round.clusters * size.clusters) / NIGERIAN_SIZE.clusters),
  });
  return {
    seed,
    size,
    geography,
    population,
    terrain,
    rain,
    cells,
    rain_mm,
    forcing,
    season,
    prevalence,
    clusters: CLUSTER_ROUNDS.flatMap((round) => takeSurvey(seed, scaleRound(round), sampledCountry)),
    state_round: takeSurvey(seed, scaleRound(STATE_ROUND), sampledCountry),
    cases_states,
    cases_lgas: makeLgaCases(seed, geography, people, season, cases_states, size),
  };
}

/** Centres of the population cells of each LGA, [longitude, latitude]. */
export function centresByLga(geography: Geography, population: Population): [number, number][][] {
  const centres: [number, number][][] = geography.lgas.map(() => []);
  for (const [cell, lga] of population.lga_by_cell.entries())
    if (lga >= 0) centres[lga]!.push(cellCentre(POPULATION_GRID, cell));
  return centres;
}

/** `value` rounded to `digits` decimals, as a number, so that it prints without trailing zeros. */
export function toDecimals(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
