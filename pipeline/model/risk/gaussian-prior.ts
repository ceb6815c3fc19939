import type { Hyperparameters } from './hyperparameters.ts';
import { type MaternField, type MaternScale, maternLogDeterminant, maternPrecision } from './matern-lattice.ts';
import { type Kernel, precisionAt } from './time-processes.ts';

/** A quantity that may depend on the hyperparameters. */
export type FromHyperparameters<Value> = (hyperparameters: Hyperparameters) => Value;

/** A Gaussian prior of `count` unknowns, by its sparse precision matrix. */
export interface GaussianPrior {
  count: number;
  /** The unknowns between which an entry may differ from 0, each pair once. */
  pairs: readonly (readonly [number, number])[];
  /** Their entries, and ln of the determinant. */
  evaluate: FromHyperparameters<{ values: ArrayLike<number>; log_determinant: number }>;
}

/** Independent unknowns of one standard deviation. */
export const independentPrior = (count: number, sd: FromHyperparameters<number>): GaussianPrior => ({
  count,
  pairs: Array.from({ length: count }, (_, k) => [k, k]),
  evaluate: (hyperparameters) => {
    const deviation = sd(hyperparameters);
    return { values: new Float64Array(count).fill(deviation ** -2), log_determinant: -2 * count * Math.log(deviation) };
  },
});

/**
 * A process at some times.
 * @param maxSteps the most steps between times at which entries may differ from 0: one for a Markov process
 */
export function processPrior(
  times: readonly number[],
  kernel: FromHyperparameters<Kernel>,
  maxSteps = times.length,
): GaussianPrior {
  const count = times.length;
  const pairs = [...times.keys()].flatMap((r) =>
    [...times.keys()].filter((q) => q <= r && r - q <= maxSteps).map((q) => [r, q] as const),
  );
  return {
    count,
    pairs,
    evaluate: (hyperparameters) => {
      const { precision, log_determinant } = precisionAt(kernel(hyperparameters), times);
      return { values: pairs.map(([r, q]) => precision[r * count + q]!), log_determinant };
    },
  };
}

/** A field at the nodes of a lattice. */
export const fieldPrior = (matern: MaternField, scale: FromHyperparameters<MaternScale>): GaussianPrior => ({
  count: matern.lattice.nx * matern.lattice.ny,
  pairs: Array.from(matern.stencil.i, (i, e) => [i, matern.stencil.j[e]!]),
  evaluate: (hyperparameters) => {
    const parameters = scale(hyperparameters);
    return { values: maternPrecision(matern, parameters), log_determinant: maternLogDeterminant(matern, parameters) };
  },
});

/** The Kronecker product: `time` for every unknown of `space`, with unknown s at time t at `s * time.count + t`. */
export function kroneckerPrior(space: GaussianPrior, time: GaussianPrior): GaussianPrior {
  const entries = space.pairs.flatMap(([s, u], spaceEntry) =>
    time.pairs.flatMap(([t, v], timeEntry) => {
      const pairs = s === u || t === v ? [[t, v] as const] : [[t, v] as const, [v, t] as const];
      return pairs.map(([a, b]) => ({
        pair: [s * time.count + a, u * time.count + b] as const,
        e: spaceEntry,
        f: timeEntry,
      }));
    }),
  );
  return {
    count: space.count * time.count,
    pairs: entries.map(({ pair }) => pair),
    evaluate: (hyperparameters) => {
      const [inSpace, inTime] = [space.evaluate(hyperparameters), time.evaluate(hyperparameters)];
      return {
        values: entries.map(({ e, f }) => inSpace.values[e]! * inTime.values[f]!),
        log_determinant: time.count * inSpace.log_determinant + space.count * inTime.log_determinant,
      };
    },
  };
}
