import type { Polygon } from '../lib/numerics/area.ts';
import type { Grid } from './geotiff-writer.ts';

/** Mean Earth radius (IUGG), km; all areas are computed on this sphere. */
const EARTH_RADIUS_KM = 6371.0088;
const RADIANS = Math.PI / 180;

/** Centre of a cell, degrees. */
export function cellCentre(grid: Grid, cell: number): [number, number] {
  const row = Math.floor(cell / grid.columns);
  const column = cell - row * grid.columns;
  return [grid.west + (column + 0.5) * grid.step, grid.north - (row + 0.5) * grid.step];
}

/** Area of a cell in row `row` on the sphere, km²: R² Δλ (sin φ_north − sin φ_south). */
export function cellArea(grid: Grid, row: number): number {
  const north = grid.north - row * grid.step;
  const band = Math.sin(north * RADIANS) - Math.sin((north - grid.step) * RADIANS);
  return EARTH_RADIUS_KM ** 2 * grid.step * RADIANS * band;
}

/**
 * The area that contains each cell's centre, as an index into `areas`, or -1. Areas must not overlap. A centre exactly
 * on a shared edge belongs to the area east of it (half-open spans), so none is counted twice.
 */
export function rasteriseAreas(grid: Grid, areas: { polygons: Polygon[] }[]): Int16Array {
  const areaByCell = new Int16Array(grid.columns * grid.rows).fill(-1);
  for (const [index, area] of areas.entries()) {
    const crossings = new Map<number, number[]>();
    for (const polygon of area.polygons) {
      for (const ring of polygon) {
        for (let i = 0; i + 1 < ring.length; i++) addCrossings(grid, ring[i]!, ring[i + 1]!, crossings);
      }
    }
    for (const [row, columns] of crossings) {
      columns.sort((a, b) => a - b);
      for (let i = 0; i + 1 < columns.length; i += 2) {
        const firstColumn = Math.max(0, Math.ceil(columns[i]!));
        const endColumn = Math.min(grid.columns, Math.ceil(columns[i + 1]!));
        if (endColumn > firstColumn)
          areaByCell.fill(index, row * grid.columns + firstColumn, row * grid.columns + endColumn);
      }
    }
  }
  return areaByCell;
}

/** Adds the points where an edge crosses the centre lines of rows, in column numbers of cell centres. */
function addCrossings(grid: Grid, a: [number, number], b: [number, number], crossings: Map<number, number[]>): void {
  // Order the ends, so that both neighbours of an edge compute identical crossings.
  const [south, north] = a[1] < b[1] ? [a, b] : [b, a];
  const first = Math.max(0, Math.floor((grid.north - north[1]) / grid.step - 0.5));
  const last = Math.min(grid.rows - 1, Math.ceil((grid.north - south[1]) / grid.step - 0.5));
  for (let row = first; row <= last; row++) {
    const y = grid.north - (row + 0.5) * grid.step;
    if (y < south[1] || y >= north[1]) continue;
    const x = south[0] + ((y - south[1]) * (north[0] - south[0])) / (north[1] - south[1]);
    const columns = crossings.get(row);
    const column = (x - grid.west) / grid.step - 0.5;
    if (columns) columns.push(column);
    else crossings.set(row, [column]);
  }
}
