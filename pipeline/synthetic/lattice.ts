import type { Random } from '../lib/numerics/random.ts';
import type { Surface } from './noise.ts';
import { isInPolygon } from './polygons.ts';

/**
 * The lattice from which the country is built: hexagons with jittered corners. Three hexagons meet at every corner, and
 * they share it, so any grouping of hexagons tiles exactly and its outline never touches itself.
 */
export interface Lattice {
  /** Corner coordinates, degrees. */
  corner_longitude: number[];
  corner_latitude: number[];
  /** By hexagon: its six corners, counter-clockwise. */
  corners: number[][];
  /**
   * By hexagon: the neighbour across each side (side i runs from corner i to corner i + 1), or -1 at the country's
   * edge.
   */
  across: number[][];
  /** Centres before jitter, degrees. */
  longitude: number[];
  latitude: number[];
  /** Side of a square with the area of a hexagon, degrees. */
  spacing: number;
}

/** Usual distance from centre to corner, degrees: hexagons of about 43 km². */
export const RADIUS = 0.037;
const WEST = 2.7;
const SOUTH = 4.3;
const EAST = 14.7;
const NORTH = 13.9;
/** Corners are moved by up to this share of a side. */
const JITTER = 0.24;
/** The country's rough outline, wide in the north and with a delta in the south, before noise. Counter-clockwise. */
const OUTLINE: [number, number][] = [
  [2.9, 6.5],
  [4.6, 6.3],
  [5.3, 5.0],
  [6.1, 4.6],
  [7.4, 4.6],
  [8.4, 4.9],
  [9.0, 6.2],
  [10.3, 7.0],
  [11.2, 6.9],
  [12.0, 7.8],
  [12.9, 9.3],
  [13.6, 11.0],
  [14.3, 12.3],
  [13.6, 13.4],
  [11.6, 13.2],
  [9.6, 12.9],
  [7.6, 13.2],
  [5.6, 13.6],
  [4.2, 13.3],
  [3.8, 12.0],
  [3.7, 10.4],
  [2.95, 9.0],
  [2.9, 6.5],
];
/** Corners around a centre, in units of half a width and half a radius, counter-clockwise from the lowest. */
const AROUND: [number, number][] = [
  [0, -2],
  [1, -1],
  [1, 1],
  [0, 2],
  [-1, 1],
  [-1, -1],
];

/**
 * The hexagons within the outline displaced by `wobbleX` and `wobbleY` (degrees): one connected piece without lakes.
 * @param radius distance from centre to corner, degrees
 */
export function growLattice(random: Random, wobbleX: Surface, wobbleY: Surface, radius = RADIUS): Lattice {
  const width = (Math.sqrt(3) / 2) * radius;
  const columns = Math.floor((EAST - WEST) / (2 * width)) - 1;
  const rows = Math.floor((NORTH - SOUTH) / (1.5 * radius)) - 1;
  const centre = (column: number, row: number) => ({
    x: WEST + (2 * column + (row & 1) + 1.5) * width,
    y: SOUTH + (1.5 * row + 1.5) * radius,
  });
  const land = new Uint8Array(columns * rows);
  for (let row = 1; row < rows - 1; row++) {
    for (let column = 1; column < columns - 1; column++) {
      const { x, y } = centre(column, row);
      if (isInPolygon([OUTLINE], x + wobbleX(x, y), y + wobbleY(x, y))) land[row * columns + column] = 1;
    }
  }
  const neighbours = (cell: number) => cellNeighbours(cell, columns, rows);
  const country = fillLakes(largestPart(land, neighbours), neighbours);

  const index = new Int32Array(columns * rows).fill(-1);
  const lattice: Lattice = {
    corner_longitude: [],
    corner_latitude: [],
    corners: [],
    across: [],
    longitude: [],
    latitude: [],
    spacing: Math.sqrt(1.5 * Math.sqrt(3)) * radius,
  };
  const cells = [...country.keys()].filter((cell) => country[cell]);
  for (const [i, cell] of cells.entries()) index[cell] = i;
  const cornerIds = new Map<number, number>();
  for (const cell of cells) {
    const row = Math.floor(cell / columns);
    const column = cell % columns;
    const { x, y } = centre(column, row);
    lattice.longitude.push(x);
    lattice.latitude.push(y);
    lattice.corners.push(
      AROUND.map(([dx, dy]) => {
        const key = (3 * row + dy + 2) * 4 * columns + (2 * column + (row & 1) + dx + 1);
        let id = cornerIds.get(key);
        if (id === undefined) {
          id = lattice.corner_longitude.length;
          cornerIds.set(key, id);
          const angle = 2 * Math.PI * random.uniform();
          const shift = JITTER * radius * Math.sqrt(random.uniform());
          lattice.corner_longitude.push(round(x + dx * width + shift * Math.cos(angle)));
          lattice.corner_latitude.push(round(y + (dy * radius) / 2 + shift * Math.sin(angle)));
        }
        return id;
      }),
    );
    lattice.across.push(neighbours(cell).map((neighbour) => (neighbour < 0 ? -1 : index[neighbour]!)));
  }
  return lattice;
}

/** Rounds to about a metre. All hexagons share the rounded corner, so no gap opens. */
function round(degrees: number): number {
  return Math.round(degrees * 1e5) / 1e5;
}

/** Neighbours across sides 0-5, -1 beyond the grid. Odd rows are shifted half a cell to the east. */
function cellNeighbours(cell: number, columns: number, rows: number): number[] {
  const row = Math.floor(cell / columns);
  const column = cell % columns;
  const odd = row & 1;
  const cellAt = (column: number, row: number) =>
    column < 0 || row < 0 || column >= columns || row >= rows ? -1 : row * columns + column;
  return [
    cellAt(column + odd, row - 1),
    cellAt(column + 1, row),
    cellAt(column + odd, row + 1),
    cellAt(column + odd - 1, row + 1),
    cellAt(column - 1, row),
    cellAt(column + odd - 1, row - 1),
  ];
}

function largestPart(land: Uint8Array, neighbours: (cell: number) => number[]): Uint8Array {
  const seen = new Uint8Array(land.length);
  let largest: number[] = [];
  for (let start = 0; start < land.length; start++) {
    if (!land[start] || seen[start]) continue;
    const part = flood(start, (cell) => land[cell] === 1, neighbours, seen);
    if (part.length > largest.length) largest = part;
  }
  const kept = new Uint8Array(land.length);
  for (const cell of largest) kept[cell] = 1;
  return kept;
}

/** Turns water into land if it cannot be reached from the grid's first cell. */
function fillLakes(land: Uint8Array, neighbours: (cell: number) => number[]): Uint8Array {
  const sea = new Uint8Array(land.length);
  flood(0, (cell) => land[cell] === 0, neighbours, sea);
  return sea.map((reached) => 1 - reached);
}

function flood(
  start: number,
  belongs: (cell: number) => boolean,
  neighbours: (cell: number) => number[],
  seen: Uint8Array,
): number[] {
  const part = [start];
  seen[start] = 1;
  for (let i = 0; i < part.length; i++) {
    for (const neighbour of neighbours(part[i]!)) {
      if (neighbour < 0 || seen[neighbour] || !belongs(neighbour)) continue;
      seen[neighbour] = 1;
      part.push(neighbour);
    }
  }
  return part;
}
