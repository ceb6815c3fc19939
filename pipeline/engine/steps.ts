/**
 * Steps of a split stage that other processes or machines have done. They lie next to the stage's future cache entry,
 * under its key, so they are made from the same inputs as the stage. A file's name holds the hash of its bytes:
 * any tool may copy it, and a damaged one is ignored.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { UsageError } from '../errors.ts';
import { writeAtomic } from './atomic-write.ts';
import { entryDirectory, refuseUnfinite } from './cache.ts';
import type { CacheKey } from './cache-key.ts';
import { sha256 } from './hash.ts';

/** A part, and the states that it covers. */
export interface StatesPart<Part> {
  states: string[];
  part: Part;
}

/** The steps of a stage done so far; `prepared` is absent until that step is done. */
export interface Steps<Prepared, Part> {
  prepared?: Prepared;
  parts: StatesPart<Part>[];
}

export const stepsDirectory = (cache: string, { stage, key }: Pick<CacheKey, 'stage' | 'key'>) =>
  `${entryDirectory(cache, stage, key)}.steps`;

/** Writes a step, over a damaged file of the same name if there is one. @returns its file */
export async function keepStep(directory: string, step: { prepared: unknown } | StatesPart<unknown>): Promise<string> {
  const text = JSON.stringify(step, refuseUnfinite);
  const file = path.join(directory, `${'prepared' in step ? 'prepared' : 'part'}-${sha256(text)}.json`);
  await writeAtomic(file, text);
  return file;
}

/**
 * @throws Error if two results of `prepare` differ, since the stage is then no function of its inputs; or if an
 *   undamaged file holds something other than a step
 */
export function readSteps<Prepared, Part>(directory: string): Steps<Prepared, Part> {
  const names = existsSync(directory) ? readdirSync(directory).sort() : [];
  const read = <T>(kind: 'prepared' | 'part'): T[] =>
    names.flatMap((name) => {
      const hash = /^(prepared|part)-([0-9a-f]{64})\.json$/.exec(name);
      if (hash?.[1] !== kind) return [];
      const file = path.join(directory, name);
      const text = readFileSync(file, 'utf8');
      if (sha256(text) !== hash[2]) return [];
      const step = parse(text);
      if (!IS_STEP[kind](step))
        throw new UsageError(
          `${file}: found something other than a step of a stage, expected what \`malaria-risk part\` writes; remove the file`,
        );
      return [step as T];
    });
  const prepared = read<{ prepared: Prepared }>('prepared');
  if (prepared.length > 1)
    throw new UsageError(
      `${directory}: found ${prepared.length} different prepared steps, expected one; remove them all`,
    );
  return { ...prepared[0], parts: read('part') };
}

const IS_STEP = {
  prepared: (step: unknown) => isObject(step) && 'prepared' in step,
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
