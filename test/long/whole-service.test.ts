/** Countries of full size, made up and real, from their raw files to answers over HTTP. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type * as schemas from '../../pipeline/contract/schemas.ts';
import { writeSyntheticCountry } from '../../pipeline/synthetic/country.ts';
import { HAS_REAL_DATA, needsReal, REAL_CATALOG, REAL_DATA } from '../support/real-data.ts';
import { buildAndServe, type Whole, wholeCountry } from '../support/whole-country.ts';

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

describe.skipIf(!HAS_REAL_DATA)(needsReal('real Nigeria'), () => {
  let whole!: Whole;
  beforeAll(async () => {
    whole = await buildAndServe(async () => ({ country: REAL_CATALOG, rawData: REAL_DATA }));
  });
  wholeCountry(() => whole);

  test('people of all LGAs: 216,371,857', async () => {
    const { states } = await whole.ask<schemas.ContextStates>('context-states');
    expect(states.reduce((sum, state) => sum + state.population, 0)).toBe(216_371_857);
  });

  test('positivity of the rounds', async () => {
    const { national, states } = await whole.ask<schemas.TransmissionStates>('transmission-states');
    expect(national.survey_trend.map(({ survey_year }) => survey_year)).toEqual([2010, 2015, 2018, 2021]);
    const [, second, , last] = national.survey_trend;
    expect(Math.abs(second!.positivity - 0.2686)).toBeLessThan(0.0005);
    expect(second!.low! < second!.positivity && second!.positivity < second!.high!).toBe(true);
    expect([last!.low, last!.high, last!.clusters, last!.children_tested, last!.urban, last!.rural]).toEqual([
      null,
      null,
      null,
      null,
      null,
      null,
    ]);
    const lagos = states
      .find(({ state_code }) => state_code === 'LA')!
      .survey_trend.find(({ survey_year }) => survey_year === 2015)!;
    expect(lagos).toMatchObject({ positivity: 0, low: null, high: null, children_tested: 274, small_sample: false });
  });

  test('every trap of the data is named in the findings', () => {
    const text = whole.result.findings.map(({ source, what }) => `${source}: ${what}`).join('\n');
    for (const trap of [
      /Lagos Lagoon/,
      /Sanga/,
      /Bakassi has an empty row/,
      /Bakassi has no row/,
      /NG013 2016-06/,
      /NG024 2015-01 to 2016-01/,
      /round 2021/,
      /14 blank months/,
      /another method/,
      /people \(lagoon/,
    ])
      expect(text).toMatch(trap);
  });

  test('gaps are null or borrowed, true zeros are zeros', async () => {
    const { lgas } = await whole.ask<schemas.ContextLgas>('context-lgas', { state: 'CR' });
    expect(lgas.find(({ lga_code }) => lga_code === 'NG009005')!.travel_minutes_to_care).toBeNull();
    const { states } = await whole.ask<schemas.ContextStates>('context-states');
    expect(states.every(({ irs_coverage }) => irs_coverage === 0)).toBe(true);
    expect(states.every(({ itn_access }) => itn_access! > 0.1 && itn_access! < 1)).toBe(true);
  });
});
