/** Extent and resolution of a raster; degrees, rows counted from the north whatever the file's order. */
export interface Grid {
  west: number;
  north: number;
  cellWidth: number;
  cellHeight: number;
  columns: number;
  rows: number;
}

/** Rows `row` to `row + rows` and columns `column` to `column + columns` of a grid, ends excluded. */
export interface GridWindow {
  row: number;
  column: number;
  rows: number;
  columns: number;
}

/** Values of a window, row by row; NaN if missing. Float32 if it can represent the file's type exactly. */
export type RasterValues = Float32Array | Float64Array;

/** All cells of a grid, in the form that `listWindows` expects. */
export function wholeGrid(grid: Grid) {
  return { firstRow: 0, endRow: grid.rows, firstColumn: 0, endColumn: grid.columns };
}

/** Largest difference between equal grids, as a share of a cell: programs round what they write. */
const TOLERANCE_CELLS = 1e-6;

/** Whether the grids have the same cells: as many, with the same corners. */
export function isSameGrid(a: Grid, b: Grid): boolean {
  const isNear = (x: number, y: number, cell: number) => Math.abs(x - y) <= TOLERANCE_CELLS * cell;
  return (
    a.columns === b.columns &&
    a.rows === b.rows &&
    isNear(a.west, b.west, a.cellWidth) &&
    isNear(a.north, b.north, a.cellHeight) &&
    isNear(a.west + a.columns * a.cellWidth, b.west + b.columns * b.cellWidth, a.cellWidth) &&
    isNear(a.north - a.rows * a.cellHeight, b.north - b.rows * b.cellHeight, a.cellHeight)
  );
}

/** One line for messages: columns × rows, cell size, corner. */
export function describeGrid(grid: Grid): string {
  return `${grid.columns} × ${grid.rows} cells of ${grid.cellWidth} × ${grid.cellHeight}° from ${grid.west}, ${grid.north}`;
}

/**
 * The column that contains `longitude`; an edge belongs to the cell east of it. For a longitude off the grid the result
 * is outside 0 to columns − 1.
 */
export function columnAt(grid: Grid, longitude: number): number {
  return Math.floor((longitude - grid.west) / grid.cellWidth);
}

/** The row that contains `latitude`; an edge belongs to the cell south of it. */
export function rowAt(grid: Grid, latitude: number): number {
  return Math.floor((grid.north - latitude) / grid.cellHeight);
}

/** Longitude of the centre of a column, degrees. */
export function columnLongitude(grid: Grid, column: number): number {
  return grid.west + (column + 0.5) * grid.cellWidth;
}

/** Latitude of the centre of a row, degrees. */
export function rowLatitude(grid: Grid, row: number): number {
  return grid.north - (row + 0.5) * grid.cellHeight;
}
