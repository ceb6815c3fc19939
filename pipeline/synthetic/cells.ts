import type { Geography } from './geography.ts';
import type { Grid } from './geotiff-writer.ts';
import type { Surface } from './noise.ts';
import { POPULATION_GRID, type Population } from './population.ts';
import { cellArea, cellCentre } from './raster.ts';

/** Number of population cells pooled in each direction: about 5 km. */
const POOL_FACTOR = 6;
export const POOLED_GRID: Grid = {
  ...POPULATION_GRID,
  step: POPULATION_GRID.step * POOL_FACTOR,
  columns: POPULATION_GRID.columns / POOL_FACTOR,
  rows: POPULATION_GRID.rows / POOL_FACTOR,
};

/** The cells on which the truth is defined: pooled population cells split by LGA, ordered by LGA, then by cell. */
export interface Cells {
  /** Position in `Geography.lgas`. */
  lga_index: number[];
  /** Population-weighted centre, degrees. */
  longitude: number[];
  latitude: number[];
  population: number[];
  /** Persons per km² over the inhabited population cells. */
  population_density: number[];
  elevation_m: number[];
  /** By population cell: its pooled cell, or -1 if nobody lives there. */
  pooled_cell: Int32Array;
}

export function poolCells(geography: Geography, population: Population, terrain: Surface): Cells {
  const { persons, lga_by_cell } = population;
  const cellKey = (cell: number) => {
    const row = Math.floor(cell / POPULATION_GRID.columns / POOL_FACTOR);
    const column = Math.floor((cell % POPULATION_GRID.columns) / POOL_FACTOR);
    return (lga_by_cell[cell]! * POOLED_GRID.rows + row) * POOLED_GRID.columns + column;
  };
  const inhabited = [...persons.keys()].filter((cell) => persons[cell]! > 0);
  const keys = [...new Set(inhabited.map(cellKey))].sort((a, b) => a - b);
  const indexByKey = new Map(keys.map((key, i) => [key, i]));
  const zeros = () => new Array<number>(keys.length).fill(0);
  const [people, areaKm2, sumLongitude, sumLatitude] = [zeros(), zeros(), zeros(), zeros()];
  const pooled_of = new Int32Array(persons.length).fill(-1);
  for (const cell of inhabited) {
    const i = indexByKey.get(cellKey(cell))!;
    const [longitude, latitude] = cellCentre(POPULATION_GRID, cell);
    pooled_of[cell] = i;
    people[i]! += persons[cell]!;
    areaKm2[i]! += cellArea(POPULATION_GRID, Math.floor(cell / POPULATION_GRID.columns));
    sumLongitude[i]! += persons[cell]! * longitude;
    sumLatitude[i]! += persons[cell]! * latitude;
  }
  const longitude = sumLongitude.map((sum, i) => sum / people[i]!);
  const latitude = sumLatitude.map((sum, i) => sum / people[i]!);
  const keysPerLga = POOLED_GRID.rows * POOLED_GRID.columns;
  const cells: Cells = {
    lga_index: keys.map((key) => Math.floor(key / keysPerLga)),
    longitude,
    latitude,
    population: people,
    population_density: people.map((sum, i) => sum / areaKm2[i]!),
    elevation_m: longitude.map((_, i) => terrain(longitude[i]!, latitude[i]!)),
    pooled_cell: pooled_of,
  };
  const emptyLga = geography.lgas.findIndex((_, i) => !(population.by_lga[i]! > 0));
  if (emptyLga >= 0)
    throw new Error(`${geography.lgas[emptyLga]!.lga_pcode} has no people, expected some in every LGA`);
  return cells;
}
