/** Publishing a candidate: the gate, records and rollbacks. */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, inject, test } from 'vitest';
import { currentVersion } from '../../../pipeline/release/current.ts';
import { publishVersion } from '../../../pipeline/release/publish.ts';
import { readReleases } from '../../../pipeline/release/release-records.ts';
import {
  buildHere,
  copyBuild,
  copySnapshot,
  overwrite,
  publishedTiny,
  rewriteManifest,
  rewriteTable,
} from '../../support/built-tiny.ts';
import { temporary } from '../../support/command-line.ts';
import { runHere } from '../../support/run-here.ts';
import { writeTiny } from '../../support/tiny-country.ts';

const { directory: country } = writeTiny();
/** The published tiny country with a later candidate. */
let base = '';
const first = currentVersion(inject('builtTiny'))!;
let second = '';
beforeAll(async () => {
  base = publishedTiny();
  second = (await buildHere(country, base, { updatedAt: '2031-01-01T00:00:00Z' })).model_version;
});
const copy = () => copyBuild(base);
/** Replaces the current version by one with other scores in one month. */
async function withOtherScores(out: string): Promise<void> {
  const was = copySnapshot(path.join(out, 'snapshots', first));
  await rewriteTable(
    was,
    'risk_lgas',
    `UPDATE risk_lgas SET score = 0.9, score_low = 0.89, score_high = 0.91 WHERE period = '2021-09'`,
  );
  rmSync(path.join(out, 'snapshots', first), { recursive: true, force: true });
  cpSync(was, path.join(out, 'snapshots', first), { recursive: true });
}

test('a build does not change current; publish points it to the newest candidate and records that', async () => {
  const out = copy();
  expect(currentVersion(out)).toBe(first);
  const { code, stdout } = await runHere(['publish', '--out', out, '--by', 'Ada', '--json']);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ model_version: second, replaces: first });
  expect(currentVersion(out)).toBe(second);
  expect(readReleases(out)).toMatchObject([
    { number: 1, status: 'published', model_version: first, replaces: null, changes: null },
    {
      number: 2,
      status: 'published',
      model_version: second,
      replaces: first,
      to: 'current',
      by: 'Ada',
      reason: null,
      approved: [],
      changes: { scores_compared: 72, scores_moved: 0 },
    },
  ]);
  const { built, published_by_code, at } = readReleases(out)[1]!;
  expect(built!.code).toEqual(published_by_code);
  expect(Math.abs(Date.parse(at) - Date.now())).toBeLessThan(600_000);
  const again = await publishVersion(out);
  expect(again.release).toBeNull();
  expect(readReleases(out)).toHaveLength(2);
});

test('a rollback stays in effect through later builds until the next publication', async () => {
  const out = copy();
  await publishVersion(out);
  await publishVersion(out, { version: first });
  expect(currentVersion(out)).toBe(first);
  // The version that was rolled back, and a new one.
  for (const updatedAt of ['2031-01-01T00:00:00Z', '2031-01-02T00:00:00Z']) {
    await buildHere(country, out, { updatedAt });
    expect(currentVersion(out)).toBe(first);
  }
  const { model_version } = await publishVersion(out);
  expect([first, second]).not.toContain(model_version);
  expect(readReleases(out).map((release) => release.model_version)).toEqual([first, second, first, model_version]);
});

test('a version that the gate stops needs a reason, which is recorded', async () => {
  const out = copy();
  await withOtherScores(out);
  const stopped = await runHere(['publish', '--out', out]);
  expect([stopped.code, stopped.stdout]).toEqual([1, '']);
  expect(stopped.stderr).toMatch(
    /^malaria-risk: tiny-1-\w{8} is not published; it needs a reason \(--approve REASON --finding thresholds\): thresholds: 5\.56% of ranges no longer overlap, at most 1% expected; .*\n$/,
  );
  expect(currentVersion(out)).toBe(first);
  expect(readReleases(out)).toHaveLength(1);
  const twice = await runHere(['publish', '--out', out, '--approve', 'one reason', '--approve', 'another']);
  expect([twice.code, twice.stderr]).toEqual([2, expect.stringContaining('found it twice, expected one reason')]);
  const empty = await runHere(['publish', '--out', out, '--approve', ' ']);
  expect([empty.code, empty.stderr]).toEqual([
    2,
    expect.stringContaining("argument ' ' is invalid. expected some text"),
  ]);
  await expect(publishVersion(out, { approve: 'September', finding: ['missing'] })).rejects.toThrow(
    /expected thresholds/,
  );
  expect(() => publishVersion(out, { finding: ['thresholds'] })).toThrow(/found no --approve/);
  const { release } = await publishVersion(out, { approve: 'September was wrong before', finding: ['thresholds'] });
  expect(release).toMatchObject({
    reason: 'September was wrong before',
    approved: ['thresholds: 5.56% of ranges no longer overlap, at most 1% expected'],
    changes: { scores_moved: 4, ranges_disjoint: 4 },
  });
});

test('a damaged version is not published, whatever the reason', async () => {
  const out = copy();
  overwrite(path.join(out, 'snapshots', second), 'v1/periods.json', '{}');
  await expect(publishVersion(out, { approve: 'anyway' })).rejects.toThrow(
    /must not be published; it has \d+ faults: v1\/periods\.json/,
  );
  expect(currentVersion(out)).toBe(first);
  // One that is current already is not passed over in silence.
  overwrite(path.join(out, 'snapshots', first), 'v1/periods.json', '{}');
  await expect(publishVersion(out, { version: first })).rejects.toThrow(
    /periods\.json.*copy it again from a backup, or move its folder away and run the same `malaria-risk build`/,
  );
});

test('a version built without validation cannot be published', async () => {
  const out = copy();
  const built = await runHere(['build', '--country', country, '--out', out, '--without-validation']);
  expect(built.stdout).toContain('It cannot be published: built without validation');
  const [review, publish] = await Promise.all([
    runHere(['review', '--out', out]),
    runHere(['publish', '--out', out, '--approve', 'anyway']),
  ]);
  expect([review.code, review.stdout]).toEqual([
    1,
    expect.stringContaining('cannot be published: built without validation'),
  ]);
  expect([publish.code, publish.stderr]).toEqual([
    1,
    expect.stringContaining('cannot be published: built without validation'),
  ]);
  expect(currentVersion(out)).toBe(first);
  const both = await runHere(['build', '--country', country, '--out', out, '--without-validation', '--publish']);
  expect(both.code).toBe(2);
});

test('a made-up country cannot replace a real one, and another country needs a reason', async () => {
  const out = copy();
  const directory = path.join(out, 'snapshots', first);
  rewriteManifest(directory, (manifest) => {
    manifest.country = 'Elsewhere';
  });
  await expect(publishVersion(out)).rejects.toThrow(/country: Tiny country in place of Elsewhere/);
  rewriteManifest(path.join(out, 'snapshots', second), (manifest) => {
    manifest.synthetic = true;
  });
  const { stdout, code } = await runHere(['review', '--out', out]);
  expect([code, stdout]).toEqual([1, expect.stringContaining('a made-up country cannot replace a real one')]);
});

test('for an unknown version or a path the error lists existing versions', async () => {
  for (const version of ['tiny-1-00000000', '../snapshots']) {
    const { code, stderr } = await runHere(['publish', version, '--out', base]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(`expected an existing version, such as ${first}, ${second}`),
    ]);
  }
  const elsewhere = await runHere(['publish', first, '--out', temporary()]);
  expect(elsewhere.stderr).toMatch(/expected an existing version; --out names the directory of another build/);
  const { code, stderr } = await runHere(['publish', '--out', temporary()]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('found no candidate')]);
});

test('a current version that was removed by hand is reported', async () => {
  const out = copy();
  rmSync(path.join(out, 'snapshots', first), { recursive: true });
  await expect(publishVersion(out)).rejects.toThrow(/found a link to tiny-1-\w{8}, which does not exist; restore it/);
  rmSync(path.join(out, 'current'));
  expect((await publishVersion(out)).replaces).toBeNull();
});

test('the review of a first release reports that there is nothing to compare with', async () => {
  const out = copy();
  rmSync(path.join(out, 'current'));
  rmSync(path.join(out, 'releases'), { recursive: true });
  writeFileSync(path.join(out, 'draft.txt'), 'mine');
  const { code, stdout } = await runHere(['review', first, '--out', out]);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^tiny-1-\w{8}: nothing is published yet/)]);
  expect(readFileSync(path.join(out, 'releases', first, 'review.html'), 'utf8')).toContain('nothing is published yet');
  await publishVersion(out, { version: first });
  expect(readReleases(out)).toMatchObject([{ number: 1, replaces: null, changes: null, built: null }]);
});
