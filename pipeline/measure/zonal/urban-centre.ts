import { gridCellAreaKm2 } from '../../lib/numerics/area.ts';
import type { Grid, GridWindow, RasterValues } from '../../lib/numerics/grid.ts';

export interface UrbanRule {
  /** Minimum people per km² of a cell. */
  density: number;
  /** Minimum number of people in a centre. */
  people: number;
}

/** European Commission et al. 2021, Applying the Degree of Urbanisation, section 7.2: urban centres. */
export const DEGURBA: UrbanRule = { density: 1500, people: 50_000 };

/** The cells in urban centres. */
export interface UrbanCentres {
  count: number;
  /** By row of the grid: start and end (excluded) of each run of cells in a centre, from west to east. */
  rows: number[][];
}

/**
 * Cells `start` to `end` (excluded) of a row that are dense enough; `set` is their index in the union-find structure.
 */
interface Run {
  start: number;
  end: number;
  set: number;
}

/**
 * Finds urban centres in a raster of persons: sets of cells of at least `rule.density`, connected by their sides, with
 * at least `rule.people` in total. Windows of complete rows must be added from north to south; then call `finish`.
 * Memory is proportional to the number of runs of dense cells. Density is a cell's persons per area on the WGS 84
 * ellipsoid.
 *
 * DEGURBA's last two steps, gap filling and edge smoothing by the majority rule, are omitted: they add areas below the
 * density threshold and affect few people. Its alternative criterion, cells at least half built up, is omitted too.
 */
export function createUrbanCentreFinder(grid: Grid, rule: UrbanRule = DEGURBA) {
  const runsByRow: Run[][] = [];
  const parent: number[] = [];
  const people: number[] = [];

  const findRoot = (set: number): number => {
    let root = set;
    while (parent[root] !== root) root = parent[root]!;
    for (let member = set; parent[member] !== root; ) [member, parent[member]] = [parent[member]!, root];
    return root;
  };
  const joinSets = (a: number, b: number) => {
    const [lowerRoot, higherRoot] = [Math.min(findRoot(a), findRoot(b)), Math.max(findRoot(a), findRoot(b))];
    if (lowerRoot === higherRoot) return;
    parent[higherRoot] = lowerRoot;
    people[lowerRoot]! += people[higherRoot]!;
  };

  return {
    /** @param persons one or more complete rows, starting at `row` */
    add(row: number, persons: RasterValues): void {
      if (row !== runsByRow.length) throw new Error(`got row ${row} of persons, expected row ${runsByRow.length}`);
      for (let offset = 0; offset < persons.length; offset += grid.columns) {
        const leastPersons = rule.density * gridCellAreaKm2(grid, runsByRow.length);
        const runs: Run[] = [];
        for (let column = 0; column < grid.columns; column++) {
          const cellPersons = persons[offset + column]!;
          if (!(cellPersons >= leastPersons)) continue;
          let run = runs.at(-1);
          if (run?.end !== column) {
            run = { start: column, end: column, set: parent.length };
            runs.push(run);
            parent.push(run.set);
            people.push(0);
          }
          run.end = column + 1;
          people[run.set]! += cellPersons;
        }
        joinRows(runsByRow.at(-1) ?? [], runs, joinSets);
        runsByRow.push(runs);
      }
    },
    finish(): UrbanCentres {
      const isCentre = parent.map((_, set) => people[findRoot(set)]! >= rule.people);
      return {
        count: parent.filter((root, set) => root === set && isCentre[set]).length,
        rows: runsByRow.map((runs) => runs.flatMap(({ start, end, set }) => (isCentre[set] ? [start, end] : []))),
      };
    },
  };
}

/** 1 for each cell of the window in an urban centre, else 0. */
export function markCentres({ rows }: UrbanCentres, window: GridWindow): Uint8Array {
  const marks = new Uint8Array(window.rows * window.columns);
  for (let row = 0; row < window.rows; row++) {
    const runs = rows[window.row + row] ?? [];
    const offset = row * window.columns - window.column;
    for (let firstRun = 0; firstRun < runs.length; firstRun += 2) {
      const startColumn = Math.max(runs[firstRun]!, window.column);
      const endColumn = Math.min(runs[firstRun + 1]!, window.column + window.columns);
      if (startColumn < endColumn) marks.fill(1, offset + startColumn, offset + endColumn);
    }
  }
  return marks;
}

/** Joins runs of two adjacent rows that share a cell side; both rows are in order of columns. */
function joinRows(above: Run[], below: Run[], joinSets: (a: number, b: number) => void): void {
  let firstRun = 0;
  for (const run of below) {
    while (firstRun < above.length && above[firstRun]!.end <= run.start) firstRun++;
    for (let i = firstRun; i < above.length && above[i]!.start < run.end; i++) joinSets(above[i]!.set, run.set);
  }
}
