/**
 * Real files with errors of the offices that make them, which no single row shows. Twenty arrive as a new release of a
 * file that was accepted before, and twenty in the first files of a country. An error is caught if the file is refused,
 * or if publishing requires `--approve` for it.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HAS_REAL_DATA, needsReal } from '../support/real-data.ts';
import { nameOf, removeViews, update } from './mutations/against-former.ts';
import { asFirst } from './mutations/first-delivery.ts';
import type { Mutation } from './mutations/mutation.ts';
import { ERRORS_IN_FIRST_FILES, ERRORS_IN_RELEASES, REWRITTEN } from './mutations/office-errors.ts';

/**
 * How many of the twenty must be caught. Of those in first files the checks caught ten before any check was written for
 * them; the other seven are no measure of what would be caught elsewhere.
 */
const CAUGHT_IN_RELEASES = 20;
const CAUGHT_IN_FIRST_FILES = 17;

describe.skipIf(!HAS_REAL_DATA)(needsReal('errors of offices in real files'), () => {
  afterAll(removeViews);

  /** Tries each mutation, prints which are caught and the first reason, and tests how many are. */
  function tryEach(
    mutations: readonly Mutation[],
    reasonsOf: (mutation: Mutation) => Promise<string[]>,
    atLeast: number,
  ) {
    const results: { caught: boolean; line: string }[] = [];
    test.each(mutations.map((mutation) => [nameOf(mutation), mutation] as const))('%s', async (name, mutation) => {
      const [reason, ...others] = await reasonsOf(mutation);
      expect(reason).not.toBe('nothing changed');
      const why =
        reason === undefined ? '' : `\n        ${reason}${others.length > 0 ? ` (and ${others.length})` : ''}`;
      results.push({
        caught: reason !== undefined,
        line: `${reason === undefined ? 'missed' : 'caught'}  ${name}${why}\n`,
      });
    });
    test('how many are caught', () => {
      const caught = results.filter((result) => result.caught).length;
      process.stdout.write(`${results.map(({ line }) => line).join('')}${caught} of ${mutations.length} caught\n`);
      expect(results).toHaveLength(mutations.length);
      expect(caught).toBeGreaterThanOrEqual(atLeast);
    });
  }

  describe('in a new release', () => {
    tryEach(ERRORS_IN_RELEASES, update, CAUGHT_IN_RELEASES);

    test.each(REWRITTEN.map((file) => [nameOf(file), file] as const))('%s raises nothing', async (_, file) => {
      expect(await update(file)).toEqual([]);
    });
  });

  describe('in the first files', () => {
    let known: Set<string>;
    beforeAll(async () => {
      known = new Set((await asFirst()).map(withoutFigures));
    });

    /** What is said of the files beyond what is said of the unchanged ones, with whatever figures. */
    const reasonsOf = async (mutation: Mutation) =>
      (await asFirst(mutation)).filter((what) => !known.has(withoutFigures(what)));

    tryEach(ERRORS_IN_FIRST_FILES, reasonsOf, CAUGHT_IN_FIRST_FILES);
  });
});

const withoutFigures = (what: string) => what.replaceAll(/\d+(\.\d+)?/g, '0');
