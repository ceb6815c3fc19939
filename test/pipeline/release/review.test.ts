import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, inject, test } from 'vitest';
import { sectionsText } from '../../../pipeline/cli/terminal/blocks-text.ts';
import { openSnapshot } from '../../../pipeline/publish/snapshot/open-snapshot.ts';
import { describeApproval, remainingApprovals } from '../../../pipeline/release/approvals.ts';
import { currentVersion } from '../../../pipeline/release/current.ts';
import { type Review, reviewSnapshot } from '../../../pipeline/release/review.ts';
import { findingSections, inputSection } from '../../../pipeline/release/review-sections.ts';
import {
  buildHere,
  copySnapshot,
  overwrite,
  publishedTiny,
  readJson,
  rewriteManifest,
  rewriteTable,
} from '../../support/built-tiny.ts';
import { temporary } from '../../support/command-line.ts';
import { runHere } from '../../support/run-here.ts';
import { writeTiny } from '../../support/tiny-country.ts';

const ACCEPTED = { at: '2026-11-22T10:00:00.000Z', by: 'Ada', reason: 'a new year', what: '12 rows added' };
let out = '';
let before = '';
let after = '';
beforeAll(async () => {
  out = publishedTiny();
  before = path.join(out, 'snapshots', currentVersion(out)!);
  const changed = writeTiny(({ model, sources }) => {
    model.parameters.survey.small_sample = 90;
    sources[0]!.release = '2';
    sources[0]!.citation = 'somebody else';
    sources[0]!.accepted = [ACCEPTED];
  });
  after = (await buildHere(changed.directory, out)).snapshot;
});
const review = (a: string | null, b: string) => reviewSnapshot(a === null ? null : openSnapshot(a), openSnapshot(b));
/** Adds findings to a snapshot without updating its hashes, since nothing here verifies it. */
const withFindings = (snapshot: string, ...findings: object[]) => {
  const copy = copySnapshot(snapshot);
  overwrite(copy, 'findings.json', JSON.stringify([...readJson(copy, 'findings.json'), ...findings]));
  return copy;
};
const swapped = { stage: 'ingest', source: 'surveys', rule: 'rdt against microscopy', what: 'they look swapped' };

test('the review lists changes of raw data and of lines of model.json', async () => {
  const found = await review(before, after);
  expect(found.sources).toMatchObject([
    {
      source: 'lga_boundaries',
      change: 'changed',
      release: { was: '1', is: '2' },
      files: [],
      accepted: [ACCEPTED],
      catalog: ['citation was "test", is "somebody else"'],
    },
  ]);
  expect(found.making).toEqual({ model: ['parameters.survey.small_sample was 100, is 90'], code: [] });
  expect([found.refused, found.approvals]).toEqual([[], []]);
});

test('the review counts the changed files of code by folder; as JSON it lists them', async () => {
  const upgraded = copySnapshot(after);
  rewriteManifest(upgraded, ({ stages }) => {
    const { code } = stages.at(-1)!;
    for (const file of ['package-lock.json', 'pipeline/lib/hash.ts', 'pipeline/lib/new.ts']) code[file] = 'another';
  });
  const { making } = await review(after, upgraded);
  expect(making.code).toEqual(['package-lock.json', 'pipeline/lib/hash.ts', 'pipeline/lib/new.ts']);
  const text = sectionsText([inputSection(await review(after, upgraded))]).join('\n');
  expect(text).toContain('Files of code that have changed: 3 (package-lock.json 1, pipeline/lib 2;');
  expect(text).not.toContain('new.ts');
});

test('findings are new, known or gone; a new one can make the version need a reason', async () => {
  const known = readJson(after, 'findings.json').length;
  expect(known).toBeGreaterThan(0);
  const loud = { ...swapped, needs_approval: true };
  const quiet = { ...swapped, rule: 'noted' };
  const found = await review(withFindings(before, quiet), withFindings(after, loud));
  expect(found.findings.new).toContainEqual(loud);
  expect(found.findings.gone).toContainEqual(quiet);
  expect(found.findings.known.length).toBeGreaterThan(0);
  expect(found.approvals).toEqual([
    {
      kind: 'rdt-against-microscopy',
      places: ['surveys'],
      what: 'surveys (rdt against microscopy): they look swapped',
    },
  ]);
  // The earlier publication already gave a reason.
  expect((await review(withFindings(before, loud), withFindings(after, loud))).approvals).toEqual([]);
  expect((await review(null, withFindings(after, loud))).approvals).toHaveLength(1);
});

test('the first review has no new findings, but those to be decided and the others', async () => {
  const first = await review(null, withFindings(after, { ...swapped, needs_approval: true }));
  const text = sectionsText(findingSections(first)).join('\n');
  expect(text).not.toContain('New findings');
  expect(text).toMatch(/without a version to compare them with\nTo be decided before publishing .*\n.*look swapped/);
  expect(text).toMatch(/\n\d+ findings about model fits$/);
});

test('a finding stays approved while its numbers move, place by place; a reason can be given for a kind or a place', async () => {
  const doubt = (...places: string[]) => ({
    ...swapped,
    rule: 'hard to believe',
    what: `cases do not fit the people: ${places.join('; ')}. Perhaps another area`,
    places,
    needs_approval: true,
  });
  const obi = (cases: number) => `NG001001 Obi: ${cases} cases a year per 1000 people, where 24 are usual`;
  const bakassi = 'NG001002 Bakassi: 278033 cases a year per 1000 people, where 152 are usual';
  const dated = (year: number) => ({ ...swapped, what: `in ${year} they look swapped`, needs_approval: true });
  const kebbi = (cases: number) => `KE Kebbi in ${cases} months, such as 2021-05 19248 instead of ${cases}00`;
  const river = (fit: number) => `CR Cross River: cases fit the rain of 9 months before, not of up to 4 (${fit})`;
  const published = withFindings(before, doubt(obi(334), kebbi(32), river(-0.15)), dated(2018));
  const moved = withFindings(after, doubt(obi(329), kebbi(9), river(0.04)), dated(2018));
  expect((await review(published, moved)).approvals).toEqual([]);
  const { approvals } = await review(published, withFindings(after, doubt(obi(329), bakassi), dated(2021)));
  expect(approvals.map(({ kind, places }) => [kind, places])).toEqual([
    ['cases-do-not-fit-the-people', ['NG001002 Bakassi']],
    ['rdt-against-microscopy', ['surveys']],
  ]);
  const left = (...selected: string[]) => remainingApprovals(approvals, selected).map(({ kind }) => kind);
  expect(left()).toEqual([]);
  expect(left('cases-do-not-fit-the-people')).toEqual(['rdt-against-microscopy']);
  expect(left('cases-do-not-fit-the-people:NG001002', 'rdt-against-microscopy:surveys')).toEqual([]);
  expect(() => left('cases-do-not-fit-the-people:NG001001')).toThrow(/found .*:NG001001, expected cases-do-not-fit/);
});

test('the review lists changed, removed and new rows and columns of tables', async () => {
  const copy = copySnapshot(after);
  await rewriteTable(
    copy,
    'context_lgas',
    `UPDATE context_lgas SET itn_use = itn_use + 0.25, lga = 'Elsewhere' WHERE lga_code = 'NG001001'`,
    `DELETE FROM context_lgas WHERE lga_code = 'NG002001'`,
    'ALTER TABLE context_lgas DROP COLUMN irs_coverage',
    'ALTER TABLE context_lgas ADD COLUMN rainfall DOUBLE',
  );
  const { diff, approvals } = await review(after, copy);
  const tableOf = (name: string) => diff!.tables.find(({ table }) => table === name)!;
  expect(tableOf('context_lgas')).toEqual({
    table: 'context_lgas',
    rows: { a: 4, b: 3 },
    columns_only_in_a: ['irs_coverage'],
    columns_only_in_b: ['rainfall'],
    keyed: { only_in_a: 1, only_in_b: 0, changed: 1 },
    columns: [
      { column: 'lga', changed: 1, largest: null },
      { column: 'itn_use', changed: 1, largest: expect.closeTo(0.25, 9) },
    ],
  });
  expect(tableOf('season').keyed).toEqual({ only_in_a: 0, only_in_b: 0, changed: 0 });
  expect(approvals.map(({ what }) => what)).toEqual(['the column context_lgas.irs_coverage is missing']);
});

test('forecasts of cases are scored once the records of their months have come, and `show skill` keeps the history', async () => {
  const own = publishedTiny();
  const later = writeTiny(({ files, sources }) => {
    files['cases.csv'] = `${files['cases.csv']}NG001,2022-01,900\n`;
    const cases = sources.find(({ id }) => id === 'cases')!;
    cases.span.last = '2022-01';
    cases.files[0].rows += 1;
  });
  await buildHere(later.directory, own);
  const { stdout } = await runHere(['review', '--out', own]);
  expect(stdout).toMatch(/Forecasts for 2022-01 against the records/);
  await runHere(['publish', '--out', own, '--approve', 'January']);
  const [past] = JSON.parse((await runHere(['show', 'skill', '--out', own, '--json'])).stdout);
  expect(past).toMatchObject({ version: currentVersion(out), months: '2022-01', forecasts: 1 });
  const sql = "SELECT q05, q50, q95 FROM forecasts_cases WHERE period = '2022-01' AND basis = 'record'";
  const [forecast] = JSON.parse((await runHere(['query', sql, '--snapshot', before, '--json'])).stdout);
  expect(past.coverage).toBe(Number(forecast.q05 <= 900 && forecast.q95 >= 900));
  expect(past.bias).toBeCloseTo(forecast.q50 / 900 - 1, 9);
});

test('missing months, answers and transmission model need a reason', async () => {
  const shorter = copySnapshot(after);
  rewriteManifest(shorter, ({ coverage }) => {
    coverage.first_estimated = '2021-01';
    coverage.transmission = false;
  });
  const { approvals } = await review(after, shorter);
  const lines = approvals.map(describeApproval);
  expect(lines).toContain('missing:transmission: the transmission model is missing');
  expect(lines.filter((line) => /^missing:risk-lgas: \d+ answers of risk-lgas are missing/.test(line))).toHaveLength(1);
});

test('the command prints text or JSON and writes a page into releases or to a given file', async () => {
  const page = path.join(temporary(), 'review.html');
  const [text, json] = await Promise.all([
    runHere(['review', '--out', out]),
    runHere(['review', path.basename(after), '--out', out, '--json', '--html', page]),
  ]);
  expect([text.code, json.code]).toEqual([0, 0]);
  expect(text.stdout).toContain(`${path.basename(after)} would replace ${path.basename(before)}`);
  expect(text.stdout).toContain('lga_boundaries, 2026-11-22 by Ada (a new year): 12 rows added');
  expect(text.stdout).toContain('parameters.survey.small_sample was 100, is 90');
  const parsed: Review = JSON.parse(json.stdout);
  expect(parsed).toMatchObject({ model_version: path.basename(after), replaces: path.basename(before), approvals: [] });
  const kept = path.join(out, 'releases', path.basename(after), 'review.html');
  expect(existsSync(kept)).toBe(true);
  const html = readFileSync(page, 'utf8');
  expect(html).toBe(readFileSync(kept, 'utf8'));
  expect(text.stdout).not.toContain('The raw files and their entries');
  const order = ['May it be published?', 'In short', 'Inputs', 'Answers', 'Size of the changes', 'Findings about fits'];
  const at = order.map((title) => text.stdout.indexOf(`\n${title}\n`));
  expect(at).toEqual(at.toSorted((a, b) => a - b));
  expect(at[0]).toBeGreaterThan(0);
  expect(text.stdout).toMatch(/the nation’s score is 0\.\d{4}, was 0\.\d{4}; 0 of 4 LGAs change their level/);
  for (const part of [
    'May it be published?',
    'Yes, and no reason is required.',
    'small_sample was 100',
    '12 rows added',
    '<svg',
  ])
    expect(html).toContain(part);
  expect(html).not.toContain('undefined');
  expect(html).not.toContain('<script');
  // The current version has not changed.
  expect(currentVersion(out)).toBe(currentVersion(inject('builtTiny')));
});
