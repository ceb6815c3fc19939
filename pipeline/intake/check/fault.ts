import type { Remedy } from '../../catalog/remedy.ts';
import { BadInput } from '../../lib/bad-input.ts';

/** The steps of a check, cheapest first. The last one compares the content of all files. */
export type CheckStep = 'unused files' | 'form' | 'files' | 'hashes' | 'tables and outlines' | 'rasters' | 'doubts';

/**
 * Something wrong with a catalog or one of its files or, in the step `doubts`, hard to believe, which a build reports.
 */
export interface Fault {
  step: CheckStep;
  /** Id of the source; null if the fault belongs to none, such as one in model.json. */
  source: string | null;
  what: string;
  /** The declaration that would resolve it, if there is one. */
  remedy?: Remedy;
}

/** Whether a build stops at it: a doubt is only reported. */
export const stopsBuild = ({ step }: Fault): boolean => step !== 'doubts';

/** The faults that a check finds. Errors other than `BadInput` are rethrown. */
export async function collectFaults(step: CheckStep, source: string | null, check: () => unknown): Promise<Fault[]> {
  try {
    await check();
    return [];
  } catch (error) {
    if (error instanceof BadInput) return faultsFrom(step, source, error);
    throw error;
  }
}

/** The faults of an error and of the further errors that it carries. */
export function faultsFrom(step: CheckStep, source: string | null, error: BadInput): Fault[] {
  return [error, ...error.further].map(({ message, remedy }): Fault => {
    const fault = { step, source, what: message };
    return remedy === null ? fault : { ...fault, remedy: remedy as Remedy };
  });
}
