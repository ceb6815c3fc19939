import { minimumDegreeOrder } from '../../lib/numerics/minimum-degree.ts';
import {
  analysePattern,
  cliquePattern,
  entryPosition,
  type SymbolicAnalysis,
} from '../../lib/numerics/sparse-cholesky.ts';
import {
  type PredictorRows,
  predictorRows,
  predictorUnknowns,
  type SurveyedCells,
  surveyPredictor,
} from './cell-predictors.ts';
import type { Hyperparameters } from './hyperparameters.ts';
import type { Mesh } from './mesh.ts';
import { type PositionedTerm, type Terms, termsVaryingBy } from './terms.ts';

/** The latent vector: the unknowns of all terms, in their order of elimination. */
export interface Layout {
  size: number;
  /** Years of the rounds, ascending. */
  times: number[];
  terms: Terms;
  /** The rows of all cells for the terms that differ between cells. */
  cell_rows: PredictorRows;
  symbolic: SymbolicAnalysis;
}

/** Orders the unknowns, which changes their positions in `terms`, and finds the pattern of their precision matrix. */
export function createLayout(mesh: Mesh, times: number[], terms: Terms, surveys: readonly SurveyedCells[]): Layout {
  const positionedTerms = Object.values<PositionedTerm>(terms);
  const cell_rows = predictorRows(termsVaryingBy(terms, 'cell'), mesh.cells.lga.keys());
  const cliques = [
    ...surveys.map((survey) => predictorUnknowns(surveyPredictor(mesh, { terms, cell_rows }, survey))),
    ...positionedTerms.flatMap(({ prior, positions }) =>
      prior.pairs.map(([i, j]) => Int32Array.of(positions[i]!, positions[j]!)),
    ),
  ];
  const size = positionedTerms.reduce((sum, { positions }) => sum + positions.length, 0);
  const neighbours = Array.from({ length: size }, () => new Set<number>());
  for (const clique of cliques) for (const i of clique) for (const j of clique) neighbours[i]!.add(j);
  const eliminatedLast = positionedTerms.flatMap(({ eliminate_last, positions }) =>
    eliminate_last ? [...positions] : [],
  );
  const newPosition = new Int32Array(size);
  minimumDegreeOrder(neighbours, eliminatedLast).forEach((i, k) => {
    newPosition[i] = k;
  });
  for (const positions of [cell_rows.unknown, ...positionedTerms.map(({ positions }) => positions), ...cliques])
    positions.forEach((i, k) => {
      positions[k] = newPosition[i]!;
    });
  return { size, times, terms, cell_rows, symbolic: analysePattern(cliquePattern(size, cliques)) };
}

/**
 * The prior mean, and a function `evaluate` from hyperparameters to the prior's precision values in the pattern's
 * order, their log determinant and the mean.
 */
export function preparePrior({ size, terms, symbolic: { pattern } }: Layout) {
  const mean = new Float64Array(size);
  const priors = Object.values<PositionedTerm>(terms).map(({ prior, mean: priorMean = 0, positions }) => {
    for (const k of positions) mean[k] = priorMean;
    return { prior, entries: prior.pairs.map(([i, j]) => entryPosition(pattern, positions[i]!, positions[j]!)) };
  });
  const evaluate = (hyperparameters: Hyperparameters) => {
    const precision = new Float64Array(pattern.row.length);
    let log_determinant = 0;
    for (const { prior, entries } of priors) {
      const evaluated = prior.evaluate(hyperparameters);
      log_determinant += evaluated.log_determinant;
      for (let e = 0; e < entries.length; e++) precision[entries[e]!]! += evaluated.values[e]!;
    }
    return { precision, log_determinant, mean };
  };
  return { evaluate, mean };
}
