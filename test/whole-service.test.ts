/** The made-up country from its raw files to answers over HTTP. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type * as schemas from '../pipeline/contract/schemas.ts';
import { writeSyntheticCountry } from '../pipeline/synthetic/country.ts';
import { buildAndServe, type Whole, wholeCountry } from './support/whole-country.ts';

describe('the made-up country', () => {
  let whole!: Whole;
  beforeAll(async () => {
    whole = await buildAndServe(async (out) => {
      const country = path.join(out, 'synthetic');
      await writeSyntheticCountry({ seed: 1, out: country });
      return { country };
    });
  });
  wholeCountry(() => whole);

  test('everything made from it says so', async () => {
    expect((await whole.ask<schemas.Periods>('periods')).model_version).toMatch(/^synthetic-/);
    const report = readFileSync(path.join(whole.out, 'current/report/index.html'), 'utf8');
    expect(report).toContain('<strong>Made-up country.</strong>');
    expect(report).toContain('<body class="synthetic">');
    expect((await whole.ask<schemas.ContextStates>('context-states')).source.note.toLowerCase()).toContain('made up');
    expect((await whole.ask<schemas.BoundariesStates>('boundaries-states')).source.toLowerCase()).toContain('made up');
  });
});
