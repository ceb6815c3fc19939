import { booleanPointInPolygon } from '@turf/boolean-point-in-polygon';
import { addMonths, type Period } from '../contract/months.ts';
import { drawBinomial, drawClusterPrevalence, drawIndex, drawPoisson } from '../lib/numerics/distributions.ts';
import { type Random, randomStream } from '../lib/numerics/random.ts';
import { expit } from '../lib/numerics/special.ts';
import type { Cells } from './cells.ts';
import type { Geography } from './geography.ts';
import { KM_PER_DEGREE_LATITUDE, KM_PER_DEGREE_LONGITUDE } from './noise.ts';
import { POPULATION_GRID, type Population } from './population.ts';
import type { Prevalence } from './prevalence.ts';
import { cellArea, cellCentre } from './raster.ts';
import { STATES } from './states.ts';

export interface SurveyRound {
  survey_year: number;
  first: Period;
  /** Months of fieldwork. */
  months: number;
  clusters: number;
  /** Mean number of children tested per cluster. */
  examined: number;
}
/** As large as the real rounds. `STATE_ROUND` is published by state only. */
export const CLUSTER_ROUNDS: SurveyRound[] = [
  { survey_year: 2010, first: '2010-10', months: 3, clusters: 240, examined: 21 },
  { survey_year: 2015, first: '2015-10', months: 2, clusters: 330, examined: 18 },
  { survey_year: 2018, first: '2018-08', months: 5, clusters: 1400, examined: 8 },
];
export const STATE_ROUND: SurveyRound = {
  survey_year: 2021,
  first: '2021-10',
  months: 3,
  clusters: 560,
  examined: 19,
};
/** A rapid test also detects infections that have just cleared: its positivity is higher by this much, logit. */
export const RDT_LOGIT_SHIFT = 0.6;

export interface SurveyCluster {
  cluster_id: string;
  survey_year: number;
  period: Period;
  /** Position in `STATES`. */
  state_index: number;
  urban: boolean;
  weight: number;
  /** Displaced coordinates, degrees. */
  longitude: number;
  latitude: number;
  examined: number;
  microscopy: number;
  rdt: number;
  /** True coordinates, the true prevalence there and then, and its children's probability of testing positive. */
  true_longitude: number;
  true_latitude: number;
  prevalence: number;
  chance: number;
}

/** The urban or rural population cells of a state, with cumulative population for drawing. */
interface Stratum {
  state_index: number;
  urban: boolean;
  cells: number[];
  cumulative: number[];
}
/** The population that a survey samples. */
export interface SampledCountry {
  geography: Geography;
  frame: Stratum[];
  cells: Cells;
  prevalence: Prevalence;
}
/** Persons per km² from which a cell counts as urban in the survey's sampling frame. */
const URBAN_DENSITY = 1500;

/** The sampling frame: all population cells, by state and urban or rural. */
export function buildFrame(geography: Geography, population: Population): Stratum[] {
  const frame: Stratum[] = STATES.flatMap((_, state_index) =>
    [true, false].map((urban) => ({ state_index, urban, cells: [], cumulative: [] })),
  );
  for (const [cell, lga] of population.lga_by_cell.entries()) {
    const persons = population.persons[cell]!;
    if (lga < 0 || persons <= 0) continue;
    const density = persons / cellArea(POPULATION_GRID, Math.floor(cell / POPULATION_GRID.columns));
    const stratum = frame[2 * geography.lgas[lga]!.state_index + (density >= URBAN_DENSITY ? 0 : 1)]!;
    stratum.cells.push(cell);
    stratum.cumulative.push((stratum.cumulative.at(-1) ?? 0) + persons);
  }
  return frame;
}

/**
 * One survey round. States get nearly equal numbers of clusters, divided between urban and rural by population; within
 * a stratum, cells are drawn with probability proportional to population. Weights are the people represented, scaled to
 * mean 1.
 */
export function takeSurvey(seed: number, round: SurveyRound, country: SampledCountry): SurveyCluster[] {
  const random = randomStream(seed, `survey ${round.survey_year}`);
  const perStratum = allocateClusters(round.clusters, country.frame);
  const clusters = country.frame.flatMap((stratum, i) => {
    const people = stratum.cumulative.at(-1) ?? 0;
    return Array.from({ length: perStratum[i]! }, () =>
      drawCluster(random, round, stratum, people / perStratum[i]!, country),
    );
  });
  const mean = clusters.reduce((sum, cluster) => sum + cluster.weight, 0) / clusters.length;
  return clusters.map((cluster, i) => ({
    ...cluster,
    cluster_id: `${round.survey_year}-${String(i + 1).padStart(4, '0')}`,
    weight: Number((cluster.weight / mean).toFixed(6)),
  }));
}

/** Clusters by stratum. States differ by at most one cluster, and every inhabited stratum gets at least one. */
function allocateClusters(clusters: number, frame: Stratum[]): number[] {
  const peopleIn = (stateIndex: number) =>
    [0, 1].map((k) => frame[2 * stateIndex + k]!.cumulative.at(-1) ?? 0) as [number, number];
  const byPeople = [...STATES.keys()]
    .filter((stateIndex) => Math.max(...peopleIn(stateIndex)) > 0)
    .sort((a, b) => STATES[b]!.people - STATES[a]!.people || a - b);
  const perState = Math.floor(clusters / byPeople.length);
  const statesWithExtra = new Set(byPeople.slice(0, clusters % byPeople.length));
  return STATES.flatMap((_, stateIndex) => {
    const [urban, rural] = peopleIn(stateIndex);
    if (urban + rural === 0) return [0, 0];
    const count = perState + (statesWithExtra.has(stateIndex) ? 1 : 0);
    const urbanClusters = Math.round((count * urban) / (urban + rural));
    const boundedUrban = Math.min(rural > 0 ? count - 1 : count, Math.max(urban > 0 ? 1 : 0, urbanClusters));
    return [boundedUrban, count - boundedUrban];
  });
}

function drawCluster(
  random: Random,
  round: SurveyRound,
  stratum: Stratum,
  weight: number,
  { geography, cells, prevalence }: SampledCountry,
): SurveyCluster {
  const cell = stratum.cells[drawIndex(random, stratum.cumulative)]!;
  const period = addMonths(round.first, Math.floor(round.months * random.uniform()));
  const [true_longitude, true_latitude] = cellCentre(POPULATION_GRID, cell);
  const examined = 1 + drawPoisson(random, round.examined - 1);
  const share = prevalence.shareAt(cells.pooled_cell[cell]!, period);
  const chance = drawClusterPrevalence(random, share, prevalence.recipe.rho);
  const { polygons } = geography.states.find(({ state_index }) => state_index === stratum.state_index)!;
  const isInState = (x: number, y: number) =>
    booleanPointInPolygon([x, y], { type: 'MultiPolygon', coordinates: polygons });
  const maxDisplacementKm = drawMaxDisplacementKm(random, stratum.urban);
  const [longitude, latitude] = displace(random, maxDisplacementKm, true_longitude, true_latitude, isInState);
  return {
    cluster_id: '',
    survey_year: round.survey_year,
    period,
    state_index: stratum.state_index,
    urban: stratum.urban,
    weight,
    longitude,
    latitude,
    examined,
    microscopy: drawBinomial(random, examined, chance),
    rdt: drawBinomial(random, examined, rdtChance(chance)),
    true_longitude,
    true_latitude,
    prevalence: share,
    chance,
  };
}

function rdtChance(chance: number): number {
  if (chance <= 0 || chance >= 1) return chance;
  return expit(Math.log(chance / (1 - chance)) + RDT_LOGIT_SHIFT);
}

/** Greatest displacement by DHS (Burgert et al. 2013, Spatial Analysis Reports 7): 10 km for 1% of rural clusters. */
function drawMaxDisplacementKm(random: Random, urban: boolean): number {
  if (urban) return 2;
  return random.uniform() < 0.01 ? 10 : 5;
}

/**
 * Moves a place in a random direction by a uniform distance up to `maxDisplacementKm`; redraws until it is in its
 * state.
 */
function displace(
  random: Random,
  maxDisplacementKm: number,
  x: number,
  y: number,
  inside: (x: number, y: number) => boolean,
): [number, number] {
  for (let attempt = 0; attempt < 1000; attempt++) {
    const angle = 2 * Math.PI * random.uniform();
    const distance_km = maxDisplacementKm * random.uniform();
    const longitude = Number((x + (distance_km * Math.cos(angle)) / KM_PER_DEGREE_LONGITUDE).toFixed(6));
    const latitude = Number((y + (distance_km * Math.sin(angle)) / KM_PER_DEGREE_LATITUDE).toFixed(6));
    if (inside(longitude, latitude)) return [longitude, latitude];
  }
  throw new Error(`found no place within ${maxDisplacementKm} km of ${x}, ${y} in its state`);
}

/** Weighted positivity by state, in the order of `STATES`: Σ weight × positive / Σ weight × examined. */
export function positivityByState(clusters: SurveyCluster[], method: 'microscopy' | 'rdt'): number[] {
  return STATES.map((_, stateIndex) => {
    const stateClusters = clusters.filter((cluster) => cluster.state_index === stateIndex);
    const positive = stateClusters.reduce((sum, cluster) => sum + cluster.weight * cluster[method], 0);
    return positive / stateClusters.reduce((sum, cluster) => sum + cluster.weight * cluster.examined, 0);
  });
}
