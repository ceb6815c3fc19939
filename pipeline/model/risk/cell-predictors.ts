import { expit } from '../../lib/numerics/special.ts';
import type { Mesh } from './mesh.ts';
import { type PositionedTerm, type SurveyContext, type Terms, termsVaryingBy } from './terms.ts';

/** Sparse rows of linear predictors: row k is the sum of `weight` × unknown from `start[k]` to `start[k + 1]`. */
export interface PredictorRows {
  start: Int32Array;
  unknown: Int32Array;
  weight: Float64Array;
}

/** The sums of some terms at cells or LGAs; terms that belong to them for ever need no survey. */
export function predictorRows(
  terms: readonly PositionedTerm[],
  indices: Iterable<number>,
  survey: SurveyContext = NO_SURVEY,
): PredictorRows {
  const [start, unknown, weight]: [number[], number[], number[]] = [[0], [], []];
  for (const index of indices) {
    for (const { positions, row } of terms)
      for (const [k, value] of row(index, survey)) {
        unknown.push(positions[k]!);
        weight.push(value);
      }
    start.push(unknown.length);
  }
  return { start: Int32Array.from(start), unknown: Int32Array.from(unknown), weight: Float64Array.from(weight) };
}

const NO_SURVEY: SurveyContext = { round: 0, log_season: [] };

/** The value of row k. */
export function rowValue({ start, unknown, weight }: PredictorRows, k: number, x: Float64Array): number {
  let sum = 0;
  for (let e = start[k]!; e < start[k + 1]!; e++) sum += weight[e]! * x[unknown[e]!]!;
  return sum;
}

/** Adds a multiple of row k to `target`. */
function addRow({ start, unknown, weight }: PredictorRows, k: number, factor: number, target: Float64Array): void {
  for (let e = start[k]!; e < start[k + 1]!; e++) target[unknown[e]!]! += factor * weight[e]!;
}

/** Cells with weights that sum to 1, and when and how they were surveyed. */
export interface SurveyedCells extends SurveyContext {
  cells: Int32Array;
  weights: Float64Array;
}

/** The linear predictors of a surveyed place's cells. What the cells of an LGA share is stored, and computed, once. */
export interface SurveyPredictor {
  /** In the order of their LGAs. */
  cells: Int32Array;
  weights: Float64Array;
  /** Cells `first[k]` to `first[k + 1]` share row k of `lgaRows`. */
  firstCell: number[];
  lgaRows: PredictorRows;
  /** The rows of all cells of the country for the terms that differ between cells. */
  cellRows: PredictorRows;
}

/** @param layout the terms, and the rows of all cells of the country for those that differ between cells */
export function surveyPredictor(
  mesh: Mesh,
  layout: { terms: Terms; cell_rows: PredictorRows },
  survey: SurveyedCells,
): SurveyPredictor {
  const lgaOf = (k: number) => mesh.cells.lga[survey.cells[k]!]!;
  const order = [...survey.cells.keys()].sort((a, b) => lgaOf(a) - lgaOf(b));
  const firstCell = order.flatMap((k, i) => (i === 0 || lgaOf(order[i - 1]!) !== lgaOf(k) ? [i] : []));
  const lgas = firstCell.map((i) => lgaOf(order[i]!));
  return {
    cells: Int32Array.from(order, (k) => survey.cells[k]!),
    weights: Float64Array.from(order, (k) => survey.weights[k]!),
    firstCell: [...firstCell, order.length],
    lgaRows: predictorRows(termsVaryingBy(layout.terms, 'lga', 'survey'), lgas, survey),
    cellRows: layout.cell_rows,
  };
}

/** The unknowns on which a place's predictors depend, each once, ascending. */
export function predictorUnknowns({ cells, lgaRows, cellRows }: SurveyPredictor): Int32Array {
  const unknowns = new Set(lgaRows.unknown);
  for (const c of cells)
    for (let e = cellRows.start[c]!; e < cellRows.start[c + 1]!; e++) unknowns.add(cellRows.unknown[e]!);
  return Int32Array.from(unknowns).sort();
}

/** The linear predictor of each cell. @param target receives it; a fit passes the same array again and again */
export function evaluatePredictor(
  { cells, firstCell, lgaRows, cellRows }: SurveyPredictor,
  x: Float64Array,
  target: Float64Array = new Float64Array(cells.length),
): Float64Array {
  for (let k = 0; k + 1 < firstCell.length; k++) {
    const lgaValue = rowValue(lgaRows, k, x);
    for (let i = firstCell[k]!; i < firstCell[k + 1]!; i++) target[i] = lgaValue + rowValue(cellRows, cells[i]!, x);
  }
  return target;
}

/** Adds the rows of the cells, each times its factor, to `target`. */
export function addWeightedRows(
  { cells, firstCell, lgaRows, cellRows }: SurveyPredictor,
  factors: Float64Array,
  target: Float64Array,
): void {
  for (let k = 0; k + 1 < firstCell.length; k++) {
    let sum = 0;
    for (let i = firstCell[k]!; i < firstCell[k + 1]!; i++) {
      addRow(cellRows, cells[i]!, factors[i]!, target);
      sum += factors[i]!;
    }
    addRow(lgaRows, k, sum, target);
  }
}

/** Mean prevalence of a place. */
export const meanPrevalence = (predictor: SurveyPredictor, x: Float64Array): number =>
  evaluatePredictor(predictor, x).reduce((mean, eta, i) => mean + predictor.weights[i]! * expit(eta), 0);
