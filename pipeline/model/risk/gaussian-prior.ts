import type { Hyperparameters } from './hyperparameters.ts';
import { logDeterminantOfMatern, type Matern, type MaternScale, precisionOf } from './matern-lattice.ts';
import { type Kernel, precisionAt } from './over-time.ts';

/** A Gaussian prior of some unknowns, by its sparse precision matrix. */
export interface GaussianPrior {
  /** Number of unknowns. */
  count: number;
  /** Rows and columns of the entries that may differ from 0, each pair of unknowns once. */
  i: ArrayLike<number>;
  j: ArrayLike<number>;
  /** Their values, and ln of the determinant. */
  at(hyperparameters: Hyperparameters): { values: Float64Array; log_determinant: number };
}

/** A quantity that may depend on the hyperparameters. */
export type By<Value> = (hyperparameters: Hyperparameters) => Value;

/** Independent unknowns of one standard deviation. */
export function independent(count: number, sd: By<number>): GaussianPrior {
  const every = Int32Array.from({ length: count }, (_, k) => k);
  return {
    count,
    i: every,
    j: every,
    at: (hyperparameters) => {
      const own = sd(hyperparameters);
      return { values: new Float64Array(count).fill(own ** -2), log_determinant: -2 * count * Math.log(own) };
    },
  };
}

/**
 * A process at some times.
 * @param reach the largest distance, in steps between the times, at which entries may differ from 0: one for a Markov
 *   process
 */
export function overTime(times: readonly number[], kernel: By<Kernel>, reach = times.length): GaussianPrior {
  const count = times.length;
  const pairs = times.flatMap((_, r) =>
    Array.from({ length: r + 1 }, (_, q) => [r, q] as const).filter(([r, q]) => r - q <= reach),
  );
  return {
    count,
    i: pairs.map(([r]) => r),
    j: pairs.map(([, q]) => q),
    at: (hyperparameters) => {
      const { precision, log_determinant } = precisionAt(kernel(hyperparameters), times);
      return { values: Float64Array.from(pairs, ([r, q]) => precision[r * count + q]!), log_determinant };
    },
  };
}

/** A field at the nodes of a lattice. */
export function field(matern: Matern, scale: By<MaternScale>): GaussianPrior {
  const { nx, ny } = matern.lattice;
  return {
    count: nx * ny,
    i: matern.stencil.i,
    j: matern.stencil.j,
    at: (hyperparameters) => {
      const own = scale(hyperparameters);
      return { values: precisionOf(matern, own), log_determinant: logDeterminantOfMatern(matern, own) };
    },
  };
}

/** The Kronecker product: `time` for every unknown of `space`, with unknown s at time t at `s * time.count + t`. */
export function product(space: GaussianPrior, time: GaussianPrior): GaussianPrior {
  const [i, j, ofSpace, ofTime]: number[][] = [[], [], [], []];
  const add = (row: number, column: number, e: number, f: number) => {
    i!.push(row);
    j!.push(column);
    ofSpace!.push(e);
    ofTime!.push(f);
  };
  for (let e = 0; e < space.i.length; e++)
    for (let f = 0; f < time.i.length; f++) {
      const [s, u] = [space.i[e]! * time.count, space.j[e]! * time.count];
      const [t, v] = [time.i[f]!, time.j[f]!];
      add(s + t, u + v, e, f);
      if (s !== u && t !== v) add(s + v, u + t, e, f);
    }
  return {
    count: space.count * time.count,
    i: i!,
    j: j!,
    at: (hyperparameters) => {
      const [own, over] = [space.at(hyperparameters), time.at(hyperparameters)];
      return {
        values: Float64Array.from(ofSpace!, (e, k) => own.values[e]! * over.values[ofTime![k]!]!),
        log_determinant: time.count * own.log_determinant + space.count * over.log_determinant,
      };
    },
  };
}
