/** Full-size countries, made up and real, from their raw files to answers over HTTP. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type * as schemas from '../../pipeline/contract/schemas.ts';
import { writeSyntheticCountry } from '../../pipeline/synthetic/country.ts';
import { buildAndServe, fullSizeCountryTests, type ServedCountry } from '../support/full-size-country.ts';
import { HAS_REAL_DATA, needsReal, REAL_CATALOG, REAL_DATA } from '../support/real-data.ts';

describe('the made-up country', () => {
  let served!: ServedCountry;
  beforeAll(async () => {
    served = await buildAndServe(async (out) => {
      const country = path.join(out, 'synthetic');
      await writeSyntheticCountry({ seed: 1, out: country });
      return { country };
    });
  });
  // Where the real files are, their country's pages are opened instead.
  fullSizeCountryTests(() => served, !HAS_REAL_DATA);

  test('its version, report and sources state that it is made up', async () => {
    expect((await served.ask<schemas.Periods>('periods')).model_version).toMatch(/^synthetic-/);
    const report = readFileSync(path.join(served.out, 'current/report/index.html'), 'utf8');
    expect(report).toContain('<strong>Made-up country.</strong>');
    expect(report).toContain('<p class="made-up" role="alert">');
    expect((await served.ask<schemas.ContextStates>('context-states')).source.note.toLowerCase()).toContain('made up');
    expect((await served.ask<schemas.BoundariesStates>('boundaries-states')).source.toLowerCase()).toContain('made up');
  });
});

describe.skipIf(!HAS_REAL_DATA)(needsReal('real Nigeria'), () => {
  let served!: ServedCountry;
  beforeAll(async () => {
    served = await buildAndServe(async () => ({ country: REAL_CATALOG, rawData: REAL_DATA }));
  });
  fullSizeCountryTests(() => served, true);

  test('the population of all LGAs is 216,371,857', async () => {
    const { states } = await served.ask<schemas.ContextStates>('context-states');
    expect(states.reduce((sum, state) => sum + state.population, 0)).toBe(216_371_857);
  });

  test('the positivity of the survey rounds is as published', async () => {
    const { national, states } = await served.ask<schemas.TransmissionStates>('transmission-states');
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

  test('the findings list every known problem of the data', () => {
    const text = served.result.findings.map(({ source, what }) => `${source}: ${what}`).join('\n');
    for (const problem of [
      /Lagos Lagoon/,
      /Sanga/,
      /Bakassi has an empty row/,
      /Bakassi has no row/,
      /NG013 2016-06/,
      /NG024 2015-01 to 2016-01/,
      /round 2021/,
      /14 blank months/,
      /each sample counts once, by microscopy/,
      /people are in no LGA \(lagoon/,
      /Bakassi: \d+ cases a year per 1000 people/,
      /Cross River: cases fit the rain of 9 months before/,
    ])
      expect(text).toMatch(problem);
  });

  test('gaps are null or filled from neighbours, true zeros remain zeros', async () => {
    const { lgas } = await served.ask<schemas.ContextLgas>('context-lgas', { state: 'CR' });
    expect(lgas.find(({ lga_code }) => lga_code === 'NG009005')!.travel_minutes_to_care).toBeNull();
    const { states } = await served.ask<schemas.ContextStates>('context-states');
    expect(states.every(({ irs_coverage }) => irs_coverage === 0)).toBe(true);
    expect(states.every(({ itn_access }) => itn_access! > 0.1 && itn_access! < 1)).toBe(true);
  });
});
