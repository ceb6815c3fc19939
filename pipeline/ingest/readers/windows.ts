import type { Grid, GridWindow } from '../../lib/numerics/grid.ts';

/** Maximum number of cells in a band, unless one row of the file's blocks has more. */
const BAND_CELLS = 1 << 20;

/** A range of rows and columns, ends excluded. */
export interface Extent {
  firstRow: number;
  endRow: number;
  firstColumn: number;
  endColumn: number;
}

/** How a file divides its grid into blocks (tiles or strips), each decoded as a unit. */
export interface BlockSize {
  blockRows: number;
  blockColumns: number;
  /** Rows of the northernmost block: fewer than in the others if the file begins in the south. */
  northRows: number;
}

/**
 * Windows of complete rows of blocks, from north to south, that cover the outlines. They depend only on grid, blocks
 * and outlines, not on the machine, so that results by window are the same everywhere.
 */
export function listWindows(
  grid: Grid,
  { blockRows, northRows }: Pick<BlockSize, 'blockRows' | 'northRows'>,
  outlines: readonly Extent[],
): GridWindow[] {
  const nonEmpty = outlines.filter(
    ({ firstRow, endRow, firstColumn, endColumn }) => firstRow < endRow && firstColumn < endColumn,
  );
  if (nonEmpty.length === 0) return [];
  const extreme = (edge: keyof Extent, chooseExtreme: (a: number, b: number) => number) =>
    nonEmpty.map((outline) => outline[edge]).reduce((a, b) => chooseExtreme(a, b));
  const column = extreme('firstColumn', Math.min);
  const columns = extreme('endColumn', Math.max) - column;
  const endRow = extreme('endRow', Math.max);
  const bandRows = blockRows * Math.max(1, Math.floor(BAND_CELLS / grid.columns / blockRows));
  const windows: GridWindow[] = [];
  let row = extreme('firstRow', Math.min);
  while (row < endRow) {
    const nextRow = Math.min(endRow, northRows + (Math.floor((row - northRows) / bandRows) + 1) * bandRows);
    windows.push({ row, column, rows: nextRow - row, columns });
    row = nextRow;
  }
  return windows;
}

/** Minimum number of cells in a tile, unless its band is narrower: smaller tiles are not worth their overhead. */
const TILE_CELLS = 1 << 16;

/** Divides a band into windows from west to east along the borders of the file's blocks. */
export function cutTiles(band: GridWindow, { blockColumns }: Pick<BlockSize, 'blockColumns'>): GridWindow[] {
  const tileColumns = blockColumns * Math.max(1, Math.ceil(TILE_CELLS / band.rows / blockColumns));
  const endColumn = band.column + band.columns;
  const tiles: GridWindow[] = [];
  let column = band.column;
  while (column < endColumn) {
    const nextColumn = Math.min(endColumn, (Math.floor(column / tileColumns) + 1) * tileColumns);
    tiles.push({ ...band, column, columns: nextColumn - column });
    column = nextColumn;
  }
  return tiles;
}
