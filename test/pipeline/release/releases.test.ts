/** The history of a build's directory: listing, pruning, and reproducing versions. */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { Source } from '../../../pipeline/catalog/sources.ts';
import { lockShared } from '../../../pipeline/engine/lock.ts';
import { sha256 } from '../../../pipeline/lib/hash.ts';
import { currentVersion } from '../../../pipeline/release/current.ts';
import { listReleases, type Releases } from '../../../pipeline/release/list.ts';
import { pruneReleases } from '../../../pipeline/release/prune.ts';
import { publishVersion } from '../../../pipeline/release/publish.ts';
import { buildHere, copyBuild, publishedTiny, readJson, rewriteManifest } from '../../support/built-tiny.ts';
import { temporary } from '../../support/command-line.ts';
import { runHere } from '../../support/run-here.ts';
import { writeTiny } from '../../support/tiny-country.ts';

const { directory: country } = writeTiny();
let out = '';
/** The first is published, then the second, then the third; the fourth is a candidate. */
let versions: [string, string, string, string];
const HOUR = 3_600_000;
beforeAll(async () => {
  out = publishedTiny();
  const made = [currentVersion(out)!];
  for (const day of [1, 2, 3]) {
    const updatedAt = `2031-01-0${day}T00:00:00Z`;
    made.push((await buildHere(country, out, { updatedAt })).model_version);
    if (day < 3) await publishVersion(out, { by: 'Ada', approve: day === 2 ? 'all is well' : undefined });
  }
  versions = made as typeof versions;
  // The first version was replaced long ago.
  const record = path.join(out, 'releases/000002.json');
  writeFileSync(
    record,
    readFileSync(record, 'utf8').replace(/"at": "[^"]*",\n {2}"by"/, '"at": "2026-01-01T00:00:00.000Z",\n  "by"'),
  );
});
const copy = () => copyBuild(out);

test('`releases list` shows who published when and why, with a star at the current version, and the candidates', async () => {
  const { stdout, code } = await runHere(['releases', 'list', '--out', out]);
  expect(code).toBe(0);
  const lines = stdout.split('\n');
  expect(lines[1]).toMatch(
    new RegExp(`^\\* +${versions[2]} +\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d +Ada +current .* all is well +published$`),
  );
  expect(lines[2]).toMatch(new RegExp(`^ +${versions[1]} `));
  expect(stdout).toMatch(new RegExp(`Candidates that were not published:\n.*\n${versions[3]} `));
  const json: Releases = JSON.parse((await runHere(['releases', 'list', '--out', out, '--json'])).stdout);
  expect(json.current).toBe(versions[2]);
  expect(json.releases.map(({ model_version }) => model_version)).toEqual([versions[2], versions[1], versions[0]]);
  expect(json.versions.map(({ model_version }) => model_version)).toEqual(versions.toReversed());
  expect((await runHere(['releases', 'list', '--out', temporary()])).stdout).toBe(
    'Nothing was built or published here.\n',
  );
});

test('a publication left as started is listed with its outcome; a current moved by hand is reported', async () => {
  const out = copy();
  const record = path.join(out, 'releases/000003.json');
  writeFileSync(record, readFileSync(record, 'utf8').replace('"published"', '"started"'));
  expect(listReleases(out).releases[0]!.status).toBe('published');
  rmSync(path.join(out, 'current'));
  symlinkSync(path.join('snapshots', versions[1]), path.join(out, 'current'));
  expect(listReleases(out).releases[0]!.status).toBe('abandoned');
  rmSync(path.join(out, 'current'));
  symlinkSync(path.join('snapshots', versions[3]), path.join(out, 'current'));
  const { stdout } = await runHere(['releases', 'list', '--out', out]);
  expect(stdout).toContain(`current points to ${versions[3]}, but according to the records here`);
});

test('prune keeps the current version, those to roll back to, the newest candidate and a recently replaced one', async () => {
  const later = Date.now() + HOUR;
  const out = copy();
  // The second has just been replaced by the third.
  expect((await pruneReleases(out, 1)).removed.map(({ model_version }) => model_version)).toEqual([versions[0]]);
  expect((await pruneReleases(out, 2, later)).removed).toEqual([]);
  expect((await pruneReleases(out, 1, later)).removed.map(({ model_version }) => model_version)).toEqual([versions[1]]);
  expect(readdirSync(path.join(out, 'snapshots')).sort()).toEqual([versions[2], versions[3]].sort());
  // The manifest of a pruned version stays.
  expect(readJson(path.join(out, 'releases', versions[0]), 'manifest.json').model_version).toBe(versions[0]);
  expect(listReleases(out).releases).toHaveLength(3);
  const { stdout } = await runHere(['releases', 'list', '--out', out]);
  expect(stdout).not.toMatch(new RegExp(`${versions[0]}|${versions[1]}`));
  expect(stdout).toContain('2 publications of versions that were pruned');

  // After a rollback the version before it is the second newest.
  const back = copy();
  await publishVersion(back, { version: versions[0] });
  expect((await pruneReleases(back, 1, later)).removed.map(({ model_version }) => model_version).sort()).toEqual(
    [versions[1], versions[2]].sort(),
  );
  expect(existsSync(path.join(back, 'current/v1/periods.json'))).toBe(true);
});

test('prune keeps the raw files of remaining versions and those accepted after the newest candidate', async () => {
  const out = copy();
  const store = path.join(out, 'raw');
  const kept = readdirSync(store).sort();
  expect(kept.length).toBeGreaterThan(5);
  const [old, accepted] = ['old', 'accepted since'].map((text) => ({ text, name: sha256(Buffer.from(text)) }));
  for (const { text, name } of [old!, accepted!]) writeFileSync(path.join(store, name), text);
  utimesSync(path.join(store, old!.name), 0, 0);
  expect(readdirSync(store)).toHaveLength(kept.length + 2);
  const { raw, removed } = await pruneReleases(out, 9);
  expect([raw, removed]).toEqual([{ files: 1, bytes: 3 }, []]);
  expect(readdirSync(store).sort()).toEqual([...kept, accepted!.name].sort());
  for (const name of kept) utimesSync(path.join(store, name), 0, 0);
  // A file from which only the removed version was made.
  const [first] = versions;
  rewriteManifest(path.join(out, 'snapshots', first), (manifest) => {
    (manifest.sources[0] as Source).files[0]!.sha256 = old!.name;
  });
  writeFileSync(path.join(store, old!.name), 'old');
  utimesSync(path.join(store, old!.name), 0, 0);
  expect((await pruneReleases(out, 9)).raw.files).toBe(0);
  const { stdout } = await runHere(['releases', 'prune', '--keep', '1', '--out', out]);
  expect(stdout).toMatch(/^Removed 1 of their raw files, 0\.0 MB, from /m);
  expect(readdirSync(store).sort()).toEqual([...kept, accepted!.name].sort());
});

test('prune leaves versions that no build here recorded, does not wait for builds, and reports what it removed', async () => {
  const out = copy();
  const own = path.join(out, 'snapshots/tiny-1-00000000');
  cpSync(path.join(out, 'snapshots', versions[0]), own, { recursive: true });
  rewriteManifest(own, (manifest) => {
    manifest.model_version = 'tiny-1-00000000';
  });
  const building = lockShared(out);
  const busy = await runHere(['releases', 'prune', '--keep', '1', '--out', out]);
  expect(busy.stderr).toContain('a build is running there');
  expect(busy.code).toBe(3);
  building.release();
  const { stdout } = await runHere(['releases', 'prune', '--keep', '1', '--out', out]);
  expect(stdout).toMatch(new RegExp(`^removed ${versions[0]}, \\d\\.\\d MB\nRemoved 1 versions; kept 4\n$`));
  expect(existsSync(own)).toBe(true);
  expect((await runHere(['releases', 'prune', '--keep', '0', '--out', out])).code).toBe(2);
});

test('reproduce refuses different raw files or code, and names them', async () => {
  const out = copy();
  const raw = path.join(temporary(), 'raw');
  cpSync(country, raw, { recursive: true });
  writeFileSync(path.join(raw, 'surveys.csv'), `${readFileSync(path.join(raw, 'surveys.csv'), 'utf8')}\n`);
  // Otherwise the files kept by builds would be used.
  rmSync(path.join(out, 'raw'), { recursive: true });
  const reproduce = (version: string) => runHere(['releases', 'reproduce', version, '--out', out, '--raw-data', raw]);
  const other = await reproduce(versions[0]);
  expect([other.code, other.stderr]).toEqual([
    2,
    expect.stringMatching(/surveys\.csv: found a different file in .*, expected SHA-256/),
  ]);
  rewriteManifest(path.join(out, 'snapshots', versions[0]), ({ stages }) => {
    stages[0].code['pipeline/lib/tables/csv.ts'] = '0'.repeat(64);
  });
  const code = await reproduce(versions[0]);
  expect([code.code, code.stderr]).toEqual([
    2,
    expect.stringMatching(/found different code: pipeline\/lib\/tables\/csv\.ts, expected the code that built it/),
  ]);
  const none = await reproduce('tiny-1-00000000');
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('found no tiny-1-00000000')]);
});
