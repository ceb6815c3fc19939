/** Closed rings of longitude and latitude, the exterior one first. */
type Rings = readonly (readonly (readonly [number, number])[])[];

/** Edges may pass each other by this much, degrees (0.01 mm): where they touch, their points are rounded. */
const TOUCH_TOLERANCE = 1e-10;

/**
 * A point where an outline is drawn wrongly: where edges cross, or beside ground that rings enclose twice or exclude
 * twice (a part drawn again or inside another, a hole outside its part); null if there is none. Edges that only touch
 * do not cross. A sweep from south to north visits each band between neighbouring latitudes of vertices. There the
 * edges are in one order from west to east, unless two cross, and ground between them is inside once or not at all.
 * Bands have few edges, so outlines of 100,000 vertices take only a moment.
 */
export function findSelfCrossing(polygons: readonly Rings[]): [number, number] | null {
  const { endpoints, enclosureChanges } = slopingEdges(polygons);
  const edgeCount = enclosureChanges.length;
  const longitudeAt = (edge: number, latitude: number) => {
    const [x1, y1, x2, y2] = [
      endpoints[4 * edge]!,
      endpoints[4 * edge + 1]!,
      endpoints[4 * edge + 2]!,
      endpoints[4 * edge + 3]!,
    ];
    return x1 + ((latitude - y1) / (y2 - y1)) * (x2 - x1);
  };
  const edgesFromSouth = Uint32Array.from({ length: edgeCount }, (_, i) => i).sort(
    (a, b) => endpoints[4 * a + 1]! - endpoints[4 * b + 1]!,
  );
  const latitudes = Float64Array.from({ length: 2 * edgeCount }, (_, i) => endpoints[2 * i + 1]!).sort();
  const middleLongitude = new Float64Array(edgeCount);
  let active: number[] = [];
  let nextEdge = 0;
  for (let i = 1; i < latitudes.length; i++) {
    const [south, north] = [latitudes[i - 1]!, latitudes[i]!];
    if (south === north) continue;
    active = active.filter((edge) => endpoints[4 * edge + 3]! > south);
    while (nextEdge < edgeCount && endpoints[4 * edgesFromSouth[nextEdge]! + 1]! <= south)
      active.push(edgesFromSouth[nextEdge++]!);
    const middle = south + (north - south) / 2;
    for (const edge of active) middleLongitude[edge] = longitudeAt(edge, middle);
    sortNearlySorted(active, middleLongitude);
    let enclosureCount = 0;
    for (let k = 0; k + 1 < active.length; k++) {
      const [west, east] = [active[k]!, active[k + 1]!];
      enclosureCount += enclosureChanges[west]!;
      const southGap = longitudeAt(east, south) - longitudeAt(west, south);
      const northGap = longitudeAt(east, north) - longitudeAt(west, north);
      const isCrossing = southGap < -TOUCH_TOLERANCE || northGap < -TOUCH_TOLERANCE;
      const isWronglyEnclosed =
        (enclosureCount < 0 || enclosureCount > 1) && Math.max(southGap, northGap) > TOUCH_TOLERANCE;
      if (isCrossing || isWronglyEnclosed) return [middleLongitude[west]!, middle];
    }
  }
  return null;
}

/** Sorts edges by their key, by insertion: from band to band, few change places. */
function sortNearlySorted(edges: number[], sortKey: Float64Array): void {
  for (let k = 1; k < edges.length; k++) {
    const edge = edges[k]!;
    let position = k;
    for (; position > 0 && sortKey[edges[position - 1]!]! > sortKey[edge]!; position--)
      edges[position] = edges[position - 1]!;
    edges[position] = edge;
  }
}

/**
 * The edges that are not along a parallel: longitude and latitude of their southern, then their northern end, and by
 * how much they change how often the ground east of them is enclosed: 1 or −1, with holes reversed.
 */
function slopingEdges(polygons: readonly Rings[]): { endpoints: Float64Array; enclosureChanges: Int8Array } {
  const endpoints: number[] = [];
  const enclosureChanges: number[] = [];
  for (const rings of polygons)
    rings.forEach((ring, index) => {
      const orientation = (index === 0) === isClockwise(ring) ? 1 : -1;
      for (let i = 1; i < ring.length; i++) {
        const [a, b] = [ring[i - 1]!, ring[i]!];
        if (a[1] === b[1]) continue;
        const northwards = a[1] < b[1];
        const [south, north] = northwards ? [a, b] : [b, a];
        endpoints.push(south[0], south[1], north[0], north[1]);
        enclosureChanges.push(northwards ? orientation : -orientation);
      }
    });
  return { endpoints: Float64Array.from(endpoints), enclosureChanges: Int8Array.from(enclosureChanges) };
}

/** Whether a closed ring encloses its ground clockwise, by its area relative to its first point. */
function isClockwise(ring: Rings[number]): boolean {
  const [x0, y0] = ring[0]!;
  let doubleArea = 0;
  for (let i = 1; i < ring.length; i++) {
    const [a, b] = [ring[i - 1]!, ring[i]!];
    doubleArea += (a[0] - x0) * (b[1] - y0) - (b[0] - x0) * (a[1] - y0);
  }
  return doubleArea < 0;
}
