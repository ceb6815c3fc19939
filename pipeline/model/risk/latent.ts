import { orderByDegree } from '../../lib/numerics/minimum-degree.ts';
import { analyse, cliquePattern, entryPosition, type Symbolic } from '../../lib/numerics/sparse-cholesky.ts';
import type { Hyperparameters } from './hyperparameters.ts';
import type { Mesh } from './mesh.ts';
import { placeUnknowns, predictorRows, type Rows, type SurveyedPlace, surveyedPlace } from './places.ts';
import { type Placed, type Terms, termsAtLevel } from './terms.ts';

/** The latent vector: the unknowns of all terms, in their order of elimination. */
export interface Layout {
  size: number;
  /** Years of the rounds, ascending. */
  times: number[];
  terms: Terms;
  /** The rows of all cells for the terms that differ between cells. */
  cells: Rows;
  symbolic: Symbolic;
}

/** Orders the unknowns, which changes their positions in `terms`, and finds the pattern of their precision matrix. */
export function layOut(mesh: Mesh, times: number[], terms: Terms, surveyed: readonly SurveyedPlace[]): Layout {
  const placed = Object.values<Placed>(terms);
  const cells = predictorRows(termsAtLevel(terms, 'cell'), mesh.cells.lga.keys());
  const cliques = [
    ...surveyed.map((one) => placeUnknowns(surveyedPlace(mesh, { terms, cells }, one))),
    ...placed.flatMap(({ prior, positions }) =>
      prior.pairs.map(([i, j]) => Int32Array.of(positions[i]!, positions[j]!)),
    ),
  ];
  const size = placed.reduce((sum, { positions }) => sum + positions.length, 0);
  const neighbours = Array.from({ length: size }, () => new Set<number>());
  for (const clique of cliques) for (const i of clique) for (const j of clique) neighbours[i]!.add(j);
  const last = placed.flatMap(({ everywhere, positions }) => (everywhere ? [...positions] : []));
  const position = new Int32Array(size);
  orderByDegree(neighbours, last).forEach((i, k) => {
    position[i] = k;
  });
  for (const numbers of [cells.unknown, ...placed.map(({ positions }) => positions), ...cliques])
    numbers.forEach((i, k) => {
      numbers[k] = position[i]!;
    });
  return { size, times, terms, cells, symbolic: analyse(cliquePattern(size, cliques)) };
}

/**
 * The prior mean, and a function `evaluate` from hyperparameters to the prior's precision values in the pattern's
 * order, their log determinant and the mean.
 */
export function preparePrior({ size, terms, symbolic: { pattern } }: Layout) {
  const mean = new Float64Array(size);
  const priors = Object.values<Placed>(terms).map(({ prior, mean: priorMean = 0, positions }) => {
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
