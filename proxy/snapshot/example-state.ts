import type { Snapshot } from './snapshot.ts';

/** A state for examples: Kano, if the snapshot covers it. */
export function exampleStateOf({ coverage }: Pick<Snapshot, 'coverage'>): string {
  return coverage.states.includes('KN') ? 'KN' : coverage.states[0]!;
}
