/**
 * Real files corrupted in realistic ways, each given to `catalog update` as a new release. A mutation counts as stopped
 * if the file is refused, as by a build, or raises doubts, which `review` shows and for which `publish` requires
 * `--approve`.
 */
import { afterAll, describe, expect, test } from 'vitest';
import { HAS_REAL_DATA, needsReal } from '../support/real-data.ts';
import { nameOf, removeViews, update } from './mutations/against-former.ts';
import { LARGE_ERRORS } from './mutations/large-errors.ts';
import type { Mutation } from './mutations/mutation.ts';
import { OTHERS, RASTERS } from './mutations/rasters.ts';
import { SMALL_ERRORS } from './mutations/small-errors.ts';
import { TABLES, VALID } from './mutations/tables.ts';

const MUTATIONS = [...TABLES, ...RASTERS, ...OTHERS];

describe.skipIf(!HAS_REAL_DATA)(needsReal('corrupted real files'), () => {
  afterAll(removeViews);

  /** Tests that each mutation changes something. @returns by name, why mutations were stopped */
  function tryEach(mutations: readonly Mutation[], check: (reasons: string[], name: string) => void = () => {}) {
    const results = new Map<string, string[]>();
    test.each(mutations.map((mutation) => [nameOf(mutation), mutation] as const))('%s', async (name, mutation) => {
      const reasons = await update(mutation);
      results.set(name, reasons);
      if (process.env.MALARIA_VERBOSE)
        process.stdout.write(`${name}\n${reasons.map((reason) => `    ${reason}\n`).join('')}`);
      expect(reasons).not.toEqual(['nothing changed']);
      check(reasons, name);
    });
    return results;
  }

  const results = tryEach(MUTATIONS, (reasons, name) => expect(reasons, name).not.toEqual([]));

  describe.each([
    ['large errors', LARGE_ERRORS],
    ['small errors', SMALL_ERRORS],
  ] as const)('%s', (set, mutations) => {
    const tried = tryEach(mutations);

    test('by which no threshold was chosen: the number stopped is printed', () => {
      const passed = [...tried].filter(([, reasons]) => reasons.length === 0).map(([name]) => name);
      process.stdout.write(
        `${set}: ${tried.size - passed.length} of ${tried.size} kinds stopped; not: ${passed.join('; ')}\n`,
      );
      expect(tried.size).toBe(mutations.length);
    });
  });

  test.each(VALID.map((valid) => [nameOf(valid), valid] as const))('%s is accepted if valid', async (_, valid) => {
    expect(await update(valid)).toEqual([]);
  });

  test('at least 95% are stopped', () => {
    const stopped = [...results.values()].filter((reasons) => reasons.length > 0).length;
    process.stdout.write(`${stopped} of ${results.size} kinds stopped\n`);
    expect(results.size).toBeGreaterThanOrEqual(60);
    expect(stopped / results.size).toBeGreaterThanOrEqual(0.95);
  });
});
