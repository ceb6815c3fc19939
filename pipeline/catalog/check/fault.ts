import { BadInput, type Remedy } from '../../bad-input.ts';

/** What is looked at, cheapest first. */
export type Step = 'form' | 'files' | 'hashes' | 'tables and outlines' | 'rasters';

/** Something wrong with a catalog or one of its files. */
export interface Fault {
  step: Step;
  /** Id of the source; null for what belongs to none, such as model.json. */
  source: string | null;
  what: string;
  /** What the catalog could declare instead, where there is such a thing. */
  remedy?: Remedy;
}

/** What a check found; nothing where all is well. Other errors are nobody's input. */
export async function faultsOf(step: Step, source: string | null, check: () => unknown): Promise<Fault[]> {
  try {
    await check();
    return [];
  } catch (error) {
    if (error instanceof BadInput) return faultsIn(step, source, error);
    throw error;
  }
}

/** A complaint and those found along with it. */
export function faultsIn(step: Step, source: string | null, error: BadInput): Fault[] {
  return [error, ...error.others].map(({ message, remedy }) => ({
    ...{ step, source, what: message },
    ...(remedy && { remedy }),
  }));
}
