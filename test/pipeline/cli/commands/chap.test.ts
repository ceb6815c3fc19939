import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { EXIT } from '../../../../pipeline/cli/terminal/exit-codes.ts';
import { addMonths } from '../../../../pipeline/contract/months.ts';
import { readCsv } from '../../../../pipeline/ingest/readers/csv.ts';
import { CHAP_HORIZONS } from '../../../../pipeline/model/chap/chap-files.ts';
import { chapRows, csvOf } from '../../../support/chap.ts';
import { temporary } from '../../../support/command-line.ts';
import { runHere } from '../../../support/run-here.ts';

const directory = temporary();
const at = (name: string) => join(directory, name);
const put = (name: string, text: string) => {
  writeFileSync(at(name), text);
  return at(name);
};
const MONTHS = 30;
const all = chapRows({ places: ['Bo', 'Ba, north', '7'], months: MONTHS + 3 });
const end = addMonths(all[0]!.time_period, MONTHS - 1);
const [historic, future] = [
  all.filter(({ time_period }) => time_period <= end),
  all.filter(({ time_period }) => time_period > end),
];

beforeAll(async () => {
  put('historic.csv', csvOf(historic));
  put('future.csv', csvOf(future, ['disease_cases']));
  const { code, stdout } = await runHere(['chap', 'train', at('historic.csv'), at('model')]);
  expect(stdout).toBe(`${at('historic.csv')}: 2015-01 to 2017-06, locations: 3, months with known cases: 90 of 90\n`);
  expect(code).toBe(0);
});

const predict = (from: string, to: string, out = 'out.csv') =>
  runHere(['chap', 'predict', at('model'), from, to, at(out)]);

test('predictions have a row for each row of the future, in its order, and samples of whole numbers', async () => {
  const { code, stderr } = await predict(at('historic.csv'), at('future.csv'));
  expect([code, stderr]).toEqual([0, '']);
  const { header, rows } = await readCsv(at('out.csv'), 'out.csv');
  expect(header).toEqual(['time_period', 'location', ...Array.from({ length: 200 }, (_, i) => `sample_${i}`)]);
  expect(rows.map(({ cells }) => cells.slice(0, 2))).toEqual(
    future.map(({ time_period, location }) => [time_period, location]),
  );
  for (const { cells } of rows) for (const cell of cells.slice(2)) expect(cell).toMatch(/^\d+$/);
  await predict(at('historic.csv'), at('future.csv'), 'again.csv');
  expect(readFileSync(at('again.csv'), 'utf8')).toBe(readFileSync(at('out.csv'), 'utf8'));
});

test('the number of samples is that of the file of options that CHAP writes', async () => {
  const options = (samples: string) =>
    put('options.yaml', `prediction_length: 3\nuser_option_values:\n  samples: ${samples}\n`);
  const args = ['chap', 'predict', at('model'), at('historic.csv'), at('future.csv'), at('few.csv'), '--config'];
  expect((await runHere([...args, options('20')])).code).toBe(0);
  const { header } = await readCsv(at('few.csv'), 'few.csv');
  expect(header.slice(2)).toHaveLength(20);
  for (const samples of ['19', '1001', '50.5', 'many', ''])
    expect((await runHere([...args, options(samples)])).stderr).toContain('expected a whole number from 20 to 1000');
  expect((await runHere([...args, at('nowhere')])).stderr).toContain('expected the file of options that CHAP writes');
});

test('months without a row are unknown, as empty ones are, and are named', async () => {
  const gap = (time_period: string, location: string) => location === 'Bo' && time_period === '2016-05';
  const without = historic.filter((row) => !gap(row.time_period, row.location));
  const empty = historic.map((row) => (gap(row.time_period, row.location) ? { ...row, disease_cases: '' } : row));
  const { stdout } = await predict(put('without.csv', csvOf(without)), at('future.csv'), 'a.csv');
  expect(stdout).toContain('months with known cases: 89 of 90');
  expect(stdout).toContain('months without a row, taken as unknown: 1 (Bo 2016-05)');
  await predict(put('empty.csv', csvOf(empty)), at('future.csv'), 'b.csv');
  expect(readFileSync(at('a.csv'), 'utf8')).toBe(readFileSync(at('b.csv'), 'utf8'));
});

test('a location without records is forecast', async () => {
  const { code } = await predict(
    at('historic.csv'),
    put('elsewhere.csv', 'time_period,location\n2017-07,Elsewhere\n'),
    'elsewhere-out.csv',
  );
  expect(code).toBe(0);
  const { rows } = await readCsv(at('elsewhere-out.csv'), 'out');
  const samples = new Set(rows[0]!.cells.slice(2));
  expect(samples.size).toBeGreaterThan(50);
});

test('MLproject promises the months that can be forecast', () => {
  const project = readFileSync(join(import.meta.dirname, '../../../../pipeline/model/chap/MLproject'), 'utf8');
  expect(project).toContain(
    `\nmin_prediction_periods: ${CHAP_HORIZONS[0]}\nmax_prediction_periods: ${CHAP_HORIZONS.at(-1)}\n`,
  );
});

const change = (of: object) => csvOf(historic.map((row, i) => (i === 3 ? { ...row, ...of } : row)));
test.each([
  ['a week', change({ time_period: '2016-W03' }), /row 5, time_period: found "2016-W03", expected a month YYYY-MM/],
  ['a day', change({ time_period: '2016-01-03' }), /row 5, time_period: found "2016-01-03", expected a month/],
  ['a negative number', change({ disease_cases: -1 }), /row 5, cases: found -1, expected 0 to 10000000000/],
  ['a number beyond all people', change({ disease_cases: 1e300 }), /row 5, cases: found "?1e\+?300"?, expected/],
  ['a slip in a year', change({ time_period: '9218-01' }), /row 5, time_period: found "9218-01", expected a month/],
  ['a fraction', change({ disease_cases: 1.5 }), /row 5, cases: found "1.5", expected a whole number/],
  ['no location', change({ location: '' }), /row 5, location: found nothing/],
  ['a second row', csvOf([...historic, historic[0]!]), /row 92: found location \+ period .*as in row 2/],
  [
    'no cases',
    csvOf(historic.map((row) => ({ ...row, disease_cases: '' }))),
    /disease_cases: found nothing in any row/,
  ],
  [
    'old records',
    `time_period,location,disease_cases\n2001-01,Bo,5\n2009-01,Bo,\n`,
    /no cases in the 72 months up to 2009-01, expected at least one known month/,
  ],
  ['no column of cases', csvOf(historic, ['disease_cases']), /expected a column "disease_cases"/],
])('train refuses %s, with its row, and writes nothing', async (name, text, message) => {
  const model = at(`model of ${name}`);
  const { code, stderr } = await runHere(['chap', 'train', put('bad.csv', text), model]);
  expect(code).toBe(EXIT.bad_input);
  expect(stderr).toMatch(message);
  expect(() => readFileSync(model)).toThrow(/ENOENT/);
});

test('predict refuses months of the records or far after them, and files that are not a model', async () => {
  const past = await predict(at('historic.csv'), at('historic.csv'));
  expect(past.stderr).toContain('row 2, time_period: found 2015-01, expected 2017-07 to 2018-06');
  const far = await predict(at('historic.csv'), put('far.csv', 'time_period,location\n2018-07,Bo\n'));
  expect(far.stderr).toContain('row 2, time_period: found 2018-07, expected 2017-07 to 2018-06');
  const args = [at('historic.csv'), at('future.csv'), at('out.csv')];
  for (const [text, found] of [
    ['x', 'is not valid JSON'],
    ['{}', "must have required property 'model'"],
    [JSON.stringify({ ...JSON.parse(readFileSync(at('model'), 'utf8')), hyperparameters: [1] }), '/hyperparameters'],
  ] as const) {
    const { code, stderr } = await runHere(['chap', 'predict', put('other', text), ...args]);
    expect([code, stderr]).toEqual([EXIT.bad_input, expect.stringContaining(found)]);
    expect(stderr).toContain('expected the file that `malaria-risk chap train` of this version wrote');
  }
});
