import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Manifest } from '../../pipeline/contract/manifest.ts';
import { verifySnapshot } from '../../pipeline/publish/snapshot/verify.ts';
import { buildHere, readJson } from '../support/built-tiny.ts';
import { temporary } from '../support/command-line.ts';
import { dashboardInOwnWords } from '../support/dashboard-words.ts';
import { foreignDescriptions, nigerianWords, wordsOfLevels } from '../support/nigerian.ts';
import { OTHER, otherCountry } from '../support/other-country.ts';
import { giveKey, serveBuild } from '../support/proxy/service.ts';
import { runHere } from '../support/run-here.ts';
import { writeCountry } from '../support/tiny-country.ts';

let snapshot: string;
let findings: { rule: string; what: string }[];
beforeAll(async () => {
  const country = otherCountry();
  writeCountry(country, temporary());
  snapshot = (await buildHere(country.directory, temporary())).snapshot;
  findings = readJson(snapshot, 'findings.json');
}, 300_000);

describe('a country that differs from Nigeria in every respect, built from its catalog alone', () => {
  test('its snapshot passes verification', async () => {
    expect(await verifySnapshot(snapshot)).toMatchObject({ faults: [], unchecked: null });
  });

  test('codes are joined by name from the table, parents are not taken from codes, and there are no zones', () => {
    const { states } = readJson(snapshot, 'v1/context/states.json');
    expect(states.map(({ state_code, zone, lgas }: any) => ({ state_code, zone, lgas }))).toEqual([
      { state_code: '07', zone: null, lgas: 2 },
      { state_code: '12', zone: null, lgas: 2 },
    ]);
    const { features } = readJson(snapshot, 'v1/boundaries/lgas/12.json');
    expect(features.map(({ properties }: any) => properties)).toEqual([
      { lgaCode: '0704', lga: "L'Étang", state: '12' },
      { lgaCode: '3303', lga: 'Côte', state: '12' },
    ]);
    expect(readJson(snapshot, 'v1/places.json').states[0]).toMatchObject({
      pcode: '07',
      iso_code: null,
      neighbours: ['12'],
    });
  });

  test('each cluster counts once, by the preferred method; one in the sea is moved ashore; other ages are left out', () => {
    const what = (rule: string) => findings.filter((one) => one.rule === rule).map((one) => one.what);
    expect(what('one method only')).toEqual([
      expect.stringMatching(/^1 of 27 rows left out: each sample counts once, by microscopy, else by rdt/),
    ]);
    expect(what('nearest area')).toEqual([
      expect.stringMatching(/^round 2018, mer: 19\d\d m outside every area, assigned to 1201 Aval$/),
    ]);
    expect(what('other ages')).toEqual([expect.stringMatching(/^1 of 26 clusters/)]);
    const risk = readFileSync(path.join(snapshot, 'tables/survey_trend.csv'), 'utf8').split('\n');
    expect(risk[1]).toMatch(/^,2018,.*,13,260,false/);
  });

  test('without monthly rain the score is the same in all months of a year, but changes between years', () => {
    const { series } = readJson(snapshot, 'v1/series/lgas/3303.json');
    const of = (year: string) =>
      new Set(
        series
          .filter(({ period }: any) => period.startsWith(year))
          .map(({ score, score_low, score_high }: any) => `${score} ${score_low} ${score_high}`),
      );
    expect([of('2020').size, of('2021').size, of('2022').size]).toEqual([1, 1, 1]);
    expect(of('2021')).not.toEqual(of('2020'));
  });

  test('missing data is missing in the answers and listed in the manifest, the model card and the report', () => {
    const manifest: Manifest = readJson(snapshot, 'manifest.json');
    expect(manifest.coverage.transmission).toBe(false);
    const files = Object.keys(manifest.files);
    expect(files.filter((file) => /^v1\/(transmission|seasons)|^tables\/season/.test(file))).toEqual([]);
    const { lgas } = readJson(snapshot, 'v1/context/lgas/07.json');
    expect(lgas[0]).toMatchObject({ itn_use: null, travel_minutes_to_care: null, response_index: null });
    expect(manifest.limits!.map((line) => line.split(/[:.]/)[0])).toEqual([
      'No monthly rain',
      'No monthly case records',
      'No transmission model',
      'No table of people by area',
      'No elevation',
      'No outlines of the upper level',
      expect.stringMatching(/^No data on net use, /),
    ]);
    const report = readFileSync(path.join(snapshot, 'report/index.html'), 'utf8');
    for (const limit of manifest.limits!) {
      expect(readJson(snapshot, 'v1/model-card.json').limits).toContain(limit);
      expect(report).toContain(limit);
    }
  });

  test('the report describes its own clusters and tests, and no zones of other countries', () => {
    const report = readFileSync(path.join(snapshot, 'report/annex.html'), 'utf8');
    expect(report).toContain('A cell is a survey cluster in one round.');
    expect(report).toContain('<summary>By family of truth</summary>');
    expect(report).not.toMatch(/<summary>By country<|lagoon|<td>NC<\/td>/);
    expect(report).toContain('the result of 2021 is by rapid diagnostic test');
    const { limits } = readJson(snapshot, 'v1/model-card.json');
    expect(limits.join(' ')).toMatch(
      /The score refers to one test, microscopy, .* 0\.5 ± 0\.5 above that by microscopy/,
    );
    const types = readFileSync(path.join(snapshot, 'client/ts/types.d.ts'), 'utf8');
    expect(types).toContain('tested positive by microscopy, or, where that was not done, by rapid diagnostic test');
  });

  test('`show` says why something is missing, and shows surveys without case records', async () => {
    const show = (what: string, ...more: string[]) => runHere(['show', what, '--snapshot', snapshot, ...more]);
    expect(await show('season')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^No monthly rain: no season is given\./),
    });
    expect(await show('model', '--json')).toMatchObject({
      code: 0,
      stdout: '[]\n',
      stderr: expect.stringMatching(/^No transmission model: it needs monthly case/),
    });
    const { stdout } = await runHere(['show', 'survey', '--snapshot', snapshot, '--json']);
    expect(JSON.parse(stdout).map((row: any) => row.survey_year)).toContain(2021);
    expect(readJson(snapshot, 'v1/context/states.json').source.note).toMatch(
      / coverage_year refers to net and treatment figures, which this country does not have\.$/,
    );
  });

  test('none of its files contains words about Nigeria', () => {
    expect(nigerianWords(snapshot)).toEqual([]);
    expect(wordsOfLevels(snapshot)).toEqual([]);
    expect(foreignDescriptions(snapshot)).toEqual([]);
  });

  test('operations that need rain answer 404 and say why', async () => {
    const build = temporary();
    const service = await serveBuild({ build, snapshot, store: `sqlite:${build}/proxy.sqlite` });
    const { key } = await giveKey(service.store);
    const problem = async (path: string) => (await service.get(path, key)).json();
    for (const path of ['/v1/seasons/lgas?state=07', '/v1/tables/season.csv', '/v1/tables/season_windows.parquet'])
      expect(await problem(path)).toMatchObject({
        status: 404,
        code: 'NOT_FOUND',
        detail: expect.stringMatching(
          /^This country's data do not allow an estimate of it \(`limits` in \/v1\/model-card/,
        ),
      });
    expect(await problem('/v1/seasons/lgas?state=KN')).toMatchObject({ code: 'UNKNOWN_STATE' });
    expect(await problem('/v1/tables/forecast_skill.csv')).toMatchObject({
      detail: expect.stringMatching(/^\/v1\/openapi/),
    });
  });

  test('the dashboard and errors use its own words, too', async () => {
    const build = temporary();
    const place = { build, snapshot, store: `sqlite:${build}/proxy.sqlite` };
    const text = await dashboardInOwnWords(place, OTHER, onTestFinished);
    expect(text).toContain('Codes of departments and communes');
    expect(text).toMatch(/Code Department Communes 07 Amont Communes of Amont/);
  });
});
