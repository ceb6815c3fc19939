/**
 * Steps of a split stage that were done apart, by other processes or on other machines. They lie beside where the
 * stage's cache entry will be, under its key: what they were made of is what the stage will be made of. A file's name
 * holds the hash of its bytes, so it can be copied by anything, and a damaged one counts for nothing.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { entryDirectory, refuseUnfinite, writeWhole } from './cache.ts';
import { sha256 } from './hash.ts';
import type { Recipe } from './recipe.ts';
import type { StatesPart } from './split.ts';

/** What is done of a stage; `whole` is absent where nobody has yet worked it out. */
export interface Steps<Whole, Part> {
  whole?: Whole;
  parts: StatesPart<Part>[];
}

export const stepsDirectory = (cache: string, { stage, key }: Pick<Recipe, 'stage' | 'key'>) =>
  `${entryDirectory(cache, stage, key)}.steps`;

/** Keeps a step. @returns its file */
export function keepStep(directory: string, step: { whole: unknown } | StatesPart<unknown>): string {
  const text = JSON.stringify(step, refuseUnfinite);
  const file = path.join(directory, `${'whole' in step ? 'whole' : 'part'}-${sha256(text)}.json`);
  if (!existsSync(file)) writeWhole(file, text);
  return file;
}

/** @throws Error where two differ about what is one thing: the stage is not a function of what it reads */
export function readSteps<Whole, Part>(directory: string): Steps<Whole, Part> {
  const names = existsSync(directory) ? readdirSync(directory).sort() : [];
  const read = <T>(kind: string): T[] =>
    names.flatMap((name) => {
      const hash = /^(whole|part)-([0-9a-f]{64})\.json$/.exec(name);
      if (hash?.[1] !== kind) return [];
      const text = readFileSync(path.join(directory, name), 'utf8');
      return sha256(text) === hash[2] ? [JSON.parse(text)] : [];
    });
  const wholes = read<{ whole: Whole }>('whole');
  if (wholes.length > 1) throw new Error(`${directory}: found ${wholes.length} results of one thing, expected one`);
  return { ...wholes[0], parts: read('part') };
}
