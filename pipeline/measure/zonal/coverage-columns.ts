/** Scratch space of `createCover`: growable columns that are reused for each outline. */

/** Pieces of edges, each within one cell, with an index by row. */
export function createPieces() {
  let capacity = 1024;
  let rows = new Int32Array(capacity);
  let columns = new Int32Array(capacity);
  let descents = new Float64Array(capacity);
  let areas = new Float64Array(capacity);
  let count = 0;
  let starts = new Int32Array(1);
  let order = new Int32Array(0);
  return {
    clear(first: number, end: number) {
      count = 0;
      starts = new Int32Array(end - first + 1);
    },
    add(row: number, column: number, descent: number, area: number) {
      if (count === capacity) {
        capacity *= 2;
        rows = copyInto(rows, new Int32Array(capacity));
        columns = copyInto(columns, new Int32Array(capacity));
        descents = copyInto(descents, new Float64Array(capacity));
        areas = copyInto(areas, new Float64Array(capacity));
      }
      rows[count] = row;
      columns[count] = column;
      descents[count] = descent;
      areas[count] = area;
      count++;
      starts[row + 1]!++;
    },
    /** Counting sort: the pieces of a row keep the order of the outline, which fixes the order of summation. */
    sortByRow() {
      for (let row = 1; row < starts.length; row++) starts[row]! += starts[row - 1]!;
      if (order.length < count) order = new Int32Array(capacity);
      const nextInRow = starts.slice();
      for (let k = 0; k < count; k++) order[nextInRow[rows[k]!]!++] = k;
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
  let capacity = 1024;
  let columns = new Int32Array(capacity);
  let lengths = new Int32Array(capacity);
  let shares = new Float64Array(capacity);
  let count = 0;
  let endOfLastSpan = -1;
  return {
    clear() {
      count = 0;
      endOfLastSpan = -1;
    },
    count() {
      // The next row begins: its first span must not be joined with the last span of this row.
      endOfLastSpan = -1;
      return count;
    },
    add(column: number, length: number, share: number) {
      if (length === 0 || share === 0) return;
      if (endOfLastSpan === column && shares[count - 1] === share) {
        lengths[count - 1]! += length;
      } else {
        if (count === capacity) {
          capacity *= 2;
          columns = copyInto(columns, new Int32Array(capacity));
          lengths = copyInto(lengths, new Int32Array(capacity));
          shares = copyInto(shares, new Float64Array(capacity));
        }
        columns[count] = column;
        lengths[count] = length;
        shares[count] = share;
        count++;
      }
      endOfLastSpan = column + length;
    },
    copy: () => ({
      column: columns.slice(0, count),
      length: lengths.slice(0, count),
      share: shares.slice(0, count),
    }),
  };
}

function copyInto<T extends Int32Array | Float64Array>(source: T, target: T): T {
  target.set(source);
  return target;
}
