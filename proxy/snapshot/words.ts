/** What the country that is served calls its areas, and one of them for examples. */
import { exampleValues } from '../../pipeline/contract/operations.ts';
import { inWords } from '../../pipeline/contract/territory.ts';
import type { Snapshot } from './snapshot.ts';

type Told = Pick<Snapshot, 'coverage' | 'territory'>;

/** `text` in the country's words. */
export const wordsOf = ({ territory }: Pick<Snapshot, 'territory'>, text: string): string =>
  territory ? inWords(text, territory) : text;

/** The state that examples ask for. */
export const exampleStateOf = ({ coverage, territory }: Told): string =>
  territory ? String(exampleValues(coverage, territory).state) : coverage.states[0]!;
