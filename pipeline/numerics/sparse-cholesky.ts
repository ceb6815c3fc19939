/**
 * Sparse symmetric positive definite systems of one pattern and many values (Davis 2006, Direct Methods for Sparse
 * Linear Systems, ch. 4). Give unknowns in an order of little fill: rows and columns are eliminated as they come.
 */

/** Lower triangle by columns, the diagonal first in each, rows ascending. */
export interface Pattern {
  n: number;
  /** Column j's entries are `start[j]` to `start[j + 1]`. */
  start: Int32Array;
  row: Int32Array;
}

/** The pattern of all pairs within each of `cliques`, and the diagonal. */
export function patternOf(n: number, cliques: Iterable<ArrayLike<number>>): Pattern {
  const columns = Array.from({ length: n }, (_, j) => new Set([j]));
  for (const clique of cliques)
    for (let a = 0; a < clique.length; a++)
      for (let b = 0; b < a; b++) columns[Math.min(clique[a]!, clique[b]!)]!.add(Math.max(clique[a]!, clique[b]!));
  const start = new Int32Array(n + 1);
  for (let j = 0; j < n; j++) start[j + 1] = start[j]! + columns[j]!.size;
  const row = new Int32Array(start[n]!);
  for (let j = 0; j < n; j++) row.set(Int32Array.from(columns[j]!).sort(), start[j]!);
  return { n, start, row };
}

/** Where entry (i, j), either way round, lies in the pattern's values. @throws RangeError when it is not in it. */
export function entryOf({ start, row }: Pattern, i: number, j: number): number {
  const r = Math.max(i, j);
  let low = start[Math.min(i, j)]!;
  let high = start[Math.min(i, j) + 1]! - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (row[middle]! < r) low = middle + 1;
    else high = middle;
  }
  if (row[low] !== r) throw new RangeError(`entry (${i}, ${j}) is not in the pattern`);
  return low;
}

/** Fixed by the pattern: L's own pattern, and for each of its rows the columns left of the diagonal, ascending. */
export interface Symbolic {
  pattern: Pattern;
  start: Int32Array;
  row: Int32Array;
  rowStart: Int32Array;
  rowColumns: Int32Array;
  /** The pattern by rows: row i's entries are `byRowEntry[byRowStart[i]]` …, in columns `byRowColumn`. */
  byRowStart: Int32Array;
  byRowEntry: Int32Array;
  byRowColumn: Int32Array;
}

/** L's pattern from A's: the elimination tree, and every row as the part of the tree that its entries reach. */
export function analyse(pattern: Pattern): Symbolic {
  const { n, start, row } = pattern;
  const byRowStart = new Int32Array(n + 1);
  for (let e = 0; e < row.length; e++) byRowStart[row[e]! + 1]!++;
  for (let i = 0; i < n; i++) byRowStart[i + 1]! += byRowStart[i]!;
  const byRowEntry = new Int32Array(row.length);
  const byRowColumn = new Int32Array(row.length);
  const fill = byRowStart.slice();
  for (let j = 0; j < n; j++)
    for (let e = start[j]!; e < start[j + 1]!; e++) {
      const at = fill[row[e]!]!++;
      byRowEntry[at] = e;
      byRowColumn[at] = j;
    }

  const parent = new Int32Array(n).fill(-1);
  const seen = new Int32Array(n).fill(-1);
  const counts = new Int32Array(n + 1);
  const rows: Int32Array[] = [];
  for (let i = 0; i < n; i++) {
    seen[i] = i;
    const columns: number[] = [];
    for (let at = byRowStart[i]!; at < byRowStart[i + 1]!; at++) {
      for (let j = byRowColumn[at]!; seen[j] !== i; j = parent[j]!) {
        if (parent[j] === -1) parent[j] = i;
        seen[j] = i;
        columns.push(j);
      }
    }
    const sorted = Int32Array.from(columns).sort();
    for (const j of sorted) counts[j + 1]!++;
    counts[i + 1]!++;
    rows.push(sorted);
  }
  for (let j = 0; j < n; j++) counts[j + 1]! += counts[j]!;
  const lRow = new Int32Array(counts[n]!);
  const rowStart = new Int32Array(n + 1);
  const rowColumns = new Int32Array(counts[n]! - n);
  const next = counts.slice();
  for (let i = 0; i < n; i++) {
    rowColumns.set(rows[i]!, rowStart[i]!);
    rowStart[i + 1] = rowStart[i]! + rows[i]!.length;
    for (const j of rows[i]!) lRow[next[j]!++] = i;
    lRow[next[i]!++] = i;
  }
  return { pattern, start: counts, row: lRow, rowStart, rowColumns, byRowStart, byRowEntry, byRowColumn };
}

/** L's values, in the order of `symbolic.row`, the diagonal first in each column. */
export interface Factor {
  symbolic: Symbolic;
  values: Float64Array;
}

/**
 * A = L Lᵀ, row by row.
 * @param a A's values in the pattern's order
 * @returns null when A is not positive definite
 */
export function factorise(symbolic: Symbolic, a: Float64Array): Factor | null {
  const { pattern, start, row, rowStart, rowColumns, byRowStart, byRowEntry, byRowColumn } = symbolic;
  const values = new Float64Array(row.length);
  const work = new Float64Array(pattern.n);
  const end = start.slice();
  for (let i = 0; i < pattern.n; i++) {
    for (let at = byRowStart[i]!; at < byRowStart[i + 1]!; at++) work[byRowColumn[at]!] = a[byRowEntry[at]!]!;
    let diagonal = work[i]!;
    work[i] = 0;
    for (let at = rowStart[i]!; at < rowStart[i + 1]!; at++) {
      const j = rowColumns[at]!;
      const first = start[j]!;
      const stop = end[j]!;
      const l = work[j]! / values[first]!;
      work[j] = 0;
      for (let e = first + 1; e < stop; e++) work[row[e]!]! -= values[e]! * l;
      diagonal -= l * l;
      values[stop] = l;
      end[j] = stop + 1;
    }
    if (!(diagonal > 0)) return null;
    values[start[i]!] = Math.sqrt(diagonal);
    end[i] = start[i]! + 1;
  }
  return { symbolic, values };
}

/** Solves L x = b in place. */
export function solveForward({ symbolic: { pattern, start, row }, values }: Factor, b: Float64Array): Float64Array {
  for (let j = 0; j < pattern.n; j++) {
    const x = b[j]! / values[start[j]!]!;
    b[j] = x;
    for (let e = start[j]! + 1; e < start[j + 1]!; e++) b[row[e]!]! -= values[e]! * x;
  }
  return b;
}

/** Solves Lᵀ x = b in place; of standard normal b, x has covariance A⁻¹. */
export function solveBackward({ symbolic: { pattern, start, row }, values }: Factor, b: Float64Array): Float64Array {
  for (let j = pattern.n - 1; j >= 0; j--) {
    let sum = b[j]!;
    for (let e = start[j]! + 1; e < start[j + 1]!; e++) sum -= values[e]! * b[row[e]!]!;
    b[j] = sum / values[start[j]!]!;
  }
  return b;
}

/** ln |A|. */
export function logDeterminantOf({ symbolic: { pattern, start }, values }: Factor): number {
  let sum = 0;
  for (let j = 0; j < pattern.n; j++) sum += Math.log(values[start[j]!]!);
  return 2 * sum;
}
