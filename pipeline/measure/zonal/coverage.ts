import { createPieces, createSpans } from './coverage-columns.ts';
import type { GridOutline } from './outline.ts';

/**
 * Shares of cells, row by row: spans `rowStart[i]` to `rowStart[i + 1]` (excluded) belong to row `firstRow + i`, from
 * west to east. A span consists of `length` cells, starting at `column`, with the same `share` above 0; other cells
 * have share 0.
 */
export interface Coverage {
  firstRow: number;
  rowStart: Int32Array;
  column: Int32Array;
  length: Int32Array;
  share: Float64Array;
}

/** A share this close to an integer is that integer: rounding errors stay below 1e-14 in a row. */
const ROUNDING = 1e-13;

/**
 * Computes exact shares on a grid with `columns` columns: `cover(outline, firstRow, endRow)` returns those of the given
 * rows. The function reuses scratch space between calls, so it must be used by one thread only.
 *
 * Method: signed-area accumulation, as in font rasterisers (Levien's font-rs; cover and area in FreeType and AGG).
 * Every edge is cut at cell borders; a piece that descends by h at mean distance m from its cell's western border
 * contributes h (1 − m) to that cell and h to every cell east of it. Summing from the west gives each cell's share: the
 * time depends on the number of cells that edges cross, not on the cells inside. Every edge is processed from its upper
 * to its lower end, so that neighbours compute the same pieces with opposite signs, and their shares sum to 1.
 *
 * Shares are right only for outlines without faults (`findSelfCrossing`).
 */
export function createCover(columns: number): (outline: GridOutline, firstRow: number, endRow: number) => Coverage {
  const pieces = createPieces();
  const spans = createSpans();
  const descent = new Float64Array(columns);
  const area = new Float64Array(columns);
  const touched = new Int32Array(columns);
  const touchedInRow = new Int32Array(columns);
  let rowStamp = 0;

  return (outline, firstRow, endRow) => {
    const first = Math.max(firstRow, outline.firstRow);
    const end = Math.max(first, Math.min(endRow, outline.endRow));
    pieces.clear(first, end);
    for (const { points, sign: orientation } of outline.rings) {
      for (let i = 2; i < points.length; i += 2) {
        const xa = points[i - 2]!;
        const ya = points[i - 1]!;
        const xb = points[i]!;
        const yb = points[i + 1]!;
        if (ya < yb) cutEdge(xa, ya, xb, yb, orientation);
        else if (yb < ya) cutEdge(xb, yb, xa, ya, -orientation);
      }
    }
    pieces.sortByRow();
    spans.clear();
    const rowStart = new Int32Array(end - first + 1);
    for (let row = first; row < end; row++) {
      sumRow(row - first, outline.endColumn);
      rowStart[row - first + 1] = spans.endRow();
    }
    return { firstRow: first, rowStart, ...spans.copy() };

    /** Cuts an edge, upper end first, at row borders; the cuts do not depend on the window. */
    function cutEdge(x0: number, y0: number, x1: number, y1: number, orientation: number): void {
      if (y1 <= first || y0 >= end) return;
      const slope = (x1 - x0) / (y1 - y0);
      const leastX = Math.min(x0, x1);
      const mostX = Math.max(x0, x1);
      const crossing = (y: number) => Math.min(Math.max(x0 + (y - y0) * slope, leastX), mostX);
      let row = Math.floor(y0);
      let x = x0;
      let startInRow = y0 - row;
      if (row < first) {
        row = first;
        x = crossing(first);
        startInRow = 0;
      }
      for (; row < end && row < y1; row++) {
        const endsInRow = y1 <= row + 1;
        const xEnd = endsInRow ? x1 : crossing(row + 1);
        const endInRow = endsInRow ? y1 - row : 1;
        cutPiece(row - first, Math.min(x, xEnd), Math.max(x, xEnd), orientation * (endInRow - startInRow));
        x = xEnd;
        startInRow = 0;
      }
    }

    /** Cuts the part of an edge in one row, from x = `west` to `east` and descending by `h`, at column borders. */
    function cutPiece(row: number, west: number, east: number, h: number): void {
      if (west >= columns) return;
      let column = Math.floor(west);
      if (east <= column + 1) {
        if (column < 0) pieces.add(row, 0, h, 0);
        else pieces.add(row, column, h, h * ((west + east) / 2 - column));
        return;
      }
      const perColumn = h / (east - west);
      let descentDone = 0;
      let x = west;
      if (west < 0) {
        // A part west of the grid covers the cells of the row completely.
        descentDone = east <= 0 ? h : -west * perColumn;
        pieces.add(row, 0, descentDone, 0);
        if (east <= 0) return;
        column = 0;
        x = 0;
      }
      for (; column < columns; column++) {
        if (east <= column + 1) {
          pieces.add(row, column, h - descentDone, (h - descentDone) * ((x + east) / 2 - column));
          return;
        }
        const descentReached = (column + 1 - west) * perColumn;
        pieces.add(row, column, descentReached - descentDone, (descentReached - descentDone) * ((x + 1 - column) / 2));
        descentDone = descentReached;
        x = column + 1;
      }
    }
  };

  /** Adds up the pieces of a row and sums from the west to the eastern end of the outline. */
  function sumRow(row: number, endColumn: number): void {
    rowStamp++;
    let count = 0;
    for (let k = pieces.start(row); k < pieces.start(row + 1); k++) {
      const piece = pieces.inOrder(k);
      const column = pieces.column(piece);
      if (touchedInRow[column] !== rowStamp) {
        touchedInRow[column] = rowStamp;
        touched[count++] = column;
        descent[column] = 0;
        area[column] = 0;
      }
      descent[column]! += pieces.descent(piece);
      area[column]! += pieces.area(piece);
    }
    touched.subarray(0, count).sort();
    let windingShare = 0;
    let nextColumn = 0;
    for (let k = 0; k < count; k++) {
      const column = touched[k]!;
      spans.add(nextColumn, column - nextColumn, windingShare);
      spans.add(column, 1, roundToInteger(windingShare + (descent[column]! - area[column]!)));
      // Not always an integer: a horizontal edge crosses cells without descending.
      windingShare = roundToInteger(windingShare + descent[column]!);
      nextColumn = column + 1;
    }
    spans.add(nextColumn, Math.max(0, endColumn - nextColumn), windingShare);
  }
}

/** Rounds a share that differs from an integer only by rounding errors, so that cells inside have exactly 1. */
function roundToInteger(value: number): number {
  const integer = Math.round(value);
  return Math.abs(value - integer) < ROUNDING ? integer : value;
}
