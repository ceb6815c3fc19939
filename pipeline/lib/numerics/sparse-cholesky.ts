/**
 * Sparse symmetric positive definite systems with one pattern and many sets of values (Davis 2006, Direct Methods for
 * Sparse Linear Systems, ch. 4). Rows and columns are eliminated in the given order, so choose one with little fill.
 */

/** Lower triangle by columns, the diagonal entry first in each, rows ascending. */
export interface Pattern {
  n: number;
  /** Column j's entries are `start[j]` to `start[j + 1]`. */
  start: Int32Array;
  row: Int32Array;
}

/** The pattern with all pairs within each of `cliques`, and the diagonal. */
export function cliquePattern(n: number, cliques: Iterable<ArrayLike<number>>): Pattern {
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

/** Position of entry (i, j) or (j, i) in the pattern's values. @throws RangeError if it is not in the pattern */
export function entryPosition({ start, row }: Pattern, i: number, j: number): number {
  const lowerRow = Math.max(i, j);
  let low = start[Math.min(i, j)]!;
  let high = start[Math.min(i, j) + 1]! - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (row[middle]! < lowerRow) low = middle + 1;
    else high = middle;
  }
  if (row[low] !== lowerRow) throw new RangeError(`entry (${i}, ${j}) is not in the pattern`);
  return low;
}

/**
 * Symbolic analysis of a pattern: the pattern of L, and for each of its rows the columns left of the diagonal,
 * ascending.
 */
export interface SymbolicAnalysis {
  pattern: Pattern;
  start: Int32Array;
  row: Int32Array;
  rowStart: Int32Array;
  rowColumns: Int32Array;
  /** 1 if columns j to j + 3 of L have the same rows below row j + 3 and are full down to that row. */
  isBlockStart: Uint8Array;
  /** The pattern by rows: row i's entries are `byRowEntry[byRowStart[i]]` …, in columns `byRowColumn`. */
  byRowStart: Int32Array;
  byRowEntry: Int32Array;
  byRowColumn: Int32Array;
}

/** The pattern of L from that of A: each row of L is the part of the elimination tree that the row's entries reach. */
export function analysePattern(pattern: Pattern): SymbolicAnalysis {
  const { n, start, row } = pattern;
  const byRowStart = new Int32Array(n + 1);
  for (let e = 0; e < row.length; e++) byRowStart[row[e]! + 1]!++;
  for (let i = 0; i < n; i++) byRowStart[i + 1]! += byRowStart[i]!;
  const byRowEntry = new Int32Array(row.length);
  const byRowColumn = new Int32Array(row.length);
  const nextEntry = byRowStart.slice();
  for (let j = 0; j < n; j++)
    for (let e = start[j]!; e < start[j + 1]!; e++) {
      const k = nextEntry[row[e]!]!++;
      byRowEntry[k] = e;
      byRowColumn[k] = j;
    }

  const parent = new Int32Array(n).fill(-1);
  const seenInRow = new Int32Array(n).fill(-1);
  const columnStart = new Int32Array(n + 1);
  const rows: Int32Array[] = [];
  for (let i = 0; i < n; i++) {
    seenInRow[i] = i;
    const columns: number[] = [];
    for (let k = byRowStart[i]!; k < byRowStart[i + 1]!; k++) {
      for (let j = byRowColumn[k]!; seenInRow[j] !== i; j = parent[j]!) {
        if (parent[j] === -1) parent[j] = i;
        seenInRow[j] = i;
        columns.push(j);
      }
    }
    const sorted = Int32Array.from(columns).sort();
    for (const j of sorted) columnStart[j + 1]!++;
    columnStart[i + 1]!++;
    rows.push(sorted);
  }
  for (let j = 0; j < n; j++) columnStart[j + 1]! += columnStart[j]!;
  const rowOfL = new Int32Array(columnStart[n]!);
  const rowStart = new Int32Array(n + 1);
  const rowColumns = new Int32Array(columnStart[n]! - n);
  const nextInColumn = columnStart.slice();
  for (let i = 0; i < n; i++) {
    rowColumns.set(rows[i]!, rowStart[i]!);
    rowStart[i + 1] = rowStart[i]! + rows[i]!.length;
    for (const j of rows[i]!) rowOfL[nextInColumn[j]!++] = i;
    rowOfL[nextInColumn[i]!++] = i;
  }
  // if j + 1 is the parent of j, its column contains the rows of column j below j + 1: equal counts mean equal rows
  const sharesRowsWithNext = (j: number) =>
    parent[j] === j + 1 && columnStart[j + 1]! - columnStart[j]! === columnStart[j + 2]! - columnStart[j + 1]! + 1;
  const isBlockStart = Uint8Array.from({ length: n }, (_, j) =>
    Number(j + 3 < n && sharesRowsWithNext(j) && sharesRowsWithNext(j + 1) && sharesRowsWithNext(j + 2)),
  );
  return {
    pattern,
    start: columnStart,
    row: rowOfL,
    rowStart,
    rowColumns,
    isBlockStart,
    byRowStart,
    byRowEntry,
    byRowColumn,
  };
}

/** Position of each entry of the pattern in the pattern of L. */
export function factorPositions({ pattern, start, row }: SymbolicAnalysis): Int32Array {
  const positions = new Int32Array(pattern.row.length);
  for (let j = 0; j < pattern.n; j++) {
    let k = start[j]!;
    for (let e = pattern.start[j]!; e < pattern.start[j + 1]!; e++) {
      while (row[k] !== pattern.row[e]) k++;
      positions[e] = k;
    }
  }
  return positions;
}

/** Values of L in the order of `symbolic.row`, the diagonal first in each column. */
export interface Factor {
  symbolic: SymbolicAnalysis;
  values: Float64Array;
}

/**
 * A = L Lᵀ, row by row. Four columns with the same structure are processed together: the sums are the same, with a
 * quarter of the indirect reads and writes, which take most of the time.
 * @param a values of A in the pattern's order
 * @returns null if A is not positive definite
 */
export function factorise(symbolic: SymbolicAnalysis, a: Float64Array): Factor | null {
  const { pattern, start, row, rowStart, rowColumns, isBlockStart, byRowStart, byRowEntry, byRowColumn } = symbolic;
  const values = new Float64Array(row.length);
  const work = new Float64Array(pattern.n);
  const end = start.slice();
  for (let i = 0; i < pattern.n; i++) {
    for (let k = byRowStart[i]!; k < byRowStart[i + 1]!; k++) work[byRowColumn[k]!] = a[byRowEntry[k]!]!;
    let diagonal = work[i]!;
    work[i] = 0;
    const last = rowStart[i + 1]!;
    for (let k = rowStart[i]!; k < last; k++) {
      const j = rowColumns[k]!;
      const first = start[j]!;
      const columnEnd = end[j]!;
      if (isBlockStart[j] && k + 3 < last && rowColumns[k + 3] === j + 3) {
        const [s1, s2, s3] = [start[j + 1]!, start[j + 2]!, start[j + 3]!];
        const l0 = work[j]! / values[first]!;
        const l1 = (work[j + 1]! - values[first + 1]! * l0) / values[s1]!;
        const l2 = (work[j + 2]! - values[first + 2]! * l0 - values[s1 + 1]! * l1) / values[s2]!;
        const l3 = (work[j + 3]! - values[first + 3]! * l0 - values[s1 + 2]! * l1 - values[s2 + 1]! * l2) / values[s3]!;
        work[j] = 0;
        work[j + 1] = 0;
        work[j + 2] = 0;
        work[j + 3] = 0;
        // offsets from an entry of column j to those in the same row of the next three columns
        const [d1, d2, d3] = [s1 - first - 1, s2 - first - 2, s3 - first - 3];
        for (let e = first + 4; e < columnEnd; e++)
          work[row[e]!]! -= values[e]! * l0 + values[e + d1]! * l1 + values[e + d2]! * l2 + values[e + d3]! * l3;
        diagonal -= l0 * l0 + l1 * l1 + l2 * l2 + l3 * l3;
        values[columnEnd] = l0;
        values[columnEnd + d1] = l1;
        values[columnEnd + d2] = l2;
        values[columnEnd + d3] = l3;
        end[j] = columnEnd + 1;
        end[j + 1] = columnEnd + d1 + 1;
        end[j + 2] = columnEnd + d2 + 1;
        end[j + 3] = columnEnd + d3 + 1;
        k += 3;
        continue;
      }
      const l = work[j]! / values[first]!;
      work[j] = 0;
      for (let e = first + 1; e < columnEnd; e++) work[row[e]!]! -= values[e]! * l;
      diagonal -= l * l;
      values[columnEnd] = l;
      end[j] = columnEnd + 1;
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

/** Solves Lᵀ x = b in place; for standard normal b, x has covariance A⁻¹. */
export function solveBackward({ symbolic: { pattern, start, row }, values }: Factor, b: Float64Array): Float64Array {
  for (let j = pattern.n - 1; j >= 0; j--) {
    let sum = b[j]!;
    for (let e = start[j]! + 1; e < start[j + 1]!; e++) sum -= values[e]! * b[row[e]!]!;
    b[j] = sum / values[start[j]!]!;
  }
  return b;
}

/** ln |A|. */
export function factorLogDeterminant({ symbolic: { pattern, start }, values }: Factor): number {
  let sum = 0;
  for (let j = 0; j < pattern.n; j++) sum += Math.log(values[start[j]!]!);
  return 2 * sum;
}
