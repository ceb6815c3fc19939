/** Closed rings of longitude and latitude, the exterior one first. */
type Rings = readonly (readonly (readonly [number, number])[])[];

/** Edges may pass each other by this much, degrees (0.01 mm): where they touch, their points are rounded. */
const TOUCHING = 1e-10;

/**
 * A point where an outline is drawn wrongly: where edges cross, or beside ground that rings enclose twice or exclude
 * twice (a part drawn again or inside another, a hole outside its part); null if there is none. Edges that only touch
 * do not cross. A sweep from south to north visits each band between neighbouring latitudes of vertices. There the
 * edges are in one order from west to east, unless two cross, and ground between them is inside once or not at all.
 * Bands have few edges, so outlines of 100,000 vertices take only a moment.
 */
export function selfCrossing(polygons: readonly Rings[]): [number, number] | null {
  const { ends, turns } = slopingEdges(polygons);
  const count = turns.length;
  const longitudeAt = (edge: number, latitude: number) => {
    const [x1, y1, x2, y2] = [ends[4 * edge]!, ends[4 * edge + 1]!, ends[4 * edge + 2]!, ends[4 * edge + 3]!];
    return x1 + ((latitude - y1) / (y2 - y1)) * (x2 - x1);
  };
  const southern = Uint32Array.from({ length: count }, (_, i) => i).sort((a, b) => ends[4 * a + 1]! - ends[4 * b + 1]!);
  const latitudes = Float64Array.from({ length: 2 * count }, (_, i) => ends[2 * i + 1]!).sort();
  const halfway = new Float64Array(count);
  let active: number[] = [];
  let next = 0;
  for (let i = 1; i < latitudes.length; i++) {
    const [south, north] = [latitudes[i - 1]!, latitudes[i]!];
    if (south === north) continue;
    active = active.filter((edge) => ends[4 * edge + 3]! > south);
    while (next < count && ends[4 * southern[next]! + 1]! <= south) active.push(southern[next++]!);
    const middle = south + (north - south) / 2;
    for (const edge of active) halfway[edge] = longitudeAt(edge, middle);
    sortNearlySorted(active, halfway);
    let around = 0;
    for (let k = 0; k + 1 < active.length; k++) {
      const [west, east] = [active[k]!, active[k + 1]!];
      around += turns[west]!;
      const below = longitudeAt(east, south) - longitudeAt(west, south);
      const above = longitudeAt(east, north) - longitudeAt(west, north);
      const cross = below < -TOUCHING || above < -TOUCHING;
      const wrong = (around < 0 || around > 1) && Math.max(below, above) > TOUCHING;
      if (cross || wrong) return [halfway[west]!, middle];
    }
  }
  return null;
}

/** Sorts edges by their key, by insertion: from band to band, few change places. */
function sortNearlySorted(edges: number[], key: Float64Array): void {
  for (let k = 1; k < edges.length; k++) {
    const edge = edges[k]!;
    let to = k;
    for (; to > 0 && key[edges[to - 1]!]! > key[edge]!; to--) edges[to] = edges[to - 1]!;
    edges[to] = edge;
  }
}

/**
 * The edges that are not along a parallel: longitude and latitude of their southern, then their northern end, and by
 * how much they change how often the ground east of them is enclosed: 1 or −1, with holes reversed.
 */
function slopingEdges(polygons: readonly Rings[]): { ends: Float64Array; turns: Int8Array } {
  const ends: number[] = [];
  const turns: number[] = [];
  for (const rings of polygons)
    rings.forEach((ring, index) => {
      const way = (index === 0) === isClockwise(ring) ? 1 : -1;
      for (let i = 1; i < ring.length; i++) {
        const [a, b] = [ring[i - 1]!, ring[i]!];
        if (a[1] === b[1]) continue;
        const northwards = a[1] < b[1];
        const [south, north] = northwards ? [a, b] : [b, a];
        ends.push(south[0], south[1], north[0], north[1]);
        turns.push(northwards ? way : -way);
      }
    });
  return { ends: Float64Array.from(ends), turns: Int8Array.from(turns) };
}

/** Whether a closed ring encloses its ground clockwise, by its area relative to its first point. */
function isClockwise(ring: Rings[number]): boolean {
  const [x0, y0] = ring[0]!;
  let twice = 0;
  for (let i = 1; i < ring.length; i++) {
    const [a, b] = [ring[i - 1]!, ring[i]!];
    twice += (a[0] - x0) * (b[1] - y0) - (b[0] - x0) * (a[1] - y0);
  }
  return twice < 0;
}
