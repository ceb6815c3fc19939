import { BadInput } from '../../bad-input.ts';

/** What is looked at, cheapest first. */
export type Step = 'form' | 'files' | 'hashes' | 'tables and outlines' | 'rasters';

/** Something wrong with a catalog or one of its files. */
export interface Fault {
  step: Step;
  /** Id of the source; null for what belongs to none, such as model.json. */
  source: string | null;
  what: string;
}

/** What a check that stops at its first fault found; null where all is well. Other errors are nobody's input. */
export async function faultOf(step: Step, source: string | null, check: () => unknown): Promise<Fault | null> {
  try {
    await check();
    return null;
  } catch (error) {
    if (error instanceof BadInput) return { step, source, what: error.message };
    throw error;
  }
}
