import { booleanPointInPolygon } from '@turf/boolean-point-in-polygon';
import type { Random } from '../lib/numerics/random.ts';
import type { Surface } from './noise.ts';

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
  neighbours: number[][];
  /** Centres before jitter, degrees. */
  longitude: number[];
  latitude: number[];
  /** Side of a square with the area of a hexagon, degrees. */
  spacing: number;
}

/** Usual distance from centre to corner, degrees: hexagons of about 43 km². */
export const USUAL_RADIUS = 0.037;
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
const CORNER_OFFSETS: [number, number][] = [
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
export function makeLattice(random: Random, wobbleX: Surface, wobbleY: Surface, radius = USUAL_RADIUS): Lattice {
  const width = (Math.sqrt(3) / 2) * radius;
  const columns = Math.floor((EAST - WEST) / (2 * width)) - 1;
  const rows = Math.floor((NORTH - SOUTH) / (1.5 * radius)) - 1;
  const centre = (column: number, row: number) => ({
    x: WEST + (2 * column + (row & 1) + 1.5) * width,
    y: SOUTH + (1.5 * row + 1.5) * radius,
  });
  const isLand = new Uint8Array(columns * rows);
  const outline = { type: 'Polygon' as const, coordinates: [OUTLINE] };
  for (let row = 1; row < rows - 1; row++) {
    for (let column = 1; column < columns - 1; column++) {
      const { x, y } = centre(column, row);
      const isInside = booleanPointInPolygon([x + wobbleX(x, y), y + wobbleY(x, y)], outline);
      if (isInside) isLand[row * columns + column] = 1;
    }
  }
  const gridNeighbours = (cell: number) => cellNeighbours(cell, columns, rows);
  const isCountry = fillLakes(largestPart(isLand, gridNeighbours), gridNeighbours);

  const indexByCell = new Int32Array(columns * rows).fill(-1);
  const lattice: Lattice = {
    corner_longitude: [],
    corner_latitude: [],
    corners: [],
    neighbours: [],
    longitude: [],
    latitude: [],
    spacing: Math.sqrt(1.5 * Math.sqrt(3)) * radius,
  };
  const cells = [...isCountry.keys()].filter((cell) => isCountry[cell]);
  for (const [i, cell] of cells.entries()) indexByCell[cell] = i;
  const cornerByKey = new Map<number, number>();
  for (const cell of cells) {
    const row = Math.floor(cell / columns);
    const column = cell % columns;
    const { x, y } = centre(column, row);
    lattice.longitude.push(x);
    lattice.latitude.push(y);
    lattice.corners.push(
      CORNER_OFFSETS.map(([dx, dy]) => {
        const key = (3 * row + dy + 2) * 4 * columns + (2 * column + (row & 1) + dx + 1);
        let corner = cornerByKey.get(key);
        if (corner === undefined) {
          corner = lattice.corner_longitude.length;
          cornerByKey.set(key, corner);
          const angle = 2 * Math.PI * random.uniform();
          const shift = JITTER * radius * Math.sqrt(random.uniform());
          lattice.corner_longitude.push(roundDegrees(x + dx * width + shift * Math.cos(angle)));
          lattice.corner_latitude.push(roundDegrees(y + (dy * radius) / 2 + shift * Math.sin(angle)));
        }
        return corner;
      }),
    );
    lattice.neighbours.push(gridNeighbours(cell).map((neighbour) => (neighbour < 0 ? -1 : indexByCell[neighbour]!)));
  }
  return lattice;
}

/** Rounds to about a metre. All hexagons share the rounded corner, so no gap opens. */
function roundDegrees(degrees: number): number {
  return Math.round(degrees * 1e5) / 1e5;
}

/** Neighbours across sides 0-5, -1 beyond the grid. Odd rows are shifted half a cell to the east. */
function cellNeighbours(cell: number, columns: number, rows: number): number[] {
  const row = Math.floor(cell / columns);
  const column = cell % columns;
  const shift = row & 1;
  const cellAt = (column: number, row: number) =>
    column < 0 || row < 0 || column >= columns || row >= rows ? -1 : row * columns + column;
  return [
    cellAt(column + shift, row - 1),
    cellAt(column + 1, row),
    cellAt(column + shift, row + 1),
    cellAt(column + shift - 1, row + 1),
    cellAt(column - 1, row),
    cellAt(column + shift - 1, row - 1),
  ];
}

function largestPart(isLand: Uint8Array, neighbours: (cell: number) => number[]): Uint8Array {
  const visited = new Uint8Array(isLand.length);
  let largest: number[] = [];
  for (let start = 0; start < isLand.length; start++) {
    if (!isLand[start] || visited[start]) continue;
    const part = flood(start, (cell) => isLand[cell] === 1, neighbours, visited);
    if (part.length > largest.length) largest = part;
  }
  const isKept = new Uint8Array(isLand.length);
  for (const cell of largest) isKept[cell] = 1;
  return isKept;
}

/** Turns water into land if it cannot be reached from the grid's first cell. */
function fillLakes(isLand: Uint8Array, neighbours: (cell: number) => number[]): Uint8Array {
  const isSea = new Uint8Array(isLand.length);
  flood(0, (cell) => isLand[cell] === 0, neighbours, isSea);
  return isSea.map((reached) => 1 - reached);
}

/** All cells that belong and can be reached from `start` through others that belong; `visited` marks them. */
export function flood(
  start: number,
  belongs: (cell: number) => boolean,
  neighbours: (cell: number) => number[],
  visited: Uint8Array,
): number[] {
  const part = [start];
  visited[start] = 1;
  for (let i = 0; i < part.length; i++) {
    for (const neighbour of neighbours(part[i]!)) {
      if (neighbour < 0 || visited[neighbour] || !belongs(neighbour)) continue;
      visited[neighbour] = 1;
      part.push(neighbour);
    }
  }
  return part;
}
