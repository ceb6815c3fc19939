import { randomStream } from '../lib/numerics/random.ts';
import type { Geography } from './geography.ts';
import type { Grid } from './geotiff-writer.ts';
import { drawSurface } from './noise.ts';
import type { Population } from './population.ts';
import { cellCentre } from './raster.ts';
import { STATES } from './states.ts';

/** A third grid, coarser than the population's and shifted against it. */
export const LAYER_GRID: Grid = { west: 2.61, north: 14.01, step: 1 / 24, columns: 291, rows: 236 };

/** Rows missing from the tables; the catalog declares them. */
export const LGA_WITHOUT_TRAVEL = 'NG009005';
export const LGA_WITHOUT_CENSUS = 'NG035004';
export const ACCESS_YEARS = [2018, 2021];

/** Share of cases effectively treated; NaN in the far corners, where nobody lives. */
export function makeTreatment(seed: number): Float32Array {
  const surface = drawSurface(randomStream(seed, 'treatment'), 350);
  return makeLayer((x, y) => {
    const isFar = Math.hypot((x - 8.7) / 7.6, (y - 9.1) / 6.7) > 1;
    return isFar ? Number.NaN : 0.43 + 0.03 * surface(x, y);
  });
}

/** Share protected by spraying: a programme around one place in the north-east, nothing elsewhere. */
export function makeSpraying(): Float32Array {
  return makeLayer((x, y) => {
    const share = 0.35 * Math.exp(-((x - 10.5) ** 2 + (y - 11) ** 2) / 0.8);
    return share < 0.01 ? 0 : share;
  });
}

function makeLayer(value: (x: number, y: number) => number): Float32Array {
  // Four decimals are enough.
  return Float32Array.from({ length: LAYER_GRID.columns * LAYER_GRID.rows }, (_, cell) => {
    return Math.round(1e4 * value(...cellCentre(LAYER_GRID, cell))) / 1e4;
  });
}

/** Share of people who slept under a net, by LGA. */
export function makeNetUse(seed: number, geography: Geography): number[] {
  const random = randomStream(seed, 'net use');
  const usualUseByZone: Record<string, number> = { NC: 0.38, NE: 0.48, NW: 0.52, SE: 0.33, SS: 0.3, SW: 0.27 };
  return geography.lgas.map((lga) => {
    const usual = usualUseByZone[STATES[lga.state_index]!.zone]! - (lga.is_city ? 0.05 : 0);
    return Math.min(0.95, Math.max(0.03, usual + 0.07 * random.normal()));
  });
}

/** Percent of people with access to a net, by year and state. */
export function makeNetAccess(seed: number): number[][] {
  const random = randomStream(seed, 'net access');
  return ACCESS_YEARS.map((year) =>
    STATES.map((state) => {
      const isNorth = state.zone === 'NE' || state.zone === 'NW';
      return Math.min(95, Math.max(8, (isNorth ? 58 : 40) + 7 * random.normal() + (year - 2018)));
    }),
  );
}

/** Upper limits of the classes of walking time, minutes; the last class has no limit. */
const CLASS_ENDS_MINUTES = [30, 60, 110];

/** People by class of walking time to care, by LGA. Times are exponential, and shorter in towns. */
export function makeTravel(seed: number, geography: Geography, population: Population): number[][] {
  const random = randomStream(seed, 'travel');
  return geography.lgas.map((lga, i) => {
    const meanMinutes = (lga.is_city ? 7 : 16 + 0.35 * lga.sites.length) * Math.exp(0.3 * random.normal());
    const sharesBeyond = [1, ...CLASS_ENDS_MINUTES.map((end) => Math.exp(-end / meanMinutes)), 0];
    return sharesBeyond.slice(0, -1).map((share, k) => population.by_lga[i]! * (share - sharesBeyond[k + 1]!));
  });
}

/** A census that, like real ones, disagrees with the raster: people and children under five, by LGA. */
export function takeCensus(seed: number, population: Population): { people: number; children_0_4: number }[] {
  const random = randomStream(seed, 'census');
  return Array.from(population.by_lga, (persons) => {
    const people = Math.round(persons * Math.exp(0.2 * random.normal()));
    return { people, children_0_4: Math.round(people * (0.16 + 0.015 * random.normal())) };
  });
}
