/** A wrong file, from the update that doubts it to the publication that requires a reason. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { publishedTiny } from '../../../support/built-tiny.ts';
import { temporary } from '../../../support/command-line.ts';
import { runHere } from '../../../support/run-here.ts';
import { writeTiny } from '../../../support/tiny-country.ts';

test('a changed file stops the build; update shows and accepts it; publishing requires approval of its doubts', async () => {
  const { directory, files } = writeTiny();
  const out = publishedTiny();
  const file = path.join(directory, 'nets.csv');
  const malaria = async (...args: string[]) => {
    const { code, stdout, stderr } = await runHere([...args, '--out', out]);
    return { code, output: `${stdout}${stderr}` };
  };
  const update = (...args: string[]) => malaria('catalog', 'update', 'itn_use', '--country', directory, ...args);
  writeFileSync(file, String(files['nets.csv']).replaceAll(/,0\.(\d)/g, ',0.0$1'));

  const stopped = await malaria('build', '--country', directory);
  expect(stopped.code).toBe(2);
  expect(stopped.output).toContain(
    `nets.csv: found a file that differs from its SHA-256 in sources.json, expected the file that was accepted (if this is a copy that broke off, copy it again); to accept this one: malaria-risk catalog update itn_use --country ${directory} --accept REASON`,
  );

  const shown = await update();
  expect(shown.code).toBe(1);
  expect(shown.output).toMatch(/Doubts:\n {2}the sum of itn_use has changed in all rows \(1\/10/);
  expect(shown.output).toContain('Nothing has been changed yet; accept it with --accept REASON.');

  const accepted = await update('--accept', 'new survey', '--by', 'Ada', '--release', '2');
  expect([accepted.code, accepted.output]).toEqual([
    0,
    expect.stringMatching(/release was "1", is "2"[\s\S]*\nAccepted\.\n$/),
  ]);
  expect(readFileSync(path.join(directory, 'sources.json'), 'utf8')).toContain('"by": "Ada"');
  expect((await update()).output).toBe('itn_use: unchanged since accepted, nothing to do\n');

  const built = await malaria('build', '--country', directory);
  expect(built.code).toBe(0);
  expect(built.output).toMatch(
    /itn_use \(accepted in doubt\): the sum of itn_use has changed .*; accepted by Ada, \d{4}-.*: new survey/,
  );
  const refused = await malaria('publish');
  expect([refused.code, refused.output]).toEqual([1, expect.stringMatching(/accepted in doubt/)]);
  expect((await malaria('publish', '--approve', 'seen')).code).toBe(0);
});

test('an update says first what the file changes and what is doubted, then gives the counts of years that differ', async () => {
  const { directory, files } = writeTiny();
  const file = path.join(temporary(), 'cases.csv');
  const run = async () =>
    (await runHere(['catalog', 'update', 'cases', file, '--country', directory, '--out', temporary()])).stdout.split(
      '\n\n',
    );
  writeFileSync(file, `${String(files['cases.csv']).replace(/2020-05,\d+/, '2020-05,1')}NG001,2022-01,900\n`);
  const [answer, doubts, notes, changes, rows, years, added] = await run();
  expect(answer).toMatch(
    /^cases: cases\.csv changed; 1 rows added, 0 removed, 1 changed; NG001 2020-05: confirmed \d+ -> 1$/,
  );
  expect([doubts, notes, changes, rows].map((block) => block!.split(':')[0])).toEqual([
    'Doubts',
    'What it does not change by itself',
    'Changes to the catalog',
    'Rows',
  ]);
  expect(years).toMatch(
    /^Years that differ:\nyear .*\n2020 +12 +12 +confirmed +\d+ +\d+\n2022 +0 +1 +confirmed +— +900$/,
  );
  expect(added).toMatch(/^Added months, beside the usual sum of their places and months: \d/);
});

test('catalog check exits with 0, 1 if there are faults, 2 without a catalog; an invalid month is a usage error', async () => {
  const { directory, files } = writeTiny();
  const check = (country: string, ...args: string[]) => runHere(['catalog', 'check', '--country', country, ...args]);
  const valid = await check(directory);
  expect(valid.code).toBe(0);
  expect(valid.stdout).toMatch(
    /^cases.csv: cases read: 2018 18,031 \(90 per 1,000 people\), 2019 .*told apart by month, 1 in each month\n\n.*: no faults\n$/ms,
  );
  writeFileSync(path.join(directory, 'cases_2022.csv'), 'code,period,cases\n');
  const unlisted = await check(directory);
  expect([unlisted.code, unlisted.stdout]).toEqual([
    0,
    expect.stringMatching(/^No source uses cases_2022\.csv\. If one is of the country: malaria-risk catalog add/m),
  ]);
  rmSync(path.join(directory, 'cases_2022.csv'));
  const catalogFile = path.join(directory, 'sources.json');
  const catalog = readFileSync(catalogFile, 'utf8');
  const unused = [{ path: 'more.csv', subject: 'cases', reason: 'weeks' }];
  writeFileSync(catalogFile, JSON.stringify({ ...JSON.parse(catalog), unused }));
  const incomplete = await check(directory);
  expect([incomplete.code, incomplete.stdout]).toEqual([
    1,
    expect.stringMatching(/^unused files: more\.csv \(cases\): weeks\. Draft the catalog again .*\n$/m),
  ]);
  expect(incomplete.stdout).not.toMatch(/no faults/);
  writeFileSync(catalogFile, catalog);
  writeFileSync(
    path.join(directory, 'cases.csv'),
    String(files['cases.csv']).replace('NG001,2019-05', 'NG009,2019-05'),
  );
  const wrong = await check(directory, '--json');
  expect(wrong.code).toBe(1);
  expect(JSON.parse(wrong.stdout)).toMatchObject([
    { step: 'hashes', source: 'cases' },
    {
      step: 'tables and outlines',
      source: 'cases',
      what: expect.stringMatching(/NG009, expected the p-code of one of `states` in model\.json/),
    },
  ]);
  const [none, usage] = await Promise.all([
    check(temporary()),
    runHere(['catalog', 'update', 'cases', '--country', directory, '--last-estimated', '2024-1']),
  ]);
  expect([none.code, none.stderr]).toEqual([2, expect.stringMatching(/sources\.json: found no such file/)]);
  expect([usage.code, usage.stderr]).toEqual([2, expect.stringMatching(/expected a month YYYY-MM/)]);
});

test('catalog schema prints a schema that valid catalogs match, with or without $schema, and misspelt fields do not', async () => {
  const { directory } = writeTiny();
  for (const file of ['sources.json', 'model.json']) {
    const { code, stdout } = await runHere(['catalog', 'schema', file]);
    expect(code).toBe(0);
    const validate = new Ajv2020({ strict: false }).compile(JSON.parse(stdout));
    const own = JSON.parse(readFileSync(path.join(directory, file), 'utf8'));
    expect([validate(own), validate.errors]).toEqual([true, null]);
    expect(validate({ $schema: './own.schema.json', ...own })).toBe(true);
    expect(validate({ ...own, sourcse: [] })).toBe(false);
  }
  writeFileSync(
    path.join(directory, 'model.json'),
    readFileSync(path.join(directory, 'model.json'), 'utf8').replace('{', '{ "$schema": "./model.schema.json", '),
  );
  expect((await runHere(['catalog', 'check', '--country', directory])).code).toBe(0);
  expect((await runHere(['catalog', 'schema', 'raster.tif'])).code).toBe(2);
});
