import { exampleValues } from '../../pipeline/contract/operations.ts';
import type { Snapshot } from './snapshot.ts';

/** The state that examples use. */
export const exampleStateOf = ({ coverage, territory }: Pick<Snapshot, 'coverage' | 'territory'>): string =>
  territory ? String(exampleValues(coverage, territory).state) : coverage.states[0]!;
