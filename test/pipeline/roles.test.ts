import { describe, expect, test } from 'vitest';
import { readCatalog } from '../../pipeline/catalog/country.ts';
import type { Manifest } from '../../pipeline/contract/manifest.ts';
import { verifySnapshot } from '../../pipeline/publish/snapshot/verify.ts';
import { buildHere, readJson } from '../support/built-tiny.ts';
import { runHere } from '../support/run-here.ts';
import { sourceIn, writeTiny } from '../support/tiny-country.ts';

/** A tiny country without the sources with these ids; without monthly rain, by the model that does without. */
function without(...ids: string[]) {
  return writeTiny(({ sources, model }) => {
    for (const id of ids)
      sources.splice(
        sources.findIndex((source) => source.id === id),
        1,
      );
    if (!ids.includes('climate')) return;
    model.first_estimated = '2020-01';
    Object.assign(model.parameters.risk, { score: 'spatial', season_unknown: { sd: 0.5, source: 'test' } });
  }).directory;
}

/** By the sources left out: the first words of what the manifest says is missing. */
const LEFT_OUT: [ids: string[], limits: string[]][] = [
  [['climate'], ['The season is estimated from case records alone', 'No transmission model']],
  [['cases'], ['No monthly case records', 'No transmission model']],
  [['surveys'], ['No scores: there is no survey of malaria infection.']],
  [
    ['surveys', 'climate'],
    ['No scores: there is no survey of malaria infection.', 'The season is estimated from case records alone'],
  ],
  [
    ['surveys', 'climate', 'cases'],
    ['No scores: there is no survey of malaria infection.', 'No monthly rain', 'No monthly case records'],
  ],
  [['population'], ['No population raster']],
  [['population_census'], ['No table of people by area']],
  [['elevation'], ['No elevation']],
  [['state_boundaries'], ['No outlines of the upper level']],
  [['itn_use'], ['No data on net use']],
  [['itn_access'], ['No data on access to nets']],
  [
    ['climate', 'itn_use'],
    ['The season is estimated from case records alone', 'No data on net use'],
  ],
  [
    ['climate', 'cases'],
    ['No monthly rain', 'No monthly case records', 'No transmission model'],
  ],
  [
    ['cases', 'itn_access'],
    ['No monthly case records', 'No data on access to nets'],
  ],
  [
    ['climate', 'population_census'],
    ['The season is estimated from case records alone', 'No table of people by area'],
  ],
];

describe('a country without a role', () => {
  test.each(LEFT_OUT)('%j is built and verified, and tells what it lacks', async (ids, limits) => {
    const { snapshot } = await buildHere(without(...ids));
    expect(await verifySnapshot(snapshot)).toMatchObject({ faults: [], unchecked: null });
    const told: string[] = readJson(snapshot, 'manifest.json').limits;
    for (const limit of limits) expect(told).toContainEqual(expect.stringContaining(limit));
    for (const view of ['season', 'survey', 'model'])
      expect(await runHere(['show', view, '--snapshot', snapshot])).toMatchObject({ code: 0, stderr: '' });
  });

  test('cases by LGA alone are no record of a state: no transmission model, and limits say so', async () => {
    const { directory } = writeTiny((country) => {
      const source = sourceIn(country, 'cases');
      source.role = 'cases_lgas';
      source.columns = { lga_pcode: 'state', period: 'month', confirmed: 'cases' };
      country.files['cases.csv'] = String(country.files['cases.csv']).replaceAll('NG001,', 'NG001001,');
    });
    const { snapshot } = await buildHere(directory);
    const { coverage, limits }: Manifest = readJson(snapshot, 'manifest.json');
    expect(coverage.transmission).toBe(false);
    expect(limits).toContainEqual(expect.stringMatching(/^No transmission model: .*in a table by areas of the upper/));
  });

  test.each([
    [['lga_boundaries'], /role lga_boundaries: found 0 sources/],
    [['population', 'population_census'], /population/],
  ])('%j is refused in one line', (ids, message) => {
    expect(() => readCatalog(without(...ids))).toThrow(message);
  });
});
