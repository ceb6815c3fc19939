import { randomStream } from '../lib/numerics/random.ts';
import type { Geography } from './geography.ts';
import type { Grid } from './geotiff-writer.ts';
import { drawSurface, type Surface } from './noise.ts';
import { cellCentre, rasteriseAreas } from './raster.ts';

/** Deliberately different from the population grid in origin and cell size. */
export const ELEVATION_GRID: Grid = { west: 2.66, north: 13.94, step: 1 / 60, columns: 726, rows: 582 };
export const ELEVATION_NODATA = -9999;

/** Metres above sea level: a coastal plain that rises to the north and east, with a plateau in the middle. */
export function makeTerrain(seed: number): Surface {
  const random = randomStream(seed, 'terrain');
  const broad = drawSurface(random, 300);
  const fine = drawSurface(random, 60);
  return (longitude, latitude) => {
    const plain = 45 * Math.max(0, latitude - 5) + 25 * Math.max(0, longitude - 8);
    const plateau = 850 * Math.exp(-((longitude - 9.1) ** 2 / 1.2 + (latitude - 9.6) ** 2));
    const rough = (0.25 + plain / 400) * (70 * broad(longitude, latitude) + 45 * fine(longitude, latitude));
    return Math.max(2, 15 + plain + plateau + rough);
  };
}

/**
 * Elevation in whole metres; cells whose centre is outside the country are `ELEVATION_NODATA`, also along the border.
 */
export function makeElevation(terrain: Surface, geography: Geography): Int16Array {
  return rasteriseAreas(ELEVATION_GRID, geography.lgas).map((lga, cell) =>
    lga < 0 ? ELEVATION_NODATA : Math.round(terrain(...cellCentre(ELEVATION_GRID, cell))),
  );
}
