/**
 * Real files with faults that no row shows, written down by a hand that had not seen the checks. Twenty arrive as a new
 * release of a file that was accepted before, and twenty in the first files of a country. A fault is caught if the file
 * is refused, or if publishing requires `--approve` for it.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HAS_REAL_DATA, needsReal } from '../support/real-data.ts';
import { nameOf, removeViews, update } from './mutations/against-former.ts';
import { BLIND_AGAINST_FORMER, BLIND_FIRST, REWRITTEN } from './mutations/blind.ts';
import { asFirst } from './mutations/first-delivery.ts';
import type { Mutation } from './mutations/mutation.ts';

/**
 * How many of the twenty must be caught. As a first delivery ten were when they were written, by somebody who had not seen
 * the checks; three kinds of doubts were added after that, which the thirteen therefore do not measure.
 */
const CAUGHT_AGAINST_FORMER = 20;
const CAUGHT_FIRST = 13;

describe.skipIf(!HAS_REAL_DATA)(needsReal('impossible real files'), () => {
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

  describe('against the file accepted before', () => {
    tryEach(BLIND_AGAINST_FORMER, update, CAUGHT_AGAINST_FORMER);

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

    tryEach(BLIND_FIRST, reasonsOf, CAUGHT_FIRST);
  });
});

const withoutFigures = (what: string) => what.replaceAll(/\d+(\.\d+)?/g, '0');
