import type { Areas, Census, Polygons } from '../../ingest/ingest-tables.ts';
import type { Raster } from '../../ingest/readers/geotiff.ts';
import { gridCellAreaKm2 } from '../../lib/numerics/area.ts';
import type { Grid, GridWindow } from '../../lib/numerics/grid.ts';
import { coverOutlines } from './band.ts';
import { type Coverage, createCover } from './coverage.ts';
import { toGridOutline } from './outline.ts';

/** Cells per degree: about 1 km, on which urban centres are defined. */
const CELLS_PER_DEGREE = 120;

/** What is needed of a raster of persons. */
export type PersonsRaster = Omit<Raster, 'description'>;

/** The people of a census, spread evenly over the ground of each area, on a grid of about 1 km. */
export interface EvenPeople extends PersonsRaster {
  /** Persons by cell of the window if all of it belonged to one area, so that its sum over the area is the census's. */
  personsInArea(lga: number, window: GridWindow): Float64Array;
}

/** @param file the census, which messages name; an area without a row has no people */
export function spreadEvenly({ lgas }: Areas, polygons: Polygons, census: Census, file: string): EvenPeople {
  const grid = gridAround(polygons);
  const outlines = polygons.lgas.map((lga) => toGridOutline(lga.polygons, grid));
  const coverOutline = createCover(grid.columns);
  const km2 = Float64Array.from({ length: grid.rows }, (_, row) => gridCellAreaKm2(grid, row));
  const density = outlines.map(
    (outline, lga) =>
      (census[lgas[lga]!.lga_code]?.people ?? 0) /
      sumRows(coverOutline(outline, 0, grid.rows), (row, share) => share * km2[row]!),
  );
  return {
    file,
    grid,
    blockRows: 1,
    blockColumns: grid.columns,
    northRows: 1,
    async readWindow(window) {
      const persons = new Float64Array(window.rows * window.columns);
      for (const [lga, coverage] of coverOutlines(coverOutline, outlines, window))
        forEachSpan(coverage, (row, column, length, share) => {
          const rowOffset = (row - window.row) * window.columns - window.column;
          const addedPersons = share * density[lga]! * km2[row]!;
          for (let cellColumn = column; cellColumn < column + length; cellColumn++)
            persons[rowOffset + cellColumn]! += addedPersons;
        });
      return persons;
    },
    personsInArea(lga, { row, rows, columns }) {
      const persons = new Float64Array(rows * columns);
      for (let i = 0; i < rows; i++) persons.fill(density[lga]! * km2[row + i]!, i * columns, (i + 1) * columns);
      return persons;
    },
    async close() {},
  };
}

/** Cells whose borders are at multiples of their size, around all outlines. */
function gridAround({ lgas }: Polygons): Grid {
  const points = lgas.flatMap(({ polygons }) => polygons.flat(2));
  const gridEdge = (
    axis: 0 | 1,
    roundToCell: (value: number) => number,
    chooseExtreme: (a: number, b: number) => number,
  ) =>
    points.reduce(
      (extreme, point) => chooseExtreme(extreme, roundToCell(point[axis] * CELLS_PER_DEGREE)),
      roundToCell(points[0]![axis] * CELLS_PER_DEGREE),
    );
  const [west, east] = [gridEdge(0, Math.floor, Math.min), gridEdge(0, Math.ceil, Math.max)];
  const [south, north] = [gridEdge(1, Math.floor, Math.min), gridEdge(1, Math.ceil, Math.max)];
  return {
    west: west / CELLS_PER_DEGREE,
    north: north / CELLS_PER_DEGREE,
    cellWidth: 1 / CELLS_PER_DEGREE,
    cellHeight: 1 / CELLS_PER_DEGREE,
    columns: east - west,
    rows: north - south,
  };
}

function forEachSpan(
  { firstRow, rowStart, column, length, share }: Coverage,
  visit: (row: number, column: number, length: number, share: number) => void,
): void {
  for (let i = 0; i + 1 < rowStart.length; i++)
    for (let k = rowStart[i]!; k < rowStart[i + 1]!; k++) visit(firstRow + i, column[k]!, length[k]!, share[k]!);
}

function sumRows(coverage: Coverage, value: (row: number, share: number) => number): number {
  let sum = 0;
  forEachSpan(coverage, (row, _, length, share) => {
    sum += length * value(row, share);
  });
  return sum;
}
