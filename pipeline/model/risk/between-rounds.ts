import type { Departure } from './case-shift.ts';
import type { Draw } from './draws.ts';
import type { FitPoint, LatentStructure } from './fit.ts';
import { kernelsOf } from './latent.ts';
import { drawMatern, scaleOf } from './matern-lattice.ts';
import { type Conditional, conditionalAt } from './over-time.ts';

/** Conditional distributions of the months given the rounds, under one point of the hyperparameters. */
export interface OverTime {
  nation: Conditional;
  state: Conditional;
  change: Conditional;
}

/** @param at times of the months, in years */
export function overTimeOf({ layout, constants }: LatentStructure, point: FitPoint, at: readonly number[]): OverTime {
  const { nation, state, change } = kernelsOf(layout.times, constants, point.hyperparameters);
  return {
    nation: conditionalAt(nation, layout.times, at),
    state: conditionalAt(state, layout.times, at),
    change: conditionalAt(change, layout.times, at),
  };
}

/** The national level plus each state's departure from it in every month of a draw: `levels[state * months + m]`. */
export function drawLevels(
  { mesh, layout }: LatentStructure,
  { x, random }: Draw,
  { nation, state }: Pick<OverTime, 'nation' | 'state'>,
  months: number,
): Float64Array {
  const rounds = layout.times.length;
  const add = ({ weights, root }: Conditional, at: (round: number) => number, to: Float64Array) => {
    const noise = Float64Array.from(to, () => random.normal());
    for (let m = 0; m < months; m++) {
      for (let r = 0; r < rounds; r++) to[m]! += weights[m * rounds + r]! * x[at(r)]!;
      for (let k = 0; k <= m; k++) to[m]! += root[m * months + k]! * noise[k]!;
    }
  };
  const country = new Float64Array(months);
  add(nation, layout.mu, country);
  const levels = new Float64Array(mesh.states * months);
  for (let s = 0; s < mesh.states; s++) {
    const own = levels.subarray(s * months, (s + 1) * months);
    own.set(country);
    add(state, (r) => layout.state(s, r), own);
  }
  return levels;
}

/** Departures of a draw's monthly levels from their conditional means given its levels at the rounds. */
export function departuresOf(
  { layout }: LatentStructure,
  { x }: Draw,
  { nation, state }: Pick<OverTime, 'nation' | 'state'>,
  levels: Float64Array,
): (state: number, month: number) => Departure {
  const rounds = layout.times.length;
  const months = nation.deviation.length;
  return (s, m) => {
    let value = levels[s * months + m]!;
    for (let r = 0; r < rounds; r++) {
      value -= nation.weights[m * rounds + r]! * x[layout.mu(r)]!;
      value -= state.weights[m * rounds + r]! * x[layout.state(s, r)]!;
    }
    const variance = nation.deviation[m]! ** 2 + state.deviation[m]! ** 2;
    return { value, variance, carried: state.weights[(m + 1) * rounds - 1]! };
  };
}

/** A draw's patterns of departure for the field of change, one per gap between rounds: `patterns[gap * lgas + a]`. */
export function drawPatterns({ mesh, layout, constants }: LatentStructure, { point, random }: Draw): Float64Array {
  const gaps = layout.times.length + 1;
  const lgas = mesh.state_of.length;
  const scale = scaleOf(mesh.change, constants.range_change_km, point.hyperparameters.sigma_change);
  const patterns = new Float64Array(gaps * lgas);
  for (let gap = 0; gap < gaps; gap++) {
    const field = drawMatern(mesh.change, scale, random);
    for (let a = 0; a < lgas; a++)
      for (let k = 0; k < 4; k++)
        patterns[gap * lgas + a]! += mesh.lga_weights[4 * a + k]! * field[mesh.lga_nodes[4 * a + k]!]!;
  }
  return patterns;
}
