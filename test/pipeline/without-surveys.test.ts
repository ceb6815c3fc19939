/** A country whose surveys are missing or too few: all but scores, from raw files to answers over HTTP. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import type { Manifest } from '../../pipeline/contract/manifest.ts';
import { OPERATIONS, type OperationId } from '../../pipeline/contract/operations.ts';
import { verifySnapshot } from '../../pipeline/publish/snapshot/verify.ts';
import { buildHere, publishedTiny, readJson, tinySnapshot } from '../support/built-tiny.ts';
import { temporary } from '../support/command-line.ts';
import { serveDashboard } from '../support/proxy/dashboard.ts';
import { giveKey, type Service } from '../support/proxy/service.ts';
import { runHere } from '../support/run-here.ts';
import { serveBuilt } from '../support/serve-built.ts';
import { type TinyCountry, writeTiny } from '../support/tiny-country.ts';

const withoutSurveys = ({ sources }: TinyCountry) =>
  sources.splice(
    sources.findIndex(({ id }) => id === 'surveys'),
    1,
  );
let directory: string;
let out: string;
let snapshot: string;
beforeAll(async () => {
  directory = writeTiny(withoutSurveys).directory;
  out = publishedTiny();
  ({ snapshot } = await buildHere(directory, out));
});
const readText = (name: string, directory = snapshot) => readFileSync(path.join(directory, name), 'utf8');

test('it is verified, and its forecasts of cases are those of the country with surveys, byte for byte', async () => {
  expect(await verifySnapshot(snapshot)).toMatchObject({ faults: [], unchecked: null });
  for (const table of ['forecasts_cases', 'alerts', 'incidence', 'season'])
    expect(readText(`tables/${table}.csv`), table).toBe(readText(`tables/${table}.csv`, tinySnapshot()));
  const { coverage, limits }: Manifest = readJson(snapshot, 'manifest.json');
  expect(coverage).toMatchObject({ scores: false, season: true, alerts: true });
  expect(limits![0]).toBe('No scores: there is no survey of malaria infection.');
  expect(readJson(snapshot, 'v1/model-card.json')).toMatchObject({
    score: null,
    limits: expect.arrayContaining(limits!),
  });
});

test('the report opens with what there is, and has no score', () => {
  const report = readText('report/index.html');
  const main = report.slice(report.indexOf('<main'), report.indexOf('</main>'));
  expect(main.indexOf('What this version has')).toBeLessThan(main.indexOf('Reported cases per 1,000 people, 2021'));
  expect(main).toContain('<b>No:</b> scores, levels and forecasts of scores (needs a survey');
  expect(main).toContain('<b>Yes:</b> case forecasts, usual levels, alerts');
  expect(main).not.toMatch(/The score |scores are|very high|class="level|score_low/);
  expect(readText('report/annex.html').match(/How reliable the scores are|id="survey-scores"|id="basis"/)).toBe(null);
});

test('`show` tells why there are no scores', async () => {
  for (const [view, why] of [
    ['risk', /^No scores: they need a survey/],
    ['survey', /^No surveys of malaria infection\./],
  ] as const)
    expect(await runHere(['show', view, '--snapshot', snapshot])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(why),
    });
});

test('`evaluate risk` says in a line that there is nothing to evaluate', async () => {
  const folds = path.join(temporary(), 'folds.csv');
  writeFileSync(folds, 'lga_pcode,fold\nNG001001,1\n');
  const scores = path.join(temporary(), 'scores.csv');
  const options = ['--country', directory, '--build', out, '--folds', folds, '--out', scores];
  const { code, stderr } = await runHere(['evaluate', 'risk', ...options]);
  expect([code, stderr.trim().split('\n').at(-1)]).toEqual([
    2,
    expect.stringContaining('this country has no survey of malaria infection, so there are no survey cells to predict'),
  ]);
});

test('an export to DHIS2 has forecasts of cases and alerts, and nothing of scores', async () => {
  const [map, to] = [path.join(temporary(), 'units.csv'), path.join(temporary(), 'dhis2')];
  writeFileSync(map, 'id,code\nAbcdefghij1,AB\n');
  const name = path.basename(snapshot);
  const { code } = await runHere(['export', 'dhis2', name, '--out', out, '--map', map, '--to', to]);
  expect(code).toBe(0);
  const { dataElements, maps, visualizations } = JSON.parse(readFileSync(path.join(to, 'metadata.json'), 'utf8'));
  const figures = new Set(dataElements.map((element: { code: string }) => element.code.replace(/_(STATE|LGA)$/, '')));
  expect([...figures]).toEqual([
    'MALARIA_CASES_INDEX_Q05',
    'MALARIA_CASES_INDEX_Q50',
    'MALARIA_CASES_INDEX_Q95',
    'MALARIA_DETECTION',
    'MALARIA_WARNING',
  ]);
  expect([maps.length, visualizations.length]).toEqual([2, 1]);
});

test('a review of it in place of a version with scores says what would be gone', async () => {
  const { stdout } = await runHere(['review', path.basename(snapshot), '--out', out]);
  expect(stdout).toMatch(/14 answers of risk-states are missing/);
  expect(stdout).toMatch(/the table risk_lgas is missing/);
});

test('over HTTP, operations that need scores answer 503 after the errors of their parameters, the others as ever', async () => {
  const { code } = await runHere(['publish', path.basename(snapshot), '--out', out, '--approve', 'no survey']);
  expect(code).toBe(0);
  const { service, ask } = await serveBuilt(out, path.basename(snapshot));
  const { key } = await giveKey(service.store);
  const answerOf = async (path: string) => {
    const response = await (service as Service).get(path, key);
    return [response.status, response.ok ? null : ((await response.json()) as { code: string }).code];
  };
  const addressOf = (id: OperationId, query = '') => OPERATIONS.find((one) => one.id === id)!.path + query;
  const NO_SCORES = [503, 'SCORES_UNAVAILABLE'];
  expect(await answerOf(addressOf('risk-states'))).toEqual(NO_SCORES);
  expect(await answerOf(addressOf('risk-lgas', '?state=AB&period=2021-06'))).toEqual(NO_SCORES);
  expect(await answerOf(addressOf('forecasts-states'))).toEqual(NO_SCORES);
  expect(await answerOf(addressOf('forecasts-lgas', '?state=AB'))).toEqual(NO_SCORES);
  expect(await answerOf(addressOf('table-risk_lgas-csv'))).toEqual(NO_SCORES);
  expect(await answerOf(addressOf('risk-lgas', '?state=XX'))).toEqual([404, 'UNKNOWN_STATE']);
  expect(await answerOf(addressOf('risk-states', '?period=2022-01'))).toEqual([400, 'FORECAST_PERIOD']);
  expect(await answerOf(addressOf('forecasts-states', '?months=5'))).toEqual([400, 'INVALID_MONTHS']);
  for (const id of ['periods', 'context-states', 'boundaries-states', 'transmission-model'] as const) await ask(id);
  for (const id of ['context-lgas', 'boundaries-lgas', 'transmission-lgas', 'alerts'] as const)
    await ask(id, { state: 'AB' });
  expect(await ask('transmission-states')).toMatchObject({
    national: { survey_trend: [] },
    states: [{ survey_trend: [] }, { survey_trend: [] }],
  });
});

test('the page of the first map names what can be drawn in place of scores', async () => {
  const store = `sqlite:${path.join(temporary(), 'proxy.sqlite')}`;
  const dashboard = await serveDashboard({ build: out, snapshot: path.join(out, 'current'), store }, onTestFinished);
  await dashboard.person('mia@example.org', 'member', 'ministry');
  const { text } = await (await dashboard.signedIn('mia@example.org')).open('/reference/first-map');
  expect(text).toMatch(/has no scores, .* reported cases per 1,000 people from the table incidence/);
  expect(text).not.toContain('curl');
});

test('surveys with less than the stated evidence give no score; model.json may ask for less, which is the first limit', async () => {
  const few = writeTiny(({ model }) => delete model.parameters.evidence.scores);
  const { limits, coverage }: Manifest = readJson((await buildHere(few.directory)).snapshot, 'manifest.json');
  expect(coverage.scores).toBe(false);
  const needed = '50 clusters, 20 LGAs and 1000 children';
  expect(limits![0]).toBe(
    `No scores: they need at least ${needed}; the surveys have 24 clusters, 4 LGAs and 528 children.`,
  );
  const doubt = `The scores rest on less than ${needed}, the usual minimum: on 24 clusters, 4 LGAs and 528 children.`;
  const current = path.join(inject('builtTiny'), 'current');
  expect(readJson(current, 'v1/model-card.json').limits[0]).toContain(doubt);
  const report = readText('report/index.html', current);
  expect(report.slice(report.indexOf('<h1>')).replace(/^<h1>.*<\/h1>\s*/, '')).toMatch(`<p class="notice">${doubt}`);
});
