import { gridCellAreaKm2 } from '../../lib/numerics/area.ts';
import {
  columnLongitude,
  type Grid,
  type GridWindow,
  type RasterValues,
  rowLatitude,
} from '../../lib/numerics/grid.ts';
import type { Coverage } from './coverage.ts';
import type { PredictionCells } from './zonal-tables.ts';

/** Approximate length of a degree of latitude, for the size of blocks and the distance to the nearest value. */
export const KM_PER_DEGREE = 111.2;

/** Sums over an LGA's part of a block of population cells, weighted by share × persons except for `inhabitedKm2`. */
interface Pool {
  people: number;
  longitude: number;
  latitude: number;
  inhabitedKm2: number;
  urban: number;
  elevation: number;
  elevationPeople: number;
  /** By covariate: Σ people × value, and the people in cells with a value. */
  covariates: { sum: number; people: number }[];
}

/** Cells by LGA, and each covariate's population-weighted mean by cell, null if it has no value. */
export interface PooledCells {
  cells: PredictionCells;
  covariates: (number | null)[][];
}

/** Number of cells of `grid` in a block of about `sideKm` from north to south; at least 1. */
export function blockCells(grid: Grid, sideKm: number): number {
  return Math.max(1, Math.round(sideKm / (grid.cellHeight * KM_PER_DEGREE)));
}

/**
 * Pools population cells into blocks of `sideCells` × `sideCells` cells, split by LGA. Population is Σ share × persons;
 * coordinates, elevation and the urban share are population-weighted means; density is persons per km² of inhabited
 * ground, Σ share × persons / Σ share × cell area (WGS 84) over cells with people. Parts without people are omitted.
 * @param covariates number of covariates
 */
export function createCellPool(grid: Grid, sideCells: number, covariates = 0) {
  const blocksAcross = Math.ceil(grid.columns / sideCells);
  const pools: Map<number, Pool>[] = [];

  const findPool = (lgaIndex: number, block: number): Pool => {
    pools[lgaIndex] ??= new Map();
    let pool = pools[lgaIndex].get(block);
    if (!pool) {
      pool = {
        people: 0,
        longitude: 0,
        latitude: 0,
        inhabitedKm2: 0,
        urban: 0,
        elevation: 0,
        elevationPeople: 0,
        covariates: Array.from({ length: covariates }, () => ({ sum: 0, people: 0 })),
      };
      pools[lgaIndex].set(block, pool);
    }
    return pool;
  };

  return {
    /**
     * @param lgaIndex its index in the list of LGAs
     * @param urban 1 or 0 by cell
     * @param elevation metres by cell, NaN if unknown
     * @param values of each covariate by cell, NaN if unknown
     */
    add(
      lgaIndex: number,
      coverage: Coverage,
      window: GridWindow,
      persons: RasterValues,
      urban: Uint8Array,
      elevation: RasterValues,
      values: readonly RasterValues[] = [],
    ): void {
      const { firstRow, rowStart } = coverage;
      for (let i = 0; i + 1 < rowStart.length; i++) {
        const row = firstRow + i;
        const offset = (row - window.row) * window.columns - window.column;
        const area = gridCellAreaKm2(grid, row);
        const latitude = rowLatitude(grid, row);
        const blockRow = Math.floor(row / sideCells) * blocksAcross;
        for (let k = rowStart[i]!; k < rowStart[i + 1]!; k++) {
          const share = coverage.share[k]!;
          const end = coverage.column[k]! + coverage.length[k]!;
          for (let column = coverage.column[k]!; column < end; column++) {
            const people = share * persons[offset + column]!;
            if (!(people > 0)) continue;
            const pool = findPool(lgaIndex, blockRow + Math.floor(column / sideCells));
            pool.people += people;
            pool.longitude += people * columnLongitude(grid, column);
            pool.latitude += people * latitude;
            pool.inhabitedKm2 += share * area;
            pool.urban += people * urban[offset + column]!;
            for (let v = 0; v < values.length; v++) {
              const value = values[v]![offset + column]!;
              if (Number.isNaN(value)) continue;
              pool.covariates[v]!.sum += people * value;
              pool.covariates[v]!.people += people;
            }
            const elevationM = elevation[offset + column]!;
            if (Number.isNaN(elevationM)) continue;
            pool.elevation += people * elevationM;
            pool.elevationPeople += people;
          }
        }
      }
    },
    /** The cells in the order of `codes`, those of an LGA from north to south and west to east. */
    finish(codes: string[]): PooledCells {
      const cells: PredictionCells = {
        lga_code: [],
        longitude: [],
        latitude: [],
        population: [],
        population_density: [],
        urban_share: [],
        elevation_m: [],
      };
      const means: (number | null)[][] = Array.from({ length: covariates }, () => []);
      codes.forEach((code, lgaIndex) => {
        const poolsByBlock = [...(pools[lgaIndex] ?? [])].sort(([a], [b]) => a - b);
        for (const [, pool] of poolsByBlock) {
          cells.lga_code.push(code);
          cells.longitude.push(pool.longitude / pool.people);
          cells.latitude.push(pool.latitude / pool.people);
          cells.population.push(pool.people);
          cells.population_density.push(pool.people / pool.inhabitedKm2);
          cells.urban_share.push(pool.urban / pool.people);
          cells.elevation_m.push(pool.elevationPeople > 0 ? pool.elevation / pool.elevationPeople : null);
          pool.covariates.forEach(({ sum, people }, k) => {
            means[k]!.push(people > 0 ? sum / people : null);
          });
        }
      });
      return { cells, covariates: means };
    },
  };
}
