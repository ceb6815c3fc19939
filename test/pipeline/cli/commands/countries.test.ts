/** The table of many countries. */
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, inject, test } from 'vitest';
import { temporary } from '../../../support/command-line.ts';
import { runHere } from '../../../support/run-here.ts';

/** A built country, one with bad input, and one without a result. */
function listed(rows: readonly string[]) {
  const folder = temporary();
  const list = path.join(folder, 'countries.csv');
  writeFileSync(list, `${['name,catalog,raw_data,out', ...rows].join('\n')}\n`);
  const runs = path.join(folder, 'runs');
  mkdirSync(runs);
  const result = { status: 'built', exit_code: 0, line: null, seconds: 9.5, cpu_seconds: 6.1, peak_mb: 300 };
  const bad = { ...result, status: 'bad input', exit_code: 2, line: 'a.csv, row 7: found x, expected y' };
  writeFileSync(path.join(runs, 'tiny.json'), JSON.stringify(result));
  writeFileSync(path.join(runs, 'broken.json'), JSON.stringify(bad));
  return { list, runs };
}
const ROWS = () => [`tiny,tiny,,${inject('builtTiny')}`, 'broken,broken,,out/broken', 'new,new,,out/new'];

test('the table shows status, version, findings and skill of each country', async () => {
  const { list, runs } = listed(ROWS());
  const { stdout, code } = await runHere(['countries', list, '--runs', runs, '--json']);
  expect(code).toBe(0);
  const [tiny, broken, unknown] = JSON.parse(stdout);
  const version = path.basename(realpathSync(path.join(inject('builtTiny'), 'current')));
  expect(tiny).toMatchObject({ name: 'tiny', status: 'built', version, current: true, score: 'baseline', skill: 0 });
  expect(tiny).toMatchObject({ seconds: 9.5, cpu_s: 6.1, peak_mb: 300, line: null, to_decide: 0 });
  expect(tiny.findings).toBeGreaterThan(5);
  expect(broken).toMatchObject({ status: 'bad input', version: null, line: 'a.csv, row 7: found x, expected y' });
  expect(unknown).toMatchObject({ status: 'no result', version: null, findings: null, skill: null });

  const text = (await runHere(['countries', list, '--runs', runs])).stdout.trimEnd().split('\n');
  expect(text.slice(-2)).toEqual(['broken: a.csv, row 7: found x, expected y', '1 of 3 countries are built']);
  expect(JSON.parse((await runHere(['countries', list, '--json'])).stdout)[2].status).toBe('not built');
});

test.each([
  [['tiny,a,,b', 'tiny,c,,d'], 'row 3: found name tiny, as in row 2, expected a single row'],
  [[',a,,b', 'tiny,c,,d'], 'row 2, name: found nothing, expected a value'],
])('a list with %j is refused', async (rows, line) => {
  const { list } = listed(rows);
  const { stderr, code } = await runHere(['countries', list]);
  expect([code, stderr]).toEqual([2, `malaria-risk: countries.csv, ${line}\n`]);
});
