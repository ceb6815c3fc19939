import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, inject, test } from 'vitest';
import { openSnapshot } from '../../../pipeline/publish/snapshot/open-snapshot.ts';
import { currentVersion } from '../../../pipeline/release/current.ts';
import { type Review, reviewSnapshot } from '../../../pipeline/release/review.ts';
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

test('findings are new, known or gone; a new one can make the version need a reason', async () => {
  const known = readJson(after, 'findings.json').length;
  expect(known).toBeGreaterThan(0);
  const loud = { ...swapped, needs_approval: true };
  const quiet = { ...swapped, rule: 'noted' };
  const found = await review(withFindings(before, quiet), withFindings(after, loud));
  expect(found.findings.new).toContainEqual(loud);
  expect(found.findings.gone).toContainEqual(quiet);
  expect(found.findings.known.length).toBeGreaterThan(0);
  expect(found.approvals).toEqual(['surveys (rdt against microscopy): they look swapped']);
  // The earlier publication already gave a reason.
  expect((await review(withFindings(before, loud), withFindings(after, loud))).approvals).toEqual([]);
  expect((await review(null, withFindings(after, loud))).approvals).toHaveLength(1);
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
  expect(approvals).toEqual(['the column context_lgas.irs_coverage is missing']);
});

test('missing months, answers and transmission model need a reason', async () => {
  const shorter = copySnapshot(after);
  rewriteManifest(shorter, ({ coverage }) => {
    coverage.first_estimated = '2021-01';
    coverage.transmission = false;
  });
  const { approvals } = await review(after, shorter);
  expect(approvals).toContain('the transmission model is missing');
  expect(approvals.filter((line) => /answers of risk-lgas are missing/.test(line))).toHaveLength(1);
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
