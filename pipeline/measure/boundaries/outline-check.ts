import { booleanClockwise } from '@turf/boolean-clockwise';
import type { AreaGeometry } from '../../contract/schemas.ts';
import { listEdges } from '../../ingest/clean-outlines.ts';
import type { Polygon } from '../../lib/numerics/area.ts';
import { findSelfCrossing } from '../../lib/numerics/self-crossing.ts';

/** An area's outline with its code and that of its state (for a state, twice the same). */
export interface CodedOutline {
  code: string;
  state_code: string;
  polygons: readonly Polygon[];
}

/**
 * How far an outline may deviate, as a share of the side of a square of equal area, so that small areas keep their
 * size.
 */
const MOST_DEVIATION_SHARE = 0.008;

/**
 * How far the simplified outline of an area of `km2` may deviate from the full one, in metres; at most `toleranceM`.
 */
export function deviationLimitM(km2: number, toleranceM: number): number {
  return Math.min(toleranceM, 1000 * MOST_DEVIATION_SHARE * Math.sqrt(km2));
}

/**
 * Faults of one outline as GeoJSON (RFC 7946): rings must be closed, exterior rings counter-clockwise and holes
 * clockwise, no outline may cross itself, and outlines must be cut at the antimeridian.
 */
export function outlineFaults({ code, polygons }: CodedOutline): string[] {
  const faults: string[] = [];
  if (polygons.length === 0) return [`${code}: no shape`];
  for (const rings of polygons) {
    rings.forEach((ring, index) => {
      const [first, last] = [ring[0], ring.at(-1)];
      if (ring.length < 4 || String(first) !== String(last)) faults.push(`${code}: a ring that is not closed`);
      else if (booleanClockwise(ring) === (index === 0))
        faults.push(
          `${code}: ${index === 0 ? 'an exterior ring that runs clockwise' : 'a hole that runs counter-clockwise'}`,
        );
      if (ring.some(([longitude], i) => Math.abs(longitude - (ring[i - 1] ?? ring[i]!)[0]) > 180))
        faults.push(`${code}: an edge that crosses the antimeridian without being cut there`);
    });
  }
  const crossing = findSelfCrossing(polygons);
  if (crossing) faults.push(`${code}: an outline that crosses itself at ${crossing.join(', ')}`);
  return faults;
}

/** How often each edge occurs. */
function countEdges(outlines: readonly CodedOutline[]): Map<string, number> {
  const edgeCounts = new Map<string, number>();
  for (const edge of outlines.flatMap(({ polygons }) => listEdges(polygons)))
    edgeCounts.set(edge, (edgeCounts.get(edge) ?? 0) + 1);
  return edgeCounts;
}

/**
 * Whether LGA outlines nest in their states' outlines, edge for edge: the edges of a state's outline must be exactly
 * those that belong to exactly one of its LGAs. This is stricter than comparing areas: it detects a vertex present on
 * one side only.
 */
export function nestingFaults(lgas: readonly CodedOutline[], states: readonly CodedOutline[]): string[] {
  return states.flatMap((state) => {
    const lgaEdges = countEdges(lgas.filter((lga) => lga.state_code === state.state_code));
    const stateEdges = countEdges([state]);
    const rimEdges = [...lgaEdges].filter(([, count]) => count === 1).map(([edge]) => edge);
    const missing = rimEdges.filter((edge) => !stateEdges.has(edge)).length;
    const extra = [...stateEdges.keys()].filter((edge) => lgaEdges.get(edge) !== 1).length;
    if (missing + extra === 0) return [];
    return [
      `${state.code}: its areas do not nest in it: ${missing} of their edges are missing, ${extra} edges belong to no area`,
    ];
  });
}

/** Polygons of a GeoJSON geometry. */
export function toPolygons(geometry: AreaGeometry): Polygon[] {
  return (geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates) as Polygon[];
}
