/**
 * Steps of a split stage that were done apart, by other processes or on other machines. They lie beside where the
 * stage's cache entry will be, under its key: what they were made of is what the stage will be made of. A file's name
 * holds the hash of its bytes, so it can be copied by anything, and a damaged one counts for nothing.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { entryDirectory, refuseUnfinite, writeWhole } from './cache.ts';
import type { CacheKey } from './cache-key.ts';
import { sha256 } from './hash.ts';

/** The part of some states, and whose it is. */
export interface StatesPart<Part> {
  states: string[];
  part: Part;
}

/** What is done of a stage; `whole` is absent where nobody has yet worked it out. */
export interface Steps<Whole, Part> {
  whole?: Whole;
  parts: StatesPart<Part>[];
}

export const stepsDirectory = (cache: string, { stage, key }: Pick<CacheKey, 'stage' | 'key'>) =>
  `${entryDirectory(cache, stage, key)}.steps`;

/** Keeps a step, in place of a damaged file of its name too. @returns its file */
export function keepStep(directory: string, step: { whole: unknown } | StatesPart<unknown>): string {
  const text = JSON.stringify(step, refuseUnfinite);
  const file = path.join(directory, `${'whole' in step ? 'whole' : 'part'}-${sha256(text)}.json`);
  writeWhole(file, text);
  return file;
}

/**
 * @throws Error where two differ about what is one thing: the stage is not a function of what it reads; or where a file
 *   holds, undamaged, something else than a step
 */
export function readSteps<Whole, Part>(directory: string): Steps<Whole, Part> {
  const names = existsSync(directory) ? readdirSync(directory).sort() : [];
  const read = <T>(kind: 'whole' | 'part'): T[] =>
    names.flatMap((name) => {
      const hash = /^(whole|part)-([0-9a-f]{64})\.json$/.exec(name);
      if (hash?.[1] !== kind) return [];
      const file = path.join(directory, name);
      const text = readFileSync(file, 'utf8');
      if (sha256(text) !== hash[2]) return [];
      const step = parse(text);
      if (!IS_STEP[kind](step))
        throw new Error(`${file}: found no step of a stage, expected what \`malaria-risk part\` wrote; remove it`);
      return [step as T];
    });
  const wholes = read<{ whole: Whole }>('whole');
  if (wholes.length > 1) throw new Error(`${directory}: found ${wholes.length} results of one thing, expected one`);
  return { ...wholes[0], parts: read('part') };
}

const IS_STEP = {
  whole: (step: unknown) => isObject(step) && 'whole' in step,
  part: (step: unknown) => isObject(step) && 'part' in step && Array.isArray(step.states) && step.states.length > 0,
};

const isObject = (value: unknown): value is Record<string, unknown> => value !== null && typeof value === 'object';

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
