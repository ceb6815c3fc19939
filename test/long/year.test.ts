/**
 * A data team's year, as typed commands: new months, a correction, a survey round, a table of net use, wrong files, a
 * rollback, a nightly build. The catalog is never edited by hand.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { currentVersion } from '../../pipeline/release/current.ts';
import { run, temporary } from '../support/command-line.ts';
import { sourceIn, tinyCountry, writeCountry } from '../support/tiny-country.ts';

const project = temporary();
const country = path.join(project, 'raw-data/tiny');
const inbox = path.join(project, 'inbox');
const complete = tinyCountry();
const commands: string[] = [];

/** The rows of a table of the complete country that `keep` selects, after the header. */
function rowsOf(file: string, keep: (cells: string[]) => boolean): string {
  const [head, ...rows] = String(complete.files[file]).trim().split('\n');
  return `${[head, ...rows.filter((row) => keep(row.split(',')))].join('\n')}\n`;
}
const upTo = (file: string, last: string) => rowsOf(file, ([, month]) => month! <= last);
/** Puts a new file into the team's inbox. */
function receive(name: string, content: string): string {
  mkdirSync(inbox, { recursive: true });
  const file = path.join(inbox, name);
  writeFileSync(file, content);
  return file;
}

/** Runs a command as typed, and checks its exit code. */
async function type(code: number, command: string, ...more: string[]): Promise<string> {
  const args = [...command.split(' '), ...more];
  commands.push(args.join(' '));
  const ended = await run(args, { cwd: project });
  const output = `${ended.stdout}${ended.code === 0 || ended.code === 1 ? '' : ended.stderr}`;
  if (process.env.MALARIA_VERBOSE) process.stdout.write(`\n$ malaria-risk ${args.join(' ')}\n${output}`);
  expect(ended.code, `${args.join(' ')}\n${ended.stdout}${ended.stderr}`).toBe(code);
  return output + ended.stderr;
}
const current = () => currentVersion(path.join(project, 'build'))!;
const accept = (source: string, file: string, reason: string, ...more: string[]) =>
  type(0, `catalog update ${source}`, file, '--accept', reason, '--by', 'Ada', ...more);

beforeAll(async () => {
  const early = tinyCountry();
  for (const [file, id] of [
    ['cases.csv', 'cases'],
    ['climate.csv', 'climate'],
  ] as const) {
    early.files[file] = upTo(file, '2021-06');
    const source = sourceIn(early, id);
    source.span.last = '2021-06';
    source.files[0].rows = early.files[file].split('\n').length - 2;
  }
  early.files['surveys.csv'] = rowsOf('surveys.csv', ([year]) => year === '2018');
  const surveys = sourceIn(early, 'surveys');
  surveys.rounds = surveys.rounds.slice(0, 1);
  surveys.files[0].rows = early.files['surveys.csv'].split('\n').length - 2;
  early.model.last_estimated = '2021-06';
  mkdirSync(country, { recursive: true });
  writeCountry(early, country);
  await type(0, 'build --publish --by Ada');
}, 600_000);

const acceptMonth = async (month: string, cases = upTo('cases.csv', month)) => {
  await accept('climate', receive(`rain-${month}.csv`, upTo('climate.csv', month)), `rain of ${month}`);
  await accept('cases', receive(`cases-${month}.csv`, cases), `cases of ${month}`, '--last-estimated', month);
};

let first = '';
test('a new month: inspect the file, accept each file, then build, review, publish', async () => {
  first = current();
  const month = '2021-07';
  const inspection = await type(1, 'catalog update cases', receive('cases.csv', upTo('cases.csv', month)));
  expect(inspection).toMatch(/: cases\.csv changed; 1 rows added, 0 removed, 0 changed\n/);
  expect(inspection).toContain('added NG001 2021-07\n');
  await acceptMonth(month);
  await type(0, 'build');
  expect(current()).toBe(first);
  const review = await type(0, 'review');
  expect(review).toContain('Yes, and no reason is required.');
  expect(review).toMatch(/cases, .* by Ada \(cases of 2021-07\): cases\.csv changed; 1 rows added/);
  expect(review).toContain('last_estimated was "2021-06", is "2021-07"');
  await type(0, 'publish');
  expect(current()).not.toBe(first);
});

test('a month without problems takes three commands', async () => {
  const before = [current(), commands.length];
  await acceptMonth('2021-08');
  await type(0, 'build --publish');
  expect(current()).not.toBe(before[0]);
  expect(commands.length).toBe(Number(before[1]) + 3);
});

test('wrong files are refused with their row, or doubted; the catalog stays unchanged', async () => {
  const catalog = () => ['sources.json', 'model.json'].map((name) => readFileSync(path.join(country, name), 'utf8'));
  const before = catalog();
  const good = upTo('cases.csv', '2021-09');
  const text = receive('text.csv', good.replace(/(2021-09),\d+/, '$1,n/a'));
  expect(await type(2, 'catalog update cases', text, '--accept', 'September')).toMatch(
    /row \d+, confirmed: found "n\/a"/,
  );
  const gone = receive('gone.csv', good.replace(/NG001,2020-05,.*\n/, ''));
  expect(await type(2, 'catalog update cases', gone, '--accept', 'September')).toContain('no month 2020-05');
  const sum = receive(
    'sum.csv',
    good.replace(/(2021-09),(\d+)/, (_, month, cases) => `${month},${12 * Number(cases)}`),
  );
  expect(await type(1, 'catalog update cases', sum)).toMatch(
    /Doubts:\n.*differs from the same months of earlier years in/,
  );
  expect(await type(2, 'catalog update cases', receive('c.csv', good), '--last-estimated', '2026-12')).toMatch(
    /last_estimated: found 2026-12, expected at most 2021-09/,
  );
  expect(catalog()).toEqual(before);
});

test('a correction of an earlier month can come with the next month', async () => {
  await acceptMonth(
    '2021-09',
    upTo('cases.csv', '2021-09').replace(/(NG001,2019-05),(\d+)/, (_, key, cases) => `${key},${Number(cases) + 40}`),
  );
  await type(0, 'build');
  expect(await type(0, 'review')).toContain('1 rows added, 0 removed, 1 changed');
  await type(0, 'publish');
});

test('a survey round moves scores: the review reports it, and publishing requires a reason', async () => {
  const before = current();
  const round = String(complete.files['surveys.csv']).replace(/^(2021,.*,)0\./gm, '$10.4');
  await accept('surveys', receive('surveys.csv', round), 'round of 2021', '--release', '2');
  await type(0, 'build');
  const review = await type(1, 'review');
  expect(review).toMatch(
    /Publishing it requires a reason \(publish --approve REASON --finding thresholds .*\):\n.*scores moved/,
  );
  expect(review).toMatch(/surveys +changed +1 to 2/);
  await type(1, 'publish');
  expect(current()).toBe(before);
  await type(0, 'publish', '--approve', 'the round of 2021: scores of recent months follow it');
  expect(current()).not.toBe(before);
});

test('a table of net use changes the context but no scores', async () => {
  const nets = String(complete.files['nets.csv']).replace(/,0\.(\d)$/gm, ',0.$15');
  await accept('itn_use', receive('nets.csv', nets), 'survey of 2021', '--release', '2021', '--year', '2021');
  await type(0, 'build');
  const review = await type(0, 'review');
  expect(review).toMatch(/^all LGAs +\d+ +0 +0 +0 +0\.0000 +0\.0000$/m);
  expect(review).toMatch(/context-lgas +0 +2/);
  expect(review).not.toMatch(/^seasons-lgas/m);
  await type(0, 'publish');
});

test('after a rollback a nightly build keeps the first version current; every version can be reproduced', async () => {
  const last = current();
  await type(1, `publish ${first}`);
  await type(0, `publish ${first}`, '--approve', 'rolled back: net use is under question');
  await type(0, 'build');
  expect(current()).toBe(first);
  expect(await type(0, 'releases list')).toContain('rolled back: net use is under question');
  expect(await type(0, `releases reproduce ${last} --raw-data raw-data/tiny`)).toContain('came out the same');
  expect(await type(0, `releases reproduce ${first} --raw-data raw-data/tiny`)).toContain('came out the same');
  process.stdout.write(`${commands.length} commands, no manual edits\n`);
});
