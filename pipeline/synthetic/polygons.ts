import type { Polygon } from '../lib/numerics/area.ts';

/** Area by the shoelace formula, square degrees; positive if the ring runs counter-clockwise. */
export function signedArea(ring: [number, number][]): number {
  let twice = 0;
  for (let i = 0; i + 1 < ring.length; i++) {
    const [x0, y0] = ring[i]!;
    const [x1, y1] = ring[i + 1]!;
    twice += x0 * y1 - x1 * y0;
  }
  return twice / 2;
}

/** Whether a point is inside a polygon (in the shell and in none of its holes), by the even-odd rule over all rings. */
export function isInPolygon(polygon: Polygon, x: number, y: number): boolean {
  let inside = false;
  for (const ring of polygon) {
    for (let i = 0; i + 1 < ring.length; i++) {
      const [x0, y0] = ring[i]!;
      const [x1, y1] = ring[i + 1]!;
      if (y0 > y !== y1 > y && x < ((x1 - x0) * (y - y0)) / (y1 - y0) + x0) inside = !inside;
    }
  }
  return inside;
}
