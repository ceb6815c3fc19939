import { bboxClip } from '@turf/bbox-clip';
import type { Polygon } from '../../lib/numerics/area.ts';
import type { Grid } from '../../lib/numerics/grid.ts';

/**
 * A polygon in a grid's coordinates: x in columns from the west, y in rows from the north, so that cell borders are at
 * integers. Rings are closed, as flat x, y pairs; `sign` makes exterior rings count as positive and holes as negative.
 * The ranges of rows and columns cover the polygon, ends excluded, and are empty if it is outside the grid.
 */
export interface GridOutline {
  rings: { points: Float64Array; sign: 1 | -1 }[];
  /** In cells, including parts outside the grid. */
  area: number;
  firstRow: number;
  endRow: number;
  firstColumn: number;
  endColumn: number;
}

/**
 * Converts an area's polygons (each an exterior ring, then its holes, in any direction) to the coordinates of `grid`.
 */
export function toGridOutline(polygons: Polygon[], grid: Grid): GridOutline {
  const rings: GridOutline['rings'] = [];
  let area = 0;
  let west = Infinity;
  let east = -Infinity;
  let top = Infinity;
  let bottom = -Infinity;
  // Shared memory, so that threads need no copies.
  const vertexCount = polygons.reduce(
    (sum, polygon) => polygon.reduce((vertexSum, ring) => vertexSum + ring.length, sum),
    0,
  );
  const sharedPoints = new Float64Array(new SharedArrayBuffer(16 * vertexCount));
  let usedVertices = 0;
  for (const polygon of polygons) {
    polygon.forEach((ring, index) => {
      const points = sharedPoints.subarray(2 * usedVertices, 2 * (usedVertices + ring.length));
      usedVertices += ring.length;
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
      const ringArea = signedArea(points);
      const sign = (index === 0) === ringArea >= 0 ? 1 : -1;
      rings.push({ points, sign });
      area += sign * ringArea;
    });
  }
  const clampIndex = (value: number, end: number) => Math.min(Math.max(value, 0), end);
  return {
    rings,
    area,
    firstRow: clampIndex(Math.floor(top), grid.rows),
    endRow: clampIndex(Math.ceil(bottom), grid.rows),
    firstColumn: clampIndex(Math.floor(west), grid.columns),
    endColumn: clampIndex(Math.ceil(east), grid.columns),
  };
}

/** The share of an area's outline inside the grid, from 0 to 1, in the plane of the grid's rows and columns. */
export function shareInside(polygons: Polygon[], grid: Grid): number {
  const { west, north } = grid;
  const [east, south] = [west + grid.columns * grid.cellWidth, north - grid.rows * grid.cellHeight];
  const isInside = ([x, y]: [number, number]) => x >= west && x <= east && y >= south && y <= north;
  if (polygons.flat(2).every(isInside)) return 1;
  const clipped = bboxClip({ type: 'MultiPolygon', coordinates: polygons }, [west, south, east, north]);
  const inside = toGridOutline(clipped.geometry.coordinates as Polygon[], grid).area;
  return inside / toGridOutline(polygons, grid).area;
}

/**
 * Shoelace area, positive if edges run south along the ring's west side; relative to its first point, for precision.
 */
function signedArea(points: Float64Array): number {
  const firstX = points[0]!;
  const firstY = points[1]!;
  let doubleArea = 0;
  for (let i = 2; i < points.length; i += 2) {
    doubleArea +=
      (points[i - 1]! - firstY) * (points[i]! - firstX) - (points[i - 2]! - firstX) * (points[i + 1]! - firstY);
  }
  return doubleArea / 2;
}
