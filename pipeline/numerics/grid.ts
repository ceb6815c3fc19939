/** Extent and resolution of a north-up raster as one value; degrees, rows counted from the north. */
export interface Grid {
  west: number;
  north: number;
  cellWidth: number;
  cellHeight: number;
  columns: number;
  rows: number;
}

/** Rows `row` to `row + rows` and columns `column` to `column + columns` of a grid; ends excluded. */
export interface Window {
  row: number;
  column: number;
  rows: number;
  columns: number;
}

/** Values of a window, row after row; missing is NaN. Float32 where the file's type fits into it exactly. */
export type Values = Float32Array | Float64Array;

/** The cells of a whole grid, in the form that `listWindows` takes. */
export function wholeGrid(grid: Grid) {
  return { firstRow: 0, endRow: grid.rows, firstColumn: 0, endColumn: grid.columns };
}

export function sameGrid(a: Grid, b: Grid): boolean {
  return (
    a.west === b.west &&
    a.north === b.north &&
    a.cellWidth === b.cellWidth &&
    a.cellHeight === b.cellHeight &&
    a.columns === b.columns &&
    a.rows === b.rows
  );
}

/** One line for messages: columns × rows, cell size, corner. */
export function describeGrid(grid: Grid): string {
  return `${grid.columns} × ${grid.rows} cells of ${grid.cellWidth} × ${grid.cellHeight}° from ${grid.west}, ${grid.north}`;
}

/** The column that holds `longitude`, a point on a cell's edge going east; outside 0 to columns − 1 where off the grid. */
export function columnAt(grid: Grid, longitude: number): number {
  return Math.floor((longitude - grid.west) / grid.cellWidth);
}

/** The row that holds `latitude`, a point on a cell's edge going south. */
export function rowAt(grid: Grid, latitude: number): number {
  return Math.floor((grid.north - latitude) / grid.cellHeight);
}

export function longitudeOf(grid: Grid, column: number): number {
  return grid.west + (column + 0.5) * grid.cellWidth;
}

export function latitudeOf(grid: Grid, row: number): number {
  return grid.north - (row + 0.5) * grid.cellHeight;
}
