import { randomStream } from '../lib/numerics/random.ts';
import type { Geography } from './geography.ts';
import type { Grid } from './geotiff-writer.ts';
import { drawSurface, KM_PER_DEGREE_LATITUDE, KM_PER_DEGREE_LONGITUDE } from './noise.ts';
import { cellArea, cellCentre, rasteriseAreas } from './raster.ts';
import { type CountrySize, NIGERIAN_SIZE } from './size.ts';
import { STATES } from './states.ts';

export const POPULATION_GRID: Grid = { west: 2.7, north: 13.9, step: 1 / 120, columns: 1440, rows: 1152 };

export interface Population {
  /** Persons per cell of `POPULATION_GRID`; as in the real raster, 0 means both 'nobody' and 'outside'. */
  persons: Float32Array;
  /** Position in `Geography.lgas` of the LGA at each cell's centre, -1 outside. */
  lga_by_cell: Int16Array;
  /** Persons by LGA, in the order of `Geography.lgas`: the sum over the cells whose centre is inside the LGA. */
  by_lga: Float64Array;
}

interface Town {
  longitude: number;
  latitude: number;
  persons: number;
  /** Standard deviation of the Gaussian distribution of its people. */
  spread_km: number;
}

/** Persons per km² at the centre of a town. */
const CENTRE_DENSITY = 8000;

/** Distributes people over cells: each LGA's share of its state's population, in towns and in villages. */
export function makePopulation(seed: number, geography: Geography): Population {
  const random = randomStream(seed, 'population');
  const countryPersons = 140e6 + 60e6 * random.uniform();
  const sumOfPeople = STATES.reduce((sum, state) => sum + state.people, 0);
  const shareByLga = geography.lgas.map((lga) => Math.exp(0.35 * random.normal()) * (lga.is_city ? 1.7 : 1));
  const sharesByState = new Float64Array(STATES.length);
  for (const [i, lga] of geography.lgas.entries()) sharesByState[lga.state_index]! += shareByLga[i]!;
  const emptiness = drawSurface(random, 30);

  const lgaByCell = rasteriseAreas(POPULATION_GRID, geography.lgas);
  const cellsByLga: number[][] = geography.lgas.map(() => []);
  for (const [cell, lgaIndex] of lgaByCell.entries()) if (lgaIndex >= 0) cellsByLga[lgaIndex]!.push(cell);

  const personsByCell = new Float32Array(lgaByCell.length);
  const by_lga = new Float64Array(geography.lgas.length);
  for (const [i, area] of geography.lgas.entries()) {
    const persons =
      (countryPersons * STATES[area.state_index]!.people * shareByLga[i]!) /
      sumOfPeople /
      sharesByState[area.state_index]!;
    const townShare = area.is_city ? 0.88 + 0.08 * random.uniform() : 0.1 + 0.3 * random.uniform();
    const townCount = area.is_city ? 1 : 1 + Math.floor(3 * random.uniform());
    const towns: Town[] = drawTownWeights(random, townCount).map((weight) => {
      const [longitude, latitude] = area.sites[Math.floor(random.uniform() * area.sites.length)]!;
      const size = persons * townShare * weight;
      return { longitude, latitude, persons: size, spread_km: Math.sqrt(size / (2 * Math.PI * CENTRE_DENSITY)) };
    });
    const cells = cellsByLga[i]!;
    const ruralWeights = cells.map((cell) => {
      const [x, y] = cellCentre(POPULATION_GRID, cell);
      const roughness = random.normal();
      return emptiness(x, y) + roughness < -0.6 ? 0 : Math.exp(0.6 * roughness);
    });
    const townPersons = townPersonsByCell(towns, cells);
    // Towns much smaller than a cell may reach the centre of none.
    const urbanWeights = sum(townPersons) > 0 ? townPersons : cells.map(() => 1);
    // If a small LGA has no villages, everyone lives in its towns.
    const sumOfRuralWeights = sum(ruralWeights);
    const urbanPersons = sumOfRuralWeights > 0 ? persons * townShare : persons;
    const ruralScale = sumOfRuralWeights > 0 ? (persons - urbanPersons) / sumOfRuralWeights : 0;
    const urbanScale = urbanPersons / sum(urbanWeights);
    for (const [k, cell] of cells.entries()) {
      // Tenths of a person are precise enough, and compress well.
      personsByCell[cell] = Math.round(10 * (ruralWeights[k]! * ruralScale + urbanWeights[k]! * urbanScale)) / 10;
      by_lga[i]! += personsByCell[cell]!;
    }
  }
  return { persons: personsByCell, lga_by_cell: lgaByCell, by_lga };
}

function drawTownWeights(random: { uniform(): number }, towns: number): number[] {
  const weights = Array.from({ length: towns }, () => 0.2 + random.uniform());
  const total = sum(weights);
  return weights.map((weight) => weight / total);
}

/** Persons per cell if the towns spread without regard to borders. */
function townPersonsByCell(towns: Town[], cells: number[]): number[] {
  return cells.map((cell) => {
    const [x, y] = cellCentre(POPULATION_GRID, cell);
    const area = cellArea(POPULATION_GRID, Math.floor(cell / POPULATION_GRID.columns));
    let persons = 0;
    for (const town of towns) {
      const east = (x - town.longitude) * KM_PER_DEGREE_LONGITUDE;
      const north = (y - town.latitude) * KM_PER_DEGREE_LATITUDE;
      const exponent = (east * east + north * north) / (2 * town.spread_km * town.spread_km);
      if (exponent < 12) persons += CENTRE_DENSITY * area * Math.exp(-exponent);
    }
    return persons;
  });
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/**
 * The published raster: cropped, with a margin, if the country is smaller, and with refinement cells if they are
 * requested. Like measured values, the people of a cell are spread unevenly over its refinement cells.
 */
export function populationRaster(
  { persons, lga_by_cell: lga }: Population,
  { states, cells_per_degree }: CountrySize,
): { persons: Float32Array; grid: Grid } {
  const { columns, rows } = POPULATION_GRID;
  let [west, east, north, south] = [0, columns - 1, 0, rows - 1];
  if (states < NIGERIAN_SIZE.states) {
    [west, east, north, south] = [columns, 0, rows, 0];
    for (const [cell, owner] of lga.entries()) {
      if (owner < 0) continue;
      const [row, column] = [Math.floor(cell / columns), cell % columns];
      west = Math.min(west, column);
      east = Math.max(east, column);
      north = Math.min(north, row);
      south = Math.max(south, row);
    }
    const margin = 12;
    west = Math.max(0, west - margin);
    east = Math.min(columns - 1, east + margin);
    north = Math.max(0, north - margin);
    south = Math.min(rows - 1, south + margin);
  }
  const refinement = cells_per_degree / NIGERIAN_SIZE.cells_per_degree;
  const grid: Grid = {
    west: POPULATION_GRID.west + west * POPULATION_GRID.step,
    north: POPULATION_GRID.north - north * POPULATION_GRID.step,
    step: POPULATION_GRID.step / refinement,
    columns: (east - west + 1) * refinement,
    rows: (south - north + 1) * refinement,
  };
  const publishedPersons = new Float32Array(grid.columns * grid.rows);
  for (let i = 0; i < publishedPersons.length; i++) {
    const row = north + Math.floor(Math.floor(i / grid.columns) / refinement);
    const column = west + Math.floor((i % grid.columns) / refinement);
    const people = persons[row * columns + column]!;
    // Between 0.5 and 1.5 times an even share, by a hash of the position, so that values differ from cell to cell.
    publishedPersons[i] =
      refinement === 1 ? people : (people / refinement ** 2) * (0.5 + (Math.imul(i, 2_654_435_761) >>> 0) / 2 ** 32);
  }
  return { persons: publishedPersons, grid };
}
