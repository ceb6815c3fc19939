import { orderByDegree } from '../../lib/numerics/minimum-degree.ts';
import { analyse, entryOf, patternOf, type Symbolic } from '../../lib/numerics/sparse-cholesky.ts';
import type { Hyperparameters } from './hyperparameters.ts';
import type { Mesh } from './mesh.ts';
import { placeOf, type Rows, rowsOf, type SurveyedPlace, unknownsOf } from './places.ts';
import { type Located, locate, type Positions, sizeOf, type Term, type Terms } from './terms.ts';

/** The latent vector: the unknowns of all terms, in their order of elimination. */
export interface Layout {
  size: number;
  /** Years of the rounds, ascending. */
  times: number[];
  terms: Located;
  /** The rows of all cells for the terms that differ between cells. */
  cells: Rows;
  symbolic: Symbolic;
}

/** Orders the unknowns and finds the pattern of their precision matrix. */
export function layOut(mesh: Mesh, times: number[], terms: Terms, surveyed: readonly SurveyedPlace[]): Layout {
  const size = sizeOf(terms);
  // which unknowns meet in an observation or in a prior does not depend on their order
  const numbered = locate(
    terms,
    Int32Array.from({ length: size }, (_, k) => k),
  );
  const cells = rowsOf(numbered, ['cell'], mesh.cells.lga.keys());
  const own = Object.values<Term & Positions>(numbered);
  const cliques = [
    ...surveyed.map((one) => unknownsOf(placeOf(mesh, { terms: numbered, cells }, one))),
    ...own.flatMap(({ prior, at }) => Array.from(prior.i, (i, e) => [at[i]!, at[prior.j[e]!]!])),
  ];
  const neighbours = Array.from({ length: size }, () => new Set<number>());
  for (const clique of cliques) for (const i of clique) for (const j of clique) neighbours[i]!.add(j);
  const last = own.flatMap(({ everywhere, at }) => (everywhere ? [...at] : []));
  const position = new Int32Array(size);
  orderByDegree(neighbours, last).forEach((number, k) => {
    position[number] = k;
  });
  const positionsOf = (numbers: ArrayLike<number>) => Int32Array.from(numbers, (number) => position[number]!);
  return {
    size,
    times,
    terms: locate(terms, position),
    cells: { start: cells.start, unknown: positionsOf(cells.unknown), weight: cells.weight },
    symbolic: analyse(patternOf(size, cliques.map(positionsOf))),
  };
}

/**
 * The prior mean, and a function `at` from hyperparameters to the prior's precision values in the pattern's order,
 * their log determinant and the mean.
 */
export function preparePrior({ size, terms, symbolic: { pattern } }: Layout) {
  const mean = new Float64Array(size);
  const priors = Object.values<Term & Positions>(terms).map(({ prior, mean: own = 0, at }) => {
    for (const k of at) mean[k] = own;
    return { prior, entries: Int32Array.from(prior.i, (i, e) => entryOf(pattern, at[i]!, at[prior.j[e]!]!)) };
  });
  const at = (hyperparameters: Hyperparameters) => {
    const precision = new Float64Array(pattern.row.length);
    let log_determinant = 0;
    for (const { prior, entries } of priors) {
      const own = prior.at(hyperparameters);
      log_determinant += own.log_determinant;
      for (let e = 0; e < entries.length; e++) precision[entries[e]!]! += own.values[e]!;
    }
    return { precision, log_determinant, mean };
  };
  return { at, mean };
}
