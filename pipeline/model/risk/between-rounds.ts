import type { Draw } from './draws.ts';
import type { FitPoint, LatentStructure } from './fit.ts';
import type { FromHyperparameters } from './gaussian-prior.ts';
import { levelTerms } from './terms.ts';
import { type Conditional, conditionalAt, type Kernel } from './time-processes.ts';

/** Conditional distributions of the months given the rounds, under one point of the hyperparameters. */
export interface MonthConditionals {
  levels: { level: ReturnType<typeof levelTerms>[number]; conditional: Conditional }[];
  change: Conditional;
}

/** @param monthTimes times of the months, in years */
export function conditionMonthsOnRounds(
  { layout }: LatentStructure,
  point: FitPoint,
  monthTimes: readonly number[],
): MonthConditionals {
  const conditionOn = ({ kernel }: { kernel: FromHyperparameters<Kernel> }) =>
    conditionalAt(kernel(point.hyperparameters), layout.times, monthTimes);
  return {
    levels: levelTerms(layout.terms).map((level) => ({ level, conditional: conditionOn(level) })),
    change: conditionOn(layout.terms.change),
  };
}

/**
 * Every level of the nation and of the areas in every month of a draw, summed by state: `levels[state * months + m]`.
 */
export function drawLevels(
  { mesh, layout }: LatentStructure,
  { x, random }: Draw,
  { levels }: Pick<MonthConditionals, 'levels'>,
  monthCount: number,
): Float64Array {
  const rounds = layout.times.length;
  const sums = new Float64Array(mesh.stateCount * monthCount);
  for (const { level, conditional } of levels)
    for (let area = 0; area * rounds < level.positions.length; area++) {
      const unknowns = level.positions.subarray(area * rounds, (area + 1) * rounds);
      const noise = Float64Array.from({ length: monthCount }, () => random.normal());
      const path = noise.map((_, m) => {
        let value = conditionalMean(m, conditional, unknowns, x);
        for (let k = 0; k <= m; k++) value += conditional.root[m * monthCount + k]! * noise[k]!;
        return value;
      });
      for (let s = 0; s < mesh.stateCount; s++)
        if (level.area(s) === area) for (let m = 0; m < monthCount; m++) sums[s * monthCount + m]! += path[m]!;
    }
  return sums;
}

/** Conditional mean in a month, given the unknowns at the rounds. */
function conditionalMean(m: number, { weights }: Conditional, unknowns: Int32Array, x: Float64Array): number {
  let value = 0;
  for (let r = 0; r < unknowns.length; r++) value += weights[m * unknowns.length + r]! * x[unknowns[r]!]!;
  return value;
}

/** A draw's patterns of departure for the field of change, one per gap between rounds: `patterns[gap * lgas + a]`. */
export function drawChangePatterns({ mesh, layout }: LatentStructure, { point, random }: Draw): Float64Array {
  const gaps = layout.times.length + 1;
  const lgas = mesh.state_by_lga.length;
  const patterns = new Float64Array(gaps * lgas);
  for (let gap = 0; gap < gaps; gap++) {
    const field = layout.terms.change.draw(point.hyperparameters, random);
    for (let a = 0; a < lgas; a++)
      for (let k = 0; k < 4; k++)
        patterns[gap * lgas + a]! += mesh.lga_weights[4 * a + k]! * field[mesh.lga_nodes[4 * a + k]!]!;
  }
  return patterns;
}
