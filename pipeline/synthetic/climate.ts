import { calendarMonth, calendarYear, type Period, periodRange } from '../contract/months.ts';
import { randomStream } from '../lib/numerics/random.ts';
import type { Geography } from './geography.ts';
import type { Grid } from './geotiff-writer.ts';
import { drawSurface } from './noise.ts';
import { cellCentre, rasteriseAreas } from './raster.ts';

/** Coarse, so that small LGAs cover part of a cell and borders cut through cells. */
export const RAIN_GRID: Grid = { west: 2.6, north: 14.0, step: 0.2, columns: 61, rows: 49 };
/** Value of cells in the sea. As in CHIRPS' files, only the catalog declares it, not a tag. */
export const RAIN_NODATA = -9999;
export const RAIN_FIRST: Period = '2012-01';
export const RAIN_LAST: Period = '2023-12';

export interface Rain {
  periods: Period[];
  /** By period: mm per month in each cell of `RAIN_GRID`. */
  mm: Float32Array[];
}

/** A cyclic Gaussian bump over the year: height 1 at month `peak`, standard deviation `width` months. */
function bump(month: number, peak: number, width: number): number {
  const difference = Math.abs(month - peak);
  const months = Math.min(difference, 12 - difference);
  return Math.exp(-(months * months) / (2 * width * width));
}

/** A logistic rise from 0 to 1 around `middle`, over about four times `width`. */
function logistic(value: number, middle: number, width: number): number {
  return 1 / (1 + Math.exp(-(value - middle) / width));
}

/**
 * The usual rain, mm per month, of three regimes that blend into each other: one peak in August in the north (shorter
 * and weaker towards the desert), peaks in June and September in the south, and rain all year in the south-eastern
 * corner.
 */
export function usualRain(month: number, longitude: number, latitude: number): number {
  const degreesIntoNorth = Math.max(0, latitude - 9);
  const northRain = Math.max(0, 270 - 22 * degreesIntoNorth) * bump(month, 8.1, 1.9 - 0.12 * degreesIntoNorth);
  const southRain = 250 * bump(month, 5.9, 1.2) + 240 * bump(month, 9.6, 1.1) + 40 * bump(month, 3.5, 1.2);
  const cornerRain = 190 + 60 * bump(month, 7.5, 2.5);
  const northShare = logistic(latitude, 8.8, 0.35);
  const cornerShare = (1 - northShare) * logistic(longitude, 7.4, 0.25) * logistic(-latitude, -6, 0.2);
  return northShare * northRain + cornerShare * cornerRain + (1 - northShare - cornerShare) * southRain;
}

/** Twelve years of rain: the usual rain times random factors of the year and of the month, both smooth over space. */
export function makeRain(seed: number, geography: Geography): Rain {
  const nearLand = cellsNearLand(geography);
  const periods = periodRange(RAIN_FIRST, RAIN_LAST);
  const surfaceByYear = new Map<number, ReturnType<typeof drawSurface>>();
  const mm = periods.map((period) => {
    const year = calendarYear(period);
    const yearSurface = surfaceByYear.get(year) ?? drawSurface(randomStream(seed, `rain ${year}`), 500);
    surfaceByYear.set(year, yearSurface);
    const monthSurface = drawSurface(randomStream(seed, `rain ${period}`), 250);
    return Float32Array.from(nearLand, (isLand, cell) => {
      if (!isLand) return RAIN_NODATA;
      const [x, y] = cellCentre(RAIN_GRID, cell);
      const factor = Math.exp(0.12 * yearSurface(x, y) + 0.22 * monthSurface(x, y) - 0.03);
      return Math.round(100 * usualRain(calendarMonth(period), x, y) * factor) / 100;
    });
  });
  return { periods, mm };
}

/** Whether each cell is within two cells of the country, so that rain covers the border, too. */
function cellsNearLand(geography: Geography): Uint8Array {
  const fineGrid: Grid = {
    ...RAIN_GRID,
    step: RAIN_GRID.step / 10,
    columns: RAIN_GRID.columns * 10,
    rows: RAIN_GRID.rows * 10,
  };
  const isNear = new Uint8Array(RAIN_GRID.columns * RAIN_GRID.rows);
  for (const [cell, lga] of rasteriseAreas(fineGrid, geography.lgas).entries()) {
    if (lga < 0) continue;
    const row = Math.floor(cell / fineGrid.columns / 10);
    const column = Math.floor((cell % fineGrid.columns) / 10);
    const firstColumn = Math.max(0, column - 2);
    const endColumn = Math.min(RAIN_GRID.columns, column + 3);
    for (let nearRow = Math.max(0, row - 2); nearRow <= Math.min(RAIN_GRID.rows - 1, row + 2); nearRow++) {
      const start = nearRow * RAIN_GRID.columns;
      isNear.fill(1, start + firstColumn, start + endColumn);
    }
  }
  return isNear;
}

/**
 * An LGA's usual rain by month of year, mm, January first: the mean over all years of the written files and over the
 * population cells in the LGA, whose centres are `cells` ([longitude, latitude]).
 */
export function meanRain(rain: Rain, cells: [number, number][]): number[] {
  const weightByCell = new Map<number, number>();
  for (const [x, y] of cells) {
    const column = Math.floor((x - RAIN_GRID.west) / RAIN_GRID.step);
    const row = Math.floor((RAIN_GRID.north - y) / RAIN_GRID.step);
    const cell = row * RAIN_GRID.columns + column;
    weightByCell.set(cell, (weightByCell.get(cell) ?? 0) + 1 / cells.length);
  }
  const meanByMonth = new Array<number>(12).fill(0);
  const years = rain.periods.length / 12;
  for (const [i, period] of rain.periods.entries()) {
    for (const [cell, weight] of weightByCell)
      meanByMonth[calendarMonth(period) - 1]! += (rain.mm[i]![cell]! * weight) / years;
  }
  return meanByMonth;
}
