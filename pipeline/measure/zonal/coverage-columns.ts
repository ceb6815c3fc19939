/** Working memory of `createCover`, which is used again for each outline. */

/** Pieces of edges, each within one cell, with an index by row. */
export function createPieces() {
  const rows: number[] = [];
  const columns: number[] = [];
  const descents: number[] = [];
  const areas: number[] = [];
  let starts = new Int32Array(1);
  let order = new Int32Array(0);
  return {
    clear(first: number, end: number) {
      for (const list of [rows, columns, descents, areas]) list.length = 0;
      starts = new Int32Array(end - first + 1);
    },
    add(row: number, column: number, descent: number, area: number) {
      rows.push(row);
      columns.push(column);
      descents.push(descent);
      areas.push(area);
      starts[row + 1]!++;
    },
    /** Counting sort: the pieces of a row keep the order of the outline, which fixes the order of summation. */
    sortByRow() {
      for (let row = 1; row < starts.length; row++) starts[row]! += starts[row - 1]!;
      order = new Int32Array(rows.length);
      const nextInRow = starts.slice();
      for (const [piece, row] of rows.entries()) order[nextInRow[row]!++] = piece;
    },
    start: (row: number) => starts[row]!,
    inOrder: (k: number) => order[k]!,
    column: (piece: number) => columns[piece]!,
    descent: (piece: number) => descents[piece]!,
    area: (piece: number) => areas[piece]!,
  };
}

/** Spans of cells; adjacent cells with equal shares are joined, cells with share 0 omitted. */
export function createSpans() {
  const columns: number[] = [];
  const lengths: number[] = [];
  const shares: number[] = [];
  let endOfLastSpan = -1;
  return {
    clear() {
      for (const list of [columns, lengths, shares]) list.length = 0;
      endOfLastSpan = -1;
    },
    /** Ends a row, whose last span is not joined with the first one of the next row. @returns the number of spans */
    endRow() {
      endOfLastSpan = -1;
      return columns.length;
    },
    add(column: number, length: number, share: number) {
      if (length === 0 || share === 0) return;
      if (endOfLastSpan === column && shares.at(-1) === share) lengths[lengths.length - 1]! += length;
      else {
        columns.push(column);
        lengths.push(length);
        shares.push(share);
      }
      endOfLastSpan = column + length;
    },
    copy: () => ({
      column: Int32Array.from(columns),
      length: Int32Array.from(lengths),
      share: Float64Array.from(shares),
    }),
  };
}
