import { expit } from '../../lib/numerics/special.ts';
import type { Mesh } from './mesh.ts';
import { type Placed, type Survey, type Terms, termsAtLevel } from './terms.ts';

/** Sparse rows of linear predictors: row k is the sum of `weight` × unknown from `start[k]` to `start[k + 1]`. */
export interface Rows {
  start: Int32Array;
  unknown: Int32Array;
  weight: Float64Array;
}

/** The sums of some terms at cells or LGAs; terms that belong to them for ever need no survey. */
export function predictorRows(terms: readonly Placed[], places: Iterable<number>, survey: Survey = NO_SURVEY): Rows {
  const [start, unknown, weight]: [number[], number[], number[]] = [[0], [], []];
  for (const place of places) {
    for (const { positions, row } of terms)
      for (const [k, value] of row(place, survey)) {
        unknown.push(positions[k]!);
        weight.push(value);
      }
    start.push(unknown.length);
  }
  return { start: Int32Array.from(start), unknown: Int32Array.from(unknown), weight: Float64Array.from(weight) };
}

const NO_SURVEY: Survey = { round: 0, log_season: [] };

/** The value of row k. */
export function rowValue({ start, unknown, weight }: Rows, k: number, x: Float64Array): number {
  let sum = 0;
  for (let e = start[k]!; e < start[k + 1]!; e++) sum += weight[e]! * x[unknown[e]!]!;
  return sum;
}

/** Adds a multiple of row k to `to`. */
function addRow({ start, unknown, weight }: Rows, k: number, factor: number, to: Float64Array): void {
  for (let e = start[k]!; e < start[k + 1]!; e++) to[unknown[e]!]! += factor * weight[e]!;
}

/** Cells with weights that sum to 1, and when and how they were surveyed. */
export interface SurveyedPlace extends Survey {
  cells: Int32Array;
  weights: Float64Array;
}

/** The linear predictors of a surveyed place's cells. What the cells of an LGA share is stored, and computed, once. */
export interface Place {
  /** In the order of their LGAs. */
  cells: Int32Array;
  weights: Float64Array;
  /** Cells `first[k]` to `first[k + 1]` share row k of `shared`. */
  first: number[];
  shared: Rows;
  /** The rows of all cells of the country for the terms that differ between cells. */
  byCell: Rows;
}

/** @param layout the terms, and the rows of all cells of the country for those that differ between cells */
export function surveyedPlace(mesh: Mesh, layout: { terms: Terms; cells: Rows }, surveyed: SurveyedPlace): Place {
  const lgaOfCell = (k: number) => mesh.cells.lga[surveyed.cells[k]!]!;
  const order = [...surveyed.cells.keys()].sort((a, b) => lgaOfCell(a) - lgaOfCell(b));
  const first = order.flatMap((k, i) => (i === 0 || lgaOfCell(order[i - 1]!) !== lgaOfCell(k) ? [i] : []));
  const lgas = first.map((i) => lgaOfCell(order[i]!));
  return {
    cells: Int32Array.from(order, (k) => surveyed.cells[k]!),
    weights: Float64Array.from(order, (k) => surveyed.weights[k]!),
    first: [...first, order.length],
    shared: predictorRows(termsAtLevel(layout.terms, 'lga', 'survey'), lgas, surveyed),
    byCell: layout.cells,
  };
}

/** The unknowns on which a place's predictors depend, each once, ascending. */
export function placeUnknowns({ cells, shared, byCell }: Place): Int32Array {
  const seen = new Set(shared.unknown);
  for (const c of cells) for (let e = byCell.start[c]!; e < byCell.start[c + 1]!; e++) seen.add(byCell.unknown[e]!);
  return Int32Array.from(seen).sort();
}

/** The linear predictor of each cell. @param to receives it; a fit passes the same array again and again */
export function predict(
  { cells, first, shared, byCell }: Place,
  x: Float64Array,
  to: Float64Array = new Float64Array(cells.length),
): Float64Array {
  for (let k = 0; k + 1 < first.length; k++) {
    const common = rowValue(shared, k, x);
    for (let i = first[k]!; i < first[k + 1]!; i++) to[i] = common + rowValue(byCell, cells[i]!, x);
  }
  return to;
}

/** Adds the rows of the cells, each times its factor, to `to`. */
export function addRows({ cells, first, shared, byCell }: Place, factors: Float64Array, to: Float64Array): void {
  for (let k = 0; k + 1 < first.length; k++) {
    let sum = 0;
    for (let i = first[k]!; i < first[k + 1]!; i++) {
      addRow(byCell, cells[i]!, factors[i]!, to);
      sum += factors[i]!;
    }
    addRow(shared, k, sum, to);
  }
}

/** Mean prevalence of a place. */
export const meanPrevalence = (place: Place, x: Float64Array): number =>
  predict(place, x).reduce((mean, eta, i) => mean + place.weights[i]! * expit(eta), 0);
