/** Scratch space of `createCover`: growable columns that are reused for each outline. */

/** Pieces of edges, each within one cell, with an index by row. */
export function createPieces() {
  let capacity = 1024;
  let rows = new Int32Array(capacity);
  let columns = new Int32Array(capacity);
  let falls = new Float64Array(capacity);
  let areas = new Float64Array(capacity);
  let count = 0;
  let starts = new Int32Array(1);
  let order = new Int32Array(0);
  return {
    clear(first: number, end: number) {
      count = 0;
      starts = new Int32Array(end - first + 1);
    },
    add(row: number, column: number, fall: number, area: number) {
      if (count === capacity) {
        capacity *= 2;
        rows = grown(rows, new Int32Array(capacity));
        columns = grown(columns, new Int32Array(capacity));
        falls = grown(falls, new Float64Array(capacity));
        areas = grown(areas, new Float64Array(capacity));
      }
      rows[count] = row;
      columns[count] = column;
      falls[count] = fall;
      areas[count] = area;
      count++;
      starts[row + 1]!++;
    },
    /** Counting sort: the pieces of a row keep the order of the outline, which fixes the order of summation. */
    sortByRow() {
      for (let row = 1; row < starts.length; row++) starts[row]! += starts[row - 1]!;
      if (order.length < count) order = new Int32Array(capacity);
      const next = starts.slice();
      for (let k = 0; k < count; k++) order[next[rows[k]!]!++] = k;
    },
    start: (row: number) => starts[row]!,
    inOrder: (k: number) => order[k]!,
    column: (piece: number) => columns[piece]!,
    fall: (piece: number) => falls[piece]!,
    area: (piece: number) => areas[piece]!,
  };
}

/** Spans of cells; adjacent cells with equal shares are joined, cells with share 0 omitted. */
export function createSpans() {
  let capacity = 1024;
  let columns = new Int32Array(capacity);
  let lengths = new Int32Array(capacity);
  let shares = new Float64Array(capacity);
  let count = 0;
  let open = -1;
  return {
    clear() {
      count = 0;
      open = -1;
    },
    count() {
      // The next row begins: its first span must not be joined with the last span of this row.
      open = -1;
      return count;
    },
    add(column: number, length: number, share: number) {
      if (length === 0 || share === 0) return;
      if (open === column && shares[count - 1] === share) {
        lengths[count - 1]! += length;
      } else {
        if (count === capacity) {
          capacity *= 2;
          columns = grown(columns, new Int32Array(capacity));
          lengths = grown(lengths, new Int32Array(capacity));
          shares = grown(shares, new Float64Array(capacity));
        }
        columns[count] = column;
        lengths[count] = length;
        shares[count] = share;
        count++;
      }
      open = column + length;
    },
    copy: () => ({
      column: columns.slice(0, count),
      length: lengths.slice(0, count),
      share: shares.slice(0, count),
    }),
  };
}

function grown<T extends Int32Array | Float64Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
