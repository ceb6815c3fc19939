import { logGamma } from './special.ts';

/** Chance of at least `minimum` successes in `trials`, each with the same chance from 0 to 1. */
export function binomialTail(minimum: number, trials: number, chance: number): number {
  if (minimum <= 0 || chance >= 1) return 1;
  if (chance <= 0) return 0;
  const choose = (k: number) => logGamma(trials + 1) - logGamma(k + 1) - logGamma(trials - k + 1);
  let sum = 0;
  for (let k = minimum; k <= trials; k++)
    sum += Math.exp(choose(k) + k * Math.log(chance) + (trials - k) * Math.log(1 - chance));
  return Math.min(1, sum);
}
