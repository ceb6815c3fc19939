import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ALERT_EVALUATION_FILE, type AlertEvaluation } from '../../../../../pipeline/catalog/alert-evaluation.ts';
import { buildHere, readJson, withTinyCache } from '../../../../support/built-tiny.ts';
import { runHere } from '../../../../support/run-here.ts';
import { writeTiny } from '../../../../support/tiny-country.ts';

const build = withTinyCache(['ingest']);

test('the result is recorded with its date beside the catalog, and quoted in the model card', async () => {
  const { directory } = writeTiny();
  const args = ['evaluate', 'alerts', '--country', directory, '--build', build, '--record', '--json'];
  const { code, stdout } = await runHere(args);
  expect(code).toBe(0);
  const said = JSON.parse(stdout) as AlertEvaluation;
  expect(said.evaluated_on).toMatch(/^20\d\d-\d\d-\d\d$/);
  expect(said.scores).toMatchObject([{ area: 'state', unchanged_months: 12 }]);
  expect(JSON.parse(readFileSync(path.join(directory, ALERT_EVALUATION_FILE), 'utf8'))).toEqual(said);
  const { snapshot, ran } = await buildHere(directory);
  expect(ran).toEqual(['snapshot']);
  expect(readJson(snapshot, 'model-card.json').alerts).toEqual(said);
});

test('a country without case records is refused', async () => {
  const { directory } = writeTiny((tiny) => {
    tiny.sources = tiny.sources.filter(({ role }) => role !== 'cases_states');
  });
  const { code, stderr } = await runHere([
    'evaluate',
    'alerts',
    '--country',
    directory,
    '--build',
    build,
    '--unpinned',
  ]);
  expect(code).toBe(2);
  expect(stderr).toContain('found no alerts to evaluate');
});
