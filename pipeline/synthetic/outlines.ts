import { booleanClockwise } from '@turf/boolean-clockwise';
import type { Polygon } from '../lib/numerics/area.ts';
import type { Lattice } from './lattice.ts';

/**
 * Outline of the hexagons of one group: the sides that face another group, followed from corner to corner.
 * Three hexagons meet at each corner, so at most one such side leaves it, and the path is unambiguous.
 * Shells run counter-clockwise, holes clockwise (RFC 7946); rings are closed; degrees.
 */
export function traceOutline(lattice: Lattice, groupByCell: Int32Array, group: number, cells: number[]): Polygon[] {
  const nextCorner = new Map<number, number>();
  for (const cell of cells) {
    for (let side = 0; side < 6; side++) {
      const neighbour = lattice.neighbours[cell]![side]!;
      if (neighbour >= 0 && groupByCell[neighbour] === group) continue;
      nextCorner.set(lattice.corners[cell]![side]!, lattice.corners[cell]![(side + 1) % 6]!);
    }
  }
  const shells: [number, number][][] = [];
  const holes: [number, number][][] = [];
  for (const start of nextCorner.keys()) {
    const ring: [number, number][] = [];
    for (let corner = start; ; ) {
      ring.push([lattice.corner_longitude[corner]!, lattice.corner_latitude[corner]!]);
      const following = nextCorner.get(corner)!;
      nextCorner.delete(corner);
      corner = following;
      if (corner === start) break;
    }
    ring.push(ring[0]!);
    (booleanClockwise(ring) ? holes : shells).push(ring);
  }
  if (shells.length !== 1)
    throw new Error(`group ${group} has ${shells.length} shells, expected 1: it is not connected`);
  return [[shells[0]!, ...holes]];
}
