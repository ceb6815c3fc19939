import type { Polygon } from '../artifacts.ts';
import type { Grid } from '../numerics/grid.ts';

/**
 * A polygon in a grid's own coordinates: x in columns from the west, y in rows from the north, so that cell borders are
 * the whole numbers. Rings are flat x, y pairs, closed; `sign` turns each so that shells count +, holes −.
 * The ranges hold every cell that the polygon can meet, ends excluded, and are empty if it lies off the grid.
 */
export interface Outline {
  rings: { points: Float64Array; sign: 1 | -1 }[];
  /** In cells, on and off the grid. */
  area: number;
  firstRow: number;
  endRow: number;
  firstColumn: number;
  endColumn: number;
}

/** Draws `polygons` (one area; of each, first the shell, then its holes, in either direction) on `grid`. */
export function drawOutline(polygons: Polygon[], grid: Grid): Outline {
  const rings: Outline['rings'] = [];
  let area = 0;
  let west = Infinity;
  let east = -Infinity;
  let top = Infinity;
  let bottom = -Infinity;
  // Shared memory, so that threads need no copies.
  const vertices = polygons.reduce((sum, polygon) => polygon.reduce((n, ring) => n + ring.length, sum), 0);
  const shared = new Float64Array(new SharedArrayBuffer(16 * vertices));
  let used = 0;
  for (const polygon of polygons) {
    polygon.forEach((ring, index) => {
      const points = shared.subarray(2 * used, 2 * (used + ring.length));
      used += ring.length;
      ring.forEach(([longitude, latitude], i) => {
        const x = (longitude - grid.west) / grid.cellWidth;
        const y = (grid.north - latitude) / grid.cellHeight;
        points[2 * i] = x;
        points[2 * i + 1] = y;
        west = Math.min(west, x);
        east = Math.max(east, x);
        top = Math.min(top, y);
        bottom = Math.max(bottom, y);
      });
      const size = signedArea(points);
      const sign = (index === 0) === size >= 0 ? 1 : -1;
      rings.push({ points, sign });
      area += sign * size;
    });
  }
  const within = (value: number, end: number) => Math.min(Math.max(value, 0), end);
  return {
    rings,
    area,
    firstRow: within(Math.floor(top), grid.rows),
    endRow: within(Math.ceil(bottom), grid.rows),
    firstColumn: within(Math.floor(west), grid.columns),
    endColumn: within(Math.ceil(east), grid.columns),
  };
}

/** Shoelace area, positive where the ring's edges run south along its west side; differences keep far origins exact. */
function signedArea(points: Float64Array): number {
  const x0 = points[0]!;
  const y0 = points[1]!;
  let twice = 0;
  for (let i = 2; i < points.length; i += 2) {
    twice += (points[i - 1]! - y0) * (points[i]! - x0) - (points[i - 2]! - x0) * (points[i + 1]! - y0);
  }
  return twice / 2;
}
