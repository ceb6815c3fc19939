/** Closed rings of longitude and latitude. */
type Rings = readonly (readonly (readonly [number, number])[])[];

/**
 * A point where edges of an outline cross, within or between rings; null if there is none. Edges that only touch, as at
 * a vertex shared by two rings, do not cross. A sweep from west to east compares edges only while their longitudes
 * overlap, so outlines of 100,000 vertices take only a moment.
 */
export function selfCrossing(polygons: readonly Rings[]): [number, number] | null {
  const rings = polygons.flat();
  const count = rings.reduce((sum, ring) => sum + Math.max(0, ring.length - 1), 0);
  // x1, y1, x2, y2 of each edge, its western end first
  const edges = new Float64Array(4 * count);
  let e = 0;
  for (const ring of rings)
    for (let i = 1; i < ring.length; i++) {
      const [a, b] = [ring[i - 1]!, ring[i]!];
      edges.set(a[0] <= b[0] ? [...a, ...b] : [...b, ...a], 4 * e++);
    }
  const order = Uint32Array.from({ length: count }, (_, i) => i).sort((a, b) => edges[4 * a]! - edges[4 * b]!);
  let active: number[] = [];
  for (const edge of order) {
    const [x1, y1, x2, y2] = edges.subarray(4 * edge, 4 * edge + 4) as unknown as [number, number, number, number];
    const [south, north] = y1 < y2 ? [y1, y2] : [y2, y1];
    active = active.filter((other) => edges[4 * other + 2]! >= x1);
    for (const other of active) {
      const [u1, v1, u2, v2] = edges.subarray(4 * other, 4 * other + 4) as unknown as [number, number, number, number];
      if ((v1 < south && v2 < south) || (v1 > north && v2 > north)) continue;
      const a = side(x1, y1, x2, y2, u1, v1);
      const b = side(x1, y1, x2, y2, u2, v2);
      if (a * b >= 0 || side(u1, v1, u2, v2, x1, y1) * side(u1, v1, u2, v2, x2, y2) >= 0) continue;
      const share = a / (a - b);
      return [u1 + share * (u2 - u1), v1 + share * (v2 - v1)];
    }
    active.push(edge);
  }
  return null;
}

/**
 * Twice the signed area of a triangle: positive if (x, y) is left of the line from (x1, y1) to (x2, y2), 0 on the line.
 */
function side(x1: number, y1: number, x2: number, y2: number, x: number, y: number): number {
  return (x2 - x1) * (y - y1) - (y2 - y1) * (x - x1);
}
